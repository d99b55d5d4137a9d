/*
 * Pages: URLs that were promoted, because someone cares (DESIGN 3.4), with
 * what is known of them and their leases.  All that is written here lies in
 * the open transaction, durable with the next store_flush.
 */
#ifndef FRESHET_STORE_PAGE_H
#define FRESHET_STORE_PAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"

struct store;

struct page_row {
	int64_t id;
	int64_t document_id; /* that it was promoted from, or lists it since */
	struct slice url; /* normalised */
	float weight;
	bool has_lastmod, is_day, is_listed; /* as last told */
	int64_t lastmod_s;
	int64_t fetched_s; /* when it was last looked at; 0: never */
	int status; /* of the last fetch; 0: there was none */
	bool has_hash;
	uint64_t hash; /* of its content, the last that is known */
	struct slice etag, last_modified; /* of the last fetch; empty: none */
	uint32_t leases, done; /* numbers: last lease given, last answered */
	struct slice learned; /* the scheduler's; empty: nothing */
	bool has_lease; /* given, neither answered nor ended; it may be over */
	int64_t lease_asked_s, lease_until_s;
};

/* store_hash_key(store): the store's own key of hashes, which nobody outside
 * knows.  store_page_key(store, url): under which that page is found. */
uint64_t store_hash_key(struct store *);
uint64_t store_page_key(struct store *, struct slice url);

/*
 * store_page_add(store, document_id, url): promote that normalised URL, listed
 * by that document; its id.  Of a page that is known: its id, and nothing
 * changes.  store_page_find: 0 when it is no page.
 */
int64_t store_page_add(struct store *, int64_t document_id, struct slice url);
int64_t store_page_find(struct store *, struct slice url);

/* store_page_get(store, id, row): what is borrowed in it lives until the next
 * store_page_get; false: there is no such page. */
bool store_page_get(struct store *, int64_t id, struct page_row *);

/* store_each_page(store, fn, arg): all, in order of ids; the row is borrowed.
 * fn may use the store. */
typedef void store_page_fn(void *arg, const struct page_row *);
void store_each_page(struct store *, store_page_fn *, void *arg);

/* store_page_learned(store, id, learned): in place of what the scheduler left
 * there before.  store_page_weight: the same of the weight. */
void store_page_learned(struct store *, int64_t id, struct slice learned);
void store_page_weight(struct store *, int64_t id, float weight);

/* store_page_set_document(store, id, document_id): that one lists it, in place
 * of the one that it was promoted from. */
void store_page_set_document(struct store *, int64_t id, int64_t document_id);

/* What documents say of a page now. */
struct page_listing {
	bool has_lastmod, is_day, is_listed;
	int64_t lastmod_s;
};
void store_page_listing(
    struct store *, int64_t id, const struct page_listing *);

/*
 * store_lease(store, page_id, now_s, until_s): hand it out; the number of the
 * lease: 1, 2, 3, … of that page.  What was leased before is superseded.
 * store_lease_end(store, page_id): the lease is given back, or over.
 */
uint32_t store_lease(
    struct store *, int64_t page_id, int64_t now_s, int64_t until_s);
void store_lease_end(struct store *, int64_t page_id);

#endif
