/* The sites in doubt: a short list, one place for each. */
#include "store/doubt.h"

#include "base/mem.h"
#include "store/db.h"

void
doubt_site(struct store *store, int64_t site_id)
{
	for (size_t i = 0; i < store->doubt_count; i++)
		if (store->doubts[i].id == site_id) {
			store->doubts[i].is_doubted = true;
			return;
		}
	store->doubts = mem_grow(store->doubts, &store->doubt_cap,
	    store->doubt_count + 1, sizeof(*store->doubts));
	store->doubts[store->doubt_count++] = (struct doubt){
	    .id = site_id, .is_doubted = true};
}
