/* Rules of single sites: what their sections of the configuration say. */
#ifndef FRESHET_OPTIONS_SITES_H
#define FRESHET_OPTIONS_SITES_H

#include <stdbool.h>

#include "base/site_rules.h"
#include "base/slice.h"
#include "crawler/cli/options.h"

/*
 * options_site_rules(options, host): what holds for the site of that host
 * (normalised, without port): options typed, then the environment, then its
 * [site ...], then [defaults], then what is built in.  Never NULL; owned by
 * options, which must have been parsed without an error.
 */
const struct site_rules *options_site_rules(
    const struct options *, struct slice host);

/* options_site_profile(options, host, name): the rules of that name with the
 * switches that hold for that site. */
struct profile options_site_profile(
    const struct options *, struct slice host, enum profile_name);

/* options_each_site(options, fn, arg): the sites that have rules of their own,
 * by name. */
typedef void options_site_fn(
    void *arg, const char *host, const struct options *);
void options_each_site(const struct options *, options_site_fn *, void *arg);

/*
 * site_table_new(), site_table_free(table): for options_parse.
 * site_table_add(table, host): options of one more site, zeroed; owned by the
 * table.
 * site_table_finish(table, options): make the rules, options' own for all
 * other sites; false after one line on stderr.
 */
struct site_table *site_table_new(void);
void site_table_free(struct site_table *);
struct options *site_table_add(struct site_table *, const char *host);
bool site_table_finish(struct site_table *, const struct options *);

#endif
