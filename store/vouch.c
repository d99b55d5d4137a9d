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

static bool
parse(struct url *url, struct slice text)
{
	struct profile profile = profile_default(PROFILE_LENIENT);

	profile.max_loc_chars = URL_MAX_BYTES;
	return url_parse(url, text, NULL, &profile, (struct diag_sink){0}) ==
	    DIAG_OK;
}

bool
vouch_scope(struct store *store, const struct vouch_document *document,
    unsigned levels, struct location_scope *scope)
{
	const struct profile *profile = &scope->profile;

	string_set_release(&scope->vouchers);
	string_set_release(&scope->listed);
	scope->has_location = true;
	if (!parse(&scope->requested, document->url) ||
	    !parse(&scope->final, document->final_url))
		return false;
	if (profile->robots_proof != SWITCH_ON)
		return true;
	vouch_collect(store, document->id, document->url,
	    profile->proof_inherit == SWITCH_ON ? levels : 0, &scope->vouchers);
	if (document->listed != NULL)
		vouch_add_listed(scope, document->listed);
	return true;
}
