/* What the operator wants of one site on the watch list, as KEY=VALUE. */
#ifndef FRESHET_WATCH_SETTINGS_H
#define FRESHET_WATCH_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/strings.h"

struct watch;

/* Values of the watch list, as people type and read them. */

#define WATCH_MAX_BOUND_S (INT64_C(3650) * 86400)

/*
 * watch_value_bounds(text, least_s, most_s): "10m" is both, by the clock;
 * "1h..1d" a range; "..1d" and "1h.." one bound, the other is 0: none.  In
 * whole seconds, rounded up.
 * watch_value_weight(text, weight): more than 0, at most 1e6.
 * watch_value_budget(text, per_hour): "500/h", "40/d"; "20" is of an hour.
 * All answer false, and write nothing, for anything else.
 */
bool watch_value_bounds(const char *text, int64_t *least_s, int64_t *most_s);
bool watch_value_weight(const char *text, double *weight);
bool watch_value_budget(const char *text, double *per_hour);

/* watch_put_seconds: "90s", "10m", "2h", "7d", the largest unit that fits
 * whole.  watch_put_bounds: as watch_value_bounds reads them; nothing when
 * there are none. */
void watch_put_seconds(struct buf *, int64_t seconds);
void watch_put_bounds(struct buf *, int64_t least_s, int64_t most_s);

/* Shapes, for option.shape. */
bool shape_bounds(const char *value);
bool shape_weight(const char *value);
bool shape_budget(const char *value);
bool shape_tag(const char *value); /* a word without comma, 64 bytes */
bool shape_section(const char *value); /* begins with a slash */

/* What the shapes want, for errors. */
#define FORM_BOUNDS                                                           \
	"a time such as 10m, or a range such as 1h..1d or ..1d, the shorter " \
	"first"
#define FORM_WEIGHT "a number that is more than 0 and at most 1000000"
#define FORM_BUDGET "a rate such as 500/h or 40/d"
#define FORM_TAG "a word without commas, of 64 bytes at most"
#define FORM_SECTION "a path prefix such as /blog"

/*
 * watch_setting_check(setting, why): "every=1h..1d" and the like, an empty
 * value is the default.  False, and one line in why that names the nearest
 * key, or the form of the value, when it sets nothing.
 */
bool watch_setting_check(const char *setting, struct buf *why);

/* watch_setting_repeats(a, b): do both say the same key, of which there is one
 * value only?  Of those that were checked. */
bool watch_setting_repeats(const char *a, const char *b);

/* watch_settings_apply(watch, settings): all of which have been checked; a tag
 * a section or a target takes the place of those that were there, further ones
 * add; targets of another host are passed, and the last ones stay. */
void watch_settings_apply(struct watch *, const struct strings *settings);

/*
 * watch_each_setting(watch, fn, arg): what is not as it is by default, all but
 * the targets, as
 * "key" and "value" that watch_settings_apply reads; in the order of
 * watch_setting_name(i), NULL past the last.
 */
typedef void watch_setting_fn(void *arg, const char *key, struct slice value);
void watch_each_setting(const struct watch *, watch_setting_fn *, void *arg);
const char *watch_setting_name(size_t i);

#endif
