/*
 * Rules of sites, with the profile that the watch list names.
 *
 * A variant is the rules of one section of the configuration under another
 * profile. There are few of them, and they stay until the end, so that a caller
 * may keep the rules that it got.
 */
#include "crawler/cli/watch_rules.h"

#include <stdlib.h>

#include "base/mem.h"
#include "crawler/cli/options_sites.h"
#include "store/watch.h"

#define PROFILE_MAX_BYTES 1024

struct variant {
	struct variant *next; /* owned */
	const struct site_rules *base; /* rules of the options */
	int name; /* enum profile_name */
	struct site_rules rules;
};

struct watch_rules {
	const struct options *options;
	struct store *store;
	struct variant *variants; /* owned */
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

struct store *
watch_rules_store(const struct watch_rules *rules)
{
	return rules->store;
}

bool
watch_profile(const struct options *options, struct store *store,
    struct slice host, struct profile *profile)
{
	enum profile_name name;
	struct buf text;
	bool is_decided;

	if (options->rules.has_profile)
		return false;
	buf_init(&text, PROFILE_MAX_BYTES);
	is_decided = store_watch_profile(store, host, &text) &&
	    profile_find(buf_text(&text), &name);
	if (is_decided)
		*profile = options_site_profile(options, host, name);
	buf_release(&text);
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
