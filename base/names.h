/* A map between names and small numbers. */
#ifndef FRESHET_NAMES_H
#define FRESHET_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "slice.h"

#define NAMES_NONE UINT32_MAX

struct names {
	char **items; /* owned, as are the texts; NULL: the number is free */
	size_t count, cap; /* of items */
	uint32_t *free; /* owned: free numbers */
	size_t free_count, free_cap;
	uint32_t *slots; /* owned: number + 1 of a name; 0: the slot is free */
	size_t slot_count; /* a power of two, or 0 */
	uint64_t key; /* for the hash */
};

/*
 * An empty map begins as {.key = key}. The key seeds the hash: whoever chooses
 * the names must not know it, so that nobody can make names collide.
 * names_put(names, name): the number of the name: 0, 1, 2, ... in order of
 * appearance, or the number of a removed name. names_find: the same, but
 * NAMES_NONE for a name that is not in the map. names_text(names, number),
 * names_slice(names, number): the name, NUL-terminated, valid until it is
 * removed. names_remove(names, number): remove the name; its number becomes
 * free.
 */
uint32_t names_put(struct names *, struct slice name);
uint32_t names_find(const struct names *, struct slice name);
const char *names_text(const struct names *, uint32_t number);
struct slice names_slice(const struct names *, uint32_t number);
void names_remove(struct names *, uint32_t number);
void names_release(struct names *);

#endif
