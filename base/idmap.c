/* A map from positive 64-bit ids to small numbers: open addressing. */
#include "base/idmap.h"

#include <stdlib.h>

#include "base/mem.h"

struct idmap_slot {
	int64_t id; /* 0: free */
	uint32_t value;
};

static size_t
idmap_slot_of(const struct idmap *map, int64_t id)
{
	size_t at = (uint64_t)id * 11400714819323198485u >> 32;

	at &= map->cap - 1;
	while (map->slots[at].id != 0 && map->slots[at].id != id)
		at = (at + 1) & (map->cap - 1);
	return at;
}

uint32_t
idmap_get(const struct idmap *map, int64_t id)
{
	size_t at;

	/* A free slot has id 0: a search for 0 would find it. */
	if (map->cap == 0 || id == 0)
		return IDMAP_NONE;
	at = idmap_slot_of(map, id);
	return map->slots[at].id == id ? map->slots[at].value : IDMAP_NONE;
}

void
idmap_put(struct idmap *map, int64_t id, uint32_t value)
{
	size_t at;

	if (map->count * 2 >= map->cap) {
		struct idmap old = *map;

		map->cap = old.cap == 0 ? 64 : old.cap * 2;
		map->slots = mem_zero(map->cap * sizeof(*map->slots));
		for (size_t i = 0; i < old.cap; i++)
			if (old.slots[i].id != 0)
				map->slots[idmap_slot_of(
				    map, old.slots[i].id)] = old.slots[i];
		free(old.slots);
	}
	at = idmap_slot_of(map, id);
	if (map->slots[at].id == 0)
		map->count++;
	map->slots[at] = (struct idmap_slot){id, value};
}

void
idmap_remove(struct idmap *map, int64_t id)
{
	size_t mask = map->cap - 1;
	size_t hole;

	if (idmap_get(map, id) == IDMAP_NONE)
		return;
	hole = idmap_slot_of(map, id);
	map->slots[hole].id = 0;
	map->count--;
	/* An entry behind the hole may have been pushed there by the removed
	 * one: move each such entry back to its place. */
	for (size_t at = (hole + 1) & mask; map->slots[at].id != 0;
	     at = (at + 1) & mask) {
		struct idmap_slot slot = map->slots[at];

		map->slots[at].id = 0;
		map->slots[idmap_slot_of(map, slot.id)] = slot;
	}
}

void
idmap_release(struct idmap *map)
{
	free(map->slots);
	*map = (struct idmap){0};
}
