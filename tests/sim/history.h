/* What happened to pages and documents in truth: the trace format in memory
 * (scheduling-formulas.md, "Traces").  Synthetic worlds make histories, traces
 * are read into histories, and the simulator replays them.  Numbers count from
 * 0. */
#ifndef FRESHET_HISTORY_H
#define FRESHET_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HISTORY_NONE UINT32_MAX /* of a number: there is none */
#define HISTORY_NO_DATE INT64_MIN /* of lastmod_s: no date is given */

/* The letter beside a kind is its letter in a trace.  The subject is a page
 * unless the comment says otherwise. */
enum history_kind {
	/* N: the page exists with this text; this is no change */
	HISTORY_EXISTS,
	HISTORY_CHANGES, /* C: the text of the page is this one now */
	HISTORY_BYTES, /* B: the bytes of the page changed, its text did not */
	HISTORY_ENDS, /* X: a fetch returns 404 from now on */
	HISTORY_ADDED, /* A: its document lists the page, without a date */
	HISTORY_REMOVED, /* R: its document lists the page no more */
	HISTORY_CLAIMS, /* L: its document gives the page this date */
	HISTORY_CLAIMS_ALL, /* L for each page that a document lists */
	/* the index of a document gives the document this date */
	HISTORY_CHILD_CLAIMS,
	HISTORY_PUBLISHED, /* P: a document shows what was said of its pages */
	/* P with '-': a document returns 404 until its next publication */
	HISTORY_WITHDRAWN,
	HISTORY_HINTS, /* somebody says that the page has changed */
};

struct history_event {
	int64_t t_s;
	union {
		/* CLAIMS; HISTORY_NO_DATE: no date any more */
		int64_t lastmod_s;
		uint64_t text; /* EXISTS, CHANGES: equal for equal texts only */
	};
	uint32_t subject;
	uint8_t kind; /* enum history_kind */
	bool is_day; /* the date has no time */
};

/* The truth about a page, for bounds, and for policies that may know the
 * truth. */
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
	/* each reading gives the time of the reading for every page */
	DATING_NOW,
	DATING_DEPLOY, /* all dates move together now and then */
	DATING_STALE, /* never moves */
	DATING_PARTIAL, /* misses changes */
	DATING_NOISY, /* misses changes, and moves without one */
	DATING_RANDOM, /* jumps back and forth, into the future too */
	DATING_COUNT
};

/* The truth about the dates of a document; < 0: unknown. */
struct history_dates {
	uint8_t dating; /* enum history_dating */
	float precision; /* share of moves that come with a change */
	float recall; /* share of changes that move the date */
};

struct history_document {
	uint32_t site;
	uint32_t parent; /* its index, or HISTORY_NONE */
	float cost; /* of a reading, in page fetches; > 0 */
	/* claims show when they are made, without PUBLISHED */
	bool shows_at_once;
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
	int64_t begin_s, end_s; /* the time that is simulated */
	/* all documents were read and all pages fetched before begin_s */
	bool starts_known;
};

void history_init(struct history *); /* empty */
void history_release(struct history *);
/* history_add(history, event): add an event at the end; events may come in any
 * order of time. */
void history_add(struct history *, const struct history_event *);

/* These functions return the number of what they add; the name is copied. */
uint32_t history_add_page(struct history *, const struct history_page *);
uint32_t history_add_document(
    struct history *, const struct history_document *);
uint32_t history_add_site(struct history *, const char *name, uint32_t class);
uint32_t history_add_section(struct history *, uint32_t parent); /* from 1 */

/* history_sort(history): sort the events by time; events of one second keep
 * their order. */
void history_sort(struct history *);

/* history_dates(document, now_s): the truth about the dates of the document at
 * that time. */
const struct history_dates *history_dates(
    const struct history_document *, int64_t now_s);

#endif
