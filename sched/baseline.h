/* What the baselines share: the pages that may be fetched, in an order. */
#ifndef FRESHET_BASELINE_H
#define FRESHET_BASELINE_H

#include <stdbool.h>
#include <stdint.h>

#include "sched/ranking.h"
#include "sched/sim_policy.h"

/* How long all of them leave a page that gave no answer. */
#define BASELINE_RETRY_S 7200

struct baseline {
	struct sim_setup setup; /* a copy; the history is borrowed */
	struct ranking order; /* alive pages; the first is fetched next */
};

void baseline_init(struct baseline *, const struct sim_setup *);
void baseline_release(struct baseline *);

/* baseline_next(baseline, request): ask for the first page; false: none. */
bool baseline_next(struct baseline *, struct sim_request *);

/* baseline_returned(baseline, move): a page that had been given up as dead is
 * listed again, or with another date: it is to be tried again. */
bool baseline_returned(const struct baseline *, const struct sim_move *);

#endif
