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
#include <sys/stat.h>
#include <unistd.h>

#include "base/civil.h"
#include "base/human.h"
#include "base/idmap.h"
#include "base/mem.h"
#include "crawler/cli/out.h"
#include "crawler/cli/targets.h"
#include "crawler/commands/commands.h"
#include "crawler/commands/scratch_crawl.h"
#include "crawler/commands/target_files.h"
#include "crawler/event/exit.h"
#include "crawler/event/scratch.h"
#include "crawler/report/report_unlisted.h"
#include "crawler/sandbox/readers.h"
#include "crawler/stamp/git_dates.h"
#include "crawler/stamp/manifest.h"
#include "store/query.h"

#define COPY_BYTES 65536

/* A sitemap or an index. */
struct stamp_document {
	int64_t id;
	char *file; /* owned */
	uint64_t seen; /* entries */
	struct digest digest; /* of its bytes, unpacked */
	/* the day of its entries that a build or one commit wrote; INT64_MIN:
	 * there is none */
	int64_t build_day;
	bool is_index;
	struct date newest; /* of its entries, once they have their dates */
	size_t set, removed, same, fileless; /* entries */
};

struct stamping {
	struct crawler crawl;
	struct target_files files;
	struct manifest_file before;
	struct manifest now;
	struct stamp_document *documents; /* owned */
	size_t count, cap;
	struct names names; /* the files of the documents, by their numbers */
	struct report_unlisted unlisted; /* sitemaps that lie in the folder */
	size_t others; /* text lists and feeds */
	size_t changes[PAGE_CHANGES]; /* pages */
	bool is_broken; /* a document could not be read to its end */
	int scratch; /* owned: a sitemap with its new dates */
	/* what became of it: entries with another date, and the digest of its
	 * bytes before */
	enum diag_code redated;
	uint64_t changed;
	struct digest digest;
};

/* The crawl of the folder. */

static void
stamp_on_problem(
    void *arg, enum diag_code code, struct slice url, struct slice text)
{
	const struct stamping *stamp = arg;

	/* sitemaps are looked for in the folder, too */
	if (code == DIAG_NO_SITEMAP_FOUND)
		return;
	scratch_crawl_say(&stamp->crawl, code, url, text);
}

/* stamp_path(stamp, url, file): append the file of the URL as the user writes
 * it. Returns its path without links, owned; NULL: the folder has none. */
static char *
stamp_path(const struct stamping *stamp, struct slice url, struct buf *file)
{
	struct stat st;

	return local_file(stamp->crawl.local, url, file) &&
		stat(buf_str(file), &st) == 0 && S_ISREG(st.st_mode)
	    ? realpath(buf_str(file), NULL)
	    : NULL;
}

static void
stamp_on_document(void *arg, struct slice url, const struct reading *reading,
    const struct profile *profile)
{
	struct stamping *stamp = arg;
	const struct content *content = &reading->content;
	struct stamp_document *document;
	struct buf file = BUF_UP_TO(SIZE_MAX);
	bool is_none = false;
	char *path;

	(void)profile;
	if (content->kind == KIND_ROBOTS)
		return;
	path = stamp_path(stamp, url, &file);
	/* gzipped, and of another kind */
	for (size_t i = 0; i < stamp->unlisted.sitemaps.count &&
	     reading->failure == DIAG_UNSUPPORTED_FORMAT;
	     i++)
		is_none |= stamp->unlisted.sitemaps.items[i].is_unsure &&
		    slice_is(url, stamp->unlisted.sitemaps.items[i].url);
	if (is_none) {
		free(path);
		buf_release(&file);
		return;
	}
	if (path == NULL || reading->failure != DIAG_OK ||
	    !content->is_complete) {
		enum diag_code code = reading->failure != DIAG_OK
		    ? reading->failure
		    : DIAG_PARTIAL_DOCUMENT;

		complain("%.*s could not be read to its end (%s): freshet "
			 "check says more",
		    (int)url.len, url.p, diag_info(code)->code);
		stamp->is_broken = true;
	} else if (content->kind != KIND_URLSET &&
	    content->kind != KIND_INDEX) {
		stamp->others++;
	} else if (names_find(&stamp->names, slice_of(path)) == NAMES_NONE) {
		(void)names_put(&stamp->names, slice_of(path));
		document = MEM_PUSH(stamp->documents, stamp->count, stamp->cap);
		*document = (struct stamp_document){.id = reading->document_id,
		    .file = buf_take(&file),
		    .seen = content->seen,
		    .digest = content->decoded_digest,
		    .build_day = content->build_s == 0
			? INT64_MIN
			: (int64_t)content->build_s / DAY_S,
		    .is_index = content->kind == KIND_INDEX};
	}
	free(path);
	buf_release(&file);
}

/* Returns EXIT_DONE, or the exit status after one line on stderr. */
static int
stamp_read_folder(struct stamping *stamp, struct forkserver *forkserver)
{
	struct crawler *crawl = &stamp->crawl;
	struct report_unlisted *unlisted = &stamp->unlisted;
	struct crawl_options request;
	struct buf target = BUF_UP_TO(SIZE_MAX);
	bool is_good;
	int status;

	crawl->checks.hash_key = network_key();
	stamp->names.key = crawl->checks.hash_key;
	status = scratch_crawl_open(crawl, forkserver);
	if (status != EXIT_DONE)
		return status;
	request = crawler_request(crawl);
	request.document = stamp_on_document;
	request.problem = stamp_on_problem;
	request.arg = stamp;
	scratch_crawl_begin(crawl, &request);
	/* the folder, and all sitemaps that lie in it */
	report_unlisted_init(
	    unlisted, &stamp->files.base, crawl->local, crawl->checks.hash_key);
	local_walk(crawl->local, report_unlisted_file, unlisted, &target);
	if (target.len > 0) {
		complain("'%s' may not be read: nothing is written",
		    buf_str(&target));
		buf_release(&target);
		return EXIT_FINDINGS;
	}
	is_good = target_files_ask(&stamp->files, crawl,
	    crawl->options->targets.args.items[0], &target);
	for (size_t i = 0; is_good && i < unlisted->sitemaps.count; i++)
		is_good = run_target(crawl->run, crawl->request,
			      slice_of(unlisted->sitemaps.items[i].url)) ==
		    DIAG_OK;
	buf_release(&target);
	if (!is_good)
		return EXIT_USAGE;
	scratch_crawl_run(crawl);
	if (crawler_complain(crawl) || crawl->stopped_by != 0)
		return scratch_crawl_status(crawl);
	if (stamp->is_broken)
		return EXIT_FINDINGS;
	if (stamp->count > 0)
		return EXIT_DONE;
	return complain_with(
	    EXIT_NO_TARGET, "there is no sitemap in '%s'", stamp->files.root);
}

/* The dates. */

/* From now on the page has the date that its entries get. */
static void
stamp_on_page(void *arg, enum manifest_change change,
    struct manifest_page *page, const struct date *before)
{
	struct stamping *stamp = arg;
	struct date seen = {.epoch_s = before->epoch_s,
	    .precision = DATE_SECOND,
	    .zone = ZONE_EXPLICIT,
	    .offset = DATE_OFFSET_UTC};

	stamp->changes[change]++;
	switch (change) {
	case PAGE_SAME:
	case PAGE_MOVED_ONLY:
	case PAGE_RENAMED:
		/* A page that has no date yet may get that of the sitemap, if
		 * it had passed when its text was first seen. */
		if (before->precision != DATE_NONE ||
		    page->lastmod.precision == DATE_NONE ||
		    date_order(&page->lastmod, &seen) > 0 ||
		    !date_differs(&page->lastmod, &seen))
			page->lastmod = *before;
		break;
	case PAGE_NEW:
	case PAGE_CHANGED:
	case PAGE_CHANGED_ONLY:
		page->lastmod = (struct date){
		    .epoch_s = stamp->crawl.options->now_s,
		    .precision = DATE_SECOND,
		    .zone = ZONE_EXPLICIT,
		    .offset = DATE_OFFSET_UTC};
		break;
	case PAGE_UNKNOWN:
	case PAGE_CHANGES:
		break;
	}
}

/* What becomes of its date? It is appended to out: see redate.h. */
static void
stamp_entry(struct stamping *stamp, struct stamp_document *document,
    const struct entry *entry, struct buf *out)
{
	const struct manifest_page *page;
	const struct date *date = NULL;
	uint32_t number;

	if (document->is_index) {
		/* an index that has no date of a sitemap gets none */
		struct buf file = BUF_UP_TO(SIZE_MAX);
		char *path;

		path = stamp_path(stamp, entry->url, &file);
		number = path == NULL
		    ? NAMES_NONE
		    : names_find(&stamp->names, slice_of(path));
		free(path);
		buf_release(&file);
		if (number != NAMES_NONE &&
		    entry->lastmod.precision != DATE_NONE &&
		    !stamp->documents[number].is_index)
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
		document->fileless += !document->is_index;
		document->same += document->is_index;
	} else if (date->precision == DATE_NONE) {
		(void)buf_put_char(out, '-');
		document->same++;
	} else if (entry->lastmod.precision == DATE_NONE ||
	    entry->lastmod.nanos != date->nanos ||
	    date_differs(date, &entry->lastmod)) {
		date_print(out, date);
		document->set++;
	} else {
		document->same++;
	}
}

static void
stamp_on_redated(void *arg, enum diag_code result, struct content *content)
{
	struct stamping *stamp = arg;

	stamp->redated = result;
	stamp->changed = content->accepted;
	stamp->digest = content->decoded_digest;
	content_release(content);
	loop_stop(stamp->crawl.loop);
}

/* stamp_document(stamp, document, writes): let a reader write the document with
 * its dates into the scratch file, and copy that over it if they differ.
 * Returns EXIT_DONE, or the exit status after one line on stderr. */
static int
stamp_document(
    struct stamping *stamp, struct stamp_document *document, bool writes)
{
	static const struct options_output plain;
	struct block_source *blocks = block_source_new(
	    stamp->crawl.store, BLOCKS_OF_SEGMENT, document->id);
	struct block_reader *reader = block_source_reader(blocks);
	struct reader_job job = {.out_fd = stamp->scratch};
	/* by number of the entry: where its date is in text */
	struct section {
		size_t at, len;
	} *dates = mem_zero((document->seen + 1) * sizeof(*dates));
	struct buf text = BUF_UP_TO(SIZE_MAX), lines = BUF_UP_TO(SIZE_MAX);
	struct entry entry;
	struct stat st;
	struct out out;
	ssize_t n;

	/* Which dates do the entries get? */
	document->newest = (struct date){0};
	document->set = document->same = document->fileless = 0;
	while (block_next(reader, &entry)) {
		size_t at = text.len;

		if (entry.missed > 0 || entry.ordinal >= document->seen)
			continue;
		stamp_entry(stamp, document, &entry, &text);
		dates[entry.ordinal] = (struct section){at, text.len - at};
	}
	block_source_close(blocks, NULL, 0);
	for (size_t i = 0; i < document->seen; i++) {
		(void)buf_put_slice(
		    &lines, slice_make(text.p + dates[i].at, dates[i].len));
		(void)buf_put_char(&lines, '\n');
	}
	free(dates);
	buf_release(&text);
	/* A reader writes them. */
	scope_init(&job.scope, &stamp->crawl.options->rules.profile);
	job.scope.dates = buf_take(&lines);
	job.body_fd = open(document->file, O_RDONLY | O_CLOEXEC);
	stamp->redated = DIAG_READER_KILLED;
	if (job.body_fd >= 0 && fstat(job.body_fd, &st) == 0) {
		job.body_len = (uint64_t)st.st_size;
		readers_submit(
		    stamp->crawl.readers, &job, stamp_on_redated, stamp);
		loop_run(stamp->crawl.loop);
	} else {
		scope_release(&job.scope);
	}
	if (stamp->crawl.stopped_by != 0)
		return scratch_crawl_status(&stamp->crawl);
	if (stamp->redated == DIAG_PARSE_ERROR ||
	    (stamp->redated == DIAG_OK &&
		memcmp(&stamp->digest, &document->digest,
		    sizeof(stamp->digest)) != 0))
		return complain_with(EXIT_FINDINGS,
		    "the entries of '%s' cannot be told apart in its bytes, or "
		    "it changed while it was read",
		    document->file);
	if (stamp->redated != DIAG_OK)
		return complain_with(EXIT_RESOURCES,
		    "'%s' could not be read again, or there is no room for "
		    "temporary files",
		    document->file);
	/* also those that are no dates */
	document->removed = stamp->changed - document->set;
	document->same -= document->removed;
	if (!writes || stamp->changed == 0)
		return EXIT_DONE;
	if (lseek(stamp->scratch, 0, SEEK_SET) != 0 ||
	    !out_init_file(&out, &plain, document->file))
		return EXIT_DISK;
	out.is_raw = true;
	do {
		if (!buf_reserve(&out.text, COPY_BYTES)) {
			out.error = ENOMEM; /* a cut sitemap is no sitemap */
			break;
		}
		n = read(stamp->scratch, out.text.p + out.text.len, COPY_BYTES);
		if (n > 0)
			out.text.len += (size_t)n;
		if (n < 0)
			out.error = errno;
	} while (n > 0 && out_flush(&out));
	return out_finish(&out);
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
		(void)buf_print(&out.text,
		    ": %s set, %zu taken out, %zu stay; %zu "
		    "entries without a file or text stay",
		    human_of(document->set, "date").text, document->removed,
		    document->same, document->fileless);
		out_end_line(&out);
	}
	if (stamp->before.file != NULL) {
		(void)buf_print(&out.text,
		    "since the last run: %s changed, %zu new, %zu "
		    "moved, %zu as before, %zu without a file or text",
		    human_of(stamp->changes[PAGE_CHANGED] +
			    stamp->changes[PAGE_CHANGED_ONLY],
			"page")
			.text,
		    stamp->changes[PAGE_NEW], stamp->changes[PAGE_RENAMED],
		    stamp->changes[PAGE_SAME] + stamp->changes[PAGE_MOVED_ONLY],
		    stamp->changes[PAGE_UNKNOWN]);
		out_end_line(&out);
	}
	if (stamp->others > 0) {
		(void)buf_print(
		    &out.text, "%zu text lists and feeds stay", stamp->others);
		out_end_line(&out);
	}
	return out_finish(&out);
}

/* All of it, with the folder locked. Returns the exit status. */
static int
stamp_run(struct stamping *stamp, struct forkserver *forkserver)
{
	struct crawler *crawl = &stamp->crawl;
	const struct options_check *asked = &crawl->options->check;
	struct idmap numbers = {0};
	bool is_whole = true;
	int status;

	stamp->now.site = slice_dup(url_directory(&stamp->files.base));
	stamp->now.at_s = crawl->options->now_s;
	status = manifest_open(
	    &stamp->before, asked->manifest, stamp->now.site, asked->is_first);
	if (status == EXIT_DONE)
		status = stamp_read_folder(stamp, forkserver);
	if (status == EXIT_DONE)
		status = scratch_crawl_digest(crawl, &stamp->now, &is_whole);
	if (status == EXIT_DONE && !is_whole)
		status = scratch_crawl_status(crawl);
	if (status != EXIT_DONE)
		return status;
	/* Dates that stand are kept, those of a build are taken out. */
	for (size_t i = 0; i < stamp->count; i++)
		idmap_put(&numbers, stamp->documents[i].id, (uint32_t)i);
	for (size_t i = 0; i < stamp->now.count; i++) {
		struct manifest_page *page = &stamp->now.pages[i];
		uint32_t number = idmap_get(&numbers, page->document);

		if (number != IDMAP_NONE && page->has_digest &&
		    page->lastmod.epoch_s / DAY_S ==
			stamp->documents[number].build_day)
			page->lastmod = (struct date){0};
	}
	free(numbers.slots);
	if (stamp->before.file != NULL)
		status = manifest_compare(
		    &stamp->before, &stamp->now, stamp_on_page, stamp);
	else if (asked->has_git)
		status = git_dates(&stamp->now, crawl->checks.hash_key);
	stamp->scratch = scratch_fd(NULL);
	if (status == EXIT_DONE && stamp->scratch < 0)
		status = complain_with(
		    EXIT_DISK, "cannot make a temporary file");
	/* All that can go wrong, before anything is written; then the manifest,
	 * and then sitemaps before indexes, whose dates are theirs. */
	for (unsigned pass = 0; pass < 4 && status == EXIT_DONE; pass++) {
		if (pass == 2 && asked->is_dry)
			break;
		if (pass == 2)
			status = manifest_write(&stamp->now, asked->manifest);
		for (size_t i = 0; status == EXIT_DONE && i < stamp->count; i++)
			if (stamp->documents[i].is_index == pass % 2)
				status = stamp_document(
				    stamp, &stamp->documents[i], pass >= 2);
	}
	return status != EXIT_DONE || crawl->options->output.is_quiet
	    ? status
	    : stamp_print(stamp);
}

int
command_stamp(struct options *options, struct forkserver *forkserver)
{
	struct stamping stamp = {.crawl = {.options = options}, .scratch = -1};
	const struct strings *args = &options->targets.args;
	const char *wrong;
	struct stat st;
	int status, lock = -1;

	manifest_init(&stamp.now);
	wrong = options->check.base == NULL
	    ? "stamp needs --base URL: where the folder will be published"
	    : options->check.manifest == NULL
	    ? "stamp needs --manifest FILE, which it keeps from run to run"
	    : stat(args->items[0], &st) == 0 && !S_ISDIR(st.st_mode)
	    ? "stamp needs a folder"
	    : options->check.has_git && !options->check.is_first
	    ? "--git needs --init"
	    : NULL;
	if (wrong != NULL)
		complain("%s", wrong);
	status = wrong != NULL ? EXIT_USAGE
			       : target_files_init(&stamp.files, &stamp.crawl);
	if (status == EXIT_DONE && !stamp.files.is_folder)
		status = complain_with(EXIT_USAGE, "stamp needs a folder");
	if (status == EXIT_DONE) {
		lock = open(
		    stamp.files.root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (lock < 0 || flock(lock, LOCK_EX | LOCK_NB) != 0)
			status = complain_with(EXIT_LOCKED,
			    "cannot lock '%s': %s", stamp.files.root,
			    errno == EWOULDBLOCK
				? "another freshet stamp is at work there"
				: strerrordesc_np(errno));
	}
	if (status == EXIT_DONE)
		status = stamp_run(&stamp, forkserver);
	crawler_close(&stamp.crawl);
	for (size_t i = 0; i < stamp.count; i++)
		free(stamp.documents[i].file);
	free(stamp.documents);
	names_release(&stamp.names);
	report_unlisted_release(&stamp.unlisted);
	manifest_close(&stamp.before);
	manifest_release(&stamp.now);
	target_files_release(&stamp.files);
	if (stamp.scratch >= 0)
		(void)close(stamp.scratch);
	if (lock >= 0)
		(void)close(lock);
	return status;
}
