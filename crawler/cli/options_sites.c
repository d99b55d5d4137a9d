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
#include "base/sort.h"
#include "crawler/cli/options_apply.h"
#include "crawler/cli/out.h"
#include "store/watch.h"

/* What the driver needs of the options of a site; it knows no options. */
static void
set_rules(struct site_rules *rules, const struct options *options)
{
	*rules = (struct site_rules){.profile = options->rules.profile,
	    .own = &options->rules.own,
	    .headers = (const char *const *)options->login.headers.items,
	    .credentials = options->login.credentials,
	    .sign = options->network.sign,
	    .has_delay = options->network.has_delay,
	    .delay_ms = options->network.delay_ms,
	    .retry = options->network.retry,
	    .max_bytes = options->limits.document_bytes,
	    .max_urls = options->limits.site_urls,
	    .max_children = options->limits.site_children,
	    .max_kept = options->limits.site_kept,
	    .max_kept_day = options->limits.site_kept_day,
	    .max_drop = options->limits.drop_percent,
	    .pages = options->filters.pages,
	    .sitemaps = options->filters.sitemaps};
	/* compare fetches all that any profile leads to, and reads it under
	 * each profile afterwards */
	if (strcmp(options->command, "compare") == 0)
		rules->profile = profile_default(PROFILE_LENIENT);
}

/* The order in which options_sites_find() searches. */
static const struct sort_key sites_by_host[] = {
    {SORT_KEY(struct site_options, host), false}, {0}};

bool
site_table_finish(struct options *options)
{
	struct site_table *table = &options->config.sites;

	set_rules(&table->rules, options);
	/* each site derives for itself what several options make together */
	for (size_t i = 0; i < table->count; i++) {
		table->items[i].options->command = options->command;
		if (!options_finish_site(table->items[i].options))
			return false;
		set_rules(&table->items[i].rules, table->items[i].options);
	}
	sort_rows(
	    table->items, table->count, sizeof(*table->items), sites_by_host);
	return true;
}

/* NULL: the host has no section of its own. */
static const struct site_options *
options_sites_find(const struct site_table *table, struct slice host)
{
	struct site_options key = {.host = slice_dup(host)};
	const struct site_options *found = sort_find(
	    &key, table->items, table->count, sizeof(key), sites_by_host);

	free(key.host);
	return found;
}

const struct site_rules *
options_site_rules(const struct options *options, struct slice host)
{
	const struct site_options *site = options_sites_find(
	    &options->config.sites, host);

	return site != NULL ? &site->rules : &options->config.sites.rules;
}

const struct options *
options_of_site(const struct options *options, struct slice host)
{
	const struct site_options *site = options_sites_find(
	    &options->config.sites, host);

	return site != NULL ? site->options : options;
}

bool
options_has_section(const struct options *options, struct slice name)
{
	bool is_one = section_may_be(options->sections.rules, name);

	for (size_t i = 0; !is_one && i < options->config.sites.count; i++)
		is_one = section_may_be(
		    options->config.sites.items[i].options->sections.rules,
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
			return refuse(
			    "[alert %s]: no site has a section '%s': it is as "
			    "many folders of a URL as 'section-depth' says, or "
			    "a name of 'section-paths'",
			    rules->items[i].name, name);
		}
	return true;
}

/* The profile and the filters of the watch list. */

struct variant {
	struct variant *next; /* owned */
	const struct site_rules *base; /* rules of the options */
	struct strings filters; /* owned: the rules of the watch list */
	struct page_filter *pages, *sitemaps; /* owned */
	struct site_rules rules;
};

void
watch_rules_release(struct watch_rules *rules)
{
	while (rules->variants != NULL) {
		struct variant *next = rules->variants->next;

		page_filter_free(rules->variants->pages);
		page_filter_free(rules->variants->sitemaps);
		strings_release(&rules->variants->filters);
		free(rules->variants);
		rules->variants = next;
	}
}

/* Set the profile, and when requests are signed, by what the watch list says of
 * a host; *filters gets its rules of filters. */
static void
watch_read(const struct options *options, struct store *store,
    struct slice host, struct site_rules *rules, struct strings *filters)
{
	enum profile_name name;
	struct buf text = BUF_UP_TO(SIZE_MAX), word = BUF_UP_TO(SIZE_MAX);

	store_watch_rules(store, host, &text, &word, filters);
	/* what was typed is stronger than what the watch list says */
	if (!options->rules.has_profile && profile_find(buf_text(&text), &name))
		rules->profile = options_profile(
		    options_of_site(options, host), name);
	if (!options->network.is_sign_typed)
		(void)value_sign(buf_text(&word), &rules->sign);
	buf_release(&text);
	buf_release(&word);
}

struct site_rules
watch_site_rules(
    const struct options *options, struct store *store, struct slice host)
{
	struct site_rules rules = *options_site_rules(options, host);
	struct strings filters = {0};

	watch_read(options, store, host, &rules, &filters);
	strings_release(&filters);
	return rules;
}

static bool
strings_equal(const struct strings *a, const struct strings *b)
{
	size_t i = 0;

	while (i < a->count && i < b->count &&
	    strcmp(a->items[i], b->items[i]) == 0)
		i++;
	return i == a->count && i == b->count;
}

static struct page_filter *
variant_filter(const struct variant *variant, const struct options *options,
    bool of_sitemaps)
{
	struct page_filter_texts strong = {
	    (const char *const *)variant->filters.items,
	    variant->filters.count};
	struct page_filter_texts weak = {
	    (const char *const *)options->filters.given.items,
	    options->filters.given.count};

	return page_filter_new(strong, weak, of_sitemaps);
}

const struct site_rules *
watch_rules_of(void *arg, struct slice host)
{
	struct watch_rules *rules = arg;
	const struct site_rules *base = options_site_rules(
	    rules->options, host);
	const struct options *options = options_of_site(rules->options, host);
	struct variant *variant = rules->variants;
	struct site_rules own = *base;
	struct strings filters = {0};

	watch_read(rules->options, rules->store, host, &own, &filters);
	if (own.profile.name == base->profile.name && own.sign == base->sign &&
	    filters.count == 0)
		return base;
	/* most sites have the rules of the configuration, and few other
	 * profiles are named */
	while (variant != NULL &&
	    (variant->base != base ||
		variant->rules.profile.name != own.profile.name ||
		variant->rules.sign != own.sign ||
		!strings_equal(&filters, &variant->filters)))
		variant = variant->next;
	if (variant != NULL) {
		strings_release(&filters);
		return &variant->rules;
	}
	variant = mem_zero(sizeof(*variant));
	variant->next = rules->variants;
	variant->base = base;
	variant->filters = filters;
	variant->rules = own;
	variant->rules.pages = variant->pages = variant_filter(
	    variant, options, false);
	variant->rules.sitemaps = variant->sitemaps = variant_filter(
	    variant, options, true);
	rules->variants = variant;
	return &variant->rules;
}
