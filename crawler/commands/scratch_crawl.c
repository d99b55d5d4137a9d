/* A crawl on a temporary store: see scratch_crawl.h. */
#include "crawler/commands/scratch_crawl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "crawler/cli/out.h"
#include "crawler/event/exit.h"
#include "crawler/event/scratch.h"
#include "crawler/event/stop_signals.h"
#include "crawler/parse/page.h"
#include "crawler/stamp/manifest.h"
#include "store/query.h"

int
scratch_crawl_open(struct crawler *crawl, struct forkserver *forkserver)
{
	char *folder = scratch_folder();
	struct buf why = BUF_UP_TO(SIZE_MAX), path = {0};
	int status;

	/* The store of the configuration is not touched: what these commands
	 * read is of no use to anybody later. */
	free(crawl->options->store.path);
	crawl->options->store.path = NULL;
	if (folder == NULL)
		return complain_with(EXIT_DISK,
		    "cannot make a folder for temporary files: %s",
		    strerrordesc_np(errno));
	(void)buf_print(&path, "%s/" SCRATCH_STORE, folder);
	crawl->options->store.path = buf_take(&path);
	crawl->is_scratch = true;
	status = crawler_open(crawl, forkserver, &why);
	/* no other process can have the lock in a new folder */
	if (status == EXIT_LOCKED)
		complain("%s", buf_str(&why));
	buf_release(&why);
	/* The store is open: without names, nothing of it is left behind. */
	scratch_drop(folder);
	buf_release(&path);
	return status;
}

static void
scratch_crawl_done(void *arg)
{
	struct crawler *crawl = arg;

	loop_stop(crawl->loop);
}

void
scratch_crawl_begin(struct crawler *crawl, struct crawl_options *options)
{
	options->done = scratch_crawl_done;
	options->done_arg = crawl;
	crawl->request = run_crawl(crawl->run, options);
}

int
scratch_crawl_status(const struct crawler *crawl)
{
	return crawler_status(crawl, run_totals(crawl->run, crawl->request));
}

void
scratch_crawl_say(const struct crawler *crawl, enum diag_code code,
    struct slice url, struct slice text)
{
	if (crawl->progress != NULL)
		progress_clear(crawl->progress);
	if (code != DIAG_OK && text.len == 0)
		text = slice_of(diag_info(code)->trigger);
	complain("%.*s%s%s%s%.*s", (int)url.len, url.len > 0 ? url.p : "",
	    url.len > 0 ? ": " : "", code == DIAG_OK ? "" : diag_name(code),
	    code == DIAG_OK ? "" : ": ", (int)text.len,
	    text.len > 0 ? text.p : "");
}

/* The first signal: what is under way is given up, and the command reports on
 * what was read until now. */
static void
scratch_crawl_on_signal(void *arg, int number)
{
	struct crawler *crawl = arg;

	crawl->stopped_by = number;
	run_stop(crawl->run);
	/* the loop may be at work for what comes after the crawl */
	loop_stop(crawl->loop);
}

void
scratch_crawl_run(struct crawler *crawl)
{
	const struct options_output *output = &crawl->options->output;

	crawl->progress = progress_new(crawl->loop, output->progress,
	    output->is_quiet, run_totals(crawl->run, crawl->request));
	crawl->signals = stop_signals_new(
	    crawl->loop, scratch_crawl_on_signal, crawl);
	crawl->began_ms = loop_now_ms(crawl->loop);
	run_start(crawl->run, crawl->request);
	loop_run(crawl->loop);
	/* commit what was read, so that the report can be made of it */
	run_stop(crawl->run);
	progress_free(crawl->progress);
	crawl->progress = NULL;
}

/* The pages of a folder. */

#define JOBS 32 /* files that are open at once */

struct digest_slot {
	struct digesting *owner;
	struct manifest_page *page; /* NULL: the slot is free */
};

struct digesting {
	struct crawler *crawl;
	struct manifest *manifest;
	struct run_totals totals; /* of pages, for the progress */
	size_t next; /* page */
	size_t lost, found;
	const struct manifest_page *last; /* of the lost ones */
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
	    digesting->crawl->store, BLOCKS_OF_SEGMENT, row->id);
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
		digesting->last = slot->page;
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
		loop_stop(digesting->crawl->loop);
}

/* Give the readers further pages, as long as there are slots. */
static void
digesting_go_on(struct digesting *digesting)
{
	struct manifest *manifest = digesting->manifest;

	while (digesting->pending < JOBS && digesting->next < manifest->count) {
		struct manifest_page *page = &manifest
						  ->pages[digesting->next++];
		struct reader_job job = {.body_fd = -1};
		struct url *url = &job.scope.location.requested;
		size_t i = 0;

		digesting->totals.pages_done = digesting->next;
		scope_init(
		    &job.scope, &digesting->crawl->options->rules.profile);
		job.scope.is_page = true;
		errno = ENOENT;
		if (slice_starts(manifest_url(manifest, page),
			slice_of(manifest->site)) &&
		    url_is_normal(url, manifest_url(manifest, page)))
			job.body_fd = local_open_page(
			    digesting->crawl->local, url, &job.body_len);
		if (job.body_fd < 0) {
			if (errno == EACCES || errno == EIO ||
			    errno == EMFILE || errno == ENFILE) {
				digesting->lost++;
				digesting->last = page;
			}
			scope_release(&job.scope);
			continue;
		}
		url_copy(&job.scope.location.final, url);
		while (digesting->slots[i].page != NULL)
			i++;
		digesting->slots[i] = (struct digest_slot){digesting, page};
		digesting->pending++;
		readers_submit(digesting->crawl->readers, &job, on_digest,
		    &digesting->slots[i]);
	}
}

int
scratch_crawl_digest(
    struct crawler *crawl, struct manifest *manifest, bool *is_whole)
{
	const struct options_output *output = &crawl->options->output;
	struct digesting digesting = {.crawl = crawl,
	    .manifest = manifest,
	    .totals = *run_totals(crawl->run, crawl->request)};

	store_each_document_list(
	    crawl->store, LIST_OF_ALL, 0, listed_add_document, &digesting);
	manifest_sort(manifest);
	digesting.totals.pages = manifest->count;
	crawl->progress = progress_new(
	    crawl->loop, output->progress, output->is_quiet, &digesting.totals);
	digesting_go_on(&digesting);
	if (digesting.pending > 0)
		loop_run(crawl->loop);
	progress_free(crawl->progress);
	crawl->progress = NULL;
	*is_whole = digesting.pending == 0;
	if (!*is_whole)
		return EXIT_DONE;
	if (digesting.lost > 0)
		return complain_with(EXIT_RESOURCES,
		    "%zu files of pages could not be read, such as that of "
		    "%.*s: nothing is written",
		    digesting.lost, (int)digesting.last->len,
		    manifest->text.p + digesting.last->at);
	if (digesting.found > 0)
		return EXIT_DONE;
	return complain_with(EXIT_USAGE,
	    "no listed page has a file with text in the folder, which will be "
	    "at %s; the first one is %.*s",
	    manifest->site,
	    manifest->count > 0 ? (int)manifest->pages[0].len : 4,
	    manifest->count > 0 ? manifest->text.p + manifest->pages[0].at
				: "none");
}
