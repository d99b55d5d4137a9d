/*
 * Pages: URLs that were promoted, because a client asked for them or fetched
 * them (DESIGN 3.4), with their state and their leases.  All changes here are
 * durable with the next store_flush.
 */
#ifndef FRESHET_STORE_PAGE_H
#define FRESHET_STORE_PAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/slice.h"
#include "base/w3cdate.h"

struct store;

struct page_row {
	int64_t id;
	int64_t document_id; /* of the parent document */
	struct slice url; /* normalised */
	float weight;
	/* see struct page_listing */
	bool is_listed;
	struct date lastmod;
	int64_t first_seen_s;
	int64_t fetched_s; /* the last fetch that did not fail; 0: never */
	int status; /* of the last fetch; 0: there was none */
	bool has_hash;
	uint64_t hash; /* of its content, the last that is known */
	struct slice etag, last_modified; /* of the last fetch; empty: none */
	uint32_t leases, done; /* numbers: last lease given, last answered */
	struct slice learned; /* the scheduler's; empty: nothing */
	bool has_lease; /* neither answered nor ended; it may have expired */
	int64_t lease_asked_s, lease_until_s;
	uint32_t unfit; /* enum page_unfit; greater: as a later version says */
};

/* store_hash_key(store): the secret key of the store's hashes.  A page is found
 * by the hash_key() of its URL. */
uint64_t store_hash_key(struct store *);

/*
 * store_page_add(store, document_id, url): promote a normalised URL that the
 * document lists, unless it is a page already; returns the page's id.
 * store_page_find(store, url): 0 if the URL is no page.
 */
int64_t store_page_add(struct store *, int64_t document_id, struct slice url);
int64_t store_page_find(struct store *, struct slice url);

/* store_page_get(store, id, row): false if there is no such page.  The slices
 * of the row are valid until the next store_page_get. */
bool store_page_get(struct store *, int64_t id, struct page_row *);

/* store_each_page(store, fn, arg): all pages, in order of ids; the row is
 * borrowed.  fn may use the store. */
typedef void store_page_fn(void *arg, const struct page_row *);
void store_each_page(struct store *, store_page_fn *, void *arg);

/* What the documents that list a page say about it. */
struct page_listing {
	bool is_listed;
	struct date lastmod; /* DATE_NONE: they give none */
	/* when a document was first seen to list it; 0: not known */
	int64_t first_seen_s;
};

/* What is known of a page beside its fetches. */
struct page_told {
	const struct slice *learned; /* what the scheduler learned about it */
	const float *weight;
	const struct page_listing *listing;
	int64_t document_id; /* its parent document */
};

/* store_page_set(store, id, told): set what is told; parts that are NULL, or 0,
 * stay as they are. */
void store_page_set(struct store *, int64_t id, const struct page_told *);

/* store_lease(store, page_id, number, now_s, until_s): lease a page, in place
 * of an earlier lease.  The number is one more than the page's row has: leases
 * of a page are 1, 2, 3, …  Returns false if the store failed.
 * An until_s of 0 ends the lease instead: it was released, or it expired. */
bool store_lease(struct store *, int64_t page_id, uint32_t number,
    int64_t now_s, int64_t until_s);

/* For store/ only: what these functions remember, of an open store.
 * page_memory_drop(memory, id): read the page again, since its rows change; no
 * text that is borrowed moves. */

/* The row of a page that is leased is read again when its result comes.  The
 * rows of so many leased pages are kept until then, each in the place that its
 * id has, and none with longer texts: 5 MB at most. */
#define KEPT_ROWS 4096
#define KEPT_BYTES 1024

struct kept_row {
	struct page_row row; /* row.id is 0: nothing is kept here */
	struct buf bytes; /* owned: its texts */
};

struct page_memory {
	bool has_hash_key; /* false: read the key again */
	uint64_t hash_key; /* valid if has_hash_key */
	struct page_row row; /* of the latest store_page_get; id 0: changed */
	struct buf bytes; /* owned: its texts */
	struct kept_row *kept; /* owned: KEPT_ROWS; NULL: nothing was leased */
};

void page_memory_drop(struct page_memory *, int64_t id);

#endif
