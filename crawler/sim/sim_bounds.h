/* What the best of all policies could reach on a history. */
#ifndef FRESHET_SIM_BOUNDS_H
#define FRESHET_SIM_BOUNDS_H

#include <stdbool.h>

#include "crawler/sim/sim_study.h"

struct sim_bounds {
	bool has[STUDY_BOUNDS];
	double freshness[STUDY_BOUNDS]; /* shares of the weight */
	enum study_bound best; /* the one that policies are measured by */
};

struct sim_bounds_of {
	const struct history *history;
	const struct sim_options *options;
	struct sim_window window;
	double weight; /* mean of the sum over listed pages, in the window */
	/* Pages change as a Poisson process does, at rates that the history
	 * gives, and stay: what the bounds but the clairvoyant are for. */
	bool has_rates;
};

/* sim_bounds_make(bounds, of): those that make sense for it. */
void sim_bounds_make(struct sim_bounds *, const struct sim_bounds_of *);

#endif
