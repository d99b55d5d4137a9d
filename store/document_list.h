/* Lists of sites and documents in a few columns each, for modules that keep all
 * of them in memory. */
#ifndef FRESHET_DOCUMENT_LIST_H
#define FRESHET_DOCUMENT_LIST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/slice.h"
#include "store/segment/reading.h"

struct store;

struct document_list_row {
	int64_t id, site_id;
	int64_t parent_id; /* an index that lists it; 0: none */
	struct slice url;
	enum document_kind kind; /* of the latest reading that found one */
	int64_t last_read_s; /* 0: never */
	uint64_t entries, dated, refused; /* of its segment */
	/* when a second reading must confirm what the last one found absent
	 * (SPEC R-120); 0: nothing is open */
	int64_t owed_s;
};

/*
 * store_each_site(store, fn, arg): all sites, in order of ids.
 * store_each_found(store, fn, arg): the sites of which a document other than
 * robots.txt was read; a site may come more than once.
 * store_each_document_list(store, fn, arg): all documents, in order of ids.
 * store_each_document_list_of(store, site_id, fn, arg): those of a site.
 * store_each_untried(store, site_id, fn, arg): those of a site that were never
 * requested.
 *
 * All that is passed is borrowed; fn may use the store.
 */
typedef void store_site_fn(void *arg, int64_t site_id, struct slice host);
void store_each_site(struct store *, store_site_fn *, void *arg);
typedef void store_found_fn(void *arg, int64_t site_id);
void store_each_found(struct store *, store_found_fn *, void *arg);
typedef void store_document_list_fn(
    void *arg, const struct document_list_row *);
void store_each_document_list(
    struct store *, store_document_list_fn *, void *arg);
void store_each_document_list_of(
    struct store *, int64_t site_id, store_document_list_fn *, void *arg);
void store_each_untried(
    struct store *, int64_t site_id, store_document_list_fn *, void *arg);

/* store_is_found(store, site_id): would store_each_found pass the site? */
bool store_is_found(struct store *, int64_t site_id);

/* store_document_list(store, id, row, url): one document; row->url points into
 * `url`.  False: there is none. */
bool store_document_list(
    struct store *, int64_t id, struct document_list_row *, struct buf *url);

/* store_site_host(store, site_id, host): append the host of a site; false if
 * there is no such site. */
bool store_site_host(struct store *, int64_t site_id, struct buf *host);

#endif
