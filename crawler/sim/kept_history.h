/*
 * The past of a store, as far as it kept it: what documents listed and
 * claimed, reading by reading, and what fetches found of their pages.  It is
 * made from readings, their deltas and what is listed now, backwards.
 */
#ifndef FRESHET_KEPT_HISTORY_H
#define FRESHET_KEPT_HISTORY_H

#include <stddef.h>
#include <stdint.h>

#include "base/names.h"
#include "base/w3cdate.h"
#include "crawler/cli/selection.h"
#include "sched/sim/known_dates.h"
#include "store/store.h"

/* In the order of rows of a trace that share a second. */
enum kept_kind {
	KEPT_TEXT, /* the page is there from now on, with that text */
	KEPT_CHANGED, /* it has another text */
	KEPT_ENDED, /* it is not there any more */
	KEPT_REMOVED,
	KEPT_ADDED,
	KEPT_CLAIMED, /* its date is that; DATE_NONE: none any more */
	KEPT_PUBLISHED, /* value: entries */
	KEPT_WITHDRAWN
};

struct kept_event {
	int64_t t_s;
	int64_t reading_id; /* of a listing; 0: of a page */
	uint32_t url; /* its number; of a page or a listing */
	uint32_t document; /* its number; of a listing */
	enum kept_kind kind;
	struct date date;
	uint64_t value; /* the text's hash; entries */
};

struct kept_history {
	struct names urls; /* that documents listed */
	struct names documents; /* that list pages, and were read */
	struct kept_event *events; /* owned; in order of time */
	size_t count;
	size_t cap;
	/* what is known of how much */
	size_t fetched; /* URLs that were fetched and there, or not */
	size_t known; /* of these: with the hash of a text */
	size_t unlisted; /* pages of the sites that no document listed */
};

/* Texts of pages that nobody looked at. */
#define KEPT_UNKNOWN_TEXT KNOWN_DATES_NO_TEXT

/*
 * kept_history_init(past), kept_history_read(past, store, selection): all of
 * it, of the documents that are selected; one that was never read has none.  A
 * change is put where a document moved the page's date between the fetch that
 * found it and the one before, else halfway between the two; of several moves
 * there are as many changes as the document's other moves let expect
 * (true_moves.h), with texts that nobody saw.  kept_history_release.
 */
void kept_history_init(struct kept_history *, uint64_t hash_key);
void kept_history_read(
    struct kept_history *, struct store *, const struct selection *);
void kept_history_release(struct kept_history *);

#endif
