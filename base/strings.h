/* A growing list of strings, owned, in order of insertion. */
#ifndef FRESHET_STRINGS_H
#define FRESHET_STRINGS_H

#include <stdbool.h>
#include <stddef.h>

#include "slice.h"

struct strings {
	/* owned, as are the strings; NULL ends them, unless some were moved */
	char **items;
	size_t count;
	size_t cap;
};

/* strings_add(strings, text): append a copy; a zeroed list is empty.
 * strings_release: free all; the list is empty then. */
void strings_add(struct strings *, struct slice);
void strings_release(struct strings *);

/* strings_has(strings, text): is text in the list? Linear search. */
bool strings_has(const struct strings *, struct slice);

/* strings_sort(strings): bring the list in the order of strcmp(). */
void strings_sort(struct strings *);

#endif
