/* The sites in doubt. */
#include "store/doubt.h"

#include <stdlib.h>

#include "base/mem.h"
#include "store/db.h"

struct doubts *
doubts_new(void)
{
	return mem_zero(sizeof(struct doubts));
}

void
doubts_free(struct doubts *doubts)
{
	if (doubts == NULL)
		return;
	free(doubts->items);
	free(doubts);
}

void
doubts_clear(struct doubts *doubts)
{
	doubts->count = 0;
}

void
doubt_site(struct store *store, int64_t site_id)
{
	struct doubts *doubts = store->doubts;

	for (size_t i = 0; i < doubts->count; i++)
		if (doubts->items[i].id == site_id) {
			doubts->items[i].is_doubted = true;
			return;
		}
	doubts->items = mem_grow(doubts->items, &doubts->cap, doubts->count + 1,
	    sizeof(*doubts->items));
	doubts->items[doubts->count++] = (struct doubt){
	    .id = site_id, .is_doubted = true};
}
