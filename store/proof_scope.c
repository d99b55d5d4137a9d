/* Proofs that a document may list URLs of other hosts. */
#include "store/proof_scope.h"

#include "store/proof.h"
#include "store/site.h"

static void
add_text(void *arg, struct slice text)
{
	string_set_add(arg, text);
}

void
proof_collect(struct store *store, int64_t document_id, struct slice url,
    unsigned levels, struct string_set *set)
{
	store_proof_origins(store, document_id, url, levels, add_text, set);
}

static void
add_listed(void *arg, struct slice text)
{
	/* The result needs no test: documents beyond the limit prove
	 * nothing. */
	(void)self_listed_add(arg, text);
}

struct self_listed *
proof_self_listed(struct store *store, int64_t site_id)
{
	struct self_listed *listed = self_listed_new();

	store_self_listed(store, site_id, add_listed, listed);
	self_listed_seal(listed);
	return listed;
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
proof_scope(struct store *store, const struct proof_document *document,
    unsigned levels, struct location_scope *scope)
{
	const struct profile *profile = &scope->profile;

	string_set_release(&scope->proof_origins);
	self_listed_release(scope->listed);
	scope->listed = NULL;
	scope->has_location = true;
	if (!parse(&scope->requested, document->url) ||
	    !parse(&scope->final, document->final_url))
		return false;
	if (profile->robots_proof != SWITCH_ON)
		return true;
	proof_collect(store, document->id, document->url,
	    profile->proof_inherit == SWITCH_ON ? levels : 0,
	    &scope->proof_origins);
	scope->listed = self_listed_share(document->listed);
	return true;
}
