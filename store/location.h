/*
 * The location rules: what a document may list (SPEC section 6).
 *
 * The reader processes apply the rules to all entries, and link.c applies
 * them again to children.  The verdict depends on URLs, proofs and switches
 * only.
 */
#ifndef FRESHET_LOCATION_H
#define FRESHET_LOCATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/diag.h"
#include "base/profile.h"
#include "base/slice.h"
#include "base/url.h"
#include "base/wire.h"
#include "store/segment/entry.h"

/* A growing set of strings, owned; sorted and without repeats. */
struct string_set {
	char **items;
	size_t count;
	size_t cap;
};

void string_set_add(struct string_set *, struct slice);
bool string_set_has(const struct string_set *, struct slice);
void string_set_release(struct string_set *);

enum location_subject { SUBJECT_CHILD, SUBJECT_PAGE };

/* All that the rules need to know about a document. */
struct location_scope {
	struct profile profile;
	struct url requested; /* what robots.txt or the index names */
	struct url final; /* where the bytes came from */
	bool has_location; /* false: a local file, no rule applies */
	/* Origins whose robots.txt names this document or, when proofs are
	 * inherited, an index it was accepted from (SPEC ). */
	struct string_set proof_origins;
	/* Documents named by the robots.txt of their own origin (SPEC R-66); a
	 * reference is owned.  Only an index needs them. */
	struct self_listed *listed;
	/* Ownership assertions as given: "domain:example.com" or a URL prefix
	 * (SPEC R-67), made by location_own_parse. */
	struct string_set own;
};

void location_scope_init(struct location_scope *, const struct profile *);
void location_scope_release(struct location_scope *);
void location_scope_copy(
    struct location_scope *to, const struct location_scope *from);

/* location_own_parse(set, text): normalise an assertion and add it to the set;
 * false if the text is none.  A public suffix ("com") is none, since nobody
 * owns all hosts below it. */
bool location_own_parse(struct string_set *, struct slice text);

struct location_verdict {
	bool is_accepted;
	/* Why the entry was refused, or which exception accepts it
	 * (ACCEPTED_BY_*, DIRECTORY_WAIVED, …); DIAG_OK: no exception. */
	enum diag_code code;
	enum verdict verdict; /* as segments store it */
};

/* location_judge(scope, entry, subject): May the document list the entry?
 * Refusals: INDEX_SELF_REFERENCE (children only), PRIVATE_ADDRESS, WWW_MISSING,
 * WWW_EXTRA, HOST_MISMATCH, SCHEME_MISMATCH, PORT_MISMATCH, OUTSIDE_DIRECTORY,
 * in the order of SPEC R-71; under dir_rule "warn" OUTSIDE_DIRECTORY comes with
 * an accept.  Source: SPEC. */
struct location_verdict location_judge(const struct location_scope *,
    const struct url *entry, enum location_subject);

/* location_scope_put(out, scope, has_digest), location_scope_get(wire, scope):
 * for frames between processes; false if a part of the bytes is impossible.
 * has_digest: with a digest of the self-listed documents in their place, as
 * location_fingerprint() wants it. */
void location_scope_put(
    struct buf *, const struct location_scope *, bool has_digest);
bool location_scope_get(struct wire *, struct location_scope *);

/* location_fingerprint(scope, reader_version): a hash of all that verdicts
 * depend on: switches, proofs, ownership, final URL, reader version
 * (SPEC 15.1). */
uint64_t location_fingerprint(
    const struct location_scope *, uint32_t reader_version);

/* Self-listed documents: those that the robots.txt of their own origin names,
 * of all origins that a site touches (SPEC R-66).  The scopes of all documents
 * of the site share one copy. */

/* The most documents, and bytes, that count for a site; more prove nothing
 * (HOSTILE E26). */
#define SELF_LISTED_MAX 20000
#define SELF_LISTED_BYTES (2u << 20)

struct self_listed;

/*
 * self_listed_new(): an empty set with one reference.
 * self_listed_add(listed, url): false if the set is full.
 * self_listed_seal(listed): call this function after the last self_listed_add,
 * and before the set is shared or searched.
 */
struct self_listed *self_listed_new(void);
bool self_listed_add(struct self_listed *, struct slice url);
void self_listed_seal(struct self_listed *);

/* self_listed_share(listed): add a reference.  self_listed_release(listed):
 * drop one; the last frees the set.  NULL counts as an empty set. */
struct self_listed *self_listed_share(struct self_listed *);
void self_listed_release(struct self_listed *);

bool self_listed_has(const struct self_listed *, struct slice url);

/* self_listed_digest(listed, directory): a digest of the documents that do not
 * begin with the directory; 0 if there are none.  Its time is logarithmic. */
uint64_t self_listed_digest(const struct self_listed *, struct slice directory);

#endif
