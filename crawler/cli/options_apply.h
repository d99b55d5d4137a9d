/* Between the files that parse options; nobody else includes it. */
#ifndef FRESHET_OPTIONS_APPLY_H
#define FRESHET_OPTIONS_APPLY_H

#include <stdbool.h>

#include "base/slice.h"
#include "crawler/cli/options.h"
#include "crawler/cli/options_table.h"

struct option_value {
	const struct option *option;
	const char *where; /* "FILE:LINE: ", or "" or NULL */
	const char *shown; /* how it was written, for errors */
	const char *key; /* of a switch, else NULL */
	const char *text; /* NULL: none */
	bool is_off; /* --no- */
	bool is_typed; /* on the command line */
	bool is_many; /* several values may stand in text */
};

/* options_apply(options, value): put it where it belongs; false after one
 * line on stderr. */
bool options_apply(struct options *, const struct option_value *);

/* options_standard(options, option): give it the value built in. */
void options_standard(struct options *, const struct option *);

/* options_init(options): all as it is built in. */
void options_init(struct options *);

/* options_profile(options, name): the rules of that name with the switches of
 * these options. */
struct profile options_profile(const struct options *, enum profile_name);

/* options_finish_profile(options): the profile with its switches, and what is
 * owned. */
void options_finish_profile(struct options *);

/*
 * options_finish_site(options): what follows from several options that may
 * concern one site: profile with its switches, ownership, headers,
 * credentials.  options_finish(options): the same, and the store.  False
 * after one line on stderr.
 */
bool options_finish_site(struct options *);
bool options_finish(struct options *);

#endif
