/* What happened to pages and documents in truth: the trace format in memory
 * (scheduling.md, "Traces").  Synthetic worlds make one, traces
 * are read into one, the simulator replays it.  Numbers count from 0. */
#ifndef FRESHET_HISTORY_H
#define FRESHET_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HISTORY_NONE UINT32_MAX /* of a number: there is none */
#define HISTORY_NO_DATE INT64_MIN /* of lastmod_s: no date is given */

/* Beside each kind its letter in a trace; the subject is a page unless said. */
enum history_kind {
	HISTORY_EXISTS, /* N: with this text; not a change */
	HISTORY_CHANGES, /* C: its text is this now */
	HISTORY_BYTES, /* B: its bytes changed, its text did not */
	HISTORY_ENDS, /* X: a fetch gives 404 */
	HISTORY_ADDED, /* A: to its document, without a date */
	HISTORY_REMOVED, /* R: from its document */
	HISTORY_CLAIMS, /* L: its document gives this date */
	HISTORY_CLAIMS_ALL, /* L for each page a document lists */
	HISTORY_CHILD_CLAIMS, /* a document's index gives this date for it */
	HISTORY_PUBLISHED, /* P: what was said of a document now shows */
	HISTORY_WITHDRAWN, /* P with '-': a document gives 404 until the next */
};

struct history_event {
	int64_t t_s;
	union {
		int64_t lastmod_s; /* CLAIMS; HISTORY_NO_DATE: no more */
		uint64_t text; /* EXISTS, CHANGES: equal iff the texts are */
	};
	uint32_t subject;
	uint8_t kind; /* enum history_kind */
	bool is_day; /* the date has no time */
};

/* What a page is in truth, for bounds and for policies that may know. */
struct history_page {
	uint32_t document; /* the one that lists it */
	uint32_t section; /* its folder: history_add_section; 0: unknown */
	float weight; /* importance, > 0 */
	float changes_per_day; /* < 0: unknown */
};

/* How a site makes its dates. */
enum history_dating {
	DATING_UNKNOWN, /* of a trace */
	DATING_NONE, /* no lastmod */
	DATING_CORRECT, /* moves with each change, in seconds */
	DATING_DAY, /* moves with each change, without a time */
	DATING_NOW, /* each reading gives its own time for every page */
	DATING_DEPLOY, /* all move together now and then */
	DATING_STALE, /* never moves */
	DATING_PARTIAL, /* misses changes */
	DATING_NOISY, /* misses changes, and moves without one */
	DATING_RANDOM, /* jumps back and forth, into the future too */
	DATING_COUNT
};

/* The truth about the dates of a document; < 0: unknown. */
struct history_dates {
	uint8_t dating; /* enum history_dating */
	float precision; /* share of moves that had a change */
	float recall; /* share of changes that moved it */
};

struct history_document {
	uint32_t site;
	uint32_t parent; /* its index, or HISTORY_NONE */
	float cost; /* of a reading, in page fetches; > 0 */
	bool shows_at_once; /* without PUBLISHED: claims show when made */
	struct history_dates dates[2]; /* before turn_s, and from then on */
	int64_t turn_s; /* INT64_MAX: never */
};

struct history_site {
	char *name; /* owned */
	uint32_t class; /* row of the output: of class_names */
};

struct history {
	struct history_event *events; /* owned; in time order when sorted */
	size_t event_count, event_cap;
	struct history_page *pages; /* owned */
	size_t page_count, page_cap;
	struct history_document *documents; /* owned */
	size_t document_count, document_cap;
	struct history_site *sites; /* owned */
	size_t site_count, site_cap;
	uint32_t *sections; /* owned; parent of section i + 1, or 0 */
	size_t section_count, section_cap;
	const char *const *class_names; /* borrowed; {"all"} at first */
	size_t class_count; /* at least 1 */
	int64_t begin_s, end_s; /* what is simulated */
	bool starts_known; /* at begin_s all is read and fetched already */
};

void history_init(struct history *); /* empty */
void history_release(struct history *);
/* history_add(history, event): at the end, in any order of time. */
void history_add(struct history *, const struct history_event *);

/* These return the number of what they add; name is copied. */
uint32_t history_add_page(struct history *, const struct history_page *);
uint32_t history_add_document(
    struct history *, const struct history_document *);
uint32_t history_add_site(struct history *, const char *name, uint32_t class);
uint32_t history_add_section(struct history *, uint32_t parent); /* from 1 */

/* history_sort(history): by time; events of one second keep their order. */
void history_sort(struct history *);

/* history_dates(document, now_s): the truth about its dates at that time. */
const struct history_dates *history_dates(
    const struct history_document *, int64_t now_s);

#endif
