/*
 * Heaps that record the position of each item, so that any item can be moved or
 * taken out.  An item has four children, which are neighbours in memory.
 *
 *	heap	a value in a float, the highest first: for a million pages
 *	later	the same, for items most of which are far from being the first
 *	ranking	a key in a double, the lowest first: exact times and turns
 */
#ifndef FRESHET_HEAP_H
#define FRESHET_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Where each of many numbered items is: nowhere, or in which heap.  One word
 * for each item is shared by the heaps that can hold it.
 *
 * The word of an item in a heap is the base of the heap + its position.  The
 * base is a bit that tells heaps of one kind from those of another one, where
 * an item may be in both kinds.  An item that is far (struct later) has
 * POSITIONS_FAR, too.
 */
#define POSITIONS_NOWHERE 0
#define POSITIONS_QUEUED 0x80000000U
#define POSITIONS_DUE 0x40000000U
#define POSITIONS_FAR 0x20000000U
#define POSITIONS_MAX_AT (POSITIONS_FAR - 1)

/* Zeroed: all items are nowhere. */
struct positions {
	uint32_t *items; /* owned; whoever has the struct frees them */
	size_t count, cap;
};

/* positions_at(positions, number): the item's word, to be read and written
 * until the next call.  The memory grows with the highest number. */
uint32_t *positions_at(struct positions *, uint32_t number);

/* positions_get(positions, number): the item's word. */
static inline uint32_t
positions_get(const struct positions *positions, uint32_t number)
{
	return number < positions->count ? positions->items[number]
					 : POSITIONS_NOWHERE;
}

struct heap_item {
	float value;
	uint32_t number;
};

/* Zeroed: empty. */
struct heap {
	struct heap_item *items; /* owned */
	uint32_t count, cap;
};

/* Where the positions of items stand: a word for each number, of which one in a
 * heap is base + its position. */
struct heap_words {
	uint32_t *items; /* borrowed */
	uint32_t base;
};

/* heap_has(heap, words, number): is the number in this heap? */
static inline bool
heap_has(const struct heap *heap, struct heap_words words, uint32_t number)
{
	uint32_t at = words.items[number] - words.base;

	return at < heap->count && heap->items[at].number == number;
}

/* heap_put(heap, words, item): add the item, or move it to where its value
 * belongs now. heap_remove(heap, words, number): take an item out, which must
 * be in the heap. */
void heap_put(struct heap *, struct heap_words, struct heap_item);
void heap_remove(struct heap *, struct heap_words, uint32_t number);

void heap_release(struct heap *);

/* Items ordered by a value, the highest first, most of which are far from being
 * the first: a heap of those whose value is high, and an unordered array of the
 * others. So most of a million items cost one addition to an array, and the
 * heap stays in the cache. With a heap alone a decision among a million pages
 * took 13 to 20 % longer.  Zeroed: empty. */
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
 * `words` is as for a heap; no other structure of that base has items that are
 * far.  The owner releases both heaps.
 */
void later_put(struct later *, struct heap_words, struct heap_item);
void later_remove(struct later *, struct heap_words, uint32_t number);

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

/* Numbers ordered by a key, the least first. */
struct ranking_item {
	double key;
	uint32_t number;
};

/* Zeroed: empty. */
struct ranking {
	struct ranking_item *items; /* owned; a heap, the least key first */
	uint32_t count, cap;
	/* The words of the numbers, position + 1.  Rankings that have no number
	 * in common may share one, which is borrowed then; if `positions` is
	 * NULL at first, the ranking makes its own, which grows with the
	 * largest number. */
	struct positions *positions;
	bool is_own;
};

/* ranking_put(ranking, number, key): add a number, or change its key.  Among
 * equal keys the lower number comes first; NaN comes last. */
void ranking_put(struct ranking *, uint32_t number, double key);

/* ranking_remove(ranking, number): take a number out; does nothing when it
 * is not in the heap. */
void ranking_remove(struct ranking *, uint32_t number);

/* ranking_find(ranking, number): the item of that number; NULL: it is not in
 * the heap. ranking_first(ranking): the item with the least key; NULL: the heap
 * is empty.  Both are borrowed until the next call. */
const struct ranking_item *ranking_find(
    const struct ranking *, uint32_t number);
const struct ranking_item *ranking_first(const struct ranking *);

/* ranking_release(ranking): leaves it empty; the words of numbers that were in
 * it are not cleared if it shares them. */
void ranking_release(struct ranking *);

#endif
