/* From the text of an option to its value in struct options, and what follows
 * from several options together. Only files that parse options include it. */
#ifndef FRESHET_OPTIONS_APPLY_H
#define FRESHET_OPTIONS_APPLY_H

#include <stdbool.h>

#include "base/slice.h"
#include "crawler/cli/options.h"
#include "crawler/cli/options_table.h"

struct option_value {
	const struct option *option;
	const char *where; /* "FILE:LINE: ", or "" or NULL */
	const char *shown; /* the option as written, for errors */
	const char *key; /* name of the switch of the profile, else NULL */
	const char *text; /* NULL: no value */
	bool is_off; /* the --no- form */
	bool is_typed; /* the option stands on the command line */
	/* text may hold several values, with white space between them */
	bool is_many;
};

/* options_apply(options, value): write the value where its option says. Returns
 * false after one line on stderr. */
bool options_apply(struct options *, const struct option_value *);

/* options_init(options): write the defaults of all options. */
void options_init(struct options *);

/* options_profile(options, name): the profile of that name, changed by the
 * switches that these options set. */
struct profile options_profile(const struct options *, enum profile_name);

/*
 * options_finish_site(options): derive what several options of one site make
 * together: the profile with its switches, ownership, headers, credentials.
 * options_finish(options): derive the same, and the path of the store.
 * Both return false after one line on stderr.
 */
bool options_finish_site(struct options *);
bool options_finish(struct options *);

#endif
