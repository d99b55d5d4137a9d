/* What robots.txt of an origin said, and what that proves. */
#ifndef FRESHET_PROOF_H
#define FRESHET_PROOF_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/profile.h"
#include "base/slice.h"
#include "store/location.h"

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

/* store_robots(store, fact): Replace what is known of an origin's robots.txt,
 * and the proofs that its Sitemap lines are.  Returns how many documents the
 * lines lost, if no line is left at all: these documents stay reachable for now
 * (SPEC 15.3). */
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

/* Lists of URLs of a site, or of an origin; the other one is not looked at. */
enum url_list {
	/* of a site: each document that the robots.txt of its own origin names,
	 * of the origins the site touches, its own host first */
	URLS_SELF_LISTED,
	/* of an origin: each document that its robots.txt names, in the order
	 * of its lines */
	URLS_SEEDS,
	/* of a site: the origins of its documents, in order */
	URLS_ORIGINS,
	/* of both: the roots (reach.h) that the robots.txt of the origin names,
	 * and its default locations; ended documents are left out */
	URLS_ROOTS
};

/* store_each_url(store, list, site_id, origin, fn, arg): each URL of the list;
 * borrowed.  fn may use the store. */
typedef void store_text_fn(void *arg, struct slice text);
void store_each_url(struct store *, enum url_list, int64_t site_id,
    struct slice origin, store_text_fn *, void *arg);

/*
 * The former texts of robots.txt of each origin.
 *
 * The present text is in the row of the origin.  A former text is kept when the
 * next one says something else (base/robots_difference.h): comments and the
 * order of lines make no text.  An origin without the file has an empty text.
 */

struct robots_fact;

/* The store keeps so many former texts of an origin, the latest ones, if they
 * have so many bytes together at most. */
#define ROBOTS_TEXTS_MOST 50
#define ROBOTS_TEXTS_BYTES 2000000

struct robots_text {
	int64_t since_s; /* when it was read first; 0: unknown */
	int64_t until_s; /* when another one was read; 0: it is the present */
	bool is_file; /* false: there was none; the text is empty */
	struct slice body;
};

/* store_each_robots_text(store, origin, fn, arg): the texts of an origin, in
 * the order in which they were read; the last one is the present one.  Texts
 * are borrowed; fn may use the store; false from fn stops. */
typedef bool store_robots_text_fn(void *arg, const struct robots_text *);
void store_each_robots_text(
    struct store *, struct slice origin, store_robots_text_fn *, void *arg);

/* Proofs that a document may list URLs of other hosts: part of its scope. */

/* proof_collect(store, document_id, url, levels, set): Add to the set the
 * origins whose robots.txt names the document (SPEC R-63) or an index above it,
 * up to so many levels (SPEC R-64), 1,000 at most.  A document_id of 0 has no
 * indexes. */
void proof_collect(struct store *, int64_t document_id, struct slice url,
    unsigned levels, struct string_set *);

/* proof_self_listed(store, site_id): each document that the robots.txt of its
 * own origin names, of the origins that the site touches (SPEC R-66), up to the
 * limits of location.h.  The caller owns one reference to the set. */
struct self_listed *proof_self_listed(struct store *, int64_t site_id);

/* What the scope of a document depends on; borrowed. */
struct proof_document {
	int64_t id;
	struct slice url; /* as requested, normalised */
	struct slice final_url;
	struct self_listed *listed; /* of its site; NULL: it is no index */
};

/* proof_scope(store, document, levels, scope): what the document's scope is
 * today under scope->profile and scope->own.  If the profile lets proofs be
 * inherited, so many levels of indexes are searched for proofs, see
 * proof_collect().  False: one of the document's URLs is invalid. */
bool proof_scope(struct store *, const struct proof_document *, unsigned levels,
    struct location_scope *);

/* What holds while a robots.txt cannot be read (SPEC R-102). */

/* A robots.txt is not requested again within that time, whatever lifetime its
 * answer has, and even if it cannot be read: else each document would request
 * it. */
#define ROBOTS_LEAST_S 3600

/*
 * robots_is_closed(store, site_id, profile, fact, now_s):
 * Is fetching anything of the origin forbidden, because its robots.txt cannot
 * be read?
 *
 * robots_is_old(fact, profile, now_s): is the last good copy of a robots.txt
 * that cannot be read 30 days old, so that it does not hold any more?  Only the
 * google profile gives it up; without a profile the age alone decides.
 */
bool robots_is_closed(struct store *, int64_t site_id, const struct profile *,
    const struct robots_fact *, int64_t now_s);
bool robots_is_old(
    const struct robots_fact *, const struct profile *, int64_t now_s);

/*
 * robots_is_spare(store, origin, now_s): an https origin that never answered,
 * while the same host answers by http.  Nobody needs the origin, so its
 * robots.txt is requested once a week only, and nothing counts it as failing.
 * If now_s is not 0, it must have been asked within the last week, too.
 *
 * ROBOTS_IS_SPARE: the same in SQL, of the row o of main.origin.
 * DOCUMENT_FAILS: in SQL, did the latest attempt to read a document fail, or
 * was it not made, because robots.txt or another rule forbids it?
 * DOCUMENT_IS_FAILING: the same of the row d of main.document, if the site
 * needs that document.
 */
#define ROBOTS_IS_SPARE                                        \
	"(o.origin GLOB 'https://*' AND o.failing_since_s > 0" \
	" AND o.status = 0 AND o.body IS NULL"                 \
	" AND EXISTS (SELECT 1 FROM main.origin h"             \
	" WHERE h.origin = 'http' || substr(o.origin, 6)"      \
	" AND h.status <> 0 AND h.failing_since_s = 0))"
#define DOCUMENT_FAILS "(failures > 0 OR last_try_s > last_read_s)"
#define DOCUMENT_IS_FAILING                                                   \
	"((d.failures > 0 OR d.last_try_s > d.last_read_s)"                   \
	" AND d.is_led AND d.ended_s = 0"                                     \
	" AND NOT (d.url GLOB '*/robots.txt' AND EXISTS (SELECT 1"            \
	" FROM main.origin o WHERE o.origin = substr(d.url, 1, length(d.url)" \
	" - 11) AND " ROBOTS_IS_SPARE ")))"
bool robots_is_spare(struct store *, struct slice origin, int64_t now_s);

#endif
