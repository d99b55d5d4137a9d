/*
 * freshet stamp: write true dates into the sitemaps of a folder that is not
 * published yet.
 *
 *	a crawl of the folder -> its pages and their digests -> compared with
 *	the manifest, each page has its date -> can all dates be written? ->
 *	the manifest -> the sitemaps
 *
 * The manifest is written before the first sitemap. A run after a kill finds
 * the dates there, whose digests are those of the pages, and writes them.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/civil.h"
#include "base/mem.h"
#include "base/names.h"
#include "crawler/cli/out.h"
#include "crawler/cli/textfile.h"
#include "crawler/commands/commands.h"
#include "crawler/commands/scratch_crawl.h"
#include "crawler/commands/target_files.h"
#include "crawler/event/exit.h"
#include "crawler/stamp/listed.h"
#include "crawler/stamp/manifest.h"
#include "crawler/stamp/patch.h"
#include "store/query.h"

#define SITEMAP_MAX_BYTES (UINT32_C(256) << 20)
#define BUILD_LEAST 5 /* dates of one day that may be those of a build */

/* A sitemap or an index. */
struct stamp_document {
	int64_t id;
	char *file; /* owned */
	char *places; /* owned: see patch_dates() */
	size_t places_len;
	uint64_t seen; /* entries */
	struct digest digest; /* of its bytes */
	bool is_index;
	bool is_kept; /* it stays as it is */
	struct date newest; /* of its entries, once they have their dates */
	size_t set, removed, same, fileless; /* entries */
};

struct stamping {
	struct crawler crawl;
	struct target_files files;
	struct manifest before, now;
	struct stamp_document *documents; /* owned */
	size_t count, cap;
	struct names urls; /* of the documents, by their numbers */
	size_t others; /* text lists and feeds */
	bool is_broken; /* a document could not be read to its end */
};

/* The crawl of the folder. */

static void
stamp_on_problem(
    void *arg, enum diag_code code, struct slice url, struct slice text)
{
	(void)arg;
	if (code != DIAG_OK && text.len == 0)
		text = slice_of(diag_info(code)->trigger);
	complain("%.*s%s%.*s", (int)url.len, url.len > 0 ? url.p : "",
	    url.len > 0 ? ": " : "", (int)text.len, text.len > 0 ? text.p : "");
}

static void
stamp_on_document(void *arg, struct slice url, const struct reading *reading,
    const struct profile *profile)
{
	struct stamping *stamp = arg;
	const struct content *content = &reading->content;
	struct stamp_document *document;
	struct buf file;

	(void)profile;
	/* names that were only guessed need not exist */
	if (content->kind == KIND_ROBOTS || reading->http.status != 200)
		return;
	buf_init(&file, SIZE_MAX);
	if (!local_file(stamp->crawl.local, url, &file) ||
	    reading->failure != DIAG_OK || !content->is_complete) {
		complain("%.*s could not be read to its end: freshet check "
			 "says why",
		    (int)url.len, url.p);
		stamp->is_broken = true;
	} else if (content->kind != KIND_URLSET &&
	    content->kind != KIND_INDEX) {
		stamp->others++;
	} else if (names_find(&stamp->urls, url) == NAMES_NONE) {
		(void)names_put(&stamp->urls, url);
		stamp->documents = mem_grow(stamp->documents, &stamp->cap,
		    stamp->count + 1, sizeof(*stamp->documents));
		document = &stamp->documents[stamp->count++];
		*document = (struct stamp_document){.id = reading->document_id,
		    .file = buf_take(&file),
		    .places = slice_dup(buf_text(&content->lines)),
		    .places_len = content->lines.len,
		    .seen = content->seen,
		    .digest = content->decoded_digest,
		    .is_index = content->kind == KIND_INDEX,
		    /* what is packed stays packed, and as it is */
		    .is_kept = content->gzip_layers > 0 ||
			!content->is_scanned};
	}
	buf_release(&file);
}

/* Returns EXIT_DONE, or the exit status after one line on stderr. */
static int
stamp_read_folder(struct stamping *stamp, struct forkserver *forkserver)
{
	struct crawler *crawl = &stamp->crawl;
	struct crawl_options request;
	struct buf target;
	int status;

	crawl->checks = (struct read_checks){
	    .has_places = true, .hash_key = network_key()};
	stamp->urls.key = crawl->checks.hash_key;
	crawl->files = &stamp->files.options;
	status = scratch_crawl_open(crawl, forkserver);
	if (status != EXIT_DONE)
		return status;
	request = crawler_request(crawl);
	request.document = stamp_on_document;
	request.problem = stamp_on_problem;
	request.done = scratch_crawl_done;
	request.done_arg = crawl;
	request.arg = stamp;
	crawl->request = run_crawl(crawl->run, &request);
	buf_init(&target, SIZE_MAX);
	if (!target_files_target(&stamp->files, crawl->local,
		crawl->options->targets.args.items[0], &target) ||
	    run_target(crawl->run, crawl->request, buf_text(&target)) !=
		DIAG_OK)
		status = EXIT_USAGE;
	buf_release(&target);
	if (status != EXIT_DONE)
		return status;
	scratch_crawl_run(crawl);
	if (crawler_complain(crawl) || crawl->stopped_by != 0)
		return crawler_status(
		    crawl, run_totals(crawl->run, crawl->request));
	if (stamp->is_broken)
		return EXIT_FINDINGS;
	if (stamp->count > 0)
		return EXIT_DONE;
	complain("there is no sitemap in '%s'", stamp->files.root);
	return EXIT_NO_TARGET;
}

/* The dates. */

/* stamp_build_day(now): the day that half of the dates or more are of, if
 * these are enough: a build wrote them; INT64_MIN: there is none. */
static int64_t
stamp_build_day(const struct manifest *now)
{
	int64_t day = INT64_MIN;
	size_t dated = 0, votes = 0, count = 0;

	/* the one that may have half of the votes (Boyer and Moore) */
	for (size_t i = 0; i < now->count; i++) {
		const struct date *date = &now->pages[i].lastmod;
		int64_t of = date->epoch_s / DAY_S;

		if (date->precision == DATE_NONE)
			continue;
		dated++;
		if (votes == 0)
			day = of;
		if (of == day)
			votes++;
		else
			votes--;
	}
	for (size_t i = 0; i < now->count; i++)
		count += now->pages[i].lastmod.precision != DATE_NONE &&
		    now->pages[i].lastmod.epoch_s / DAY_S == day;
	return count >= BUILD_LEAST && 2 * count >= dated ? day : INT64_MIN;
}

/* stamp_date_pages(stamp): from now on the pages in stamp->now have the dates
 * that their entries get. */
static void
stamp_date_pages(struct stamping *stamp)
{
	struct manifest *now = &stamp->now;
	bool is_first = stamp->before.at_s == 0;
	int64_t build = is_first ? stamp_build_day(now) : INT64_MIN;
	size_t same = 0, changed = 0;

	for (size_t i = 0; i < now->count; i++) {
		struct manifest_page *page = &now->pages[i];
		struct slice url = manifest_url(now, page);

		if (is_first && page->lastmod.precision != DATE_NONE &&
		    page->lastmod.epoch_s / DAY_S == build)
			page->lastmod = (struct date){0};
		if (is_first)
			continue;
		switch (manifest_compare(&stamp->before, url, page)) {
		case PAGE_SAME:
		case PAGE_MOVED_ONLY:
			page->lastmod = manifest_find(&stamp->before, url)
					    ->lastmod;
			same++;
			break;
		case PAGE_NEW:
		case PAGE_CHANGED:
		case PAGE_CHANGED_ONLY:
			page->lastmod = (struct date){.epoch_s = now->at_s,
			    .precision = DATE_SECOND,
			    .zone = ZONE_EXPLICIT,
			    .offset = DATE_OFFSET_UTC};
			changed++;
			break;
		case PAGE_UNKNOWN:
		case PAGE_CHANGES:
			break;
		}
	}
	/* where nothing happened, the manifest stays to the byte */
	if (changed == 0 && same == stamp->before.count && !is_first)
		now->at_s = stamp->before.at_s;
}

/* stamp_entry(stamp, document, entry, patch): what becomes of its date? */
static void
stamp_entry(struct stamping *stamp, struct stamp_document *document,
    const struct entry *entry, struct patch *patch)
{
	const struct manifest_page *page;
	const struct date *date = NULL;
	uint32_t number;

	if (document->is_index) {
		/* an index that has no date of a sitemap gets none */
		number = names_find(&stamp->urls, entry->url);
		if (number != NAMES_NONE &&
		    entry->lastmod.precision != DATE_NONE &&
		    !stamp->documents[number].is_index &&
		    !stamp->documents[number].is_kept)
			date = &stamp->documents[number].newest;
	} else {
		page = manifest_find(&stamp->now, entry->url);
		if (page != NULL && page->has_digest)
			date = &page->lastmod;
		if (date_order(date == NULL ? &entry->lastmod : date,
			&document->newest) > 0)
			document->newest = date == NULL ? entry->lastmod
							: *date;
	}
	if (date == NULL) {
		document->fileless++;
	} else if (date->precision == DATE_NONE) {
		patch->action = PATCH_REMOVES;
		document->removed += entry->lastmod.precision != DATE_NONE;
		document->same += entry->lastmod.precision == DATE_NONE;
	} else if (entry->lastmod.precision == DATE_NONE ||
	    date_differs(date, &entry->lastmod)) {
		*patch = (struct patch){PATCH_SETS, *date};
		document->set++;
	} else {
		document->same++;
	}
}

/*
 * stamp_document(stamp, document, writes): make the text of the document anew,
 * and write it if it differs. Returns EXIT_DONE, or the exit status after one
 * line on stderr.
 */
static int
stamp_document(
    struct stamping *stamp, struct stamp_document *document, bool writes)
{
	static const struct options_output plain;
	struct patch *patches = mem_zero(
	    (document->seen + 1) * sizeof(*patches));
	struct block_source *blocks = block_source_new(
	    stamp->crawl.store, BLOCKS_OF_SEGMENT, document->id);
	struct block_reader *reader = block_source_reader(blocks);
	struct digester *digester = digester_new();
	struct digest digest;
	struct entry entry;
	struct buf text, made;
	struct out out;
	int status = EXIT_DISK;

	document->newest = (struct date){0};
	document->set = document->removed = 0;
	document->same = document->fileless = 0;
	while (block_next(reader, &entry))
		if (entry.missed == 0 && entry.ordinal < document->seen)
			stamp_entry(
			    stamp, document, &entry, &patches[entry.ordinal]);
	block_source_close(blocks, NULL, 0);
	buf_init(&text, SITEMAP_MAX_BYTES);
	buf_init(&made, 2 * (size_t)SITEMAP_MAX_BYTES);
	if (document->is_kept) {
		status = EXIT_DONE;
	} else if (textfile_read(document->file, &text)) {
		digester_feed(digester, buf_text(&text));
		digest = digester_value(digester);
		if (memcmp(&digest, &document->digest, sizeof(digest)) != 0)
			complain(
			    "'%s' changed while it was read", document->file);
		else if (!patch_dates(&made, buf_text(&text),
			     slice_make(document->places, document->places_len),
			     patches, document->seen))
			complain("the entries of '%s' cannot be found in it",
			    document->file);
		else if (!writes ||
		    slice_equal(buf_text(&made), buf_text(&text)))
			status = EXIT_DONE;
		else if (out_init_file(&out, &plain, document->file)) {
			out.is_raw = true;
			(void)buf_put_slice(&out.text, buf_text(&made));
			status = out_finish(&out);
		}
	}
	digester_free(digester);
	buf_release(&text);
	buf_release(&made);
	free(patches);
	return status;
}

/* stamp_all(stamp, writes): sitemaps first, since the dates of an index are
 * those of its sitemaps. */
static int
stamp_all(struct stamping *stamp, bool writes)
{
	int status = EXIT_DONE;

	for (unsigned is_index = 0; is_index < 2; is_index++)
		for (size_t i = 0; status == EXIT_DONE && i < stamp->count; i++)
			if (stamp->documents[i].is_index == is_index)
				status = stamp_document(
				    stamp, &stamp->documents[i], writes);
	return status;
}

/* What was done, a line for each document. */
static int
stamp_print(const struct stamping *stamp)
{
	const struct options *options = stamp->crawl.options;
	struct out out;

	out_init(&out, &options->output);
	for (size_t i = 0; i < stamp->count; i++) {
		const struct stamp_document *document = &stamp->documents[i];

		out_text(&out, slice_of(document->file));
		if (document->is_kept)
			(void)buf_print(&out.text,
			    ": stays as it is: it is packed, or written in a "
			    "way that only a full parser reads");
		else
			(void)buf_print(&out.text,
			    ": %zu dates set, %zu taken out, %zu stay; %zu "
			    "entries without a file stay",
			    document->set, document->removed, document->same,
			    document->fileless);
		out_end_line(&out);
	}
	if (stamp->others > 0) {
		(void)buf_print(
		    &out.text, "%zu text lists and feeds stay", stamp->others);
		out_end_line(&out);
	}
	return out_finish(&out);
}

/* stamp_run(stamp, forkserver): all of it, with the folder locked. Returns the
 * exit status. */
static int
stamp_run(struct stamping *stamp, struct forkserver *forkserver)
{
	struct crawler *crawl = &stamp->crawl;
	const struct options_check *asked = &crawl->options->check;
	struct listed_digest with = {.profile = &crawl->options->rules.profile};
	size_t lost = 0;
	int status = manifest_read(
	    &stamp->before, asked->manifest, asked->is_first);

	stamp->now.site = slice_dup(url_directory(&stamp->files.base));
	stamp->now.at_s = crawl->options->now_s;
	if (status == EXIT_DONE && stamp->before.site != NULL &&
	    strcmp(stamp->before.site, stamp->now.site) != 0) {
		complain("'%s' is the manifest of %s, and not of %s",
		    asked->manifest, stamp->before.site, stamp->now.site);
		status = EXIT_USAGE;
	}
	if (status == EXIT_DONE)
		status = stamp_read_folder(stamp, forkserver);
	if (status != EXIT_DONE)
		return status;
	listed_gather(&stamp->now, crawl->store);
	with.loop = crawl->loop;
	with.readers = crawl->readers;
	with.local = crawl->local;
	if (!listed_digest(&with, &stamp->now, &lost))
		return crawler_status(
		    crawl, run_totals(crawl->run, crawl->request));
	if (lost > 0) {
		complain(
		    "%zu files could not be read: nothing is written", lost);
		return EXIT_RESOURCES;
	}
	stamp_date_pages(stamp);
	/* all that can go wrong, before anything is written */
	status = stamp_all(stamp, false);
	if (status == EXIT_DONE && !asked->is_dry)
		status = manifest_write(&stamp->now, asked->manifest);
	if (status == EXIT_DONE && !asked->is_dry)
		status = stamp_all(stamp, true);
	return status == EXIT_DONE ? stamp_print(stamp) : status;
}

int
command_stamp(struct options *options, struct forkserver *forkserver)
{
	struct stamping stamp = {.crawl = {.options = options}};
	const struct string_list *args = &options->targets.args;
	char room[128];
	int status, lock = -1;

	manifest_init(&stamp.before);
	manifest_init(&stamp.now);
	status = target_files_init(&stamp.files, options);
	if (status == EXIT_DONE &&
	    (args->count != 1 || !stamp.files.is_folder ||
		options->check.manifest == NULL)) {
		complain("stamp needs one folder, --base URL and "
			 "--manifest FILE");
		status = EXIT_USAGE;
	}
	if (status == EXIT_DONE) {
		lock = open(
		    stamp.files.root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (lock < 0 || flock(lock, LOCK_EX | LOCK_NB) != 0) {
			complain("cannot lock '%s': %s", stamp.files.root,
			    errno == EWOULDBLOCK
				? "another freshet stamp is at work there"
				: strerror_r(errno, room, sizeof(room)));
			status = EXIT_LOCKED;
		}
	}
	if (status == EXIT_DONE)
		status = stamp_run(&stamp, forkserver);
	crawler_close(&stamp.crawl);
	for (size_t i = 0; i < stamp.count; i++) {
		free(stamp.documents[i].file);
		free(stamp.documents[i].places);
	}
	free(stamp.documents);
	names_release(&stamp.urls);
	manifest_release(&stamp.before);
	manifest_release(&stamp.now);
	url_release(&stamp.files.base);
	free(stamp.files.root);
	if (lock >= 0)
		(void)close(lock);
	return status;
}
