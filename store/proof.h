/* What robots.txt of an origin said, and what that proves. */
#ifndef FRESHET_PROOF_H
#define FRESHET_PROOF_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/slice.h"

struct store;

/*
 * Proofs: "robots.txt of origin A names document D".  store_robots replaces
 * what an origin's robots.txt was last known to say; sitemaps[] are
 * normalised URLs with the lines they stand on.
 */
struct robots_fact {
	struct slice origin;
	int64_t fetched_s; /* when this answer came */
	int64_t expires_s; /* SPEC R-104 */
	int64_t failing_since_s; /* 0: reachable; SPEC R-102 */
	int status; /* HTTP status, 0: none */
	struct slice body; /* the last good copy, empty: none */
	bool has_body;
	const struct slice *sitemaps;
	const uint32_t *lines;
	uint32_t sitemap_count;
	bool is_cut; /* it names more than these */
	bool is_of_host; /* and is the only one of its host, https or http */
};

/* Answers how many lines of it that lead to a sitemap are lost, while it names
 * none: these go on leading there (SPEC 15.3). */
uint64_t store_robots(struct store *, const struct robots_fact *);

/* store_robots_get(store, origin, *fact, body): false when never asked;
 * fact->body points into body; sitemaps are not filled in. */
bool store_robots_get(struct store *, struct slice origin, struct robots_fact *,
    struct buf *body);

/* store_knows_origin(store, origin): did a document of it, or its robots.txt,
 * ever come up? */
bool store_knows_origin(struct store *, struct slice origin);

/* store_park(store, origin, until_s): it asked to be left alone until then
 * (SPEC R-76); durable with the next commit.  store_parked_until: 0: never. */
void store_park(struct store *, struct slice origin, int64_t until_s);
int64_t store_parked_until(struct store *, struct slice origin);

/* store_answered_since(store, site_id, origin, since_s): was any document of
 * the origin read after that? (SPEC R-102: does the site otherwise answer?) */
bool store_answered_since(
    struct store *, int64_t site_id, struct slice origin, int64_t since_s);

/*
 * store_proof_origins(store, document_url, out, arg): each origin that names
 * the document; store_proof_origins_above(store, document_id, url, levels, …):
 * or one of the indexes that list it, so many levels up, in order and 1,000 at
 * most; store_self_listed(store, site_id, …): each document that the robots.txt
 * of its own origin names, of the origins the site touches, its own host first;
 * store_named(store, origin, …): each document that robots.txt of the origin
 * names; store_seeds: likewise, in the order of its lines.
 */
typedef void store_text_fn(void *arg, struct slice text);
void store_proof_origins(
    struct store *, struct slice document_url, store_text_fn *, void *arg);
void store_proof_origins_above(struct store *, int64_t document_id,
    struct slice url, unsigned levels, store_text_fn *, void *arg);
void store_self_listed(
    struct store *, int64_t site_id, store_text_fn *, void *arg);
void store_named(
    struct store *, struct slice origin, store_text_fn *, void *arg);
void store_seeds(
    struct store *, struct slice origin, store_text_fn *, void *arg);

#endif
