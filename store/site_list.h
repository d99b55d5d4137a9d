/* The URLs that the documents of a site list, each URL once, in the order of
 * their bytes. */
#ifndef FRESHET_SITE_LIST_H
#define FRESHET_SITE_LIST_H

#include <stdbool.h>
#include <stdint.h>

#include "store/segment/entry.h"

struct store;
struct site_list;

/* site_list_new(store, site_id): the list of a site.  Nobody may write to the
 * store before the list is freed.  Memory does not grow with the site. */
struct site_list *site_list_new(struct store *, int64_t site_id);
/* site_list_new_after(store, site_id, url): only URLs after that one, in fewer
 * at a time: for a caller that takes some thousand of them. */
struct site_list *site_list_new_after(
    struct store *, int64_t site_id, struct slice url);
void site_list_free(struct site_list *);

/*
 * site_list_next(list, document_id, entry):
 * Get the next URL, with the entry of the first document that lists the URL and
 * may list it, or else of the first document that lists it.  The entry is
 * missed if no document lists the URL any more; document_id is 0 if the page
 * left a window (left_page.h), whose entry then has no more than its URL and
 * verdict.  The entry is borrowed until the next call.  Returns false at the
 * end.
 */
bool site_list_next(struct site_list *, int64_t *document_id, struct entry *);

#endif
