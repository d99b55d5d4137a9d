/* The table of commands; that of options is in options_table.h. */
#ifndef FRESHET_COMMAND_H
#define FRESHET_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

#include "base/slice.h"

/* The numbers of the commands; command_row() takes them. */
enum command_number {
	COMMAND_CHECK,
	COMMAND_CRAWL,
	COMMAND_COMPARE,
	COMMAND_ADD,
	COMMAND_LIST,
	COMMAND_RM,
	COMMAND_SET,
	COMMAND_RUN,
	COMMAND_DUE,
	COMMAND_DONE,
	COMMAND_HOLD,
	COMMAND_RELEASE,
	COMMAND_LS,
	COMMAND_EXPORT,
	COMMAND_IMPORT,
	COMMAND_EXPLAIN,
	COMMAND_STATS,
	COMMAND_DIFF,
	COMMAND_CHANGES,
	COMMAND_ALERT,
	COMMAND_REPORT,
	COMMAND_NOTE,
	COMMAND_ROBOTS,
	COMMAND_SQL,
	COMMAND_SIM,
	COMMAND_DB,
	COMMAND_DEMO,
	COMMAND_DOCTOR,
	COMMAND_COMPLETION,
	COMMAND_HELP,
	COMMAND_VERSION,
	COMMAND_COUNT
};

enum command_bit {
	FOR_CHECK = 1 << COMMAND_CHECK,
	FOR_CRAWL = 1 << COMMAND_CRAWL,
	FOR_COMPARE = 1 << COMMAND_COMPARE,
	FOR_ADD = 1 << COMMAND_ADD,
	FOR_LIST = 1 << COMMAND_LIST,
	FOR_RM = 1 << COMMAND_RM,
	FOR_SET = 1 << COMMAND_SET,
	FOR_RUN = 1 << COMMAND_RUN,
	FOR_DUE = 1 << COMMAND_DUE,
	FOR_DONE = 1 << COMMAND_DONE,
	FOR_HOLD = 1 << COMMAND_HOLD,
	FOR_RELEASE = 1 << COMMAND_RELEASE,
	FOR_LS = 1 << COMMAND_LS,
	FOR_EXPORT = 1 << COMMAND_EXPORT,
	FOR_IMPORT = 1 << COMMAND_IMPORT,
	FOR_EXPLAIN = 1 << COMMAND_EXPLAIN,
	FOR_STATS = 1 << COMMAND_STATS,
	FOR_DIFF = 1 << COMMAND_DIFF,
	FOR_CHANGES = 1 << COMMAND_CHANGES,
	FOR_ALERT = 1 << COMMAND_ALERT,
	FOR_REPORT = 1 << COMMAND_REPORT,
	FOR_NOTE = 1 << COMMAND_NOTE,
	FOR_ROBOTS = 1 << COMMAND_ROBOTS,
	FOR_SQL = 1 << COMMAND_SQL,
	FOR_SIM = 1 << COMMAND_SIM,
	FOR_DB = 1 << COMMAND_DB,
	FOR_DEMO = 1 << COMMAND_DEMO,
	FOR_DOCTOR = 1 << COMMAND_DOCTOR,
	FOR_COMPLETION = 1 << COMMAND_COMPLETION,
	FOR_HELP = 1 << COMMAND_HELP,
	FOR_VERSION = 1 << COMMAND_VERSION,
	/* commands that keep the total budget or print what it does */
	FOR_BUDGETS = FOR_DUE | FOR_RUN | FOR_EXPLAIN | FOR_LIST,
	/* commands that lease pages while they own the store for another
	 * reason */
	FOR_OWNERS = FOR_CRAWL | FOR_DONE | FOR_HOLD | FOR_RELEASE | FOR_IMPORT,
	FOR_ALL = (int)((1u << COMMAND_COUNT) - 1),
	/* all commands but those that read no configuration */
	FOR_CONFIGURED = FOR_ALL &
	    ~(FOR_DEMO | FOR_COMPLETION | FOR_HELP | FOR_VERSION)
};

struct command {
	const char *name;
	const char *group; /* heading in the overview */
	const char *summary; /* one line of the overview */
	const char *synopsis; /* after "freshet NAME " */
	const char *examples; /* lines "command|what it does\\n" */
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

/*
 * command_row(i): the i-th command; NULL past the last one.
 * command_find(name): the command of that name; NULL: there is none.
 * command_bit(command): its bit in enum command_bit.
 */
const struct command *command_row(size_t i);
const struct command *command_find(struct slice name);
unsigned command_bit(const struct command *);

/*
 * command_half(line): the length of the first half of a line of examples or
 * exits, which ends at the last '|' of the line.
 */
size_t command_half(const char *line);

#endif
