/* The year: which leases were answered. */
#include "tests/scenario/year_store.h"

#include "base/hash.h"
#include "store/outcome.h"

void
outcomes_add(struct outcomes *outcomes, int64_t page_id, uint32_t number)
{
	int64_t lease[2] = {page_id, number};
	struct slice bytes = {(const char *)lease, sizeof(lease)};

	outcomes->sum += hash_key(bytes, 1);
	outcomes->count++;
}

static bool
add(void *arg, const struct outcome_row *row)
{
	outcomes_add(arg, row->page_id, row->number);
	return true;
}

void
outcomes_sum(struct store *store, struct outcomes *outcomes)
{
	store_each_outcome(store, 0, 0, add, outcomes);
}
