/* What the operator wants of one site on the watch list, as KEY=VALUE. */
#ifndef FRESHET_WATCH_SETTINGS_H
#define FRESHET_WATCH_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/strings.h"

struct watch;

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
