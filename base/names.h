/* Names and the small numbers they stand for. */
#ifndef FRESHET_NAMES_H
#define FRESHET_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "slice.h"

#define NAMES_NONE UINT32_MAX

struct names {
	char **items; /* owned, and what they point to; NULL: a free number */
	size_t count, cap; /* of numbers */
	uint32_t *free; /* owned: free numbers */
	size_t free_count, free_cap;
	uint32_t *slots; /* owned: a name's number + 1, 0: free */
	size_t slot_count; /* a power of two, or 0 */
	uint64_t key; /* of the hash */
};

/*
 * names_init(names, key): none yet; key is the hash's, unknown to whoever
 * chooses the names, so that nobody can make them collide.
 * names_put(names, name): its number: 0, 1, 2, ... in order of appearance, or
 * one that was removed.
 * names_find: NAMES_NONE when it never appeared.
 * names_text(names, number): terminated, and valid until it is removed.
 * names_remove(names, number): as if it had never appeared.
 */
void names_init(struct names *, uint64_t key);
uint32_t names_put(struct names *, struct slice name);
uint32_t names_find(const struct names *, struct slice name);
const char *names_text(const struct names *, uint32_t number);
void names_remove(struct names *, uint32_t number);
void names_release(struct names *);

#endif
