/*
 * Rules of sites, with what the watch list says of them.  Stronger first: what
 * is typed, or stands in the environment; the watch list; [site HOST];
 * [defaults].
 */
#ifndef FRESHET_WATCH_RULES_H
#define FRESHET_WATCH_RULES_H

#include <stdbool.h>

#include "base/profile.h"
#include "base/site_rules.h"
#include "base/slice.h"
#include "crawler/cli/options.h"

struct store;
struct watch_rules;

/* watch_rules_new(options, store): both outlive it.  watch_rules_free: NULL is
 * fine; the rules that it answered go with it. */
struct watch_rules *watch_rules_new(const struct options *, struct store *);
void watch_rules_free(struct watch_rules *);

struct store *watch_rules_store(const struct watch_rules *);

/* watch_rules_of(rules, host): a site_rules_fn.  Each call looks at the watch
 * list; what an earlier one answered stays as it was. */
const struct site_rules *watch_rules_of(void *rules, struct slice host);

/* watch_profile(options, store, host, profile): true, and *profile is written,
 * when the watch list decides on the rules of that host (normalised). */
bool watch_profile(const struct options *, struct store *, struct slice host,
    struct profile *);

#endif
