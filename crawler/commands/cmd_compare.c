/*
 * freshet compare: the same bytes under strict, google and lenient.
 *
 *	a crawl under lenient keeps every body -> when all proofs are known, the
 *	reader reads each body once under each profile -> three sorted lists of
 *	URLs become groups of differences, which are printed at the end
 *
 * Each document is compared by itself. An index that may not list a child under
 * a profile differs there, and the child is read under that profile all the
 * same.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <unistd.h>

#include "base/human.h"
#include "base/idmap.h"
#include "base/mem.h"
#include "base/out_json.h"
#include "base/sort.h"
#include "crawler/cli/out.h"
#include "crawler/commands/commands.h"
#include "crawler/commands/scratch_crawl.h"
#include "crawler/commands/target_files.h"
#include "crawler/event/exit.h"
#include "crawler/event/scratch.h"

#define PROFILES 3 /* the profiles of enum profile_name */
#define ALL ((1u << PROFILES) - 1)
#define SAMPLES 3 /* URLs shown of a group, unless all are wanted */
#define COLUMN 12

enum compare_what { DIFFERS_DOCUMENT, DIFFERS_URL, DIFFERS_DATE };

enum { DOCUMENTS, URLS, DATED, TOTALS };

struct compare_document {
	char *url; /* owned */
	uint64_t offset, body_len; /* of its body in the file of bodies */
	struct buf scope; /* of its reading in the crawl, as scope_put() says */
};

/* What differs in the same way, for the same reasons. */
struct compare_group {
	enum compare_what what;
	/* the profiles that read the documents, list the URLs, or have the
	 * dates */
	unsigned mask;
	/* of each other profile: the code by which it lost the document, or
	 * refuses the URL; DIAG_OK: it does not read the URL, or the date */
	enum diag_code codes[PROFILES];
	uint64_t count;
	struct strings samples; /* owned */
};

struct compare {
	struct crawler crawl;
	struct target_files files;
	int bodies_fd; /* the bodies, one after the other */
	uint64_t bodies_len;
	struct compare_document *documents; /* owned */
	size_t count;
	size_t cap;
	struct idmap by_id; /* place of a document by its id */
	/* what the reader made of the document at hand under each profile, or
	 * why it made nothing */
	struct content contents[PROFILES];
	enum diag_code codes[PROFILES];
	int reading; /* the profile that a reader is at; -1: none */
	int error; /* errno of a body that could not be kept */
	struct compare_group *groups; /* owned */
	size_t group_count;
	size_t group_cap;
	/* of all documents under each profile; indexes count no entries */
	uint64_t totals[PROFILES][TOTALS];
	uint64_t lost; /* documents without a body */
};

/* The crawl under lenient. */

/* One line on stderr about a document or a target. */
static void
compare_on_problem(
    void *arg, enum diag_code code, struct slice url, struct slice text)
{
	const struct compare *compare = arg;

	scratch_crawl_say(&compare->crawl, code, url, text);
}

/* A reading was committed.  What was read is compared later, from its body;
 * here only documents without a body count.  A robots.txt that is missing is
 * nothing special, and a digest tells that all bytes came. */
static void
compare_on_document(void *arg, struct slice url, const struct reading *reading,
    const struct profile *profile)
{
	struct compare *compare = arg;
	struct buf path = BUF_UP_TO(SIZE_MAX);

	(void)profile;
	if (reading->content.kind == KIND_ROBOTS ||
	    (reading->outcome != OUTCOME_FAILED &&
		reading->outcome != OUTCOME_REFUSED) ||
	    reading->http.has_digest)
		return;
	compare->lost++;
	if (local_path(compare->crawl.local, url, &path))
		url = buf_text(&path);
	compare_on_problem(compare, reading->failure, url, slice_make(NULL, 0));
	buf_release(&path);
}

/* Append so many bytes of one file, from an offset on, to another file; errno
 * says why a file that is -1 could not be had. */
static bool
compare_copy(struct compare *compare, int to, int from, off_t at, uint64_t len)
{
	if (to < 0 || from < 0)
		compare->error = errno;
	while (compare->error == 0 && len > 0) {
		ssize_t n = sendfile(to, from, &at, len);

		if (n > 0)
			len -= (uint64_t)n;
		else if (n == 0 || errno != EINTR)
			compare->error = n < 0 ? errno : EIO;
	}
	return compare->error == 0;
}

/* The callback run_options.body.  A document is read again if a proof comes
 * late; its last body and its last scope count. */
static void
compare_body(void *arg, int64_t document_id, struct slice url,
    const struct reader_job *job, struct spool_file *spool)
{
	struct compare *compare = arg;
	uint32_t place = idmap_get(&compare->by_id, document_id);
	int fd = spool_reader_fd(spool);
	struct compare_document *document;

	if (place == IDMAP_NONE) {
		place = (uint32_t)compare->count;
		idmap_put(&compare->by_id, document_id, place);
		document = MEM_PUSH(
		    compare->documents, compare->count, compare->cap);
		*document = (struct compare_document){.url = slice_dup(url)};
	}
	document = &compare->documents[place];
	/* the body before, if there was one, stays in the file: it is rare,
	 * and the file is thrown away */
	document->offset = compare->bodies_len;
	document->body_len = job->body_len;
	buf_clear(&document->scope);
	scope_put(&document->scope, &job->scope);
	if (compare_copy(compare, compare->bodies_fd, fd, 0, job->body_len))
		compare->bodies_len += job->body_len;
	else /* a disk that is full will stay so */
		loop_stop(compare->crawl.loop);
	if (fd >= 0)
		(void)close(fd);
}

/* One reading is under way at a time, so the profile that it is of is known. */
static void
compare_was_read(void *arg, enum diag_code result, struct content *content)
{
	struct compare *compare = arg;

	compare->contents[compare->reading] = *content;
	compare->codes[compare->reading] = result;
	compare->reading = -1;
	loop_stop(compare->crawl.loop);
}

/* Read a document under a profile; its code says whether there is a list. */
static void
compare_read(struct compare *compare, const struct compare_document *document,
    enum profile_name name)
{
	struct crawler *crawl = &compare->crawl;
	struct reader_job job = {
	    .body_fd = scratch_fd(NULL), .body_len = document->body_len};
	struct wire wire = {buf_text(&document->scope), true};

	/* All but the profile is as in the crawl: the headers, the time of the
	 * reading, the limits, the proofs, of which the profile says whether
	 * they count. */
	(void)scope_get(&wire, &job.scope);
	job.scope.has_previous = false;
	job.scope.location.profile = profile_default(name);
	/* A reader begins at the beginning of its file, so it gets a copy of
	 * the body. */
	if (!compare_copy(compare, job.body_fd, compare->bodies_fd,
		(off_t)document->offset, document->body_len)) {
		if (job.body_fd >= 0)
			(void)close(job.body_fd);
		scope_release(&job.scope);
		return;
	}
	compare->reading = name;
	readers_submit(crawl->readers, &job, compare_was_read, compare);
	while (compare->reading >= 0 && crawl->stopped_by == 0)
		loop_run(crawl->loop);
}

/* Three sorted lists. */

/* Count a document or URL in the group of its kind. */
static void
compare_add(
    struct compare *compare, const struct compare_group *like, struct slice url)
{
	struct compare_group *group;
	size_t i = 0;

	for (; i < compare->group_count; i++) {
		group = &compare->groups[i];
		if (group->what == like->what && group->mask == like->mask &&
		    memcmp(group->codes, like->codes, sizeof(like->codes)) == 0)
			break;
	}
	if (i == compare->group_count)
		*MEM_PUSH(compare->groups, compare->group_count,
		    compare->group_cap) = *like;
	group = &compare->groups[i];
	group->count++;
	if (compare->crawl.options->listing.wants_all ||
	    group->samples.count < SAMPLES)
		strings_add(&group->samples, url);
}

/* Merge the lists of a document, which has one under each profile that read it:
 * count how they differ.  Each list is in the order of URLs and has each URL
 * once, as segments are.  In each round `first` has the least URL of all lists,
 * and `at` the lists that have it, which then move on.  A list may have the URL
 * and refuse it: then the profile does not list it, but the verdict says why.
 */
static void
compare_merge(struct compare *compare)
{
	struct block_walk walks[PROFILES];
	/* NULL: at the end of the list */
	struct block_reader *readers[PROFILES] = {NULL};
	struct entry entries[PROFILES];
	unsigned at = ALL; /* the lists whose next entry is wanted */

	for (int i = 0; i < PROFILES; i++) {
		walks[i] = (struct block_walk){
		    &compare->contents[i].segment, 0};
		if (compare->codes[i] == DIAG_OK)
			readers[i] = block_reader_new(
			    block_walk_pull, &walks[i]);
	}
	for (;;) {
		struct compare_group urls = {.what = DIFFERS_URL};
		struct compare_group dates = {.what = DIFFERS_DATE};
		const struct entry *first = NULL; /* has the least URL */

		for (int i = 0; i < PROFILES; i++) {
			if (readers[i] != NULL && (at & 1u << i) != 0 &&
			    !block_next(readers[i], &entries[i])) {
				block_reader_free(readers[i]);
				readers[i] = NULL;
			}
			if (readers[i] != NULL &&
			    (first == NULL ||
				slice_order(entries[i].url, first->url) < 0))
				first = &entries[i];
		}
		if (first == NULL)
			return;
		at = 0;
		/* Which profiles list the URL, and which of them have a date?
		 */
		for (int i = 0; i < PROFILES; i++) {
			const struct entry *entry = &entries[i];

			urls.codes[i] = compare->codes[i];
			if (readers[i] == NULL ||
			    !slice_equal(entry->url, first->url))
				continue;
			at |= 1u << i;
			urls.codes[i] = verdict_codes[entry->verdict];
			if (entry->verdict != VERDICT_ACCEPTED)
				continue;
			urls.mask |= 1u << i;
			if (entry->lastmod.precision != DATE_NONE)
				dates.mask |= 1u << i;
		}
		if (urls.mask != 0 && urls.mask != ALL)
			compare_add(compare, &urls, first->url);
		if (dates.mask != 0 && dates.mask != urls.mask)
			compare_add(compare, &dates, first->url);
	}
}

/* Read a document under each profile, and count what differs.  Its lists are
 * freed at once: a site may have more URLs than memory has room for. */
static void
compare_document(struct compare *compare, const struct compare_document *at)
{
	struct compare_group how = {.what = DIFFERS_DOCUMENT};
	struct buf path = BUF_UP_TO(SIZE_MAX);

	for (int i = 0; i < PROFILES; i++) {
		compare_read(compare, at, (enum profile_name)i);
		how.codes[i] = compare->codes[i];
		if (how.codes[i] == DIAG_OK)
			how.mask |= 1u << i;
	}
	compare_merge(compare);
	for (int i = 0; i < PROFILES; i++) {
		struct content *content = &compare->contents[i];
		const struct merge_counts *merge = &content->merge;
		uint64_t *totals = compare->totals[i];

		totals[DOCUMENTS] += how.codes[i] == DIAG_OK;
		if (how.codes[i] == DIAG_OK && content->kind != KIND_INDEX) {
			totals[URLS] += verdict_accepted(
			    merge->entries, merge->refused);
			totals[DATED] += merge->dated;
		}
		content_release(content);
		*content = (struct content){0};
	}
	/* a document that a profile does not have is a difference itself,
	 * under the name that the user knows */
	if (how.mask != ALL) {
		if (!local_path(compare->crawl.local, slice_of(at->url), &path))
			(void)buf_print(&path, "%s", at->url);
		compare_add(compare, &how, buf_text(&path));
		buf_release(&path);
	}
}

/* Append a group for people: what differs, which profiles have it, why each of
 * the others does not, and some of it. */
static void
compare_text_group(struct out *out, const struct compare_group *group)
{
	static const char *const whats[] = {"document", "URL", NULL};
	struct buf *text = &out->text;
	bool is_date = group->what == DIFFERS_DATE;
	const char *before = " only in ";

	out_severity(out, SEVERITY_WARNING);
	human_put(text, group->count, whats[group->what]);
	(void)buf_print(text, "%s%s", is_date ? " lastmod" : "",
	    group->mask == 0 ? " not read" : "");
	out_severity(out, SEVERITY_NONE);
	for (int i = 0; i < PROFILES; i++)
		if ((group->mask & 1u << i) != 0) {
			(void)buf_print(text, "%s%s", before, profile_names[i]);
			before = ", ";
		}
	out_end_line(out);
	for (int i = 0; i < PROFILES; i++)
		if (group->codes[i] != DIAG_OK) {
			(void)buf_print(text, "  %s: %s (%s)", profile_names[i],
			    diag_name(group->codes[i]),
			    diag_info(group->codes[i])->rule);
			out_end_line(out);
		}
	for (size_t i = 0; i < group->samples.count; i++) {
		(void)buf_print(text, "  ");
		(void)out_cut(out, slice_of(group->samples.items[i]), 2);
		out_end_line(out);
	}
	if (group->count > group->samples.count) {
		(void)buf_print(text, "  and %s more; --all names them",
		    human_of(group->count - group->samples.count, NULL).text);
		out_end_line(out);
	}
}

/* Print the groups, and then what all documents have under each profile. */
static void
compare_text(const struct compare *compare, struct out *out)
{
	struct buf *text = &out->text;

	for (size_t i = 0; i < compare->group_count; i++)
		compare_text_group(out, &compare->groups[i]);
	(void)buf_print(text, "%s",
	    compare->count == 0 ? "nothing was read"
		: compare->group_count == 0
		? "all profiles agree on "
		: "the profiles differ; compared: ");
	if (compare->count > 0)
		human_put(text, compare->count, "document");
	if (compare->lost > 0)
		(void)buf_print(text, "; could not be fetched: %s",
		    human_of(compare->lost, NULL).text);
	out_end_line(out);
	for (int i = 0; i < PROFILES && compare->count > 0; i++) {
		(void)buf_print(text, "  %-8s", profile_names[i]);
		out_grouped(out, compare->totals[i][URLS], COLUMN);
		(void)buf_print(
		    text, compare->totals[i][URLS] == 1 ? " URL, " : " URLs,");
		out_grouped(out, compare->totals[i][DATED], COLUMN);
		(void)buf_print(text, " with lastmod");
		out_end_line(out);
	}
}

/* The same for programs: an object a line (docs/reference/json.md). */
static void
compare_json(const struct compare *compare, struct out *out)
{
	static const char *const whats[] = {"document", "url", "lastmod"};
	static const char *const totals[] = {"documents", "urls", "dated"};
	struct buf *text = &out->text;

	for (size_t i = 0; i < compare->group_count; i++) {
		const struct compare_group *group = &compare->groups[i];

		out_json_line(text, "difference");
		out_json_string(text, "what", whats[group->what]);
		out_json_begin(text, "in", '[');
		for (int k = 0; k < PROFILES; k++)
			if ((group->mask & 1u << k) != 0)
				out_json_string(text, NULL, profile_names[k]);
		out_json_end(text, ']');
		/* a code for each profile that does not have it */
		out_json_begin(text, "codes", '{');
		for (int k = 0; k < PROFILES; k++)
			if ((group->mask & 1u << k) == 0)
				out_json_code(
				    text, profile_names[k], group->codes[k]);
		out_json_end(text, '}');
		out_json_number(text, "count", group->count);
		out_json_strings(text, "samples", &group->samples);
		(void)out_end_json(out);
	}
	out_json_line(text, "summary");
	out_json_number(text, "documents", compare->count);
	out_json_number(text, "lost", compare->lost);
	out_json_begin(text, "profiles", '{');
	for (int i = 0; i < PROFILES; i++) {
		out_json_begin(text, profile_names[i], '{');
		for (int k = 0; k < TOTALS; k++)
			out_json_number(text, totals[k], compare->totals[i][k]);
		out_json_end(text, '}');
	}
	out_json_end(text, '}');
	out_json_line_end(text);
}

/* The order in which documents are compared. */
static const struct sort_key compare_by_url[] = {
    {SORT_KEY(struct compare_document, url), false}, {0}};

/* Crawl, compare and print; returns the exit status. */
static int
compare_run(struct compare *compare, struct out *out)
{
	struct crawler *crawl = &compare->crawl;
	const struct strings *args = &crawl->options->targets.args;
	struct crawl_options request = crawler_request(crawl);
	struct buf target = BUF_UP_TO(SIZE_MAX);
	bool is_good = true;
	int error = 0;
	int status;

	/* Fetch every document that lenient leads to, once.  Whatever strict
	 * and google read is among these documents, because lenient refuses the
	 * least. */
	request.document = compare_on_document;
	request.problem = compare_on_problem;
	request.arg = compare;
	scratch_crawl_begin(crawl, &request);
	for (size_t i = 0; is_good && i < args->count; i++)
		is_good = target_files_ask(
		    &compare->files, crawl, args->items[i], &target);
	buf_release(&target);
	if (!is_good)
		return EXIT_USAGE;
	/* an unlinked file: nothing is left, however this process ends */
	compare->bodies_fd = scratch_fd(NULL);
	if (compare->bodies_fd < 0)
		compare->error = errno;
	scratch_crawl_run(crawl);
	status = scratch_crawl_status(crawl);
	if (crawler_complain(crawl))
		return status;
	sort_rows(compare->documents, compare->count,
	    sizeof(*compare->documents), compare_by_url);
	for (size_t i = 0; i < compare->count && compare->error == 0 &&
	     crawl->stopped_by == 0;
	     i++)
		compare_document(compare, &compare->documents[i]);
	if (readers_are_lost(crawl->readers, &error))
		return complain_with(error == 0 ? EXIT_BUG : EXIT_RESOURCES,
		    "no reader can be started: %s",
		    error == 0 ? "the process that starts them was killed, or "
				 "died: please report how"
			       : strerrordesc_np(error));
	if (compare->error != 0)
		return complain_with(EXIT_DISK,
		    "no room for bodies in the folder for temporary files: %s",
		    strerrordesc_np(compare->error));
	if (crawl->stopped_by != 0)
		return 128 + crawl->stopped_by;
	if (crawl->options->output.is_json)
		compare_json(compare, out);
	else
		compare_text(compare, out);
	/* The exit status, in the order of precedence of exit.h. */
	if (status != EXIT_DONE && status != EXIT_FINDINGS &&
	    status != EXIT_BUDGET)
		return status;
	if (compare->count == 0)
		return EXIT_NO_TARGET;
	if (status == EXIT_BUDGET)
		return status;
	return compare->group_count + compare->lost + compare->files.bad > 0
	    ? EXIT_FINDINGS
	    : EXIT_DONE;
}

int
command_compare(struct options *options, struct forkserver *forkserver)
{
	struct compare compare = {
	    .crawl = {.options = options}, .bodies_fd = -1, .reading = -1};
	struct crawler *crawl = &compare.crawl;
	struct out out;
	int status;

	out_init(&out, &options->output);
	status = target_files_init(&compare.files, crawl);
	crawl->body = compare_body;
	crawl->hooks_arg = &compare;
	if (status == EXIT_DONE)
		status = scratch_crawl_open(crawl, forkserver);
	if (status == EXIT_DONE)
		status = compare_run(&compare, &out);
	crawler_close(crawl);
	for (size_t i = 0; i < compare.count; i++) {
		free(compare.documents[i].url);
		buf_release(&compare.documents[i].scope);
	}
	for (size_t i = 0; i < compare.group_count; i++)
		strings_release(&compare.groups[i].samples);
	free(compare.documents);
	free(compare.groups);
	free(compare.by_id.slots);
	if (compare.bodies_fd >= 0)
		(void)close(compare.bodies_fd);
	target_files_release(&compare.files);
	return out_end(&out, status);
}
