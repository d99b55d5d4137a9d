/*
 * The alternates of the entries of a document as text, in the bytes of
 * content.alternates: for callers that want the links themselves. (The links
 * that return_links.h writes there are hashes.) Most alternates differ from the
 * one before in a few letters, so only those are written:
 *
 *	u8 is_cut, then for each link: varint ordinal of its entry minus that of
 *	the link before | u8 length, language | varint bytes shared with the
 *	beginning, and varint with the end, of the URL before | varint length,
 *	own bytes
 */
#ifndef FRESHET_ALTERNATE_LIST_H
#define FRESHET_ALTERNATE_LIST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/slice.h"
#include "base/wire.h"

/* Longer values of hreflang are left out; codes of BCP 47 are shorter. */
#define ALTERNATE_LANGUAGE_MAX 35

struct alternate_list {
	struct buf *out; /* borrowed */
	struct buf last; /* the URL of the last link */
	uint32_t ordinal; /* of its entry */
};

/* alternate_list_init(list, out): begin a list at the start of out, which is
 * empty and has a ceiling. The list writes to out until
 * alternate_list_release(), which does not change out. */
void alternate_list_init(struct alternate_list *, struct buf *out);
void alternate_list_release(struct alternate_list *);

/* alternate_list_add(list, ordinal, language, url): append a link of the entry
 * with that ordinal; ordinals never decrease from call to call. A language that
 * is no printable ASCII or longer than ALTERNATE_LANGUAGE_MAX becomes ""; url
 * is normalised. If there is no room for a link, that link and all later ones
 * are left out, and the list contains a mark for alternate_walk.is_cut. */
void alternate_list_add(struct alternate_list *, uint32_t ordinal,
    struct slice language, struct slice url);

struct alternate {
	uint32_t ordinal; /* of the entry in the document, from 0 */
	struct slice language; /* printable ASCII, or empty; borrowed */
	struct slice url; /* printable ASCII; borrowed until the next call */
};

struct alternate_walk {
	struct wire wire;
	struct buf url;
	uint32_t ordinal;
	bool is_cut; /* there were more links */
};

/*
 * alternate_walk_init(walk, bytes): begin to read a list; the bytes are
 * borrowed, and hostile. alternate_walk_next(walk, alternate): false: the list
 * is over, or goes on with bytes that no alternate_list_add writes.
 */
void alternate_walk_init(struct alternate_walk *, struct slice bytes);
void alternate_walk_release(struct alternate_walk *);
bool alternate_walk_next(struct alternate_walk *, struct alternate *);

#endif
