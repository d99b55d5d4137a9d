/* What is nearest to a mistyped word. */
#ifndef FRESHET_NEAREST_H
#define FRESHET_NEAREST_H

#include <stddef.h>

#include "base/slice.h"

/*
 * nearest_init, nearest_try for each
 * known word, then nearest.best, NULL when none is near enough.
 */
struct nearest {
	struct slice typed;
	const char *best; /* borrowed from nearest_try's caller */
	size_t best_len;
	unsigned distance; /* of best */
};

void nearest_init(struct nearest *, struct slice typed);
void nearest_try(struct nearest *, const char *known, size_t len);

#endif
