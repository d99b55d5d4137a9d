/* Fsck: under which rules a document was read (J4, SPEC 15.1). */
#include <stdlib.h>

#include "base/mem.h"
#include "store/fsck/fsck_internal.h"
#include "store/vouch.h"

#define PROFILES 3

struct fsck_scope {
	struct fsck *fsck;
	struct location_scope scopes[PROFILES];
	unsigned next; /* the profile that fitted last is tried first */
	int64_t listed_site; /* whose documents are in listed; 0: none */
	struct self_listed *listed; /* one user of it */
};

static void
scopes_init(struct fsck_scope *scope)
{
	for (int i = 0; i < PROFILES; i++) {
		struct profile profile = profile_default((enum profile_name)i);

		location_scope_init(&scope->scopes[i], &profile);
	}
}

struct fsck_scope *
fsck_scope_new(struct fsck *fsck)
{
	struct fsck_scope *scope = mem_zero(sizeof(*scope));

	scope->fsck = fsck;
	scope->next = PROFILE_GOOGLE;
	scopes_init(scope);
	return scope;
}

void
fsck_scope_free(struct fsck_scope *scope)
{
	for (int i = 0; i < PROFILES; i++)
		location_scope_release(&scope->scopes[i]);
	self_listed_release(scope->listed);
	free(scope);
}

static struct self_listed *
listed_of(struct fsck_scope *scope, int64_t site_id)
{
	if (scope->listed_site != site_id) {
		self_listed_release(scope->listed);
		scope->listed = vouch_listed(scope->fsck->store, site_id);
		scope->listed_site = site_id;
	}
	return scope->listed;
}

/* The scope that the document would have today under that profile. */
static bool
make(struct fsck_scope *all, struct location_scope *scope,
    const struct fsck_document *document)
{
	struct vouch_document what = {.id = document->id,
	    .url = document->url,
	    .final_url = document->final_url};

	if (document->is_index)
		what.listed = listed_of(all, document->site_id);
	return vouch_scope(
	    all->fsck->store, &what, all->fsck->options->max_depth, scope);
}

const struct location_scope *
fsck_scope_find(struct fsck_scope *scope, const struct fsck_document *document)
{
	uint32_t version = scope->fsck->options->reader_version;

	if (document->fingerprint == 0 || document->final_url.len == 0)
		return NULL;
	for (unsigned i = 0; i < PROFILES; i++) {
		unsigned at = (scope->next + i) % PROFILES;
		struct location_scope *one = &scope->scopes[at];

		if (make(scope, one, document) &&
		    location_fingerprint(one, version) ==
			document->fingerprint) {
			scope->next = at;
			return one;
		}
	}
	return NULL;
}
