/*
 * Which page became which, among those that came to a site and left it (SPEC
 * 15.28): a page that is gone and a page that is new form a pair by their URLs.
 *
 * The user says that the one URL became the other (base/renaming.h).  Or the
 * URLs of a pair differ only in spelling (base/renaming.h); or they have
 * different prefixes and the same rest, where one prefix was renamed for five
 * pages or more, one to one, and there is evidence for that; or a fetcher
 * reported that the one redirects to the other.  Both changes are at most two
 * weeks apart.
 */
#ifndef FRESHET_SITE_MOVES_H
#define FRESHET_SITE_MOVES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"
#include "base/w3cdate.h"

struct renamings;
struct store;

#define MOVES_APART_S (14 * INT64_C(86400))

/* A change that may be part of a pair: of kind GONE or ADDED. */
struct moved_page {
	struct slice url;
	int64_t reading_id, document_id;
	int64_t at_s; /* when the change happened: see delta_at_s() */
	int64_t read_s; /* when the reading was made */
	uint32_t at; /* position in the delta of the reading */
	uint8_t kind, verdict;
	struct date lastmod;
};

/* What the star of a renaming stands for, in bytes. */
struct move_star {
	uint32_t len;
	uint32_t from_tail, to_tail; /* what follows it in both URLs */
};

struct move {
	struct moved_page from, to; /* GONE, ADDED */
	/* when the pair was complete; pairs of a renamed prefix are known when
	 * there was enough evidence, or when a redirect proves them */
	int64_t known_s;
	bool is_redirected; /* by then, a redirect alone proved it */
	bool is_configured; /* the user says so */
	struct move_star star; /* if so */
	/* A reading had missed the page before it was gone, by this change of
	 * kind REMOVED; site_changes.h finds it. */
	bool was_removed;
	struct moved_page removed;
};

/* What is asked about the changes of a site. */
struct site_moves_options {
	struct store *store;
	int64_t site_id;
	const struct renamings *renamings; /* of the site; may be NULL */
	const struct moved_page *pages; /* of kinds GONE and ADDED */
	size_t count;
};

/* site_moves_find(options, *count): find the pairs, in no order.  The caller
 * frees them; their URLs are those of the pages. */
struct move *site_moves_find(const struct site_moves_options *, size_t *count);

#endif
