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
	/* items whose value is `until` or higher; empty only when `far` is */
	struct heap near;
	/* not ordered: the other items. A word of one has POSITIONS_FAR,
	 * too. */
	struct heap far;
	float until;
	uint32_t most; /* if more items are near, it is chosen anew which are */
};

/*
 * later_put(later, words, item): add an item, or change its value.
 * later_remove(later, words, number): take an item out, which must be here.
 * later_has(later, words, number): is the number here?  No other structure of
 * that base has items that are far.
 * `words` is as for a heap (heap.h).
 */
void later_put(struct later *, struct heap_words, struct heap_item);
void later_remove(struct later *, struct heap_words, uint32_t number);

static inline bool
later_is_far(struct heap_words words, uint32_t number)
{
	uint32_t far = words.base + POSITIONS_FAR;

	return (words.items[number] & far) == far;
}

static inline bool
later_has(const struct later *later, struct heap_words words, uint32_t number)
{
	return later_is_far(words, number) ||
	    heap_has(&later->near, words, number);
}

/*
 * The values of items that are ordered by time: the earlier, the higher, and
 * all below 0.  later_value(after_s): the value of an item that is due after_s,
 * 0 to LATER_MOST, after a time that the caller knows.  A float tells seconds
 * apart for half a year, and those of ten years to 32 s; it is rounded to a
 * later time, or an item would come too early, again and again.
 * later_after_s(value): that time.
 */
#define LATER_MOST ((int64_t)UINT32_MAX)

float later_value(int64_t after_s);

static inline int64_t
later_after_s(float value)
{
	return (int64_t)-value - 1;
}

static inline size_t
later_count(const struct later *later)
{
	return (size_t)later->near.count + later->far.count;
}

void later_release(struct later *);

#endif
