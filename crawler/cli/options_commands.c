/* The table of commands. */
#include "crawler/cli/commands_table.h"

#include <string.h>

/* clang-format off */
static const struct command *const commands[] = {
    [COMMAND_CHECK] = &command_row_check,
    [COMMAND_COMPARE] = &command_row_compare,
    [COMMAND_CRAWL] = &command_row_crawl,
    [COMMAND_ADD] = &command_row_add,
    [COMMAND_LIST] = &command_row_list,
    [COMMAND_RM] = &command_row_rm,
    [COMMAND_SET] = &command_row_set,
    [COMMAND_RUN] = &command_row_run,
    [COMMAND_DUE] = &command_row_due,
    [COMMAND_DONE] = &command_row_done,
    [COMMAND_HOLD] = &command_row_hold,
    [COMMAND_RELEASE] = &command_row_release,
    [COMMAND_LS] = &command_row_ls,
    [COMMAND_EXPORT] = &command_row_export,
    [COMMAND_IMPORT] = &command_row_import,
    [COMMAND_EXPLAIN] = &command_row_explain,
    [COMMAND_STATS] = &command_row_stats,
    [COMMAND_ROBOTS] = &command_row_robots,
    [COMMAND_SQL] = &command_row_sql,
    [COMMAND_SIM] = &command_row_sim,
    [COMMAND_DB] = &command_row_db,
    [COMMAND_DEMO] = &command_row_demo,
    [COMMAND_DOCTOR] = &command_row_doctor,
    [COMMAND_COMPLETION] = &command_row_completion,
    [COMMAND_HELP] = &command_row_help,
    [COMMAND_VERSION] = &command_row_version,
};
/* clang-format on */

#define COMMANDS (sizeof(commands) / sizeof(commands[0]))

const struct command *
command_row(size_t i)
{
	return i < COMMANDS ? commands[i] : NULL;
}

const struct command *
command_find(struct slice name)
{
	for (size_t i = 0; i < COMMANDS; i++)
		if (slice_is(name, commands[i]->name))
			return commands[i];
	return NULL;
}

unsigned
command_bit(const struct command *command)
{
	size_t i = 0;

	while (commands[i] != command)
		i++;
	return 1u << i;
}

size_t
command_half(const char *line)
{
	const char *end = memrchr(line, '|', strcspn(line, "\n"));

	return (size_t)(end - line);
}
