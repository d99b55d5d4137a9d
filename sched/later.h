/*
 * Things by when they are worth looking at: a heap of those whose time is near,
 * and the others in no order, so that of a million most cost an addition to an
 * array, and the heap stays in the cache.
 */
#ifndef FRESHET_LATER_H
#define FRESHET_LATER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of a word of places: it is in one of these. */
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

/* Zeroed: empty.  words is as of a heap. */
struct later {
	struct later_items near; /* a heap; not empty while far is not */
	struct later_items far; /* those whose time is after `until` */
	uint32_t until; /* meaningless while far is empty */
};

static inline bool
later_has(uint32_t word)
{
	return word >= POSITIONS_LATER;
}

/*
 * later_put(later, words, number, from): in, or at that time from now on.
 * later_remove(later, words, number): out; it must be in it.
 * later_first(later): the one whose time is the next; NULL: it is empty;
 * borrowed until the next call.
 * later_take(later, words): that one, out of it, and returned.
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
