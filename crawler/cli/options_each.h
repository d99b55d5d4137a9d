/* One option after the other, switches of the profile among them. */
#ifndef FRESHET_OPTIONS_EACH_H
#define FRESHET_OPTIONS_EACH_H

#include <stdbool.h>
#include <stddef.h>

#include "crawler/cli/options_table.h"

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
