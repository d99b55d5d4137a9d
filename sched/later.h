/*
 * Items ordered by a value, the highest first, most of which are far from being
 * the first: a heap of those whose value is high, and an unordered array of the
 * others. So most of a million items cost one addition to an array, and the
 * heap stays in the cache. With a heap alone a decision among a million pages
 * took 13 to 20 % longer.
 */
#ifndef FRESHET_LATER_H
#define FRESHET_LATER_H

#include "sched/heap.h"

/* Zeroed: empty. */
struct later {
	struct heap near; /* empty only when `far` is empty */
	/* not ordered: items whose value is below `until`. A word of one has
	 * POSITIONS_FAR, too. */
	struct heap far;
	float until; /* undefined while `far` is empty */
};

/*
 * later_put(later, words, item): add an item, or change its value.
 * later_remove(later, words, number): take an item out, which must be here.
 * later_has(later, word, number): is the number, whose word that is, here?
 * `words` is as for a heap (heap.h).
 */
void later_put(struct later *, uint32_t *words, struct heap_item);
void later_remove(struct later *, uint32_t *words, uint32_t number);

static inline bool
later_has(const struct later *later, uint32_t word, uint32_t number)
{
	return word >= POSITIONS_QUEUED + POSITIONS_FAR ||
	    heap_has(&later->near, word, number);
}

static inline size_t
later_count(const struct later *later)
{
	return (size_t)later->near.count + later->far.count;
}

void later_release(struct later *);

#endif
