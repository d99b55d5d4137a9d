/*
 * The scheduler: what to request next, and what each request is worth (SPEC
 * scheduling-formulas.md).
 *
 * Hosts, tags, sites, documents and pages are numbered 0, 1, 2, ..., each kind
 * by itself, in the order in which they are added.  Times are seconds since
 * the Epoch.  A time before the latest one that was given counts as the latest
 * one.  Only scheduler_next* and scheduler_due_of_s accept that the clock was
 * put back, if it was by ten minutes or more: times that lie in the future then
 * count as now.
 *
 *	scheduler.h		the tables: sites, documents, pages; hosts, tags
 *				and their limits; what is kept of them
 *	scheduler_next.h	what to request next, and why
 *	scheduler_events.h	what readings and fetches brought
 */
#ifndef FRESHET_SCHEDULER_H
#define FRESHET_SCHEDULER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/slice.h"
#include "sched/host_table.h"

#define SCHEDULER_NONE UINT32_MAX /* no number */
#define SCHEDULER_NO_DATE INT64_MIN /* no lastmod_s */
#define SCHEDULER_NEVER INT64_MAX /* no time */

struct scheduler;

struct scheduler_options {
	int64_t tick_s; /* the resolution of time: 60 */
	double requests_per_hour; /* of all hosts; 0: no limit */
	double documents_share; /* of requests_per_hour, for readings */
	/* false: the caller decides when documents are read */
	bool reads_documents;
	bool asks_apart; /* for pages or documents: scheduler_next_of */
};

/* The limit of a host or a tag. */
struct scheduler_host {
	int64_t delay_ms; /* between two requests */
	double requests_per_hour; /* 0: no limit but the delay */
	/* requests that the rate allows in this time may be made at once; 0: a
	 * tick */
	int64_t burst_ms;
	/* a person set requests_per_hour, so it has a price; false: the host
	 * can bear no more */
	bool is_budget;
};

/* A site of the watch list.  An interval of 0 means that there is none. */
struct scheduler_site {
	uint32_t host; /* of its pages and documents */
	uint32_t tag; /* or SCHEDULER_NONE */
	double weight;
	double readings_per_day, pages_per_day; /* quotas (quota.h); 0: none */
	int64_t page_floor_s, page_ceiling_s; /* between two fetches */
	int64_t reading_floor_s, reading_ceiling_s; /* between two readings */
	int64_t retry_s; /* until a failed reading is tried again */
	/* readings are to find changes of the listing, not of pages */
	bool wants_listing;
};

struct scheduler_document {
	uint32_t site;
	uint32_t parent; /* the index that lists it, or SCHEDULER_NONE */
	bool is_index;
	/* a robots.txt: it is read once a day (SPEC R-104), whatever the
	 * intervals of its site are, counts in no quota of the scheduler, and
	 * gives no dates */
	bool is_robots;
	/* the URL, which may have a date */
	struct slice name;
};

struct scheduler_page {
	/* that lists the page; an index that listed it before it was one */
	uint32_t document;
	uint32_t section; /* of the site (sites.h); 0: none */
	float weight; /* a factor to the site's: 1 */
	int64_t lastmod_s; /* or SCHEDULER_NO_DATE */
	bool is_day; /* lastmod_s has no time of day */
	int64_t fetched_s; /* SCHEDULER_NEVER: not yet */
	/* this is the page that a SCHEDULER_LISTED choice asked for */
	bool is_out;
	/* scheduler_load_page() follows at once, before which the page has no
	 * place in any queue: evaluating it twice would cost as much again */
	bool is_loaded;
};

extern const struct scheduler_options scheduler_options_default;
extern const struct scheduler_site scheduler_site_default;

struct scheduler *scheduler_new(const struct scheduler_options *);
void scheduler_free(struct scheduler *);

/* Each of these functions returns the number of what it added; numbers in the
 * struct are those of earlier calls. */
uint32_t scheduler_add_site(struct scheduler *, const struct scheduler_site *);
uint32_t scheduler_add_document(
    struct scheduler *, const struct scheduler_document *, int64_t now_s);
uint32_t scheduler_add_page(
    struct scheduler *, const struct scheduler_page *, int64_t now_s);

/* scheduler_set_site(scheduler, site, is): change all but the host and the tag
 * of a site.  O(documents); of more than a few thousand pages the rest is
 * evaluated little by little. */
void scheduler_set_site(
    struct scheduler *, uint32_t site, const struct scheduler_site *);

/* Hosts and tags, and their limits (scheduling-formulas.md, "The turn"). */

uint32_t scheduler_add_host(struct scheduler *, const struct scheduler_host *);

/* scheduler_set_host(scheduler, host, limit): change the limit of a host from
 * now on; earlier requests still count. */
void scheduler_set_host(
    struct scheduler *, uint32_t host, const struct scheduler_host *limit);

/* Something of a site was requested that long before the scheduler began. */
struct scheduler_past {
	uint32_t site;
	uint32_t age_s;
};

/* scheduler_spend(scheduler, past, count, began_s, now_s): the requests before
 * began_s, the earlier ones first: so a budget that was used at its own rate
 * only has to recover from the last one.  Each request fills the limits of the
 * host, of its tags and of all requests.  If these were wider then, the wait is
 * not longer than after the largest burst (budget_fill). */
void scheduler_spend(struct scheduler *, const struct scheduler_past *,
    size_t count, int64_t began_s, int64_t now_s);

/* Tags: all sites with one tag share its budget. */

/* scheduler_add_tag(scheduler, above, tag): add a tag without a limit, for
 * which both are SCHEDULER_NONE; or one whose sites are under the limits of
 * both tags, which they share with the sites that have only one of them. */
uint32_t scheduler_add_tag(struct scheduler *, uint32_t above, uint32_t tag);

/* scheduler_limit_tag(scheduler, tag, limit): change the limit of a tag, and
 * of the tags that share it; earlier requests still count.  A tag
 * has no delay. */
void scheduler_limit_tag(
    struct scheduler *, uint32_t tag, const struct scheduler_host *limit);

/* scheduler_limit_all(scheduler, limit): the same for all requests. */
void scheduler_limit_all(struct scheduler *, const struct scheduler_host *);

/* scheduler_set_tag(scheduler, host, tag): give all sites of the host that tag;
 * SCHEDULER_NONE: no tag. */
void scheduler_set_tag(struct scheduler *, uint32_t host, uint32_t tag);

/* Holds: a host is not asked until a time.  Each kind ends by itself.  Pages
 * are held without documents only with the option asks_apart. */

/* scheduler_hold(scheduler, host, kind, now_s, hold_s): hold the host for that
 * long, a year at most; a hold that ends later stays.  scheduler_unhold: end
 * the hold. */
void scheduler_hold(struct scheduler *, uint32_t host, enum held_kind,
    int64_t now_s, int64_t hold_s);
void scheduler_unhold(struct scheduler *, uint32_t host, enum held_kind);

/* scheduler_held_s(scheduler, host, kind): the end of the hold, perhaps in the
 * past; INT64_MIN: there never was one. */
int64_t scheduler_held_s(
    const struct scheduler *, uint32_t host, enum held_kind);

/*
 * What the scheduler learned, as bytes that are kept from one run to the next.
 *
 * scheduler_save_*(scheduler, number, buf) appends a record of a few hundred
 * bytes at most.  scheduler_load_*(scheduler, number, bytes) restores what was
 * learned of something that was added before.  Returns false, and changes
 * nothing, when another version wrote the record or it is damaged; numbers that
 * are NaN, or below 0 where none can be, are damage.
 *
 * Not kept: which items were out, what budgets have spent, whether changes
 * found since the last reading were announced, hints of documents that no
 * reading has answered (both are forgotten), and holds (scheduler_held_s).  The
 * record of all holds prices and what all sites share.
 */
void scheduler_save_page(const struct scheduler *, uint32_t, struct buf *);
bool scheduler_load_page(struct scheduler *, uint32_t, struct slice);
void scheduler_save_document(const struct scheduler *, uint32_t, struct buf *);
bool scheduler_load_document(struct scheduler *, uint32_t, struct slice);
void scheduler_save_site(const struct scheduler *, uint32_t, struct buf *);
bool scheduler_load_site(struct scheduler *, uint32_t, struct slice);
void scheduler_save_section(const struct scheduler *, uint32_t, struct buf *);
bool scheduler_load_section(struct scheduler *, uint32_t, struct slice);
void scheduler_save_all(const struct scheduler *, struct buf *);
bool scheduler_load_all(struct scheduler *, struct slice);

#endif
