/* The options of worlds: worlds that have names, and what may be set of any. */
#ifndef FRESHET_WORLD_OPTIONS_H
#define FRESHET_WORLD_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "sched/sim/world.h"

/* world_presets(count): "W1" to "W9" and others. */
const struct world_options *world_presets(size_t *count);

/* world_preset(name): by its name, in any case of letters; NULL: none. */
const struct world_options *world_preset(const char *name);

enum world_fault { WORLD_OK, WORLD_UNKNOWN_KEY, WORLD_BAD_VALUE };

/* One option as people name it: key, what it is, its limits. */
struct world_setting {
	const char *key, *text;
	double low, high; /* allowed */
	bool is_range; /* its value is "LOW-HIGH", or a number */
	size_t offset; /* in world_options */
};

const struct world_setting *world_settings(size_t *count);

/*
 * world_set(options, key, value):
 * Set one by its key.  WORLD_BAD_VALUE: not a number, or beyond its limits;
 * "changes" takes 0, 1, 2 or poisson, periodic, bursty.
 */
enum world_fault world_set(
    struct world_options *, const char *key, const char *value);

/* world_get(options, setting, text, size): the value as world_set reads it. */
void world_get(const struct world_options *, const struct world_setting *,
    char *text, size_t size);

#endif
