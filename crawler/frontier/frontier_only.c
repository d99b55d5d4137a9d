/* Some sites of a store. */
#include "crawler/frontier/frontier_only.h"

#include <stdlib.h>

#include "base/mem.h"
#include "store/document.h"
#include "store/lookup.h"
#include "store/page.h"
#include "store/site.h"

void
frontier_only_add(struct frontier_only *only, int64_t site_id)
{
	if (site_id <= 0 || idmap_get(&only->seen, site_id) != IDMAP_NONE)
		return;
	idmap_put(&only->seen, site_id, 1);
	*MEM_PUSH(only->ids, only->count, only->cap) = site_id;
}

struct adding {
	struct frontier_only *only;
	struct store *store;
};

static bool
only_add_document(void *arg, const struct document_row *row)
{
	const struct adding *adding = arg;

	frontier_only_add(adding->only, row->document.site_id);
	return true;
}

/* Add the site of a document; what the document lists there counts for
 * nothing. */
static void
only_add_listing(void *arg, int64_t document_id, const struct entry *entry)
{
	const struct adding *adding = arg;
	struct document_list_row row;
	struct buf url = BUF_UP_TO(URL_MAX_BYTES);

	(void)entry;
	if (store_document_list(adding->store, document_id, &row, &url))
		frontier_only_add(adding->only, row.site_id);
	buf_release(&url);
}

void
frontier_only_url(
    struct frontier_only *only, struct store *store, struct slice url)
{
	struct adding adding = {only, store};
	int64_t page = store_page_find(store, url);
	struct page_row row;

	frontier_only_add(only, store_site_find(store, url_parts(url).host));
	store_each_document(
	    store, DOCUMENTS_AT, url, only_add_document, &adding);
	if (page > 0 && store_page_get(store, page, &row))
		only_add_listing(&adding, row.document_id, NULL);
	store_each_listing(store, url, only_add_listing, &adding);
}

void
frontier_only_release(struct frontier_only *only)
{
	free(only->ids);
	free(only->seen.slots);
	*only = (struct frontier_only){0};
}
