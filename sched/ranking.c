/* A heap that records the position of each number: see ranking.h. */
#include "sched/ranking.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"

#define WAYS 4

static bool
ranking_is_before(const struct ranking_item *a, const struct ranking_item *b)
{
	if (a->key < b->key || a->key > b->key)
		return a->key < b->key;
	return a->number < b->number;
}

static void
ranking_set(struct ranking *ranking, uint32_t at, struct ranking_item item)
{
	ranking->items[at] = item;
	ranking->positions->items[item.number] = at + 1;
}

/* ranking_sift(ranking, at, item): put the item where its key belongs; position
 * `at` is free. */
static void
ranking_sift(struct ranking *ranking, uint32_t at, struct ranking_item item)
{
	const struct ranking_item *items = ranking->items;

	while (at > 0 && ranking_is_before(&item, &items[(at - 1) / WAYS])) {
		ranking_set(ranking, at, items[(at - 1) / WAYS]);
		at = (at - 1) / WAYS;
	}
	for (;;) {
		uint32_t first = WAYS * at + 1, least = first;

		for (uint32_t i = first + 1;
		     i < first + WAYS && i < ranking->count; i++)
			if (ranking_is_before(&items[i], &items[least]))
				least = i;
		if (first >= ranking->count ||
		    !ranking_is_before(&items[least], &item))
			break;
		ranking_set(ranking, at, items[least]);
		at = least;
	}
	ranking_set(ranking, at, item);
}

void
ranking_put(struct ranking *ranking, uint32_t number, double key)
{
	struct ranking_item item = {isnan(key) ? INFINITY : key, number};
	size_t cap = ranking->cap;
	uint32_t word;

	if (ranking->positions == NULL) {
		ranking->positions = mem_zero(sizeof(*ranking->positions));
		ranking->is_own = true;
	}
	word = *positions_at(ranking->positions, number);
	if (word == POSITIONS_NOWHERE) {
		mem_limit(ranking->count, POSITIONS_MAX_AT / WAYS);
		ranking->items = mem_grow(ranking->items, &cap,
		    (size_t)ranking->count + 1, sizeof(*ranking->items));
		ranking->cap = (uint32_t)cap;
		word = ++ranking->count;
	}
	ranking_sift(ranking, word - 1, item);
}

void
ranking_remove(struct ranking *ranking, uint32_t number)
{
	uint32_t at;

	if (!ranking_has(ranking, number))
		return;
	at = ranking->positions->items[number] - 1;
	ranking->positions->items[number] = POSITIONS_NOWHERE;
	ranking->count--;
	if (at < ranking->count)
		ranking_sift(ranking, at, ranking->items[ranking->count]);
}

bool
ranking_has(const struct ranking *ranking, uint32_t number)
{
	uint32_t word = ranking->positions == NULL
	    ? POSITIONS_NOWHERE
	    : positions_get(ranking->positions, number);

	return word != POSITIONS_NOWHERE && word <= ranking->count &&
	    ranking->items[word - 1].number == number;
}

double
ranking_key(const struct ranking *ranking, uint32_t number)
{
	return ranking->items[ranking->positions->items[number] - 1].key;
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
	if (ranking->is_own) {
		positions_release(ranking->positions);
		free(ranking->positions);
	}
	*ranking = (struct ranking){0};
}
