/* The table of commands; that of options is in options_table.h. */
#ifndef FRESHET_COMMAND_H
#define FRESHET_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"

/* The numbers of the commands, and of their rows. */
enum command_number {
	COMMAND_CHECK,
	COMMAND_CRAWL,
	COMMAND_COMPARE,
	COMMAND_STAMP,
	COMMAND_ADD,
	COMMAND_LIST,
	COMMAND_RM,
	COMMAND_SET,
	COMMAND_RUN,
	COMMAND_TOP,
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
	COMMAND_SERVE,
	COMMAND_ROBOTS,
	COMMAND_SQL,
	COMMAND_DB,
	COMMAND_DEMO,
	COMMAND_DOCTOR,
	COMMAND_COMPLETION,
	COMMAND_HELP,
	COMMAND_VERSION,
	COMMAND_COUNT
};

/* A set of commands: a bit for each of its numbers. */
#define COMMAND_BIT(number) (UINT64_C(1) << (number))
#define FOR_CHECK COMMAND_BIT(COMMAND_CHECK)
#define FOR_CRAWL COMMAND_BIT(COMMAND_CRAWL)
#define FOR_COMPARE COMMAND_BIT(COMMAND_COMPARE)
#define FOR_STAMP COMMAND_BIT(COMMAND_STAMP)
#define FOR_ADD COMMAND_BIT(COMMAND_ADD)
#define FOR_LIST COMMAND_BIT(COMMAND_LIST)
#define FOR_RM COMMAND_BIT(COMMAND_RM)
#define FOR_SET COMMAND_BIT(COMMAND_SET)
#define FOR_RUN COMMAND_BIT(COMMAND_RUN)
#define FOR_TOP COMMAND_BIT(COMMAND_TOP)
#define FOR_DUE COMMAND_BIT(COMMAND_DUE)
#define FOR_DONE COMMAND_BIT(COMMAND_DONE)
#define FOR_HOLD COMMAND_BIT(COMMAND_HOLD)
#define FOR_RELEASE COMMAND_BIT(COMMAND_RELEASE)
#define FOR_LS COMMAND_BIT(COMMAND_LS)
#define FOR_EXPORT COMMAND_BIT(COMMAND_EXPORT)
#define FOR_IMPORT COMMAND_BIT(COMMAND_IMPORT)
#define FOR_EXPLAIN COMMAND_BIT(COMMAND_EXPLAIN)
#define FOR_STATS COMMAND_BIT(COMMAND_STATS)
#define FOR_DIFF COMMAND_BIT(COMMAND_DIFF)
#define FOR_CHANGES COMMAND_BIT(COMMAND_CHANGES)
#define FOR_ALERT COMMAND_BIT(COMMAND_ALERT)
#define FOR_REPORT COMMAND_BIT(COMMAND_REPORT)
#define FOR_NOTE COMMAND_BIT(COMMAND_NOTE)
#define FOR_SERVE COMMAND_BIT(COMMAND_SERVE)
#define FOR_ROBOTS COMMAND_BIT(COMMAND_ROBOTS)
#define FOR_SQL COMMAND_BIT(COMMAND_SQL)
#define FOR_DB COMMAND_BIT(COMMAND_DB)
#define FOR_DEMO COMMAND_BIT(COMMAND_DEMO)
#define FOR_DOCTOR COMMAND_BIT(COMMAND_DOCTOR)
#define FOR_COMPLETION COMMAND_BIT(COMMAND_COMPLETION)
#define FOR_HELP COMMAND_BIT(COMMAND_HELP)
#define FOR_VERSION COMMAND_BIT(COMMAND_VERSION)
/* commands that tell alerts */
#define FOR_ALERTS (FOR_ALERT | FOR_RUN)
/* commands that keep the total budget or print what it does */
#define FOR_BUDGETS (FOR_DUE | FOR_RUN | FOR_EXPLAIN | FOR_LIST)
/* commands that lease pages while they own the store for another reason */
#define FOR_OWNERS (FOR_CRAWL | FOR_DONE | FOR_HOLD | FOR_RELEASE | FOR_IMPORT)
#define FOR_ALL (COMMAND_BIT(COMMAND_COUNT) - 1)
/* all commands but those that read no configuration */
#define FOR_CONFIGURED \
	(FOR_ALL & ~(FOR_DEMO | FOR_COMPLETION | FOR_HELP | FOR_VERSION))

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
