/* The table of commands, which is made of docs/reference/commands.txt. */
#include "crawler/cli/command.h"

#include <string.h>

static const struct command commands[COMMAND_COUNT] = {
#include "commands.inc"
};

const struct command *
command_row(size_t i)
{
	return i < COMMAND_COUNT ? &commands[i] : NULL;
}

const struct command *
command_find(struct slice name)
{
	for (size_t i = 0; i < COMMAND_COUNT; i++)
		if (slice_is(name, commands[i].name))
			return &commands[i];
	return NULL;
}

uint64_t
command_bit(const struct command *command)
{
	return COMMAND_BIT(command - commands);
}

size_t
command_half(const char *line)
{
	const char *end = memrchr(line, '|', strcspn(line, "\n"));

	return (size_t)(end - line);
}
