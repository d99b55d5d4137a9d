/* Rules of sites, with the profile that the watch list names. Stronger sources
 * first: the command line and the environment; the watch list; [site HOST];
 * [defaults]. */
#ifndef FRESHET_WATCH_RULES_H
#define FRESHET_WATCH_RULES_H

#include <stdbool.h>

#include "base/profile.h"
#include "base/site_rules.h"
#include "base/slice.h"
#include "crawler/cli/options.h"

struct store;
struct watch_rules;

/* watch_rules_new(options, store): both must live longer.
 * watch_rules_free(rules): NULL is allowed; the rules that watch_rules_of()
 * returned are freed, too. */
struct watch_rules *watch_rules_new(const struct options *, struct store *);
void watch_rules_free(struct watch_rules *);

struct store *watch_rules_store(const struct watch_rules *);

/* watch_rules_of(rules, host): a site_rules_fn. Each call looks at the watch
 * list; rules that an earlier call returned stay valid and unchanged. */
const struct site_rules *watch_rules_of(void *rules, struct slice host);

/* watch_profile(options, store, host, profile): if the watch list names a
 * profile for that host (normalised), write it to *profile and return true. */
bool watch_profile(const struct options *, struct store *, struct slice host,
    struct profile *);

#endif
