/* Settings of one watched site, as KEY=VALUE, and the forms of their values. */
#ifndef FRESHET_WATCH_SETTINGS_H
#define FRESHET_WATCH_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/strings.h"

struct watch;

/* The longest time between two requests. */

#define WATCH_MAX_BOUND_S (INT64_C(3650) * 86400)

/*
 * watch_value_bounds(text, least_s, most_s): "10m" sets both: an exact
 * interval; "1h..1d" is a range; "..1d" and "1h.." set one bound, the other is
 * 0: none. In whole seconds, rounded up.
 * watch_value_weight(text, weight): more than 0, at most 1e6.
 * watch_value_budget(text, per_hour): "500/h", "40/d"; "20" is 20 an hour.
 * Each returns false and writes nothing for any other text.
 */
bool watch_value_bounds(const char *text, int64_t *least_s, int64_t *most_s);
bool watch_value_weight(const char *text, double *weight);
bool watch_value_budget(const char *text, double *per_hour);

/* watch_put_seconds(): "90s", "10m", "2h", "7d", in the largest unit that gives
 * a whole number. watch_put_bounds(): in the form that watch_value_bounds()
 * reads; nothing if there are no bounds. */
void watch_put_seconds(struct buf *, int64_t seconds);
void watch_put_bounds(struct buf *, int64_t least_s, int64_t most_s);

/* Functions for option.shape. */
bool shape_bounds(const char *value);
bool shape_weight(const char *value);
bool shape_budget(const char *value);
bool shape_tag(
    const char *value); /* a word without a comma, at most 64 bytes */
bool shape_below(const char *value); /* begins with a slash */
bool shape_section(const char *value); /* /PATH, or a name */

/* The forms in words, for errors. */
#define FORM_BOUNDS                                                           \
	"a time such as 10m, or a range such as 1h..1d or ..1d, the shorter " \
	"first"
#define FORM_WEIGHT "a number that is more than 0 and at most 1000000"
#define FORM_BUDGET "a rate such as 500/h or 40/d"
#define FORM_TAG "a word without commas, of 64 bytes at most"
#define FORM_BELOW "a path prefix such as /blog"
#define FORM_SECTION "a section such as /blog, or a name of --section-paths"

/* watch_setting_check(setting, why): whether the setting, "every=1h..1d" or the
 * like, has a known key and a value of its form. An empty value means the
 * default. If not, `why` gets one line with the nearest key or with the
 * form. */
bool watch_setting_check(const char *setting, struct buf *why);

/* watch_setting_is_former(key): is that the former name of a key?  This version
 * takes it all the same. */
bool watch_setting_is_former(struct slice key);

/* watch_setting_repeats(a, b): whether two checked settings give the same key,
 * which takes one value only. */
bool watch_setting_repeats(const char *a, const char *b);

/* watch_settings_apply(watch, settings): write settings, all of them checked.
 * The first tag, path of below or target replaces those that were there;
 * further ones are added. Targets of another host are skipped; if all are, the
 * old targets stay. */
void watch_settings_apply(struct watch *, const struct strings *settings);

/* watch_each_setting(watch, fn, arg): call fn for each setting that differs
 * from its default, but for targets, with a key and a value that
 * watch_settings_apply() reads, in the order of the table. */
typedef void watch_setting_fn(void *arg, const char *key, struct slice value);
void watch_each_setting(const struct watch *, watch_setting_fn *, void *arg);

#endif
