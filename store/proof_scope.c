/* Proofs that a document may list URLs of other hosts. */
#include "store/proof_scope.h"

#include "store/db.h"
#include "store/link.h"
#include "store/proof.h"
#include "store/site.h"

/* Real sites have far fewer indexes above a document, and origins that name
 * these. */
#define ABOVE_MAX 1000
#define ORIGINS_MAX 1000

/* The search for the origins that name a document or an index above it. */
struct proof_search {
	struct store *store;
	struct string_set *set;
	size_t count; /* of ids */
	int64_t ids[ABOVE_MAX]; /* the document, and the indexes above it */
};

static void
add_origins(struct proof_search *search, struct slice url)
{
	struct sqlite3_stmt *stmt = db_loop(search->store, SQL_PROOF_NAMES);

	db_bind_text(stmt, 1, url);
	while (
	    search->set->count < ORIGINS_MAX && db_row(search->store, stmt)) {
		struct slice origin = db_url(search->store, stmt, 0);

		if (origin.len > 0)
			string_set_add(search->set, origin);
	}
	db_done(stmt);
}

static void
add_index(void *arg, int64_t index_id, struct slice url)
{
	struct proof_search *search = arg;

	for (size_t i = 0; i < search->count; i++)
		if (search->ids[i] == index_id)
			return;
	if (search->count == ABOVE_MAX)
		return;
	search->ids[search->count++] = index_id;
	add_origins(search, url);
}

/* The levels are searched one by one with short statements: a recursive one
 * makes tables for itself each time, and this is called for each request. */
void
proof_collect(struct store *store, int64_t document_id, struct slice url,
    unsigned levels, struct string_set *set)
{
	struct proof_search search;
	size_t next = 0;

	search.store = store;
	search.set = set;
	search.ids[0] = document_id;
	search.count = 1;
	add_origins(&search, url);
	for (unsigned i = 0; document_id != 0 && i < levels; i++)
		for (size_t end = search.count; next < end; next++)
			store_each_parent(
			    store, search.ids[next], add_index, &search);
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
