/*
 * The past of a store, as far as it kept it: what documents listed and
 * claimed, reading by reading, and what fetches found of their pages.  It is
 * made from readings, their deltas and what is listed now, backwards.
 */
#ifndef FRESHET_PAST_H
#define FRESHET_PAST_H

#include <stddef.h>
#include <stdint.h>

#include "base/names.h"
#include "base/w3cdate.h"
#include "crawler/cli/selection.h"
#include "sched/sim/known_dates.h"
#include "store/store.h"

/* In the order of rows of a trace that share a second. */
enum past_kind {
	PAST_TEXT, /* the page is there from now on, with that text */
	PAST_CHANGED, /* it has another text */
	PAST_ENDED, /* it is not there any more */
	PAST_REMOVED,
	PAST_ADDED,
	PAST_CLAIMED, /* its date is that; DATE_NONE: none any more */
	PAST_PUBLISHED, /* value: entries */
	PAST_WITHDRAWN
};

struct past_event {
	int64_t t_s;
	int64_t reading_id; /* of a listing; 0: of a page */
	uint32_t url; /* its number; of a page or a listing */
	uint32_t document; /* its number; of a listing */
	enum past_kind kind;
	struct date date;
	uint64_t value; /* the text's hash; entries */
};

struct past {
	struct names urls; /* that documents listed */
	struct names documents; /* that list pages, and were read */
	struct past_event *events; /* owned; in order of time */
	size_t count;
	size_t cap;
	/* what is known of how much */
	size_t fetched; /* URLs that were fetched and there, or not */
	size_t known; /* of these: with the hash of a text */
	size_t unlisted; /* pages of the sites that no document listed */
};

/* Texts of pages that nobody looked at. */
#define PAST_UNKNOWN_TEXT KNOWN_DATES_NO_TEXT

/*
 * past_init(past), past_read(past, store, selection): all of it, of the
 * documents that are selected; one that was never read has none.  A change is
 * put where a document moved the page's date between the fetch that found it
 * and the one before, else halfway between the two; of several moves there are
 * as many changes as the document's other moves let expect (past_right.h), with
 * texts that nobody saw.  past_release.
 */
void past_init(struct past *, uint64_t hash_key);
void past_read(struct past *, struct store *, const struct selection *);
void past_release(struct past *);

/* past_add(past, event): another one, in any order; past_sort puts them in
 * order.  past_pages(past, store, selection): what fetches found of what is
 * listed; events are sorted before and after.  For past_read. */
void past_add(struct past *, const struct past_event *);
void past_sort(struct past *);
void past_pages(struct past *, struct store *, const struct selection *);

#endif
