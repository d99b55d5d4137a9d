/* When it is known whether pages have moved. */
#include "crawler/events/open_documents.h"

#include <stdlib.h>

#include "base/civil.h"
#include "base/mem.h"

/* Documents that are open so long after a change are waited for.  A site that
 * is read every day has been read again by then, also if that came some hours
 * late. */
#define LOOK_S (DAY_S + DAY_S / 2)
#define MOST_S (14 * DAY_S)

void
open_documents_add(struct open_documents *open, int64_t from_s, int64_t to_s)
{
	/* A time this short cannot reach from LOOK_S to after SETTLED_LEAST_S.
	 */
	if (to_s != 0 && to_s - from_s <= SETTLED_LEAST_S - LOOK_S)
		return;
	open->items = mem_grow(
	    open->items, &open->cap, open->count + 1, sizeof(*open->items));
	open->items[open->count++] = (struct open_interval){from_s, to_s};
}

void
open_documents_release(struct open_documents *open)
{
	free(open->items);
	*open = (struct open_documents){0};
}

int64_t
open_documents_settled(const struct open_documents *open, int64_t at_s)
{
	int64_t settled_s = at_s + SETTLED_LEAST_S;

	for (size_t i = 0; i < open->count; i++) {
		const struct open_interval *one = &open->items[i];

		if (one->from_s > at_s + LOOK_S)
			continue;
		if (one->to_s == 0)
			settled_s = at_s + MOST_S;
		else if (one->to_s > at_s + LOOK_S && one->to_s > settled_s)
			settled_s = one->to_s;
	}
	if (settled_s > at_s + MOST_S)
		settled_s = at_s + MOST_S;
	return settled_s <= open->now_s ? settled_s : 0;
}

bool
open_documents_is_none(const struct open_documents *open)
{
	for (size_t i = 0; i < open->count; i++)
		if (open->items[i].to_s == 0)
			return false;
	return true;
}
