/* What proves that a document may list strangers. */
#include "store/vouch.h"

#include "store/proof.h"
#include "store/site.h"

struct collector {
	struct store *store;
	struct string_set *set;
	unsigned levels;
};

static void
add_text(void *arg, struct slice text)
{
	string_set_add(arg, text);
}

static void
collect_parent(void *arg, int64_t parent_id, struct slice url)
{
	const struct collector *collector = arg;

	vouch_collect(collector->store, parent_id, url, collector->levels - 1,
	    collector->set);
}

void
vouch_collect(struct store *store, int64_t document_id, struct slice url,
    unsigned levels, struct string_set *set)
{
	struct collector collector = {store, set, levels};

	store_vouchers(store, url, add_text, set);
	if (levels > 0 && document_id != 0)
		store_each_parent(
		    store, document_id, collect_parent, &collector);
}

void
vouch_listed(struct store *store, int64_t site_id, struct string_set *set)
{
	store_self_listed(store, site_id, add_text, set);
}

void
vouch_add_listed(struct location_scope *scope, const struct string_set *listed)
{
	struct slice directory = url_directory(&scope->final);

	for (size_t i = 0; i < listed->count; i++)
		if (!slice_starts(slice_of(listed->items[i]), directory))
			string_set_add(
			    &scope->listed, slice_of(listed->items[i]));
}
