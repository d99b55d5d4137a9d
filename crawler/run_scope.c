/* The driver: the rules that one document is read under (SPEC 15.1). */
#include <assert.h>

#include "crawler/run_internal.h"
#include "crawler/run_read.h"
#include "crawler/run_seed.h"
#include "crawler/run_visit.h"
#include "store/site.h"

struct collector {
	struct store *store;
	struct string_set *set;
	bool inherits;
	unsigned depth;
};

static void collect_vouchers(
    const struct collector *, int64_t document_id, struct slice url);

static void
add_text(void *arg, struct slice text)
{
	string_set_add(arg, text);
}

static void
collect_parent(void *arg, int64_t parent_id, struct slice url)
{
	struct collector up = *(const struct collector *)arg;

	if (up.depth >= MAX_INDEX_DEPTH)
		return;
	up.depth++;
	collect_vouchers(&up, parent_id, url);
}

/* collect_vouchers(…): SPEC R-63 for the document itself, R-64 for the
 * indexes above it. */
static void
collect_vouchers(
    const struct collector *collector, int64_t document_id, struct slice url)
{
	struct collector copy = *collector;

	store_vouchers(copy.store, url, add_text, copy.set);
	if (copy.inherits && document_id != 0)
		store_each_parent(
		    copy.store, document_id, collect_parent, &copy);
}

/* listed_of(run, number): what is listed by its own robots.txt, of a site. */
static const struct string_set *
listed_of(struct run *run, uint32_t number)
{
	struct site *site = &run->sites[number];

	if (site->listed_at != run->proofs) {
		string_set_release(&site->listed);
		store_self_listed(
		    run->options.store, site->id, add_text, &site->listed);
		site->listed_at = run->proofs;
	}
	return &site->listed;
}

/* add_listed(scope, listed): those that its directory does not cover anyway.
 */
static void
add_listed(struct location_scope *scope, const struct string_set *listed)
{
	struct slice directory = url_directory(&scope->final);

	for (size_t i = 0; i < listed->count; i++)
		if (!slice_starts(slice_of(listed->items[i]), directory))
			string_set_add(
			    &scope->listed, slice_of(listed->items[i]));
}

void
read_scope(struct run *run, uint32_t number, const struct url *final,
    bool is_index, struct location_scope *scope)
{
	const struct visit *visit = run_visit(run, number);
	const struct site_rules *rules = run_rules(run, number);
	const struct profile *profile = &rules->profile;
	struct collector collector = {.store = run->options.store,
	    .set = &scope->vouchers,
	    .inherits = profile->proof_inherit == SWITCH_ON};
	struct profile parsing = *profile;
	enum diag_code code;

	location_scope_init(scope, profile);
	parsing.max_loc_chars = URL_MAX_BYTES;
	code = url_parse(&scope->requested, slice_of(visit->url), NULL,
	    &parsing, (struct diag_sink){0});
	assert(code == DIAG_OK); /* it is normalised */
	(void)code;
	url_copy(&scope->final, final);
	scope->has_location = true;
	if (profile->robots_proof == SWITCH_ON) {
		collect_vouchers(
		    &collector, visit->document_id, slice_of(visit->url));
		if (is_index)
			add_listed(scope, listed_of(run, visit->site));
	}
	if (profile->ownership == SWITCH_ON)
		for (size_t i = 0; i < rules->own->count; i++)
			string_set_add(
			    &scope->own, slice_of(rules->own->items[i]));
}

uint64_t
read_fingerprint(
    struct run *run, uint32_t number, const struct url *final, bool is_index)
{
	struct location_scope scope;
	uint64_t fingerprint;

	read_scope(run, number, final, is_index, &scope);
	fingerprint = location_fingerprint(&scope, READER_VERSION);
	location_scope_release(&scope);
	return fingerprint;
}
