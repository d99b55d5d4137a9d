/*
 * What is believed of a page now, and what a fetch of it teaches
 * (docs/scheduling.md, "Trust" and "Rates").
 */
#ifndef FRESHET_ESTIMATE_H
#define FRESHET_ESTIMATE_H

#include <stdbool.h>
#include <stdint.h>

#include "sched/rate.h"
#include "sched/trust.h"
#include "sched/value.h"
#include "sched/value_uncertain.h"

/* Whose: borrowed, and what a fetch changes. */
struct estimate_of {
	struct trust *trust; /* of its source */
	struct rate *rate; /* its own */
	double mean; /* changes a day of what is around it: rate_mean */
	struct rate_prior *seen; /* gets what an outcome tells of that */
};

/* What the dates of a source say, worked out once for all its pages. */
struct word {
	float told; /* of changes: recall; 0: nobody listens */
	float silent; /* of changes: not told, on the side of care (T10) */
	float precision;
	float all_false[TRUST_MOVES];
	float mass_false; /* that its latest mass move is */
	float published; /* share of the changes that come so, or 0 (T11) */
	float gap_days; /* from one publication to the next */
	float steady; /* of the days until the next: they count so much */
};

/* What was seen of a page since its last fetch. */
struct pending {
	double tau; /* days; INFINITY: it was never fetched */
	double moves; /* of its date alone, or with few others */
	double mass; /* with most of its source */
	double published; /* how often its source did; < 0: it has none */
	double blind; /* days since its source was last read, if that was not
		       * just now and for nothing */
	bool is_undated; /* it has no date that could move */
};

/* What is believed of it; weights are 1. */
struct view {
	struct value_rates rates;
	struct value_evidence evidence;
	struct value_uncertain
	    uncertain; /* what a fetch is worth: value_uncertain */
	double changes_per_day;
};

/* estimate_word(word, trust) writes all of *word. */
void estimate_word(struct word *, const struct trust *);

/*
 * estimate_uncertain(doubt, word, rate, mean, pending): what a fetch is worth,
 * for a weight of 1; all else that estimate_view says is left out.  Returns how
 * often a day its date moves.
 */
double estimate_uncertain(struct value_uncertain *, const struct word *,
    const struct rate *, double mean, const struct pending *);

/* estimate_view(view, of, pending) writes all of *view and nothing else. */
void estimate_view(
    struct view *, const struct estimate_of *, const struct pending *);

/*
 * estimate_outcome(of, pending, is_changed, now_s): a fetch told whether it
 * changed in those days.  Not for a first fetch.
 *
 * True: it changed, and no move was seen.  Whether it was told all the same
 * the next reading shows; then estimate_retro is due.
 */
bool estimate_outcome(const struct estimate_of *, const struct pending *,
    bool is_changed, int64_t now_s);

/* estimate_retro(of, is_told, now_s): the next reading gave (or did not) a
 * new date that is not later than that fetch. */
void estimate_retro(const struct estimate_of *, bool is_told, int64_t now_s);

/*
 * estimate_listed(of, age_days): a page that was not fetched yet is listed
 * with a date of that age: as far as it can be believed it did not change
 * since.
 */
void estimate_listed(const struct estimate_of *, double age_days);

#endif
