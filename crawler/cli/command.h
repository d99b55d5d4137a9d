/* The table of commands; that of options is in options_table.h. */
#ifndef FRESHET_COMMAND_H
#define FRESHET_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"

/* The numbers of the commands, and of their rows. */
enum command_number {
#define RUNS(NUMBER, name) COMMAND_##NUMBER,
#define READS(NUMBER, name) COMMAND_##NUMBER,
#include "crawler/cli/command.def"
#undef RUNS
#undef READS
	COMMAND_COUNT
};

/* A set of commands: a bit for each of its numbers. */
#define COMMAND_BIT(number) (UINT64_C(1) << (number))
/* commands that tell alerts */
#define FOR_ALERTS (COMMAND_BIT(COMMAND_ALERT) | COMMAND_BIT(COMMAND_RUN))
#define FOR_ALL (COMMAND_BIT(COMMAND_COUNT) - 1)
/* all commands but those that read no configuration */
#define FOR_CONFIGURED                                                      \
	(FOR_ALL & ~COMMAND_BIT(COMMAND_DEMO) &                             \
	    ~COMMAND_BIT(COMMAND_COMPLETION) & ~COMMAND_BIT(COMMAND_HELP) & \
	    ~COMMAND_BIT(COMMAND_VERSION))

struct command {
	const char *name;
	const char *group; /* heading in the overview */
	const char *summary; /* one line of the overview */
	const char *synopsis; /* after "freshet NAME " */
	/* lines "command|what it does\n"; the last '|' of a line parts them */
	const char *examples;
	const char *text; /* paragraphs of its help */
	const char *exits; /* lines "status|meaning\n" */
	const char *operand; /* the name of its arguments in messages */
	/* "info|fsck": the values of its first argument; NULL: it has no
	 * actions */
	const char *actions;
	unsigned min_args;
	unsigned max_args;
	bool reads_stdin; /* stdin may hold targets, if it is "-" or a pipe */
	/* stdin is read for "-" only: a pipe alone is left alone */
	bool wants_dash;
};

/* The rows are in the order of enum command_number; the last one has no
 * name. */
extern const struct command command_rows[COMMAND_COUNT + 1];

/* The COMMAND_BIT of a row. */
#define COMMAND_BIT_OF(command) COMMAND_BIT((command)-command_rows)

/* command_find(name): the command of that name; NULL: there is none. */
const struct command *command_find(struct slice name);

#endif
