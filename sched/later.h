/*
 * Items ordered by time: a heap of those whose time is near, and an unordered
 * array of the others.  So most of a million items cost one addition to an
 * array, and the heap stays in the cache.
 */
#ifndef FRESHET_LATER_H
#define FRESHET_LATER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The bit that is set in the words of items that are in such a structure
 * (positions.h). */
#define POSITIONS_LATER 0xc0000000U
#define LATER_MOST UINT32_MAX /* no time is later */

struct later_item {
	uint32_t from; /* the time */
	uint32_t number;
};

struct later_items {
	struct later_item *items; /* owned */
	uint32_t count, cap;
};

/* Zeroed: empty. */
struct later {
	/* a heap, which is empty only when `far` is empty */
	struct later_items near;
	struct later_items far; /* items whose time is after `until` */
	uint32_t until; /* undefined while `far` is empty */
};

static inline bool
later_has(uint32_t word)
{
	return word >= POSITIONS_LATER;
}

/*
 * later_put(later, words, number, from): add an item, or change its time.
 * later_remove(later, words, number): take an item out, which must be here.
 * later_first(later): the item with the earliest time, borrowed until the next
 * call; NULL: there is none.
 * later_take(later, words): take that item out and return its number.
 * `words` is as for a heap (heap.h).
 */
void later_put(struct later *, uint32_t *words, uint32_t number, uint32_t from);
void later_remove(struct later *, uint32_t *words, uint32_t number);
uint32_t later_take(struct later *, uint32_t *words);

static inline const struct later_item *
later_first(const struct later *later)
{
	return later->near.count == 0 ? NULL : &later->near.items[0];
}

static inline size_t
later_count(const struct later *later)
{
	return (size_t)later->near.count + later->far.count;
}

void later_release(struct later *);

#endif
