/* What the frontier knows and believes of a page or document, for people. */
#ifndef FRESHET_FRONTIER_SHOW_H
#define FRESHET_FRONTIER_SHOW_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"
#include "sched/scheduler_explain.h"

struct frontier;

enum frontier_robots {
	FRONTIER_ROBOTS_ALLOW,
	FRONTIER_ROBOTS_REFUSE,
	FRONTIER_ROBOTS_UNKNOWN, /* no robots.txt of its origin was read yet */
	FRONTIER_ROBOTS_CLOSED /* it cannot be had, so nothing may be fetched */
};

/* One request for each page, or each document, of a site. */
struct frontier_round {
	uint64_t requests; /* 0: they are not counted */
	double each_s; /* between two, at the pace of the host and within the
			* budgets, if nobody else asked; 0: no limit */
	int64_t most_s; /* that it may take: the ceiling; 0: none */
};

/* frontier_round_s(round): how long it takes.  frontier_round_is_late: that is
 * longer than it may. */
static inline double
frontier_round_s(const struct frontier_round *round)
{
	return (double)round->requests * round->each_s;
}
static inline bool
frontier_round_is_late(const struct frontier_round *round)
{
	return round->most_s > 0 &&
	    frontier_round_s(round) > (double)round->most_s;
}

/* Texts are borrowed until the next call. */
struct frontier_terms {
	int64_t document_id; /* that lists the page; the document itself */
	int64_t site_id;
	bool is_page; /* it was handed out, fetched or imported before; else it
		       * waits in its document, and has no terms but those
		       * of scheduler_explain_listed */
	bool is_watched; /* its site is on the watch list */
	bool is_removed; /* it was taken from it: nothing is handed out */
	bool is_orphan; /* not all of the site, but all that leads to it */
	bool is_listed; /* by its document */
	bool is_wanted; /* in one of the sections that its site is wanted for */
	bool is_leased;
	int64_t lease_until_s;
	int64_t fetched_s, lastmod_s; /* 0: never; SCHEDULER_NO_DATE: none */
	int64_t held_until_s; /* until when its host is held for it, and */
	bool is_pages_hold; /* for its pages alone; 0: it is not held */
	int64_t delay_ms; /* of its host */
	bool is_budgeted; /* a budget of all, its site or a tag is known: else
			   * prices mean nothing */
	int64_t least_s, most_s; /* between two requests for it; 0: none */
	double readings_per_day; /* of a document: of all of its site, besides
				  * five for each change; 0: any */
	double pages_per_day; /* of a page, likewise */
	struct frontier_round
	    round; /* of the pages of its site, or documents */
	uint64_t unpromoted; /* of a page that is none yet: so many like it are
			      * listed by its document, about, it among them, */
	uint64_t site_unpromoted; /* and by all of its site together */
	uint32_t host_leases; /* pages of its host that are out */
	enum frontier_robots robots;
	uint32_t robots_line; /* that decides; 0: none */
	struct scheduler_terms terms;
};

/* frontier_page_terms(frontier, url, now_s, terms): of a normalised URL; false:
 * it is no page, and no document lists it. */
bool frontier_page_terms(struct frontier *, struct slice url, int64_t now_s,
    struct frontier_terms *);

/* frontier_document_terms(frontier, document_id, now_s, terms): false: unknown.
 */
bool frontier_document_terms(struct frontier *, int64_t document_id,
    int64_t now_s, struct frontier_terms *);

/* frontier_each_budget(frontier, site_id, fn, arg): those that hold for its
 * site; of is "total", "site" or "tag", and only that has a name. */
typedef void frontier_budget_fn(
    void *arg, const char *of, struct slice tag, double per_hour);
void frontier_each_budget(
    const struct frontier *, int64_t site_id, frontier_budget_fn *, void *arg);

/* frontier_site_rounds(frontier, site_id, now_s, pages, documents): false:
 * unknown. */
bool frontier_site_rounds(struct frontier *, int64_t site_id, int64_t now_s,
    struct frontier_round *pages, struct frontier_round *documents);

/* frontier_token_url(frontier, token, url): of the page that this lease was
 * given for, whatever became of it; borrowed until the store is asked for
 * another page. False: there is none. */
bool frontier_token_url(
    struct frontier *, struct slice token, struct slice *url);

#endif
