/* A map from positive 64-bit ids to small numbers: open addressing. */
#include "base/idmap.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define CAP_FIRST 64

/* Twelve bytes and not sixteen: a member of eight bytes would add four to each
 * slot.  A frontier has a slot for each page. */
struct idmap_slot {
	uint32_t id[2]; /* an int64_t; 0: free */
	uint32_t value;
};

static int64_t
idmap_id(const struct idmap_slot *slot)
{
	int64_t id;

	memcpy(&id, slot->id, sizeof(id));
	return id;
}

/* The slot of the id, or the free one where it belongs.  The order of the slots
 * is that of the hashes, so that a table grows from one end to the other, and
 * not all over memory. */
static size_t
idmap_slot_of(const struct idmap *map, int64_t id)
{
	uint64_t hash = (uint64_t)id * 11400714819323198485u >> 32;
	size_t at = (size_t)(hash * map->cap >> 32);

	while (
	    idmap_id(&map->slots[at]) != 0 && idmap_id(&map->slots[at]) != id)
		at = at + 1 == map->cap ? 0 : at + 1;
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
	return idmap_id(&map->slots[at]) == id ? map->slots[at].value
					       : IDMAP_NONE;
}

void
idmap_put(struct idmap *map, int64_t id, uint32_t value)
{
	size_t at;

	/* Up to four of five slots are taken; the table then grows by a quarter
	 * only, as one that is half empty costs memory for each page. */
	if (map->count + 1 > map->cap / 5 * 4) {
		struct idmap old = *map;

		map->cap = old.cap == 0 ? CAP_FIRST : old.cap + old.cap / 4;
		map->slots = mem_zero(map->cap * sizeof(*map->slots));
		for (size_t i = 0; i < old.cap; i++)
			if (idmap_id(&old.slots[i]) != 0)
				map->slots[idmap_slot_of(map,
				    idmap_id(&old.slots[i]))] = old.slots[i];
		free(old.slots);
	}
	at = idmap_slot_of(map, id);
	if (idmap_id(&map->slots[at]) == 0)
		map->count++;
	memcpy(map->slots[at].id, &id, sizeof(id));
	map->slots[at].value = value;
}

void
idmap_remove(struct idmap *map, int64_t id)
{
	size_t hole;

	if (idmap_get(map, id) == IDMAP_NONE)
		return;
	hole = idmap_slot_of(map, id);
	map->slots[hole] = (struct idmap_slot){0};
	map->count--;
	/* An entry behind the hole may have been pushed there by the removed
	 * one: move each such entry back to its place. */
	for (size_t at = hole;;) {
		struct idmap_slot slot;

		at = at + 1 == map->cap ? 0 : at + 1;
		slot = map->slots[at];
		if (idmap_id(&slot) == 0)
			break;
		map->slots[at] = (struct idmap_slot){0};
		map->slots[idmap_slot_of(map, idmap_id(&slot))] = slot;
	}
}
