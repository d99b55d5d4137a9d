/* Sites and documents, briefly: for who keeps all of them in memory. */
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
	enum document_kind kind; /* of the latest reading that knew */
	int64_t last_read_s; /* 0: never */
	uint64_t entries, dated, refused; /* of its segment */
	int64_t owed_s; /* it is to be read then, since its last reading left
			   something open; 0: it did not */
};

/* store_each_site(store, fn, arg): in order of ids; store_each_document_list:
 * every document, in order of ids; store_each_document_list_of: those of a
 * site; store_each_untried: of these what nobody asked for yet;
 * store_each_found: sites of which a document that is no robots.txt was read,
 * some of them several times.  What is passed is borrowed; fn may use the
 * store. */
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

/* store_is_found(store, site_id): of one site, what store_each_found says. */
bool store_is_found(struct store *, int64_t site_id);

/* store_document_list(store, id, row, url): one of them, its URL in url; false:
 * there is none. */
bool store_document_list(
    struct store *, int64_t id, struct document_list_row *, struct buf *url);

/* store_site_host(store, site_id, host): appended; false: there is none. */
bool store_site_host(struct store *, int64_t site_id, struct buf *host);

#endif
