/* The driver: the rules that a document is read under (SPEC 15.1). */
#include "crawler/crawl/run_scope.h"

#include <assert.h>

#include "base/hash.h"
#include "crawler/crawl/run_tables.h"
#include "store/proof.h"
#include "store/site.h"

#define FULL_GET_S (30 * 86400) /* HOSTILE T35 */

void
run_scope(
    struct run *run, const struct scoped *of, struct location_scope *scope)
{
	struct crawled_site *site = &run->sites[of->site];
	const struct site_rules *rules = site->rules;
	const struct profile *profile = &rules->profile;
	enum diag_code code;

	location_scope_init(scope, profile);
	code = url_parse_raw(&scope->requested, of->url, NULL);
	assert(code == DIAG_OK); /* the URL is normalised */
	(void)code;
	/* Both count: where the document was asked for, and where its bytes
	 * came from. */
	url_copy(&scope->final, of->final);
	/* Files of a folder without --base stand at no URL that could forbid
	 * anything. */
	scope->has_location = run->options.local == NULL ||
	    local_has_base(run->options.local);
	/* Nobody knows yet where such documents will be named: as if by
	 * robots.txt. */
	if (site->is_found)
		string_set_add(
		    &scope->proof_origins, url_origin(&scope->requested));
	if (profile->robots_proof == SWITCH_ON) {
		/* The proofs of indexes above the document count for it, too,
		 * if the profile says so. */
		proof_collect(run->options.store, of->document_id, of->url,
		    profile->proof_inherit == SWITCH_ON ? INDEX_MAX_DEPTH : 0,
		    &scope->proof_origins);
		/* The list is made once for all indexes of a site, until a
		 * robots.txt brings other lines. */
		if (of->is_index && site->listed_at != run->proofs) {
			self_listed_release(site->listed);
			site->listed = proof_self_listed(
			    run->options.store, site->id);
			site->listed_at = run->proofs;
		}
		if (of->is_index)
			scope->listed = self_listed_share(site->listed);
	}
	if (profile->ownership == SWITCH_ON)
		for (size_t i = 0; i < rules->own->count; i++)
			string_set_add(
			    &scope->own, slice_of(rules->own->items[i]));
}

uint64_t
run_fingerprint(
    struct run *run, uint32_t number, const struct url *final, bool is_index)
{
	const struct task *task = run_task(run, number);
	struct scoped of = {.site = task->site,
	    .document_id = task->document_id,
	    .url = slice_of(task->url),
	    .final = final,
	    .is_index = is_index};
	struct location_scope scope;
	uint64_t fingerprint;

	run_scope(run, &of, &scope);
	fingerprint = location_fingerprint(&scope, READER_VERSION);
	location_scope_release(&scope);
	return fingerprint;
}

uint64_t
run_proof(struct run *run, uint32_t number)
{
	const struct task *task = run_task(run, number);
	const struct profile *profile = &run_site_of(run, number)
					     ->rules->profile;
	struct string_set proof_origins = {0};
	uint64_t hash = 0;

	/* Only proofs that children inherit can change what they may list. */
	if (profile->robots_proof != SWITCH_ON ||
	    profile->proof_inherit != SWITCH_ON)
		return 0;
	proof_collect(run->options.store, task->document_id,
	    slice_of(task->url), INDEX_MAX_DEPTH, &proof_origins);
	for (size_t i = 0; i < proof_origins.count; i++)
		hash = hash_key(slice_of(proof_origins.items[i]), hash);
	string_set_release(&proof_origins);
	return hash;
}

bool
run_is_overdue(struct run *run, const struct document *document)
{
	return document->last_full_s + FULL_GET_S <= run_now_s(run);
}

/* The indexes above a document. */

bool
ancestry_has(const struct ancestry *ancestry, int64_t document_id)
{
	for (uint32_t i = 0; i < ancestry->count; i++)
		if (ancestry->ids[i] == document_id)
			return true;
	return false;
}

struct ancestry_search {
	struct ancestry *ancestry;
	bool has_parent;
};

static void
scope_add(void *arg, int64_t index_id, struct slice url)
{
	struct ancestry_search *search = arg;
	struct ancestry *ancestry = search->ancestry;

	(void)url;
	search->has_parent = true;
	if (ancestry->count < ANCESTRY_MAX && !ancestry_has(ancestry, index_id))
		ancestry->ids[ancestry->count++] = index_id;
}

void
ancestry_find(
    struct ancestry *ancestry, struct store *store, int64_t document_id)
{
	uint32_t next = 0;
	bool has_end = false;

	*ancestry = (struct ancestry){.ids = {document_id}, .count = 1};
	for (unsigned level = 0; level <= INDEX_MAX_DEPTH; level++) {
		uint32_t end = ancestry->count;

		/* A level is searched as a whole, so that the shortest way
		 * upwards gives the depth. */
		for (; next < end; next++) {
			struct ancestry_search search = {.ancestry = ancestry};

			store_each_parent(
			    store, ancestry->ids[next], scope_add, &search);
			has_end = has_end || !search.has_parent;
		}
		if (level == 0)
			ancestry->parents = ancestry->count - 1;
		if (!has_end && ancestry->depth < INDEX_MAX_DEPTH)
			ancestry->depth++;
	}
}
