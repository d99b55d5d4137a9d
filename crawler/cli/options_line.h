/* Options as they were given: on the command line, in the environment, in the
 * configuration.  Only the files that parse options include it. */
#ifndef FRESHET_OPTIONS_LINE_H
#define FRESHET_OPTIONS_LINE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/suggestion.h"
#include "crawler/cli/options.h"
#include "crawler/cli/options_table.h"

/* Weakest first. */
enum given_source { FROM_DEFAULTS, FROM_SITE, FROM_ENVIRONMENT, FROM_LINE };

struct given {
	const struct option *option;
	const char *key; /* of a switch, else NULL */
	const char *value; /* NULL: none */
	const char *shown; /* "--delay", "FRESHET_DELAY", for errors */
	const char *where; /* "FILE:LINE: " before errors, or "" */
	bool is_off; /* its --no- form */
	enum given_source source;
};

/* Its strings are borrowed from argv, the environment, or kept by options. */
struct givens {
	struct options *options;
	struct string_list words; /* the command and its arguments */
	struct given *items;
	size_t count;
	size_t cap;
};

void givens_release(struct givens *);

/*
 * givens_add(line, given): --set becomes the switches that it sets.  False
 * after one line on stderr, when there is no such switch.
 * givens_add_raw(line, given): --set stays; givens_switches(line) is for later.
 */
bool givens_add(struct givens *, const struct given *);
void givens_add_raw(struct givens *, const struct given *);
bool givens_switches(struct givens *);

/* givens_has(line, given): did a stronger source give the same option? */
bool givens_has(const struct givens *, const struct given *);

/* givens_take(line, argc, argv): the words and options that were typed, --set
 * as it is; false after one line on stderr. */
bool givens_take(struct givens *, int argc, char **argv);

/* givens_apply(line): the values, stronger ones later; false after one line on
 * stderr. */
bool givens_apply(const struct givens *);

/*
 * givens_conflicts(line, command): were two options typed that do not go
 * together?  givens_strays(line): or one of another action of the command?
 * One line on stderr then.
 */
bool givens_conflicts(const struct givens *, unsigned command);

/* givens_give_way(line, command): leave out what weaker sources gave and does
 * not go together with what was typed. */
void givens_give_way(struct givens *, unsigned command);
bool givens_strays(const struct givens *);

/* complain_unknown(where, what, typed, nearest): the end of all misspellings;
 * what is nearest is an option on the command line when typed is one. */
void complain_unknown(const char *where, const char *what, struct slice typed,
    const struct suggestion *);

/* suggestion_option(nearest): try the names of all options and switches. */
void suggestion_option(struct suggestion *);

#endif
