/*
 * The times at which each page changed, from the whole history: for bounds,
 * for delays, and for policies that may know the future.
 */
#ifndef FRESHET_SIM_TRUTH_H
#define FRESHET_SIM_TRUTH_H

#include <stddef.h>
#include <stdint.h>

struct history;

/* Page i changed at changes_s[first[i]] to changes_s[first[i + 1] - 1]. */
struct sim_truth {
	size_t *first; /* owned; page_count + 1 positions */
	int64_t *changes_s; /* owned; of each page in time order */
};

/*
 * sim_truth_init(truth, history):
 * Find the changes of all pages after begin_s and before end_s.  A change is
 * another text (also one that the page had before), the end of the page, or
 * its return.  The history must be sorted.
 */
void sim_truth_init(struct sim_truth *, const struct history *);

/* sim_truth_removals(truth, history): likewise, but find the times at which
 * each page leaves its document. */
void sim_truth_removals(struct sim_truth *, const struct history *);

void sim_truth_release(struct sim_truth *);

#endif
