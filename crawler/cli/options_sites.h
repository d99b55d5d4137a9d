/* Options of single sites, from the [site HOST] sections of the configuration,
 * and their profiles from the watch list. Stronger sources first: the command
 * line; the watch list; [site HOST]; [defaults]. */
#ifndef FRESHET_OPTIONS_SITES_H
#define FRESHET_OPTIONS_SITES_H

#include <stdbool.h>

#include "base/profile.h"
#include "base/site_rules.h"
#include "base/slice.h"
#include "crawler/cli/options.h"

struct store;
struct variant;

/* options_site_rules(options, host): the rules for the site of that host
 * (normalised, without port). A typed option is stronger than the environment,
 * then come [site HOST], [defaults] and the built-in default. The result is
 * never NULL; the options own it, and must have been parsed without error. */
const struct site_rules *options_site_rules(
    const struct options *, struct slice host);

/* options_of_site(options, host): the options of the site of that host, which
 * are `options` themselves if the configuration says nothing of it. They have
 * the rules of its sections and its renamings.
 * options_has_section(options, name): may any site have a section of that
 * name?
 * options_check_alerts(options): false, after one line on stderr, if an alert
 * is of a section that no site can have: it would never tell anything. */
const struct options *options_of_site(
    const struct options *, struct slice host);
bool options_has_section(const struct options *, struct slice name);
bool options_check_alerts(const struct options *);

/* For options_parse(): site_table_finish(options): make the rules of all sites,
 * and sort them. Returns false after one line on stderr. */
bool site_table_finish(struct options *);

/* The options and the store live longer. */
struct watch_rules {
	const struct options *options;
	struct store *store;
	struct variant *variants; /* owned; at first NULL */
};

/* watch_rules_release(rules): free the rules that watch_rules_of() returned. */
void watch_rules_release(struct watch_rules *);

/* watch_rules_of(rules, host): a site_rules_fn. Each call looks at the watch
 * list; rules that an earlier call returned stay valid and unchanged. */
const struct site_rules *watch_rules_of(void *rules, struct slice host);

/* watch_site_rules(options, store, host): the rules for that host (normalised),
 * with the profile and the sign that the watch list has for it, but without its
 * filters. */
struct site_rules watch_site_rules(
    const struct options *, struct store *, struct slice host);

#endif
