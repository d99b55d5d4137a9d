/*
 * The history of a store, as far as the store has kept it: what documents
 * listed at each reading, and what fetches of pages found. The history is made
 * backwards in time, from the present entries, the readings and their changes.
 */
#ifndef FRESHET_KEPT_HISTORY_H
#define FRESHET_KEPT_HISTORY_H

#include <stddef.h>
#include <stdint.h>

#include "base/names.h"
#include "base/w3cdate.h"
#include "crawler/cli/selection.h"
#include "store/store.h"
#include "tests/sim/known.h"

/* In the order of the rows of a trace that share a second. */
enum kept_kind {
	KEPT_TEXT, /* from now on the page exists, with that text */
	KEPT_CHANGED, /* the page has another text */
	KEPT_ENDED, /* the page is gone */
	KEPT_REMOVED,
	KEPT_ADDED,
	/* the entry's date is now `date`; DATE_NONE: it has none */
	KEPT_CLAIMED,
	KEPT_PUBLISHED, /* value: number of entries */
	KEPT_WITHDRAWN
};

struct kept_event {
	int64_t t_s;
	int64_t reading_id; /* for events of a document; 0: of a page */
	uint32_t url; /* number of the page or entry in urls */
	uint32_t document; /* number in documents, for events of a document */
	enum kept_kind kind;
	struct date date;
	uint64_t value; /* hash of the text; or number of entries */
};

struct kept_history {
	struct names urls; /* URLs that documents listed */
	struct names documents; /* documents that list pages and were read */
	struct kept_event *events; /* owned; sorted by time */
	size_t count;
	size_t cap;
	/* how much is known: */
	/* URLs with a fetch that found the page or that it is gone */
	size_t fetched;
	size_t known; /* those with the hash of a text */
	size_t unlisted; /* pages of the sites that no document listed */
};

/* The text of a page that was never fetched. */
#define KEPT_UNKNOWN_TEXT KNOWN_DATES_NO_TEXT

/* kept_history_read(history, store, selection): read the history of the
 * selected documents; a document that was never read has none. A change is
 * placed where a document moved the page's date between the fetch that found
 * the change and the one before; without a move, halfway between them. Of
 * several moves, as many count as changes as the document's other moves make
 * probable (true_moves.h); the texts between are unknown. */
void kept_history_init(struct kept_history *, uint64_t hash_key);
void kept_history_read(
    struct kept_history *, struct store *, const struct selection *);
void kept_history_release(struct kept_history *);

#endif
