/* The table of commands; that of options is in options_table.h. */
#ifndef FRESHET_COMMAND_H
#define FRESHET_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

#include "base/slice.h"

/* Commands as bits, for option.commands; the order of command_row(). */
enum command_bit {
	FOR_CRAWL = 1,
	FOR_LS = 2,
	FOR_EXPORT = 4,
	FOR_ROBOTS = 8,
	FOR_SQL = 16,
	FOR_DB = 32,
	FOR_DEMO = 64,
	FOR_HELP = 128,
	FOR_VERSION = 256,
	FOR_ALL = 0x7fffffff,
	FOR_CONFIGURED = FOR_ALL & ~(FOR_DEMO | FOR_HELP | FOR_VERSION)
};

struct command {
	const char *name;
	const char *group; /* heading in the overview */
	const char *summary; /* one line, for the overview */
	const char *synopsis; /* after "freshet NAME " */
	const char *examples; /* lines "command|what it does\\n" */
	const char *text; /* paragraphs for its help */
	const char *exits; /* lines "status|what it means\\n" */
	const char *operand; /* what its arguments are called */
	const char *actions; /* "info|fsck": its first argument; or NULL */
	unsigned min_args;
	unsigned max_args;
	bool reads_stdin; /* targets come from there: CLI section 1 */
};

/* command_row(i): NULL past the last.  command_find(name): NULL when there
 * is none; its bit is 1 << (found - command_row(0)). */
const struct command *command_row(size_t i);
const struct command *command_find(struct slice name);

#endif
