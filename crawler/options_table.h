/*
 * The one table of commands and options: parsing, environment, suggestions
 * and help all come from it.
 */
#ifndef FRESHET_OPTIONS_TABLE_H
#define FRESHET_OPTIONS_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/slice.h"
#include "crawler/options.h"

/* Commands as bits, for option.commands; the order of command_row(). */
enum command_bit {
	FOR_CRAWL = 1,
	FOR_LS = 2,
	FOR_EXPORT = 4,
	FOR_DB = 8,
	FOR_HELP = 16,
	FOR_VERSION = 32,
	FOR_ALL = 63
};

struct command {
	const char *name;
	const char *group; /* heading in the overview */
	const char *summary; /* one line, for the overview */
	const char *synopsis; /* after "freshet NAME " */
	const char *examples; /* lines "command|what it does\\n" */
	const char *text; /* paragraphs for its help */
	const char *operand; /* what its arguments are called */
	unsigned min_args;
	unsigned max_args;
	bool reads_stdin; /* targets come from there: CLI section 1 */
};

/* command_row(i): NULL past the last.  command_find(name): NULL when there
 * is none; its bit is 1 << (found - command_row(0)). */
const struct command *command_row(size_t i);
const struct command *command_find(struct slice name);

enum option_type {
	OPTION_FLAG, /* bool; has a --no- form */
	OPTION_PICK, /* an enum becomes `pick`; no argument */
	OPTION_CHOICE, /* an enum becomes the place of the value in choices */
	OPTION_STRING, /* const char * */
	OPTION_PATH, /* the same: a file that can be read */
	OPTION_LIST, /* struct words; may be repeated */
	OPTION_LINES, /* the same, with spaces in the words */
	OPTION_MS, /* int64_t: a duration in milliseconds */
	OPTION_SECONDS, /* int64_t: the same, in whole seconds, rounded up */
	OPTION_SIZE, /* uint64_t: bytes */
	OPTION_NUMBER, /* unsigned */
	OPTION_COUNT, /* uint64_t */
	OPTION_SWITCH /* of the profile: "KEY=VALUE" into options.switches */
};

/* option_shape_fn: has a value the shape that it must have? */
typedef bool option_shape_fn(const char *value);

struct option {
	const char *name; /* without "--" */
	char letter; /* 0: none */
	const char *argument; /* its name in help, NULL: takes none */
	enum option_type type;
	size_t target; /* offset in struct options */
	size_t has; /* of a bool that says "given"; 0: none */
	int pick; /* PICK */
	const char *choices; /* CHOICE: "a|b|c" */
	int64_t max; /* MS, SECONDS, NUMBER: the largest value */
	option_shape_fn *shape; /* NULL: any */
	const char *form; /* the form that shape wants, for errors */
	unsigned commands; /* enum command_bit */
	const char *help;
};

/* option_row(i): NULL past the last. */
const struct option *option_row(size_t i);

/*
 * option_find(name, *key): by its long name; a switch of the profile, under
 * its name with '-' or '_', answers the one row of type OPTION_SWITCH that
 * has no name, and its own name in *key.  NULL when there is none.
 */
const struct option *option_find(struct slice name, const char **key);
const struct option *option_find_letter(char letter);

/* option_has_env(option): may FRESHET_<OPTION> stand in for it? */
bool option_has_env(const struct option *);

/* choice_find(choices, value): its place in "a|b|c", or -1. */
int choice_find(const char *choices, struct slice value);

/*
 * What is nearest to a mistyped word: nearest_init, nearest_try for each
 * known word, then nearest.best, NULL when none is near enough.
 */
struct nearest {
	struct slice typed;
	const char *best; /* borrowed from nearest_try's caller */
	size_t best_len;
	unsigned distance; /* of best */
};

void nearest_init(struct nearest *, struct slice typed);
void nearest_try(struct nearest *, const char *known, size_t len);

#endif
