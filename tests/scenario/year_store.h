/* The year: which leases were answered. */
#ifndef FRESHET_YEAR_STORE_H
#define FRESHET_YEAR_STORE_H

#include <stdint.h>

struct store;

/* A set of leases; their order does not matter. */
struct outcomes {
	uint64_t sum, count;
};

/*
 * outcomes_add(outcomes, page_id, number): add that lease.
 * outcomes_sum(store, outcomes): all leases that the store knows as answered.
 */
void outcomes_add(struct outcomes *, int64_t page_id, uint32_t number);
void outcomes_sum(struct store *, struct outcomes *);

#endif
