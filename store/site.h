/* Crawls of a site: where an interrupted one goes on. */
#ifndef FRESHET_SITE_H
#define FRESHET_SITE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"
#include "store/store.h"

/* An unfinished crawl older than this is not resumed but begun anew. */
#define CRAWL_RESUME_S 86400

/*
 * store_crawl_begin(store, site_id, now_s, is_resumed): when the crawl of the
 * site that is under way began: an interrupted one at its old time, so that
 * what was read since then need not be asked for again (*is_resumed), else
 * now_s.  Both may be the same second.
 * store_crawl_end: the crawl is finished.  Durable with the next commit.
 */
int64_t store_crawl_begin(
    struct store *, int64_t site_id, int64_t now_s, bool *is_resumed);
void store_crawl_end(struct store *, int64_t site_id);

/*
 * store_first_read(store, site_id): it has been read through for the first
 * time (true), or before.  What its documents list that are known by then is
 * its beginning, and nothing of it is new; store_is_baseline(store,
 * document_id): is this one of them that was not read yet?
 */
bool store_first_read(struct store *, int64_t site_id);
bool store_is_baseline(struct store *, int64_t document_id);

/*
 * store_moves_dates(store, document_id, redated, entries): does it move its
 * dates whatever happens?  So it is when this reading, which re-dates so many
 * of its entries, and two before it moved more than half of them, and the mean
 * of the last eight is more than half, too (SCHEDULING F.1: the gate).
 */
bool store_moves_dates(
    struct store *, int64_t document_id, uint64_t redated, uint64_t entries);

/* store_site_find(store, host): 0 when there is no such site.
 * store_children_without(store, site_id, index_id): how many documents its
 * indexes list, all but that one. */
int64_t store_site_find(struct store *, struct slice host);
uint32_t store_children_without(
    struct store *, int64_t site_id, int64_t index_id);

/* store_latest_s(store): when the latest reading was made, 0: there is none. */
int64_t store_latest_s(struct store *);

/* store_last_reading(store): the last id of a reading, 0: there is none. */
int64_t store_last_reading(struct store *);

/* store_document_id(store, site_id, url): 0 when there is no such document. */
int64_t store_document_id(struct store *, int64_t site_id, struct slice url);

/* store_last_failure(store, document_id): what its latest attempt failed with,
 * DIAG_OK: it did not fail, or with what this version does not know. */
enum diag_code store_last_failure(struct store *, int64_t document_id);

/* store_each_parent(store, child_id, fn, arg): the indexes that list it. */
typedef void store_parent_fn(void *arg, int64_t index_id, struct slice url);
void store_each_parent(
    struct store *, int64_t child_id, store_parent_fn *, void *arg);

#endif
