/* What robots.txt of an origin said, and what that proves. */
#ifndef FRESHET_PROOF_H
#define FRESHET_PROOF_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/slice.h"

struct robots;
struct rules_table;
struct store;

/* An answer to a request for the robots.txt of an origin. */
struct robots_fact {
	struct slice origin;
	int64_t fetched_s; /* when this answer came */
	int64_t expires_s; /* SPEC R-104 */
	int64_t failing_since_s; /* 0: reachable; SPEC R-102 */
	int status; /* HTTP status, 0: none */
	struct slice body; /* the last good copy, empty: none */
	bool has_body;
	const struct slice *sitemaps; /* normalised URLs of Sitemap lines */
	const uint32_t *lines; /* where they stand, from 1 */
	uint32_t sitemap_count;
	bool is_cut; /* the file names more documents than these */
	bool is_of_host; /* no other origin of the host has a robots.txt */
};

/*
 * store_robots(store, fact):
 * Replace what is known of an origin's robots.txt, and the proofs that its
 * Sitemap lines are.  Returns how many documents the lines lost, if no line is
 * left at all: these documents stay reachable for now (SPEC 15.3).
 */
uint64_t store_robots(struct store *, const struct robots_fact *);

/* store_robots_get(store, origin, *fact, body): false if robots.txt was never
 * requested.  fact->body points into `body`; sitemaps are not filled in. */
bool store_robots_get(struct store *, struct slice origin, struct robots_fact *,
    struct buf *body);

/*
 * The parsed rules of robots.txt, one copy of an origin for all who ask: the
 * driver for its documents, the frontier for its pages.
 *
 * store_rules(store, origin, agent, repairs):
 * The rules of the last good robots.txt of the origin, without its Sitemap
 * lines; NULL if the store has none.  They are parsed when they are first asked
 * for, with repairs or without (SPEC R-97), and again after store_robots() has
 * replaced the file.  The agent is the same in all calls for one store.
 * Borrowed until the next call of store_rules(), store_rules_keep() or
 * store_robots().
 *
 * store_rules_keep(store, origin, robots, repairs): these are the rules that
 * the store has now; so they need not be parsed again.  Takes robots over.
 *
 * rules_table_free(rules): what the store owns; NULL is allowed.
 */
const struct robots *store_rules(
    struct store *, struct slice origin, struct slice agent, bool repairs);
void store_rules_keep(
    struct store *, struct slice origin, struct robots *, bool repairs);
void rules_table_free(struct rules_table *);

/* store_knows_origin(store, origin): is there a row of the origin? */
bool store_knows_origin(struct store *, struct slice origin);

/* store_answered_since(store, site_id, origin, since_s): was any document of
 * the origin read after since_s?  (SPEC R-102: does the site answer otherwise?)
 */
bool store_answered_since(
    struct store *, int64_t site_id, struct slice origin, int64_t since_s);

/*
 * store_self_listed(store, site_id, out, arg): each document that the
 * robots.txt of its own origin names, of the origins the site touches, its own
 * host first. store_seeds(store, origin, out, arg): each document that
 * robots.txt of the origin names, in the order of its lines.
 */
typedef void store_text_fn(void *arg, struct slice text);
void store_self_listed(
    struct store *, int64_t site_id, store_text_fn *, void *arg);
void store_seeds(
    struct store *, struct slice origin, store_text_fn *, void *arg);

#endif
