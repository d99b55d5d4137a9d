/* Lookups of one URL: the documents that list, name or refuse the URL. */
#ifndef FRESHET_LOOKUP_H
#define FRESHET_LOOKUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/slice.h"
#include "base/url.h"
#include "base/w3cdate.h"
#include "store/query.h"
#include "store/segment/entry.h"

struct store;

/* store_each_listing(store, url, fn, arg): Each document, index or not, whose
 * segment has an entry of the normalised URL, missed and refused entries, too,
 * in order of ids; the entry is borrowed.  A block that cannot be decoded makes
 * store_failed return STORE_DAMAGED. */
typedef void store_listing_fn(
    void *arg, int64_t document_id, const struct entry *);
void store_each_listing(
    struct store *, struct slice url, store_listing_fn *, void *arg);

/* store_gone(store, url, host, gone): Find the document of that site that
 * listed the URL last, and the last reading of it that did; if that was pruned,
 * the reading in which the URL was gone.  Returns false if no document listed
 * it, or if that was pruned, too. */
struct gone_row {
	int64_t reading_id;
	int64_t at_s;
	char *document; /* its URL, owned by the caller; unset if false */
	bool is_left; /* the document was a window, which the URL left */
};
bool store_gone(
    struct store *, struct slice url, struct slice host, struct gone_row *);

/* store_refused_since(store, document_id, url): the time of the latest reading
 * of the document that refused the URL after it was accepted; 0 if there is
 * none, or if it was pruned. */
int64_t store_refused_since(
    struct store *, int64_t document_id, struct slice url);

/* store_each_proof(store, url, fn, arg): the origins whose robots.txt names a
 * document, and the line. */
typedef void store_proof_fn(void *arg, struct slice origin, uint32_t line);
void store_each_proof(
    struct store *, struct slice url, store_proof_fn *, void *arg);

/* store_each_sample(store, fn, arg): the samples of the readings that the
 * segments come from, by document; borrowed. */
struct sample_row {
	int64_t document_id;
	struct slice code;
	uint32_t line;
	struct slice text; /* hostile, cut at FINDING_TEXT_MAX */
};
typedef void store_sample_fn(void *arg, const struct sample_row *);
void store_each_sample(struct store *, store_sample_fn *, void *arg);

/* store_standing(store, document_id, host): the id of the reading that the
 * document's segment comes from, 0: none.  `host` gets that of the site. */
int64_t store_standing(struct store *, int64_t document_id, struct buf *host);

/* URLs as segments and samples of findings hold them. */

/* raw_url_is(text, base, wanted, *code): does the text of a sample, which
 * findings may have cut, mean the normalised URL `wanted`?  *code is that of
 * url_parse_raw. */
bool raw_url_is(struct slice text, const struct url *base, struct slice wanted,
    enum diag_code *code);

/* A search of blocks for many URLs, for store/ only.  The URLs are sorted, and
 * the block index is read row by row: all URLs that lie between the ends of a
 * block, and pass its Bloom filter, are searched in one decoding. */

struct sqlite3_stmt;

struct searched_url {
	struct slice url; /* borrowed */
	uint64_t key; /* of Bloom filters */
	void *of; /* what the caller keeps for the URL; borrowed */
};

struct url_search {
	struct store *store;
	struct searched_url *items; /* owned; the caller keeps them sorted */
	size_t count, cap;
	/* Is the URL to be searched in a block of that document?  Asked of URLs
	 * that the block may hold. */
	bool (*is_wanted)(void *arg, void *of, int64_t document_id);
	/* The block has an entry of the URL; fn may not use the store. */
	void (*found)(
	    void *arg, void *of, int64_t document_id, const struct entry *);
	void *arg;
	size_t *passed; /* owned: indices of items that a block may hold */
	size_t passed_cap;
	struct block_source block; /* owned */
};

/*
 * url_search_add(search, url, of): add a URL behind the others.
 * url_search_from(search, url, least): the index of the first URL that is not
 * less than url (least is 0), or that is greater (1).
 * url_search_block(search, row): search the block of a row of the block index,
 * whose first columns are its id, its first and its last URL.  Returns how many
 * microseconds that took, about: LISTED_BLOCK for a block that was decoded.
 * url_search_release(search): free what is owned.
 */
#define LISTED_BLOCK 200
void url_search_add(struct url_search *, struct slice url, void *of);
size_t url_search_from(const struct url_search *, struct slice url, int least);
uint64_t url_search_block(struct url_search *, struct sqlite3_stmt *row);
void url_search_release(struct url_search *);

/* Finding the sitemaps that list URLs, for many URLs at once. */

struct entry;

struct listed {
	struct slice url; /* normalised, borrowed */
	int64_t document_id; /* 0: no sitemap lists it */
	struct date lastmod; /* as listed there */
	int64_t first_seen_s; /* there; 0: no sitemap lists it */
};

struct listed_search;

/*
 * listed_search_new(store, rows, count, fn, arg):
 * Search, for each URL of the rows, the document with the least id that lists
 * the URL and may list it; missed entries count, indexes do not.  The caller
 * owns the rows, and keeps them in place until the search is over.  A block is
 * decoded once for all URLs: one URL alone takes a third of a millisecond, one
 * of ten thousand a hundredth of that.
 * fn, unless it is NULL: search all sitemaps for the URLs, and call fn for each
 * entry with one of them; the rows are not filled in.  Of an index that was a
 * sitemap, its missed entries count.  fn may not use the store.
 *
 * listed_search_some(search, block_indexes):
 * Check up to so many rows of the block index, which take a microsecond each; a
 * block that must be decoded counts as LISTED_BLOCK of them.  Returns false if
 * the search is over and the rows are filled.  The store may be used and
 * committed between two calls.
 *
 * listed_search_holds(search): false if a segment was replaced since the search
 * began, so that its results may be outdated.
 */
typedef void listed_entry_fn(void *arg, struct listed *, int64_t site_id,
    int64_t document_id, const struct entry *);
struct listed_search *listed_search_new(struct store *, struct listed *rows,
    size_t count, listed_entry_fn *, void *arg);
void listed_search_free(struct listed_search *);
bool listed_search_some(struct listed_search *, uint32_t block_indexes);
bool listed_search_holds(const struct listed_search *);

/* listed_find(store, row): the same for one URL, at once: a tenth of a
 * millisecond for a million URLs in the store. */
void listed_find(struct store *, struct listed *row);

#endif
