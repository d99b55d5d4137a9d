/* Options as they were given: on the command line, in the environment, in the
 * configuration.  Only the files that parse options include it. */
#ifndef FRESHET_OPTIONS_LINE_H
#define FRESHET_OPTIONS_LINE_H

#include <stdbool.h>
#include <stddef.h>

#include "crawler/nearest.h"
#include "crawler/options.h"
#include "crawler/options_table.h"

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
struct line {
	struct options *options;
	struct words words; /* the command and its arguments */
	struct given *items;
	size_t count;
	size_t cap;
};

void line_release(struct line *);

/*
 * line_add(line, given): --set becomes the switches that it sets.  False
 * after one line on stderr, when there is no such switch.
 * line_add_raw(line, given): --set stays; line_switches(line) is for later.
 */
bool line_add(struct line *, const struct given *);
void line_add_raw(struct line *, const struct given *);
bool line_switches(struct line *);

/* line_has(line, given): did a stronger source give the same option? */
bool line_has(const struct line *, const struct given *);

/* line_take(line, argc, argv): the words and options that were typed, --set
 * as it is; false after one line on stderr. */
bool line_take(struct line *, int argc, char **argv);

/* line_apply(line): the values, stronger ones later; false after one line on
 * stderr. */
bool line_apply(const struct line *);

/*
 * line_conflicts(line, command): were two options typed that do not go
 * together?  line_strays(line): or one of another action of the command?
 * One line on stderr then.
 */
bool line_conflicts(const struct line *, unsigned command);

/* line_give_way(line, command): leave out what weaker sources gave and does not
 * go together with what was typed. */
void line_give_way(struct line *, unsigned command);
bool line_strays(const struct line *);

/* complain_unknown(where, what, typed, nearest): the end of all misspellings;
 * what is nearest is an option on the command line when typed is one. */
void complain_unknown(const char *where, const char *what, struct slice typed,
    const struct nearest *);

/* nearest_option(nearest): try the names of all options and switches. */
void nearest_option(struct nearest *);

#endif
