/*
 * The URLs that a site lists, each of them once, in the order of their bytes,
 * whichever of its documents list them.
 */
#ifndef FRESHET_SITE_LIST_H
#define FRESHET_SITE_LIST_H

#include <stdbool.h>
#include <stdint.h>

#include "store/segment/entry.h"

struct store;
struct site_list;

/* site_list_new(store, site_id): what stands in the store by now, which is not
 * to be written to meanwhile.  Memory does not grow with the site. */
struct site_list *site_list_new(struct store *, int64_t site_id);
void site_list_free(struct site_list *);

/*
 * site_list_next(list, document_id, entry): of the documents that list a URL
 * the first that may, else the first; it is missed where none lists it any
 * more.  Borrowed until the next; false at the end.
 */
bool site_list_next(struct site_list *, int64_t *document_id, struct entry *);

#endif
