/*
 * The one table of commands and options: parsing, environment, configuration,
 * suggestions, help, completions and manual pages all come from it.
 */
#ifndef FRESHET_OPTIONS_TABLE_H
#define FRESHET_OPTIONS_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/slice.h"
#include "crawler/cli/command.h"
#include "crawler/cli/options.h"

enum option_type {
	OPTION_FLAG, /* bool; has a --no- form */
	OPTION_PICK, /* an enum becomes `pick`; no argument */
	OPTION_CHOICE, /* an enum becomes the place of the value in choices */
	OPTION_STRING, /* const char * */
	OPTION_PATH, /* the same: a file that can be read */
	OPTION_LIST, /* struct string_list; may be repeated */
	OPTION_LINES, /* the same, with spaces in the words */
	OPTION_MS, /* int64_t: a duration in milliseconds */
	OPTION_SECONDS, /* int64_t: the same, in whole seconds, rounded up */
	OPTION_SIZE, /* uint64_t: bytes */
	OPTION_NUMBER, /* unsigned */
	OPTION_COUNT, /* uint64_t */
	OPTION_SET, /* "KEY=VALUE" */
	OPTION_SWITCH /* of the profile: "KEY=VALUE" into options.switches */
};

/* Where an option may be set, besides the command line. */
enum option_place {
	IN_DEFAULTS, /* configuration, for all sites; environment */
	IN_SITE, /* the same, and for one site: it concerns one alone */
	IN_ENVIRONMENT, /* no configuration */
	ON_LINE /* nowhere */
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
	size_t typed; /* of one that says "on the command line"; 0: none */
	int pick; /* PICK */
	const char *choices; /* CHOICE: "a|b|c" */
	int64_t max; /* MS, SECONDS, NUMBER: the largest value */
	bool is_positive; /* MS, SECONDS, SIZE, NUMBER, COUNT: 0 is none */
	option_shape_fn *shape; /* NULL: any */
	const char *form; /* the form that shape wants, for errors */
	const char *members; /* STRING: "a|b", what a list with commas holds */
	bool has_off; /* STRING: --no-NAME, or an empty one, means none */
	unsigned commands; /* enum command_bit */
	unsigned configured; /* which keep to it, and do not take it typed */
	const char *action; /* of the command that alone takes it, or NULL */
	enum option_place place;
	const char *standard; /* the value built in, NULL: none, or off */
	const char *help;
};

/*
 * option_row(i): NULL past the last.  Rows may share a name when no command
 * has two of them; they share letter and argument, too.
 * option_switch(): the row of the profile's switches: it has no name.
 */
const struct option *option_row(size_t i);
const struct option *option_switch(void);

/*
 * option_find(name, *key): by its long name; a switch of the profile, under
 * its name with '-' or '_', answers option_switch(), and its own name in *key.
 * NULL when there is none.
 */
const struct option *option_find(struct slice name, const char **key);
const struct option *option_find_letter(char letter);

/* option_of(option, command): the row of the same name that this command, a
 * bit, has; option itself when it has none. */
const struct option *option_of(const struct option *, unsigned command);

/* option_place(option): its place; what means different things to different
 * commands stands in no configuration, unless it can only be typed for the
 * others. */
enum option_place option_place(const struct option *);

/* option_repeats(option): does it take several values? option_values(option):
 * what it takes, for people: "a|b", "TIME", "0|1". */
bool option_repeats(const struct option *);
const char *option_values(const struct option *);

/* choice_find(choices, value): its place in "a|b|c", or -1. */
int choice_find(const char *choices, struct slice value);

/* One option after the other, switches of the profile among them. */

enum value_kind {
	VALUE_NONE,
	VALUE_CHOICE,
	VALUE_MEMBERS, /* any of the choices, with commas between them */
	VALUE_SWITCH, /* SWITCH=VALUE */
	VALUE_FILE,
	VALUE_FOLDER,
	VALUE_ANY
};

/* Zeroed but for commands; what follows is written by each_next. */
struct each {
	unsigned commands; /* of any of these, enum command_bit */
	size_t at; /* rows and switches that were seen */
	const struct option *option;
	bool is_switch;
	size_t place; /* of a switch among them */
	const char *help;
	char name[64]; /* "dir-rule", also of a switch */
	const char *argument; /* NULL: takes none */
	const char *choices; /* "a|b", or NULL */
	enum value_kind kind;
};

/* each_next(each): false past the last. */
bool each_next(struct each *);

#endif
