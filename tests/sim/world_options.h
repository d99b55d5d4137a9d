/* The options of worlds: presets, which have names, and settings, by which
 * each option of a world can be changed. */
#ifndef FRESHET_WORLD_OPTIONS_H
#define FRESHET_WORLD_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "tests/sim/world.h"

/* world_presets(count): all presets, "W1" to "W9" and others. */
const struct world_options *world_presets(size_t *count);

/* world_preset(name): the preset of that name, in upper or lower case; NULL:
 * there is none. */
const struct world_options *world_preset(const char *name);

enum world_fault { WORLD_OK, WORLD_UNKNOWN_KEY, WORLD_BAD_VALUE };

/* One option: the key by which people name it, a description, and limits. */
struct world_setting {
	const char *key, *text;
	double low, high; /* allowed */
	/* the value is "LOW-HIGH", or a number */
	bool is_range;
	size_t offset; /* in world_options */
};

const struct world_setting *world_settings(size_t *count);

/*
 * world_set(options, key, value):
 * Set the option with that key.  WORLD_BAD_VALUE: the value is no number, or
 * beyond the limits of the option.  "changes" takes 0, 1, 2 or poisson,
 * periodic, bursty.
 */
enum world_fault world_set(
    struct world_options *, const char *key, const char *value);

/* world_get(options, setting, text, size): the value as world_set reads it. */
void world_get(const struct world_options *, const struct world_setting *,
    char *text, size_t size);

#endif
