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

/* options_site_sections(options, host): what is a section of the site of that
 * host; NULL: the rules by default.  The options own the result.
 * options_site_renamings(options, host): which of its pages moved, as the user
 * says; NULL: none.  The options own the result.
 * options_has_section(options, name): may any site have a section of that
 * name?
 * options_check_alerts(options): false, after one line on stderr, if an alert
 * is of a section that no site can have: it would never tell anything. */
const struct section_rules *options_site_sections(
    const struct options *, struct slice host);
const struct renamings *options_site_renamings(
    const struct options *, struct slice host);
bool options_has_section(const struct options *, struct slice name);
bool options_check_alerts(const struct options *);

/* options_each_site(options, fn, arg): call fn for each site that has rules of
 * its own, in the order of hosts. */
typedef void options_site_fn(
    void *arg, const char *host, const struct options *);
void options_each_site(const struct options *, options_site_fn *, void *arg);

/*
 * For options_parse():
 * site_table_add(table, host): add a site. Returns its options, zeroed, which
 * the table owns.
 * site_table_finish(table, options): make the rules of all sites; `options`
 * give those of sites without a section. Returns false after one line on
 * stderr.
 */
struct site_table *site_table_new(void);
void site_table_free(struct site_table *);
struct options *site_table_add(struct site_table *, const char *host);
bool site_table_finish(struct site_table *, const struct options *);

struct watch_rules {
	const struct options *options;
	struct store *store;
	struct variant *variants; /* owned */
};

/* watch_rules_new(options, store): both must live longer.
 * watch_rules_free(rules): NULL is allowed; the rules that watch_rules_of()
 * returned are freed, too. */
struct watch_rules *watch_rules_new(const struct options *, struct store *);
void watch_rules_free(struct watch_rules *);

/* watch_rules_of(rules, host): a site_rules_fn. Each call looks at the watch
 * list; rules that an earlier call returned stay valid and unchanged. */
const struct site_rules *watch_rules_of(void *rules, struct slice host);

/* watch_profile(options, store, host, profile): if the watch list names a
 * profile for that host (normalised), write it to *profile and return true. */
bool watch_profile(const struct options *, struct store *, struct slice host,
    struct profile *);

#endif
