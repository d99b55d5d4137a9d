/* The URLs that the documents of a site list, each URL once, in the order of
 * their bytes. */
#ifndef FRESHET_SITE_LIST_H
#define FRESHET_SITE_LIST_H

#include <stdbool.h>
#include <stdint.h>

#include "store/segment/entry.h"

struct store;
struct site_list;

/* How many entries are in memory at once: of a caller that takes the whole
 * list, which take 50 MB, and of one that takes some thousand of them. */
#define SITE_LIST_ALL 300000
#define SITE_LIST_FEW 30000

/* site_list_new(store, site_id, after, entries): the list of a site, of the
 * URLs after that one, or of all if it is empty; about `entries` of them, or
 * fewer, are in memory at once.  Nobody may write to the store meanwhile. */
struct site_list *site_list_new(
    struct store *, int64_t site_id, struct slice after, uint64_t entries);
void site_list_free(struct site_list *);

/* site_list_next(list, document_id, entry): Get the next URL, with the entry of
 * the first document that lists the URL and may list it, or else of the first
 * document that lists it.  The entry is missed if no document lists the URL any
 * more; document_id is 0 if the page left a window (left_page.h), whose entry
 * then has no more than its URL and verdict.  The entry is borrowed until the
 * next call.  Returns false at the end. */
bool site_list_next(struct site_list *, int64_t *document_id, struct entry *);

/*
 * A walk over the entries of all documents of a site that list pages.
 *
 * The walk goes through windows of URLs: first the entries below some URL,
 * document by document, then those of the next window, so that memory does not
 * grow with the site.  A block is decoded once for each window that it reaches
 * into.
 */

struct site_walk;

/* site_walk_new(store, site_id, entries, has_urls_only): a walk with windows of
 * about `entries` entries, or fewer; with has_urls_only, only the URLs of
 * entries, `missed` and `verdict` are needed.  Nobody may write to the store
 * during the walk. */
struct site_walk *site_walk_new(
    struct store *, int64_t site_id, uint64_t entries, bool has_urls_only);
void site_walk_free(struct site_walk *);

/* site_walk_window(walk): move to the first or the next window; false if there
 * is none. */
bool site_walk_window(struct site_walk *);

/* site_walk_next(walk, document_id, entry): get the next entry of the window;
 * false at the end of the window.  Missed entries come, too.  The entries of
 * one document come in the order of their URLs.  The entry is borrowed until
 * the next call. */
bool site_walk_next(struct site_walk *, int64_t *document_id, struct entry *);

/* site_walk_work(walk): the work so far, in microseconds, about: one for each
 * row of the block index, a hundred for each block that was decoded. */
uint64_t site_walk_work(const struct site_walk *);

#endif
