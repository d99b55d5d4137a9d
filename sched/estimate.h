/*
 * Estimates: what is believed of a page now, and what a fetch teaches
 * (scheduling-formulas.md, "Trust" and "Rates").
 */
#ifndef FRESHET_ESTIMATE_H
#define FRESHET_ESTIMATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sched/rate.h"
#include "sched/trust.h"
#include "sched/value.h"

struct sched_page;
struct sched_pages;

/* What is estimated; all pointers are borrowed, and a fetch changes what
 * they point to. */
struct estimate_of {
	/* in the dates of the page's source; NULL, for estimate_view() only:
	 * nothing is known, or there are no dates; to learn something, take
	 * source_trust() */
	struct trust *trust;
	struct rate *rate; /* of the page */
	double mean; /* changes a day of what surrounds the page: rate_mean */
	/* the rates of what surrounds the page; each outcome is added */
	struct rate_prior *seen;
	struct hints *hints; /* of the site; NULL: there never was one */
};

/* What the dates of a source say, computed once for all its pages. */
struct word {
	/* recall: the share of changes that dates announce; 0: the dates are
	 * ignored */
	float told;
	/* the share of changes that dates do not announce, a cautious estimate
	 * (T10) */
	float silent;
	float precision;
	float all_false[TRUST_MOVES];
	float mass_false; /* probability that the latest mass move is false */
	/* the share of changes that come with publications; 0: unknown
	 * (T11) */
	float published;
	float gap_days; /* days between two publications */
	/* share of the days until the next publication that counts */
	float steady;
};

/* What is learned of the hints of a site: of others who say by themselves that
 * a page has changed.  They are announcements beside the dates, and are heard
 * at once.  (T17) */
struct hints {
	struct trust trust;
	struct word word; /* of trust */
	int64_t day; /* hints_learn; 0: never */
	bool is_heard; /* a hint came since that call */
};

/* hints_learn(hints, changes_per_day, now_s): notice, once a day, whether the
 * hints have stopped (T9); changes_per_day: of the site's pages, estimated. */
void hints_learn(struct hints *, double changes_per_day, int64_t now_s);

/* hints_matter(hints): are they right often enough to be acted on?  NULL: there
 * are none. */
bool hints_matter(const struct hints *);

/* What was seen of a page since its last fetch. */
struct pending {
	double tau; /* days; INFINITY: it was never fetched */
	double moves; /* moves of the date, alone or with few others */
	double mass; /* moves of the date together with most of the source */
	/* publications of its source; < 0: the source has no pace */
	double published;
	double blind; /* days since the source was last read */
	bool is_undated; /* the page has no date that could move */
	double hints; /* that the page has changed */
	const struct hints *of_site; /* NULL: the site never had any */
};

/* What is believed of a page, for a weight of 1. */
struct view {
	struct value_rates rates;
	struct value_evidence evidence;
	struct value_uncertain uncertain; /* for value_uncertain */
	double changes_per_day;
};

/* estimate_word(word, trust): compute what dates of that trust say. */
void estimate_word(struct word *, const struct trust *);

/* estimate_view(view, of, pending): compute all of *view; changes nothing
 * else. */
void estimate_view(
    struct view *, const struct estimate_of *, const struct pending *);

/* estimate_outcome(of, pending, is_changed, now_s): learn from a fetch that is
 * not the first whether the page changed.  Returns true when the page changed
 * and no move was seen.  The next reading shows whether the change was
 * announced late; then the caller calls trust_clue(). */
bool estimate_outcome(const struct estimate_of *, const struct pending *,
    bool is_changed, int64_t now_s);

/* estimate_listed(of, age_days): a page that was never fetched is listed with
 * a date of that age.  As far as the date can be trusted, the page has not
 * changed since. */
void estimate_listed(const struct estimate_of *, double age_days);

/* Evaluations of pages: the value of a fetch now, and when it will be worth
 * more. */

/* The next evaluation is at most this many days later, because beliefs
 * change. */
#define EVALUATION_DAYS 8
/* The share of its value that a page keeps when it is no longer listed. A page
 * that is gone has no value. */
#define REMOVED_FACTOR 0.1
/* The share of its value that a page keeps while it is not known whether the
 * page is gone. */
#define VERIFY_FACTOR 0.2

/* page_state_value(page, rates, value): the value of a fetch of a page that is
 * new, gone or to be verified, from what it would be worth if it were not. */
double page_state_value(
    const struct sched_page *, const struct value_rates *, double value);

struct evaluation {
	double value; /* of a fetch */
	/* days until the value is `least`; EVALUATION_DAYS: no sooner than
	 * that */
	double days;
	double moves; /* moves of the date that are expected in a day */
};

/* page_evaluate(pages, number, moves, least, evaluation): evaluate a page as if
 * its lastmod had moved `moves` times more. */
void page_evaluate(struct sched_pages *, uint32_t number, unsigned moves,
    double least, struct evaluation *);

/* page_estimate(pages, number, of, pending): what an estimate of the
 * page is made of; the pointers in *of are borrowed. */
void page_estimate(struct sched_pages *, uint32_t number, struct estimate_of *,
    struct pending *);

#endif
