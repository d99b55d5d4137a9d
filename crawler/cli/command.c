/* The table of commands, which is made of docs/reference/commands.txt. */
#include "crawler/cli/command.h"

const struct command command_rows[COMMAND_COUNT + 1] = {
#include "commands.inc"
};

const struct command *
command_find(struct slice name)
{
	for (size_t i = 0; i < COMMAND_COUNT; i++)
		if (slice_is(name, command_rows[i].name))
			return &command_rows[i];
	return NULL;
}
