/*
 * Other dates in the bytes of a sitemap, all else as it is.
 *
 * Only tags are looked at, so that comments, CDATA, namespaces and extensions
 * of any kind stay: an entry is a <url> or <sitemap> of the second level, and
 * its <loc> and <lastmod> are of the third. A new lastmod stands behind the
 * loc, and has the white space before it that the loc has.
 */
#ifndef FRESHET_REDATE_H
#define FRESHET_REDATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/slice.h"

/* An element of an entry; offsets from the beginning of the entry. */
struct redate_element {
	size_t at, value, value_end, end; /* end 0: there is none */
};

struct redate {
	/* A line for each entry: its date, "-" for none, or nothing to let it
	 * stay. Borrowed; what is left of it. */
	struct slice dates;
	struct buf held; /* bytes that were not passed on yet */
	size_t from; /* the entry in it, or what comes behind the last */
	size_t next; /* token in it */
	unsigned depth; /* open elements */
	bool is_entry;
	size_t prefix; /* bytes of the entry's namespace prefix */
	struct redate_element loc, lastmod;
	uint64_t seen, changed; /* entries */
	struct buf out; /* the bytes to pass on; the caller empties it */
};

/* redate_init(redate, dates), redate_release(redate). */
void redate_init(struct redate *, struct slice dates);
void redate_release(struct redate *);

/* redate_feed(redate, bytes): further bytes, of UTF-8. redate_finish(redate):
 * there are no more. False: the dates are not those of these entries, or this
 * is no sitemap that can be told apart; no more bytes are wanted. */
bool redate_feed(struct redate *, struct slice bytes);
bool redate_finish(struct redate *);

#endif
