/* Options as they were given, from the text of one to its value in struct
 * options, and what follows from several options together. Only files that
 * parse options include it. */
#ifndef FRESHET_OPTIONS_APPLY_H
#define FRESHET_OPTIONS_APPLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"
#include "base/suggestion.h"
#include "crawler/cli/options.h"
#include "crawler/cli/options_table.h"

/* Where an option was given; weaker sources first. */
enum given_source { FROM_DEFAULTS, FROM_SITE, FROM_ENVIRONMENT, FROM_LINE };

struct given {
	const struct option *option;
	const char *value; /* NULL: no value */
	const char *shown; /* "--delay" or "FRESHET_DELAY", for errors */
	const char *where; /* "FILE:LINE: " before errors, or "" */
	bool is_off; /* the --no- form */
	bool gives_way; /* an option that was typed excludes it */
	enum given_source source;
};

/* The strings are borrowed from argv, from the environment, or from what
 * options_keep() copied. */
struct givens {
	struct options *options;
	struct strings words; /* owned: the command and its arguments */
	struct given *items; /* owned */
	size_t count;
	size_t cap;
};

/* givens_add(givens, given): add an option. */
void givens_add(struct givens *, const struct given *);

/* givens_has(givens, given): whether a stronger source gives the same
 * option. */
bool givens_has(const struct givens *, const struct given *);

/* givens_apply(givens): write all values into the options, strong sources last.
 * Returns false after one line on stderr. */
bool givens_apply(const struct givens *);

/* suggestion_option(suggestion, commands): try the names of all options that
 * these commands take. */
void suggestion_option(struct suggestion *, uint64_t commands);

/* options_init(options): write the defaults of all options. */
void options_init(struct options *);

/* options_profile(options, name): the profile of that name, changed by the
 * switches that these options set. */
struct profile options_profile(const struct options *, enum profile_name);

/*
 * options_finish_site(options): derive what several options of one site make
 * together: the profile with its switches, ownership, headers, credentials.
 * options_finish_store(options): derive the path of the store, or of the cache
 * of one in PostgreSQL.
 * options_finish_fetch(options): is there an archive for what is archived?
 * All return false after one line on stderr.
 */
bool options_finish_site(struct options *);
bool options_finish_store(struct options *);
bool options_finish_fetch(const struct options *);

#endif
