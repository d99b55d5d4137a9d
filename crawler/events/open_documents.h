/*
 * From when on it is known whether pages that came or went have moved.
 *
 * A page that moves comes under its new URL first; that it is gone from its old
 * one is known only when a second reading lacks it (SPEC R-120), or when a
 * second reading of an index or a robots.txt has ended its document.  So what
 * came or went at a time is settled two days later, or, if a document was open
 * a day and a half later (its latest reading lacks entries for the first time,
 * or a mass drop is held), when that document has been read again; at most two
 * weeks later, because pairs of a move are no further apart
 * (store/site_changes.h).
 */
#ifndef FRESHET_OPEN_DOCUMENTS_H
#define FRESHET_OPEN_DOCUMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SETTLED_LEAST_S (2 * INT64_C(86400))

struct open_interval {
	int64_t from_s, to_s; /* to_s 0: still open */
};

/* Times in which documents were open; zeroed: none was. */
struct open_documents {
	struct open_interval *items; /* owned */
	size_t count, cap;
	int64_t now_s; /* set by the caller */
};

/* open_documents_add(open, from_s, to_s): a document was open; to_s 0: it is
 * open now.  An interval that is too short to matter is not kept. */
void open_documents_add(struct open_documents *, int64_t from_s, int64_t to_s);
void open_documents_release(struct open_documents *);

/* open_documents_settled(open, at_s): when what came or went at at_s was
 * settled; 0: it is not settled before now_s. open_documents_is_none(open): is
 * no document open now? */
int64_t open_documents_settled(const struct open_documents *, int64_t at_s);
bool open_documents_is_none(const struct open_documents *);

#endif
