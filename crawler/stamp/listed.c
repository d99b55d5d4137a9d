/* The listed pages of a folder. */
#include "crawler/stamp/listed.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/url.h"
#include "crawler/crawl/local.h"
#include "crawler/parse/page.h"
#include "crawler/sandbox/readers.h"
#include "crawler/stamp/manifest.h"
#include "store/document.h"
#include "store/query.h"
#include "store/segment/block.h"

#define JOBS 32 /* files that are open at once */

/* The sitemaps. */

struct listed_into {
	struct manifest *manifest;
	struct store *store;
};

static void
gather_document(void *arg, const struct document_list_row *row)
{
	struct listed_into *into = arg;
	struct block_source *blocks;
	struct block_reader *reader;
	struct entry entry;

	if (row->kind != KIND_URLSET)
		return;
	blocks = block_source_new(into->store, BLOCKS_OF_SEGMENT, row->id);
	reader = block_source_reader(blocks);
	while (block_next(reader, &entry)) {
		struct manifest_page *page;

		if (entry.missed > 0)
			continue;
		page = manifest_add(into->manifest, entry.url);
		if (page == NULL)
			break;
		page->document_id = row->id;
		page->ordinal = entry.ordinal;
		page->lastmod = entry.lastmod;
	}
	block_source_close(blocks, NULL, 0);
}

void
listed_gather(struct manifest *manifest, struct store *store)
{
	struct listed_into into = {manifest, store};

	store_each_document_list(store, LIST_OF_ALL, 0, gather_document, &into);
	manifest_sort(manifest);
}

/* The files. */

struct digest_slot {
	struct digesting *owner;
	struct manifest_page *page; /* NULL: the slot is free */
};

struct digesting {
	const struct listed_digest *with;
	struct manifest *manifest;
	size_t next; /* page */
	size_t lost;
	unsigned pending;
	struct digest_slot slots[JOBS];
};

static void digesting_go_on(struct digesting *);

static void
on_digest(void *arg, enum diag_code result, struct content *content)
{
	struct digest_slot *slot = arg;
	struct digesting *digesting = slot->owner;
	struct page_facts facts;

	if (result != DIAG_OK || !page_get(buf_text(&content->page), &facts)) {
		digesting->lost++;
	} else if (facts.text.len == sizeof(slot->page->digest.bytes)) {
		memcpy(slot->page->digest.bytes, facts.text.p, facts.text.len);
		slot->page->has_digest = true;
	}
	content_release(content);
	slot->page = NULL;
	digesting->pending--;
	digesting_go_on(digesting);
	if (digesting->pending == 0)
		loop_stop(digesting->with->loop);
}

/* digesting_go_on(digesting): give the readers further pages, as long as there
 * are slots. */
static void
digesting_go_on(struct digesting *digesting)
{
	struct manifest *manifest = digesting->manifest;
	const struct listed_digest *with = digesting->with;

	while (digesting->pending < JOBS && digesting->next < manifest->count) {
		struct manifest_page *page = &manifest
						  ->pages[digesting->next++];
		struct reader_job job = {.body_fd = -1};
		struct url *url = &job.scope.location.requested;
		size_t i = 0;

		scope_init(&job.scope, with->profile);
		job.scope.is_page = true;
		if (slice_starts(manifest_url(manifest, page),
			slice_of(manifest->site)) &&
		    url_is_normal(url, manifest_url(manifest, page)))
			job.body_fd = local_open_page(
			    with->local, url, &job.body_len);
		if (job.body_fd < 0) {
			scope_release(&job.scope);
			continue;
		}
		url_copy(&job.scope.location.final, url);
		while (digesting->slots[i].page != NULL)
			i++;
		digesting->slots[i] = (struct digest_slot){digesting, page};
		digesting->pending++;
		readers_submit(
		    with->readers, &job, on_digest, &digesting->slots[i]);
	}
}

bool
listed_digest(
    const struct listed_digest *with, struct manifest *manifest, size_t *lost)
{
	struct digesting *digesting = mem_zero(sizeof(*digesting));
	bool is_whole;

	digesting->with = with;
	digesting->manifest = manifest;
	digesting_go_on(digesting);
	if (digesting->pending > 0)
		loop_run(with->loop);
	*lost = digesting->lost;
	is_whole = digesting->pending == 0 &&
	    digesting->next == manifest->count;
	free(digesting);
	return is_whole;
}
