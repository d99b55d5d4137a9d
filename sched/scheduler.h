/*
 * The scheduler: what to ask for next, and what it is worth (SPEC R-115 to
 * Pages, documents, sites, hosts and tags are numbers, 0, 1, 2, ...
 * each.  Times are seconds since the Epoch; one before the latest given counts
 * as that, but in scheduler_next and _due_s, ten minutes before or more: the
 * clock was put back, and what was later is now.
 */
#ifndef FRESHET_SCHEDULER_H
#define FRESHET_SCHEDULER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"

#define SCHEDULER_NONE UINT32_MAX /* of a number: there is none */
#define SCHEDULER_NO_DATE INT64_MIN /* of lastmod_s: no date is given */
#define SCHEDULER_NEVER INT64_MAX /* of a time */

struct scheduler;

struct scheduler_options {
	int64_t tick_s; /* how finely time counts: 60 */
	double requests_per_hour; /* of all; 0: no limit */
	double documents_share; /* of these, if limited, for readings */
	double ceilings_share; /* of the requests for ceilings, at most */
	bool reads_documents; /* false: another decides when to read */
	bool is_scarce; /* whoever asks has a budget: requests have a price */
	bool is_fair; /* nobody starves, for some freshness */
	bool asks_apart; /* for pages or documents: scheduler_wants.h */
	bool is_lite; /* values of known numbers by (V8), not (V6) */
	uint64_t hash_key; /* of names, unknown to whoever chooses them */
};

struct scheduler_host {
	int64_t delay_ms; /* between two requests */
	double requests_per_hour; /* 0: no limit but the delay */
	int64_t burst_ms; /* what this brings may come at once; 0: a tick */
	bool is_budget; /* requests_per_hour is what somebody allows, and not
			 * what the host can bear: it has a price */
};

/* A site of the watch list.  An interval of 0: none. */
struct scheduler_site {
	uint32_t host; /* of its pages and documents */
	uint32_t tag; /* SCHEDULER_NONE: none */
	double weight;
	double readings_per_day, pages_per_day; /* courtesy.h; 0: any */
	int64_t page_floor_s, page_ceiling_s;
	int64_t reading_floor_s, reading_ceiling_s, retry_s; /* if it failed */
	bool wants_listing; /* not pages: each listed change is what to read */
};

struct scheduler_document {
	uint32_t site;
	uint32_t parent; /* its index, or SCHEDULER_NONE */
	bool is_index;
	struct slice name; /* its URL: of a family, perhaps dated */
};

struct scheduler_page {
	uint32_t document; /* the one that lists it; no index */
	uint32_t section; /* of the site: sections.h; 0: none */
	float weight; /* beside that of its site: 1 */
	int64_t lastmod_s; /* SCHEDULER_NO_DATE: none */
	bool is_day;
	int64_t fetched_s; /* SCHEDULER_NEVER: never yet */
	bool is_out; /* it is what SCHEDULER_LISTED asked for */
};

struct scheduler_options scheduler_options_default(void);
struct scheduler_site scheduler_site_default(void);

struct scheduler *scheduler_new(const struct scheduler_options *);
void scheduler_free(struct scheduler *);

/* Each returns the number of what it adds.  What is named was added before. */
uint32_t scheduler_add_host(struct scheduler *, const struct scheduler_host *);
uint32_t scheduler_add_tag(struct scheduler *, double requests_per_hour);
uint32_t scheduler_add_site(struct scheduler *, const struct scheduler_site *);
uint32_t scheduler_add_document(
    struct scheduler *, const struct scheduler_document *, int64_t now_s);
uint32_t scheduler_add_page(
    struct scheduler *, const struct scheduler_page *, int64_t now_s);

enum scheduler_kind {
	SCHEDULER_PAGE,
	SCHEDULER_LISTED, /* one more page of that document, never fetched */
	SCHEDULER_DOCUMENT,
};

enum scheduler_reason {
	REASON_VALUE, /* nothing else is worth more */
	REASON_NEW, /* never fetched, or listed again after it was gone */
	REASON_CEILING, /* too long ago */
	REASON_INTERVAL, /* of readings that are made by the clock: the first
			  * ones, and those of a site that wants it so */
	REASON_REMOVED, /* no longer listed: is it gone? */
	REASON_OWED, /* its last reading left something open */
};

struct scheduler_choice {
	enum scheduler_kind kind;
	uint32_t number; /* page, or document */
	enum scheduler_reason reason;
	double value; /* of the request; INFINITY: its time has come */
	double price; /* what requests are worth now */
};

/*
 * scheduler_next: what is best asked for now; false when nothing may be.  What
 * was chosen is out until its outcome or reading is told, or it is given back.
 */
bool scheduler_next(
    struct scheduler *, int64_t now_s, struct scheduler_choice *);

/* scheduler_give_back: it was not asked for after all, but counts as if. */
void scheduler_give_back(
    struct scheduler *, int64_t now_s, const struct scheduler_choice *);

/* scheduler_due_s(scheduler, now_s): when scheduler_next may say yes again;
 * SCHEDULER_NEVER: not before it is told something. */
int64_t scheduler_due_s(struct scheduler *, int64_t now_s);

#endif
