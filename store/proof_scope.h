/* Proofs that a document may list URLs of other hosts, as parts of its scope.
 */
#ifndef FRESHET_PROOF_SCOPE_H
#define FRESHET_PROOF_SCOPE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"
#include "store/location.h"

struct store;

/*
 * proof_collect(store, document_id, url, levels, set):
 * Add to the set the origins whose robots.txt names the document (SPEC R-63) or
 * an index above it, up to so many levels (SPEC R-64), 1,000 at most.  A
 * document_id of 0 has no indexes.
 */
void proof_collect(struct store *, int64_t document_id, struct slice url,
    unsigned levels, struct string_set *);

/* proof_self_listed(store, site_id): each document that the robots.txt of its
 * own origin names, of the origins that the site touches (SPEC R-66), up to the
 * limits of self_listed.h.  The caller owns one reference to the set. */
struct self_listed *proof_self_listed(struct store *, int64_t site_id);

/* What the scope of a document depends on; borrowed. */
struct proof_document {
	int64_t id;
	struct slice url; /* as requested, normalised */
	struct slice final_url;
	struct self_listed *listed; /* of its site; NULL: it is no index */
};

/*
 * proof_scope(store, document, levels, scope): what the document's scope is
 * today under scope->profile and scope->own.  If the profile lets proofs be
 * inherited, so many levels of indexes are searched for proofs, see
 * proof_collect().  Returns false when one of the document's URLs is invalid.
 */
bool proof_scope(struct store *, const struct proof_document *, unsigned levels,
    struct location_scope *);

#endif
