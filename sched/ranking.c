/* A binary heap that records the position of each number: see ranking.h. */
#include "ranking.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static bool
is_before(const struct ranking_item *a, const struct ranking_item *b)
{
	if (a->key < b->key || a->key > b->key)
		return a->key < b->key;
	return a->number < b->number;
}

static void
set(struct ranking *ranking, size_t at, struct ranking_item item)
{
	ranking->items[at] = item;
	ranking->positions[item.number] = (uint32_t)at + 1;
}

/* sift(ranking, at, item): put the item where its key belongs; position `at` is
 * free. */
static void
sift(struct ranking *ranking, size_t at, struct ranking_item item)
{
	while (at > 0) {
		size_t parent = (at - 1) / 2;
		if (!is_before(&item, &ranking->items[parent]))
			break;
		set(ranking, at, ranking->items[parent]);
		at = parent;
	}
	for (;;) {
		size_t child = 2 * at + 1;
		if (child >= ranking->count)
			break;
		if (child + 1 < ranking->count &&
		    is_before(
			&ranking->items[child + 1], &ranking->items[child]))
			child++;
		if (!is_before(&ranking->items[child], &item))
			break;
		set(ranking, at, ranking->items[child]);
		at = child;
	}
	set(ranking, at, item);
}

void
ranking_put(struct ranking *ranking, uint32_t number, double key)
{
	struct ranking_item item = {isnan(key) ? INFINITY : key, number};
	size_t at;

	size_t before = ranking->place_cap;

	ranking->items = mem_grow(ranking->items, &ranking->item_cap,
	    ranking->count + 1, sizeof(*ranking->items));
	ranking->positions = mem_grow(ranking->positions, &ranking->place_cap,
	    (size_t)number + 1, sizeof(*ranking->positions));
	if (ranking->place_cap > before)
		memset(&ranking->positions[before], 0,
		    (ranking->place_cap - before) *
			sizeof(*ranking->positions));

	at = ranking->positions[number] == 0 ? ranking->count++
					     : ranking->positions[number] - 1;
	sift(ranking, at, item);
}

void
ranking_remove(struct ranking *ranking, uint32_t number)
{
	size_t at;

	if (!ranking_has(ranking, number))
		return;
	at = ranking->positions[number] - 1;
	ranking->positions[number] = 0;
	ranking->count--;
	if (at < ranking->count)
		sift(ranking, at, ranking->items[ranking->count]);
}

bool
ranking_has(const struct ranking *ranking, uint32_t number)
{
	return number < ranking->place_cap && ranking->positions[number] != 0;
}

double
ranking_key(const struct ranking *ranking, uint32_t number)
{
	return ranking->items[ranking->positions[number] - 1].key;
}

const struct ranking_item *
ranking_first(const struct ranking *ranking)
{
	return ranking->count == 0 ? NULL : &ranking->items[0];
}

void
ranking_release(struct ranking *ranking)
{
	free(ranking->items);
	free(ranking->positions);
	*ranking = (struct ranking){0};
}
