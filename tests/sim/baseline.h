/* What the baseline policies share: the pages that may be fetched, in an
 * order. */
#ifndef FRESHET_BASELINE_H
#define FRESHET_BASELINE_H

#include <stdbool.h>
#include <stdint.h>

#include "sched/heap.h"
#include "tests/sim/sim_policy.h"

/* The page was never fetched; a time before all dates. */
#define BASELINE_NEVER INT64_MIN
#define BASELINE_DAY_S 86400.0
/* How long a page that gave no answer is left alone. */
#define BASELINE_RETRY_S 7200

struct baseline {
	struct sim_setup setup; /* a copy; the history is borrowed */
	struct ranking order; /* alive pages; the first is fetched next */
	int64_t *fetched_s; /* owned; by page, BASELINE_NEVER at first */
	/* pages that gave no answer, by the end of their pause */
	struct ranking held;
	double *kept; /* owned; by page: the key in `order`, while held */
};

void baseline_init(struct baseline *, const struct sim_setup *);
void baseline_release(struct baseline *);

/* baseline_next(baseline, request): ask for the first page; false: none. */
bool baseline_next(struct baseline *, struct sim_request *);

/* baseline_hold(baseline, now_s, page): a fetch of the page got no answer;
 * take the page out of the order for BASELINE_RETRY_S. */
void baseline_hold(struct baseline *, int64_t now_s, uint32_t page);

/* baseline_wake(baseline, now_s): put a page whose pause is over back to its
 * place in the order.  Returns the page; HISTORY_NONE: no pause is over. */
uint32_t baseline_wake(struct baseline *, int64_t now_s);

/* baseline_seen(baseline, now_s, page, outcome): note that the page was
 * fetched; false: the fetch got no answer, and the page is held. */
bool baseline_seen(
    struct baseline *, int64_t now_s, uint32_t page, enum sim_outcome);

/* baseline_returned(baseline, move): is the move that of a page that had been
 * given up as dead, and is now listed again or has another date?  Then the
 * page is to be fetched again. */
bool baseline_returned(const struct baseline *, const struct sim_move *);

/*
 * baseline_signal(baseline, move): has the date of the page moved to a time
 * after the last fetch?  A date without a time counts as the end of its day.
 */
bool baseline_signal(const struct baseline *, const struct sim_move *);

/* baseline_tau(baseline, now_s, page): days since the last fetch; a year
 * when there was none. */
double baseline_tau(const struct baseline *, int64_t now_s, uint32_t page);

#endif
