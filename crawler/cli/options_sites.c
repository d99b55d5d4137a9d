/*
 * Options of single sites, and the profile that the watch list names.
 *
 * A variant is the rules of one section of the configuration under another
 * profile. There are few of them, and they stay until the end, so that a caller
 * may keep the rules that it got.
 */
#include "crawler/cli/options_sites.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "crawler/cli/options_apply.h"
#include "crawler/cli/out.h"
#include "store/site.h"
#include "store/watch.h"

struct site_options {
	char *host; /* owned */
	struct options *options; /* owned */
	struct site_rules rules; /* borrows from options */
};

struct site_table {
	/* owned; sorted by host in site_table_finish() */
	struct site_options *items;
	size_t count;
	size_t cap;
	struct site_rules rules; /* rules of sites without a section */
};

struct site_table *
site_table_new(void)
{
	return mem_zero(sizeof(struct site_table));
}

void
site_table_free(struct site_table *table)
{
	if (table == NULL)
		return;
	for (size_t i = 0; i < table->count; i++) {
		options_clear(table->items[i].options);
		free(table->items[i].options);
		free(table->items[i].host);
	}
	free(table->items);
	free(table);
}

struct options *
site_table_add(struct site_table *table, const char *host)
{
	struct site_options *site;

	table->items = mem_grow(
	    table->items, &table->cap, table->count + 1, sizeof(*table->items));
	site = &table->items[table->count++];
	*site = (struct site_options){.host = mem_copy(host),
	    .options = mem_zero(sizeof(*site->options))};
	return site->options;
}

/* What the driver needs of the options of a site; it knows no options. */
static void
set_rules(struct site_rules *rules, const struct options *options)
{
	*rules = (struct site_rules){.profile = options->rules.profile,
	    .own = &options->rules.own,
	    .headers = options->login.headers.items,
	    .credentials = options->login.credentials,
	    .has_delay = options->network.has_delay,
	    .delay_ms = options->network.delay_ms,
	    .retry = options->network.retry,
	    .max_bytes = options->limits.document_bytes,
	    .max_urls = options->limits.site_urls,
	    .max_children = options->limits.site_children,
	    .max_kept = options->limits.site_kept,
	    .max_kept_day = options->limits.site_kept_day,
	    .max_drop = options->limits.drop_percent};
	/* compare fetches all that any profile leads to, and reads it under
	 * each profile afterwards */
	if (strcmp(options->command, "compare") == 0)
		rules->profile = profile_default(PROFILE_LENIENT);
}

/* The order in which options_sites_find() searches. */
static int
options_sites_by_host(const void *a, const void *b)
{
	const struct site_options *x = a;
	const struct site_options *y = b;

	return strcmp(x->host, y->host);
}

bool
site_table_finish(struct site_table *table, const struct options *options)
{
	set_rules(&table->rules, options);
	/* each site derives for itself what several options make together */
	for (size_t i = 0; i < table->count; i++) {
		table->items[i].options->command = options->command;
		if (!options_finish_site(table->items[i].options))
			return false;
		set_rules(&table->items[i].rules, table->items[i].options);
	}
	if (table->count > 0)
		qsort(table->items, table->count, sizeof(*table->items),
		    options_sites_by_host);
	return true;
}

/* NULL: the host has no section of its own. */
static const struct site_options *
options_sites_find(const struct site_table *table, struct slice host)
{
	size_t low = 0;
	size_t high = table->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = slice_order(
		    host, slice_of(table->items[middle].host));

		if (order == 0)
			return &table->items[middle];
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return NULL;
}

const struct site_rules *
options_site_rules(const struct options *options, struct slice host)
{
	const struct site_options *site = options_sites_find(
	    options->config.sites, host);

	return site != NULL ? &site->rules : &options->config.sites->rules;
}

const struct section_rules *
options_site_sections(const struct options *options, struct slice host)
{
	const struct site_options *site = options_sites_find(
	    options->config.sites, host);

	return site != NULL ? site->options->sections.rules
			    : options->sections.rules;
}

const struct renamings *
options_site_renamings(const struct options *options, struct slice host)
{
	const struct site_options *site = options_sites_find(
	    options->config.sites, host);

	return site != NULL ? site->options->moves.renamings
			    : options->moves.renamings;
}

bool
options_has_section(const struct options *options, struct slice name)
{
	bool is_one = section_may_be(options->sections.rules, name);

	for (size_t i = 0; !is_one && i < options->config.sites->count; i++)
		is_one = section_may_be(
		    options->config.sites->items[i].options->sections.rules,
		    name);
	return is_one;
}

bool
options_check_alerts(const struct options *options)
{
	const struct alert_rules *rules = &options->config.alerts;

	for (size_t i = 0; i < rules->count; i++)
		for (size_t k = 0; k < rules->items[i].sections.count; k++) {
			const char *name = rules->items[i].sections.items[k];

			if (options_has_section(options, slice_of(name)))
				continue;
			/* an alert that can never tell anything would look
			 * like a quiet site */
			complain("[alert %s]: no site has a section '%s': it "
				 "is as many folders of a URL as "
				 "'section-depth' says, or a name of "
				 "'section-paths'",
			    rules->items[i].name, name);
			return false;
		}
	return true;
}

void
options_each_site(const struct options *options, options_site_fn *fn, void *arg)
{
	for (size_t i = 0; i < options->config.sites->count; i++)
		fn(arg, options->config.sites->items[i].host,
		    options->config.sites->items[i].options);
}

/* The profile of the watch list. */

struct variant {
	struct variant *next; /* owned */
	const struct site_rules *base; /* rules of the options */
	int name; /* enum profile_name */
	struct site_rules rules;
};

struct watch_rules *
watch_rules_new(const struct options *options, struct store *store)
{
	struct watch_rules *rules = mem_zero(sizeof(*rules));

	rules->options = options;
	rules->store = store;
	return rules;
}

void
watch_rules_free(struct watch_rules *rules)
{
	if (rules == NULL)
		return;
	while (rules->variants != NULL) {
		struct variant *next = rules->variants->next;

		free(rules->variants);
		rules->variants = next;
	}
	free(rules);
}

bool
watch_profile(const struct options *options, struct store *store,
    struct slice host, struct profile *profile)
{
	const struct site_options *site = options_sites_find(
	    options->config.sites, host);
	enum profile_name name;
	struct watch watch;
	bool is_decided;

	/* what was typed is stronger than what the watch list says */
	if (options->rules.has_profile ||
	    !store_watch_get(store, store_site_find(store, host), &watch))
		return false;
	is_decided = watch.is_watched && watch.profile != NULL &&
	    profile_find(slice_of(watch.profile), &name);
	if (is_decided)
		*profile = options_profile(
		    site != NULL ? site->options : options, name);
	watch_release(&watch);
	return is_decided;
}

const struct site_rules *
watch_rules_of(void *arg, struct slice host)
{
	struct watch_rules *rules = arg;
	const struct site_rules *base = options_site_rules(
	    rules->options, host);
	struct variant *variant = rules->variants;
	struct profile profile;

	if (!watch_profile(rules->options, rules->store, host, &profile))
		return base;
	/* most sites have the rules of the configuration, and few other
	 * profiles are named */
	while (variant != NULL &&
	    (variant->base != base || variant->name != profile.name))
		variant = variant->next;
	if (variant != NULL)
		return &variant->rules;
	variant = mem_zero(sizeof(*variant));
	variant->next = rules->variants;
	variant->base = base;
	variant->name = profile.name;
	variant->rules = *base;
	variant->rules.profile = profile;
	rules->variants = variant;
	return &variant->rules;
}
