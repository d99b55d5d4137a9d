/* A growing list of strings, owned, in the order in which they came. */
#ifndef FRESHET_STRINGS_H
#define FRESHET_STRINGS_H

#include <stdbool.h>
#include <stddef.h>

#include "slice.h"

struct strings {
	char **items; /* owned, and what they point to */
	size_t count;
	size_t cap;
};

/* strings_add(strings, text): a copy at the end; a zeroed list is empty.
 * strings_release: empty again. */
void strings_add(struct strings *, struct slice);
void strings_release(struct strings *);

/* strings_has(strings, text): is it among them?  Looks at each. */
bool strings_has(const struct strings *, struct slice);

#endif
