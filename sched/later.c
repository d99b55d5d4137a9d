/* Items ordered by time: see later.h. */
#include "sched/later.h"

#include <assert.h>
#include <stdlib.h>

#include "base/mem.h"
#include "sched/positions.h"

/* A bit of a word: the item is in `far`, else in `near`. */
#define FAR 0x20000000U
#define AT_MOST (FAR - 1)
/* The number of children of each item of the heap. They are neighbours in
 * memory. */
#define WAYS 4
/* If there are at most NEAR_LEAST items, all are near. If there are more, those
 * are near whose times lie in the first sixteenth of the whole span. */
#define NEAR_LEAST 1024
#define NEAR_SHARE 16

/* place(items, words, kind, at, item): put the item at a position; kind is FAR
 * or 0. */
static void
place(struct later_items *items, uint32_t *words, uint32_t kind, uint32_t at,
    struct later_item item)
{
	items->items[at] = item;
	words[item.number] = POSITIONS_LATER | kind | at;
}

static void
sift_up(struct later_items *near, uint32_t *words, uint32_t at)
{
	struct later_item item = near->items[at];

	while (at > 0 && near->items[(at - 1) / WAYS].from > item.from) {
		place(near, words, 0, at, near->items[(at - 1) / WAYS]);
		at = (at - 1) / WAYS;
	}
	place(near, words, 0, at, item);
}

static void
sift_down(struct later_items *near, uint32_t *words, uint32_t at)
{
	struct later_item item = near->items[at];

	for (;;) {
		uint32_t first = WAYS * at + 1, least;

		if (first >= near->count)
			break;
		least = first;
		for (uint32_t i = 1; i < WAYS && first + i < near->count; i++)
			if (near->items[first + i].from <
			    near->items[least].from)
				least = first + i;
		if (near->items[least].from >= item.from)
			break;
		place(near, words, 0, at, near->items[least]);
		at = least;
	}
	place(near, words, 0, at, item);
}

static void
append(struct later_items *items, uint32_t *words, uint32_t kind,
    struct later_item item)
{
	size_t cap = items->cap;

	mem_limit(items->count, AT_MOST / WAYS);
	items->items = mem_grow(
	    items->items, &cap, (size_t)items->count + 1, sizeof(item));
	items->cap = (uint32_t)cap;
	place(items, words, kind, items->count++, item);
}

/* Move the items of the next part of the time from `far` to `near`. */
static void
fill(struct later *later, uint32_t *words)
{
	struct later_items *far = &later->far;
	uint32_t first = LATER_MOST, last = 0, kept = 0;

	for (uint32_t i = 0; i < far->count; i++) {
		uint32_t from = far->items[i].from;

		first = from < first ? from : first;
		last = from > last ? from : last;
	}
	later->until = far->count <= NEAR_LEAST
	    ? last
	    : first + (last - first) / NEAR_SHARE;
	for (uint32_t i = 0; i < far->count; i++) {
		if (far->items[i].from > later->until) {
			place(far, words, FAR, kept++, far->items[i]);
			continue;
		}
		append(&later->near, words, 0, far->items[i]);
		sift_up(&later->near, words, later->near.count - 1);
	}
	far->count = kept;
}

static void
remove_near(struct later_items *near, uint32_t *words, uint32_t at)
{
	struct later_item last = near->items[--near->count];

	if (at == near->count)
		return;
	place(near, words, 0, at, last);
	sift_up(near, words, at);
	sift_down(near, words, words[last.number] & AT_MOST);
}

void
later_remove(struct later *later, uint32_t *words, uint32_t number)
{
	uint32_t at = words[number] & AT_MOST;
	struct later_items *in = (words[number] & FAR) != 0 ? &later->far
							    : &later->near;

	assert(later_has(words[number]) && at < in->count &&
	    in->items[at].number == number);
	words[number] = POSITIONS_NOWHERE;
	if (in == &later->near) {
		remove_near(in, words, at);
	} else {
		struct later_item last = in->items[--in->count];

		if (at < in->count)
			place(in, words, FAR, at, last);
	}
	if (later_count(later) == 0)
		later_release(later);
	else if (later->near.count == 0)
		fill(later, words);
}

void
later_put(struct later *later, uint32_t *words, uint32_t number, uint32_t from)
{
	struct later_item item = {from, number};

	if (words[number] != POSITIONS_NOWHERE)
		later_remove(later, words, number);
	if (later->far.count == 0 && later->near.count >= NEAR_LEAST)
		later->until = later->near.items[0].from;
	if (later->near.count > 0 && from > later->until &&
	    (later->far.count > 0 || later->near.count >= NEAR_LEAST)) {
		append(&later->far, words, FAR, item);
		return;
	}
	append(&later->near, words, 0, item);
	sift_up(&later->near, words, later->near.count - 1);
}

uint32_t
later_take(struct later *later, uint32_t *words)
{
	uint32_t number = later->near.items[0].number;

	later_remove(later, words, number);
	return number;
}

void
later_release(struct later *later)
{
	free(later->near.items);
	free(later->far.items);
	*later = (struct later){0};
}
