/*
 * The cursor of a consumer of the feed: how far it was told (SPEC section 17).
 *
 * Its text holds all of it, so that making a batch writes nothing.  Users keep
 * the text as it is.
 */
#ifndef FRESHET_FEED_CURSOR_H
#define FRESHET_FEED_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/slice.h"

/* A part of a walk over sites in the order of ids, and over the URLs of each in
 * order: all sites before this one are done, and this one up to the URL. */
struct feed_place {
	int64_t site_id; /* 0: the walk has not begun */
	char *url; /* owned; NULL: nothing of the site is done */
};

struct feed_sites {
	int64_t *ids; /* owned, ascending */
	size_t count, cap;
};

struct feed_cursor {
	int64_t serial; /* of the consumer */
	/* The consumer begins anew: it has no members but those that this
	 * cursor adds. */
	bool is_reset;
	/* The last step of each sequence that was told as a whole. */
	int64_t reading_id, outcome_id, robots_id, unknown_id;
	/* Owned: of the next reading the changes up to this URL were told, too;
	 * NULL: none was. */
	char *reading_url;
	struct feed_place robots; /* in the next step of robots.txt */
	/* Sites whose pages are to be told as those of new members, which the
	 * acknowledgement makes them.  One is told up to the place. */
	struct feed_sites joining;
	struct feed_place joining_at;
	/* Members whose pages are to be told as those of sites that leave. */
	struct feed_sites leaving;
	struct feed_place leaving_at;
	/* Sites that have joined or left as a whole: the acknowledgement begins
	 * or ends their membership. */
	struct feed_sites joined, left;
};

/* feed_cursor_release(cursor): zeroed is allowed. */
void feed_cursor_release(struct feed_cursor *);

/* feed_place_set(place, site_id, url): move a place; an empty URL is none. */
void feed_place_set(struct feed_place *, int64_t site_id, struct slice url);

/* feed_sites_add(sites, id): the id is not among them yet.
 * feed_sites_remove(sites, id): it may be among them. */
void feed_sites_add(struct feed_sites *, int64_t id);
void feed_sites_remove(struct feed_sites *, int64_t id);
bool feed_sites_has(const struct feed_sites *, int64_t id);

/* feed_cursor_print(cursor, out): append the text: printable ASCII without
 * spaces.
 * feed_cursor_parse(cursor, text): false if no version wrote this text, which
 * may be anything; the cursor is to be released in any case. */
void feed_cursor_print(const struct feed_cursor *, struct buf *out);
bool feed_cursor_parse(struct feed_cursor *, struct slice text);

#endif
