/* Settings of one watched site, as KEY=VALUE. */
#ifndef FRESHET_WATCH_SETTINGS_H
#define FRESHET_WATCH_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/strings.h"

struct watch;

/* watch_put_seconds(): "90s", "10m", "2h", "7d", in the largest unit that gives
 * a whole number. watch_put_bounds(): in the form that value_bounds()
 * reads; nothing if there are no bounds. */
void watch_put_seconds(struct buf *, int64_t seconds);
void watch_put_bounds(struct buf *, int64_t least_s, int64_t most_s);

/* watch_setting_check(setting, why): whether the setting, "every=1h..1d" or the
 * like, has a known key and a value of its form. An empty value means the
 * default. If not, `why` gets one line with the nearest key or with the
 * form. */
bool watch_setting_check(const char *setting, struct buf *why);

/* watch_setting_repeats(a, b): whether two checked settings give the same key,
 * which takes one value only. */
bool watch_setting_repeats(const char *a, const char *b);

/* watch_settings_apply(watch, settings): write settings, all of them checked.
 * The first tag, rule of a filter or target replaces those of its key that were
 * there; further ones are added. Targets of another host are skipped; if all
 * are, the old targets stay. */
void watch_settings_apply(struct watch *, const struct strings *settings);

/* watch_each_setting(watch, fn, arg): call fn for each setting that differs
 * from its default, but for targets, with a key and a value that
 * watch_settings_apply() reads, in the order of the table. */
typedef void watch_setting_fn(void *arg, const char *key, struct slice value);
void watch_each_setting(const struct watch *, watch_setting_fn *, void *arg);

#endif
