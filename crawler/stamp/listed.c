/* The listed pages of a folder. */
#include "crawler/stamp/listed.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/url.h"
#include "crawler/cli/out.h"
#include "crawler/crawl/local.h"
#include "crawler/crawl/run.h"
#include "crawler/event/exit.h"
#include "crawler/parse/page.h"
#include "crawler/sandbox/readers.h"
#include "crawler/stamp/manifest.h"
#include "store/document.h"
#include "store/query.h"
#include "store/segment/block.h"

#define JOBS 32 /* files that are open at once */

struct digest_slot {
	struct digesting *owner;
	struct manifest_page *page; /* NULL: the slot is free */
};

struct digesting {
	const struct listed_with *listed;
	struct manifest *manifest;
	size_t next; /* page */
	size_t lost, found;
	unsigned pending;
	struct digest_slot slots[JOBS];
};

static void
listed_add_document(void *arg, const struct document_list_row *row)
{
	struct digesting *digesting = arg;
	struct block_source *blocks;
	struct block_reader *reader;
	struct entry entry;

	if (row->kind != KIND_URLSET)
		return;
	blocks = block_source_new(
	    digesting->listed->store, BLOCKS_OF_SEGMENT, row->id);
	reader = block_source_reader(blocks);
	while (block_next(reader, &entry)) {
		struct manifest_page *page;

		if (entry.missed > 0)
			continue;
		page = manifest_add(digesting->manifest, entry.url);
		page->document = (uint32_t)row->id;
		page->ordinal = entry.ordinal;
		page->lastmod = entry.lastmod;
	}
	block_source_close(blocks, NULL, 0);
}

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
		digesting->found++;
	}
	content_release(content);
	slot->page = NULL;
	digesting->pending--;
	digesting_go_on(digesting);
	if (digesting->pending == 0)
		loop_stop(digesting->listed->loop);
}

/* digesting_go_on(digesting): give the readers further pages, as long as there
 * are slots. */
static void
digesting_go_on(struct digesting *digesting)
{
	struct manifest *manifest = digesting->manifest;
	const struct listed_with *listed = digesting->listed;

	while (digesting->pending < JOBS && digesting->next < manifest->count) {
		struct manifest_page *page = &manifest
						  ->pages[digesting->next++];
		struct reader_job job = {.body_fd = -1};
		struct url *url = &job.scope.location.requested;
		size_t i = 0;

		listed->totals->pages_done = digesting->next;
		scope_init(&job.scope, listed->profile);
		job.scope.is_page = true;
		errno = 0;
		if (slice_starts(manifest_url(manifest, page),
			slice_of(manifest->site)) &&
		    url_is_normal(url, manifest_url(manifest, page)))
			job.body_fd = local_open_page(
			    listed->local, url, &job.body_len);
		if (job.body_fd < 0) {
			digesting->lost += errno == EACCES || errno == EIO;
			scope_release(&job.scope);
			continue;
		}
		url_copy(&job.scope.location.final, url);
		while (digesting->slots[i].page != NULL)
			i++;
		digesting->slots[i] = (struct digest_slot){digesting, page};
		digesting->pending++;
		readers_submit(
		    listed->readers, &job, on_digest, &digesting->slots[i]);
	}
}

int
listed_read(
    const struct listed_with *listed, struct manifest *manifest, bool *is_whole)
{
	struct digesting digesting = {.listed = listed, .manifest = manifest};

	store_each_document_list(
	    listed->store, LIST_OF_ALL, 0, listed_add_document, &digesting);
	manifest_sort(manifest);
	listed->totals->pages = manifest->count;
	digesting_go_on(&digesting);
	if (digesting.pending > 0)
		loop_run(listed->loop);
	*is_whole = digesting.pending == 0;
	if (!*is_whole)
		return EXIT_DONE;
	if (digesting.lost > 0) {
		complain("%zu files of pages could not be read: nothing is "
			 "written",
		    digesting.lost);
		return EXIT_RESOURCES;
	}
	if (digesting.found > 0)
		return EXIT_DONE;
	complain("no listed page has a file with text in the folder, as "
		 "--base says where it will be");
	return EXIT_USAGE;
}
