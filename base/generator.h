/*
 * Programs that write sitemaps: how their output is recognised, and what its
 * dates are worth. docs/reference/generators.txt is the one table behind all of
 * it.
 */
#ifndef FRESHET_GENERATOR_H
#define FRESHET_GENERATOR_H

#include <stdbool.h>
#include <stdint.h>

#include "slice.h"

/* Where the dates of a generator come from when nothing is set. */
enum dates_source {
	DATES_NONE,
	DATES_BUILD, /* the time of the build */
	DATES_MTIME, /* of the file, which a checkout or a build writes anew */
	DATES_BIRTH, /* of the file on this disk */
	DATES_AUTHOR, /* of the last commit */
	DATES_COMMITTER,
	DATES_PAGE, /* written in the page itself */
	DATES_DATABASE,
	DATES_GIVEN, /* by the program that calls it */
	DATES_SOURCES
};

#define GENERATOR_MENDS 2

extern const char *const dates_source_texts[DATES_SOURCES];

/* All texts are static, and printable ASCII. */
struct generator {
	const char *name;
	const char *version; /* that was run */
	enum dates_source source;
	/* Of the dates that it writes, in percent: how many moves are a change
	 * of the page, and how many changes move the date; both 0: it is not
	 * known.  Precision 0: all move at once, by the build. */
	uint8_t precision, recall;
	bool is_library; /* others write their sitemaps with it */
	const char *dates, *moves, *loc, *split, *index;
	const char *advice; /* the switch that makes dates true */
	const char *tried; /* how it was tried */
	const char *pages; /* see generator_of_pages(); NULL: nothing */
	/* the name of a code, and the switch that mends such a finding */
	const char *mends[GENERATOR_MENDS][2];
};

extern const struct generator generator_rows[]; /* the last one has no name */

/* What is known of a document when it was read. Texts are hostile. */
struct generator_signs {
	struct slice name; /* of its file, or empty */
	struct slice head, tail; /* its first and last bytes */
	bool has_hints; /* all entries have these, as entry.hints has them */
	uint8_t hints;
	bool is_html; /* each loc ends in .html */
	bool is_moment; /* all dates are the same millisecond */
};

#define GENERATOR_HEAD 4096
#define GENERATOR_TAIL 512

/* generator_recognise(signs): the number of the first rule that holds, or 0. */
uint8_t generator_recognise(const struct generator_signs *);

/* generator_of(rule, reason): the generator that the rule finds, and why; NULL
 * for 0 and for a number that no rule has. */
const struct generator *generator_of(uint8_t rule, const char **reason);

/* generator_of_pages(found, meta): if a library is what was found, or one of
 * those that use it, the generator that uses it and that the pages of the site
 * name in <meta name="generator" content>, or the library for pages that name
 * none; else NULL. */
const struct generator *generator_of_pages(
    const struct generator *found, struct slice meta);

/* generator_find(name): in any case; NULL: there is none. */
const struct generator *generator_find(struct slice name);

#endif
