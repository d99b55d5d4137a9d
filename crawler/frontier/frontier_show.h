/* What the frontier knows and expects of a page or a document, for people. */
#ifndef FRESHET_FRONTIER_SHOW_H
#define FRESHET_FRONTIER_SHOW_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/purposes.h"
#include "base/slice.h"
#include "sched/host_table.h"
#include "sched/scheduler_next.h"

struct frontier;
struct page_filter_rule;

enum frontier_robots {
	FRONTIER_ROBOTS_ALLOW,
	FRONTIER_ROBOTS_REFUSE,
	FRONTIER_ROBOTS_UNKNOWN, /* no robots.txt of its origin was read yet */
	/* robots.txt is out of reach: nothing is allowed */
	FRONTIER_ROBOTS_CLOSED
};

/* One request for each page, or each document, of a site. */
struct frontier_round {
	uint64_t requests; /* 0: not counted */
	/* seconds between two requests, at the pace of the host and within the
	 * budgets, if no other requests were made; 0: no limit */
	double each_s;
	int64_t most_s; /* the ceiling: how long a round may take; 0: none */
};

/* frontier_round_text(text, round, of_pages): append "6 pages at 30 s a request
 * take 3 min, and take turns". */
void frontier_round_text(
    struct buf *, const struct frontier_round *, bool of_pages);

/* frontier_round_is_late(round): does the round take longer than the
 * ceiling? */
static inline bool
frontier_round_is_late(const struct frontier_round *round)
{
	return round->most_s > 0 &&
	    (double)round->requests * round->each_s > (double)round->most_s;
}

/* Texts are borrowed until the next call. */
struct frontier_terms {
	int64_t document_id; /* the document, or the one that lists the page */
	int64_t site_id;
	/* the URL was leased, fetched or imported before.  If not, it waits in
	 * its document, and has only the terms of
	 * scheduler_explain_listed() */
	bool is_page;
	bool is_watched; /* its site is on the watch list */
	/* its site was taken from the watch list, or is_orphan is true */
	bool is_removed;
	bool is_orphan; /* nothing leads to its document any more */
	bool is_listed; /* by its document */
	/* the rule of its site by which it is not handed out, or not read;
	 * NULL: there is none */
	const struct page_filter_rule *refused_by;
	bool is_leased;
	int64_t lease_until_s;
	int64_t fetched_s, lastmod_s; /* 0: never; SCHEDULER_NO_DATE: none */
	int64_t held_until_s; /* the end of the hold of its host; 0: none */
	bool is_pages_hold; /* that hold is for the pages of the host alone */
	int64_t delay_ms; /* of its host */
	/* when its host may be asked, 0: now; and why not now */
	int64_t host_ready_s;
	enum host_why host_why;
	/* there is a total budget, or one of its site or a tag; without a
	 * budget prices mean nothing */
	bool is_budgeted;
	/* one of these is used up until then; 0: none is */
	int64_t spent_until_s;
	int64_t least_s, most_s; /* between two requests for it; 0: none */
	/* of a document: the quota of readings of its site, besides five
	 * readings for each change; 0: no limit */
	double readings_per_day;
	/* of a page: the quota of its site; 0: no limit */
	double pages_per_day;
	/* of all pages of the site, or of all its documents */
	struct frontier_round round;
	/* of a URL that is no page: about how many such URLs its document
	 * lists */
	uint64_t unpromoted;
	uint64_t site_unpromoted; /* the same of all documents of its site */
	uint32_t host_leases; /* pages of its host that are leased */
	enum frontier_robots robots;
	uint32_t robots_line; /* the line of the rule that decides; 0: none */
	struct purposes refused_for; /* of its site, by which alone it is */
	struct scheduler_terms terms;
};

/* frontier_page_terms(frontier, url, now_s, terms): the terms of a normalised
 * URL; false: the URL is no page, and no document lists it. */
bool frontier_page_terms(struct frontier *, struct slice url, int64_t now_s,
    struct frontier_terms *);

/* frontier_document_terms(frontier, document_id, now_s, terms): the terms of a
 * document; false: unknown. */
bool frontier_document_terms(struct frontier *, int64_t document_id,
    int64_t now_s, struct frontier_terms *);

/* frontier_each_budget(frontier, site_id, fn, arg): call fn for each budget
 * that limits the site.  of is "total", "site" or "tag"; a tag has a name. */
typedef void frontier_budget_fn(
    void *arg, const char *of, struct slice tag, double per_hour);
void frontier_each_budget(
    const struct frontier *, int64_t site_id, frontier_budget_fn *, void *arg);

/* frontier_site_rounds(frontier, site_id, now_s, pages, documents): the rounds
 * of a site; false: unknown. */
bool frontier_site_rounds(struct frontier *, int64_t site_id, int64_t now_s,
    struct frontier_round *pages, struct frontier_round *documents);

/* What waits in the frontier now.  Texts are borrowed until the next call of
 * any function of the frontier. */
#define FRONTIER_HOLD_ROWS 20
struct frontier_waiting {
	uint64_t ready; /* pages that are chosen, and wait for their turn */
	uint64_t leased; /* pages that fetchers have; leases that run */
	/* when a page may be leased, or a document may be read; the present or
	 * earlier: now; FRONTIER_NEVER: not before something happens */
	int64_t page_s, document_s;
	uint64_t held; /* hosts */
	struct frontier_hold_row {
		struct slice host;
		int64_t until_s;
		bool is_pages; /* a hold of its pages only */
	} holds[FRONTIER_HOLD_ROWS]; /* the longest come first */
	size_t hold_count;
};

/* frontier_waiting(frontier, now_s, *waiting): fill in the whole struct.  The
 * function looks at each host and lease in memory once, and not into the
 * store. */
void frontier_waiting(
    struct frontier *, int64_t now_s, struct frontier_waiting *);

/* frontier_pages(frontier): the number of pages in memory: all of the store. */
size_t frontier_pages(const struct frontier *);

#endif
