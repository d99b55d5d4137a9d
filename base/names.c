/* A map between names and small numbers: open addressing. */
#include "names.h"

#include <assert.h>
#include <stdlib.h>

#include "hash.h"
#include "mem.h"

#define FIRST_SLOTS 64

/* names_slot_of(names, name): the slot of the name, or the free one for it. */
static size_t
names_slot_of(const struct names *names, struct slice name)
{
	size_t mask = names->slot_count - 1;
	size_t at = hash_key(name, names->key) & mask;

	while (names->slots[at] != 0 &&
	    !slice_is(name, names->items[names->slots[at] - 1]))
		at = (at + 1) & mask;
	return at;
}

uint32_t
names_find(const struct names *names, struct slice name)
{
	uint32_t found;

	if (names->slot_count == 0)
		return NAMES_NONE;
	found = names->slots[names_slot_of(names, name)];
	return found == 0 ? NAMES_NONE : found - 1;
}

uint32_t
names_put(struct names *names, struct slice name)
{
	size_t at;

	if ((names->count - names->free_count) * 2 >= names->slot_count) {
		names->slot_count = names->slot_count == 0
		    ? FIRST_SLOTS
		    : names->slot_count * 2;
		free(names->slots);
		names->slots = mem_zero(
		    names->slot_count * sizeof(*names->slots));
		for (size_t i = 0; i < names->count; i++)
			if (names->items[i] != NULL)
				names->slots[names_slot_of(names,
				    slice_of(names->items[i]))] = (uint32_t)i +
				    1;
	}
	at = names_slot_of(names, name);
	if (names->slots[at] == 0) {
		uint32_t number;

		if (names->free_count > 0) {
			number = names->free[--names->free_count];
		} else {
			mem_limit(names->count, NAMES_NONE - 1);
			number = (uint32_t)names->count;
			(void)MEM_PUSH(names->items, names->count, names->cap);
		}
		names->items[number] = slice_dup(name);
		names->slots[at] = number + 1;
	}
	return names->slots[at] - 1;
}

const char *
names_text(const struct names *names, uint32_t number)
{
	assert(number < names->count && names->items[number] != NULL);
	return names->items[number];
}

struct slice
names_slice(const struct names *names, uint32_t number)
{
	return slice_of(names_text(names, number));
}

void
names_remove(struct names *names, uint32_t number)
{
	size_t mask = names->slot_count - 1;
	size_t hole = names_slot_of(names, slice_of(names_text(names, number)));

	names->slots[hole] = 0;
	/* An entry behind the hole may have been pushed there by the removed
	 * one: move each such entry back to its place. */
	for (size_t at = (hole + 1) & mask; names->slots[at] != 0;
	     at = (at + 1) & mask) {
		uint32_t moved = names->slots[at];

		names->slots[at] = 0;
		names->slots[names_slot_of(
		    names, slice_of(names->items[moved - 1]))] = moved;
	}
	free(names->items[number]);
	names->items[number] = NULL;
	*MEM_PUSH(names->free, names->free_count, names->free_cap) = number;
}

void
names_release(struct names *names)
{
	for (size_t i = 0; i < names->count; i++)
		free(names->items[i]);
	free(names->items);
	free(names->slots);
	free(names->free);
	*names = (struct names){0};
}
