/* The table of options: parsing, environment, configuration, suggestions, help,
 * completions and manual pages all come from this table and from that of
 * commands. */
#ifndef FRESHET_OPTIONS_TABLE_H
#define FRESHET_OPTIONS_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/slice.h"
#include "crawler/cli/command.h"
#include "crawler/cli/options.h"
#include "crawler/cli/options_value.h"

enum option_type {
	OPTION_FLAG, /* bool; has a --no- form */
	OPTION_PICK, /* an enum gets the value `pick`; no argument */
	OPTION_CHOICE, /* an enum gets the place of the value in choices */
	OPTION_STRING, /* const char * */
	OPTION_PATH, /* const char *: a file that can be read */
	OPTION_LIST, /* struct strings; may be repeated */
	OPTION_LINES, /* struct strings; the values may contain spaces */
	OPTION_RULE, /* struct strings of NAME=VALUE; may be repeated */
	OPTION_SETTING, /* the same, and the last one counts */
	OPTION_MS, /* int64_t: a duration in milliseconds */
	OPTION_SECONDS, /* int64_t: a duration in whole seconds, rounded up */
	OPTION_SIZE, /* uint64_t: bytes */
	OPTION_NUMBER, /* unsigned */
	OPTION_COUNT, /* uint64_t */
	OPTION_SWITCH /* the same: a switch of the profile */
};

/* Where an option may stand besides the command line. */
enum option_place {
	IN_DEFAULTS, /* in [defaults] of the configuration */
	IN_SITE, /* also in [site HOST]: the option concerns one site alone */
	ON_LINE /* nowhere */
};

struct option {
	const char *name; /* without "--" */
	char letter; /* 0: none */
	const char *argument; /* name of the argument in help; NULL: none */
	enum option_type type;
	size_t target; /* offset in struct options */
	size_t has; /* offset of a bool: the option was given; 0: none */
	size_t typed; /* offset of a bool: it was typed; 0: none */
	int pick; /* OPTION_PICK */
	/* OPTION_CHOICE: "a|b|c"; LIST: the same, for what stands before a
	 * colon of the value */
	const char *choices;
	int64_t max; /* MS, SECONDS, NUMBER: the largest value allowed */
	/* MS, SECONDS, SIZE, NUMBER, COUNT: 0 is not allowed */
	bool is_positive;
	enum value_shape shape;
	const char *form; /* the form in words, for errors */
	/* STRING: "a|b", the members of a list with commas */
	const char *members;
	bool has_off; /* STRING: --no-NAME or an empty value means none */
	uint64_t commands; /* COMMAND_BITs */
	/* commands that use its configured value, but take no typed one */
	uint64_t configured;
	/* "OPTION OPTION:VALUE|VALUE": the options that it excludes, with any
	 * value of its own or with one of these; NULL: none */
	const char *not_with;
	/* the one action of the command that takes it, or NULL */
	const char *action;
	enum option_place place;
	/* it concerns only the command that was given it, and not a crawl that
	 * another process does for it */
	bool is_own;
	const char *standard; /* the default; NULL: none, or off */
	const char *help;
};

/* The rows; the last one has no name. Rows may have the same name if no command
 * has two of them; they have the same letter and argument, too. Behind all
 * others stand the switches of the profile, with '_' in their names. */
extern const struct option option_rows[];

/* option_switch(option): the place of a switch in profile_switches. */
size_t option_switch(const struct option *);

/* option_find(name): the first option of that long name; in that of a switch
 * '-' and '_' count as the same. NULL: there is none. */
const struct option *option_find(struct slice name);

/* option_of(option, command): the row of the same name that this command (a
 * bit) takes; the option itself if it takes none. */
const struct option *option_of(const struct option *, uint64_t command);

/* option_place(option): where the option may stand. An option that means
 * different things to different commands may not stand in the configuration,
 * unless the other commands take it from the command line only. */
enum option_place option_place(const struct option *);

/* option_repeats(option): whether it takes several values. */
bool option_repeats(const struct option *);

/* choice_find(choices, value): the place of a value in "a|b|c", or -1. */
int choice_find(const char *choices, struct slice value);

/* option_argument(option): what its argument is. */
enum argument_kind {
	VALUE_NONE,
	VALUE_CHOICE,
	VALUE_MEMBERS, /* some of the choices, with commas between them */
	VALUE_FILE,
	VALUE_FOLDER,
	VALUE_ANY
};
enum argument_kind option_argument(const struct option *);

#endif
