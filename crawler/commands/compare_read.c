/*
 * freshet compare: the bodies of a crawl, and each of them under each profile.
 *
 *	indexes, those nearest to a target first -> the documents that an index
 *	lists are reached under that profile -> all other documents
 */
#include "crawler/commands/compare_read.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "crawler/cli/options_sites.h"
#include "store/lookup.h"
#include "store/proof_scope.h"
#include "store/raw_url.h"

/* The bodies of a crawl under the profile lenient. */

#define PIECE 65536

static bool
write_at(int fd, const char *p, size_t n, uint64_t at)
{
	while (n > 0) {
		ssize_t done = pwrite(fd, p, n, (off_t)at);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return false;
		p += done;
		n -= (size_t)done;
		at += (uint64_t)done;
	}
	return true;
}

/* Append the bytes of a body to the file of bodies. */
static bool
keep(struct compare *compare, struct spool_file *spool, uint64_t len)
{
	char *piece = mem_alloc(PIECE);
	int fd = spool_reader_fd(spool);
	uint64_t done = 0;
	ssize_t n = fd < 0 ? -1 : 1;

	while (n > 0 && done < len) {
		n = read(fd, piece, PIECE);
		if (n < 0 && errno == EINTR) {
			n = 1;
			continue;
		}
		if (n > 0 &&
		    !write_at(compare->bodies_fd, piece, (size_t)n,
			compare->bodies_len + done))
			n = -1;
		if (n > 0)
			done += (uint64_t)n;
	}
	if (n < 0)
		compare->error = errno;
	if (fd >= 0)
		(void)close(fd);
	free(piece);
	compare->bodies_len += done;
	return done == len;
}

static void
forget(struct compare_document *document)
{
	free(document->url);
	free(document->final_url);
	scope_release(&document->scope);
	for (int i = 0; i < COMPARE_PROFILES; i++)
		content_release(&document->readings[i].content);
}

/* A document is read again if a proof comes late; its last body counts. */
void
compare_body(void *arg, int64_t document_id, struct slice url,
    const struct reader_job *job, struct spool_file *spool)
{
	struct compare *compare = arg;
	struct compare_document *document;
	struct scope *scope;
	uint32_t place;

	if (compare->error != 0)
		return;
	place = idmap_get(&compare->by_id, document_id);
	if (place == IDMAP_NONE) {
		compare->documents = mem_grow(compare->documents, &compare->cap,
		    compare->count + 1, sizeof(*compare->documents));
		place = (uint32_t)compare->count++;
		idmap_put(&compare->by_id, document_id, place);
	} else {
		forget(&compare->documents[place]);
	}
	document = &compare->documents[place];
	*document = (struct compare_document){.id = document_id,
	    .url = slice_dup(url),
	    .final_url = slice_dup(url_text(&job->scope.location.final)),
	    .offset = compare->bodies_len,
	    .body_len = job->body_len,
	    .is_seed = !job->scope.is_child};
	scope = &document->scope;
	scope_init(scope, &job->scope.location.profile);
	scope->limits = job->scope.limits;
	scope->now_s = job->scope.now_s;
	scope->listed_s = job->scope.listed_s;
	scope->modified_s = job->scope.modified_s;
	scope->is_child = job->scope.is_child;
	scope->depth = job->scope.depth;
	scope->is_truncated = job->scope.is_truncated;
	if (job->scope.content_type != NULL)
		scope->content_type = mem_copy(job->scope.content_type);
	if (job->scope.content_encoding != NULL)
		scope->content_encoding = mem_copy(job->scope.content_encoding);
	if (!keep(compare, spool, job->body_len))
		loop_stop(compare->crawl.loop);
}

/* One copy for each set of rules that the options have. */
const struct site_rules *
compare_rules_of(void *arg, struct slice host)
{
	struct compare *compare = arg;
	const struct site_rules *given = options_site_rules(
	    compare->crawl.options, host);
	struct site_rules *made;

	for (size_t i = 0; i < compare->rules_count; i++)
		if (compare->rules[i].given == given)
			return compare->rules[i].made;
	made = mem_alloc(sizeof(*made));
	*made = *given;
	made->profile = profile_default(PROFILE_LENIENT);
	compare->rules = mem_grow(compare->rules, &compare->rules_cap,
	    compare->rules_count + 1, sizeof(*compare->rules));
	compare->rules[compare->rules_count++] = (struct compare_rules){
	    given, made};
	return made;
}

void
compare_release(struct compare *compare)
{
	for (size_t i = 0; i < compare->count; i++)
		forget(&compare->documents[i]);
	free(compare->documents);
	for (size_t i = 0; i < compare->rules_count; i++)
		free(compare->rules[i].made);
	free(compare->rules);
	idmap_release(&compare->by_id);
	if (compare->bodies_fd >= 0)
		(void)close(compare->bodies_fd);
}

#define PIECE 65536

/* A job of a reader. */
struct compare_task {
	struct compare *compare;
	struct compare_reading *reading;
};

bool
compare_scope(const struct compare *compare,
    const struct compare_document *document, int profile,
    struct location_scope *location)
{
	const struct profile set = profile_default((enum profile_name)profile);
	struct proof_document what = {.id = document->id,
	    .url = slice_of(document->url),
	    .final_url = slice_of(document->final_url)};
	const struct site_rules *rules;
	struct buf host;
	bool is_good;

	buf_init(&host, SIZE_MAX);
	(void)store_standing(compare->crawl.store, document->id, &host);
	rules = options_site_rules(compare->crawl.options, buf_text(&host));
	location_scope_init(location, &set);
	if (set.ownership == SWITCH_ON)
		for (size_t i = 0; i < rules->own->count; i++)
			string_set_add(
			    &location->own, slice_of(rules->own->items[i]));
	if (document->is_index)
		what.listed = proof_self_listed(
		    compare->crawl.store, document->site_id);
	is_good = proof_scope(
	    compare->crawl.store, &what, INDEX_MAX_DEPTH, location);
	location->has_location = compare->has_location;
	self_listed_release(what.listed);
	buf_release(&host);
	return is_good;
}

/* Reading one document. */

static void
was_read(void *arg, enum diag_code result, struct content *content)
{
	struct compare_task *task = arg;

	task->reading->result = result;
	task->reading->content = *content;
	if (--task->compare->pending == 0)
		loop_stop(task->compare->crawl.loop);
}

/* Load the body of a document from the file of bodies. */
static bool
load(struct compare *compare, const struct compare_document *document,
    struct spool_file *spool)
{
	char *piece = mem_alloc(PIECE);
	uint64_t done = 0;

	while (done < document->body_len) {
		uint64_t left = document->body_len - done;
		ssize_t n = pread(compare->bodies_fd, piece,
		    left < PIECE ? (size_t)left : PIECE,
		    (off_t)(document->offset + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0 ||
		    spool_write(spool, slice_make(piece, (size_t)n)) != DIAG_OK)
			break;
		done += (uint64_t)n;
	}
	if (done < document->body_len)
		compare->error = errno != 0 ? errno : EIO;
	free(piece);
	return done == document->body_len;
}

static bool
submit(struct compare *compare, const struct compare_document *document,
    int profile, struct spool_file *spool, struct compare_task *task)
{
	const struct scope *from = &document->scope;
	struct reader_job job = {.body_fd = spool_reader_fd(spool),
	    .body_len = document->body_len,
	    .site_id = document->site_id};

	if (job.body_fd < 0) {
		compare->error = errno;
		return false;
	}
	job.scope = *from;
	(void)compare_scope(compare, document, profile, &job.scope.location);
	job.scope.content_type = from->content_type == NULL
	    ? NULL
	    : mem_copy(from->content_type);
	job.scope.content_encoding = from->content_encoding == NULL
	    ? NULL
	    : mem_copy(from->content_encoding);
	compare->pending++;
	readers_submit(compare->crawl.readers, &job, was_read, task);
	return true;
}

/* Read a document under each profile that reaches it. */
static bool
read_all(struct compare *compare, struct compare_document *document)
{
	struct spool_file *spool = spool_get(compare->crawl.spool);
	struct compare_task tasks[COMPARE_PROFILES];
	bool is_good = spool != NULL;

	if (!is_good)
		compare->error = errno;
	is_good = is_good && load(compare, document, spool);
	for (int i = 0; is_good && i < COMPARE_PROFILES; i++) {
		tasks[i] = (struct compare_task){
		    compare, &document->readings[i]};
		if (document->readings[i].is_reached)
			is_good = submit(
			    compare, document, i, spool, &tasks[i]);
	}
	while (compare->pending > 0 && compare->crawl.stopped_by == 0)
		loop_run(compare->crawl.loop);
	compare->has_no_readers = readers_are_lost(
	    compare->crawl.readers, &compare->readers_error);
	is_good = is_good && compare->crawl.stopped_by == 0 &&
	    !compare->has_no_readers;
	spool_put(spool);
	return is_good;
}

/* Which documents an index reaches. */

static int
by_url(const void *a, const void *b)
{
	const struct compare_document *x = a;
	const struct compare_document *y = b;
	int order = strcmp(x->url, y->url);

	if (order != 0)
		return order;
	return x->site_id < y->site_id ? -1 : x->site_id > y->site_id;
}

static struct compare_document *
find(struct compare *compare, const struct compare_document *index,
    struct slice url)
{
	size_t low = 0;
	size_t high = compare->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		struct compare_document *at = &compare->documents[middle];
		int order = slice_order(url, slice_of(at->url));

		if (order == 0 && at->site_id == index->site_id)
			return at;
		if (order == 0)
			order = index->site_id < at->site_id ? -1 : 1;
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return NULL;
}

/* May the index list that sitemap (SPEC R-54)? */
static bool
judge_child(const struct location_scope *location,
    const struct compare_document *child, enum diag_code *why)
{
	struct location_verdict verdict;
	struct url url;

	url_init(&url);
	(void)raw_url_parse(&url, slice_of(child->url), NULL);
	verdict = location_judge(location, &url, SUBJECT_CHILD);
	*why = verdict.is_accepted ? DIAG_OK : verdict.code;
	if (verdict.is_accepted && strcmp(child->url, child->final_url) != 0) {
		(void)raw_url_parse(&url, slice_of(child->final_url), NULL);
		if (!location_redirect_ok(location, &url))
			*why = DIAG_FETCH_REDIRECT_UNSAFE;
	}
	url_release(&url);
	return *why == DIAG_OK;
}

/* Mark the documents that the index lists under the profile as reached. */
static void
lead(struct compare *compare, const struct compare_document *index, int profile)
{
	const struct compare_reading *reading = &index->readings[profile];
	struct block_walk walk = {&reading->content.segment, 0};
	struct block_reader *reader = block_reader_new(block_walk_pull, &walk);
	struct location_scope location;
	struct entry entry;

	(void)compare_scope(compare, index, profile, &location);
	while (block_next(reader, &entry)) {
		struct compare_document *child = find(
		    compare, index, entry.url);
		enum diag_code why;

		if (child != NULL && judge_child(&location, child, &why))
			child->readings[profile].is_reached = true;
		else if (child != NULL)
			child->readings[profile].why_not = why;
	}
	block_reader_free(reader);
	location_scope_release(&location);
}

/* For documents that the index lists under lenient only, note why the profile
 * does not reach them. */
static void
bar(struct compare *compare, const struct compare_document *index, int profile)
{
	const struct compare_reading *reading = &index->readings[profile];
	const struct compare_reading *most = &index->readings[PROFILE_LENIENT];
	struct block_walk walk = {&most->content.segment, 0};
	struct block_reader *reader = block_reader_new(block_walk_pull, &walk);
	struct location_scope location;
	struct entry entry;

	(void)compare_scope(compare, index, profile, &location);
	while (block_next(reader, &entry)) {
		struct compare_document *child = find(
		    compare, index, entry.url);
		struct compare_reading *at;

		if (child == NULL || child->is_seed)
			continue;
		at = &child->readings[profile];
		if (at->is_reached || at->why_not != DIAG_OK)
			continue;
		if (!reading->is_reached)
			at->why_not = reading->why_not;
		else if (reading->result != DIAG_OK)
			at->why_not = reading->result;
		else
			(void)judge_child(&location, child, &at->why_not);
	}
	block_reader_free(reader);
	location_scope_release(&location);
}

static bool
read_index(struct compare *compare, struct compare_document *index)
{
	if (!read_all(compare, index))
		return false;
	for (int i = 0; i < COMPARE_PROFILES; i++)
		if (index->readings[i].is_reached &&
		    index->readings[i].result == DIAG_OK)
			lead(compare, index, i);
	for (int i = 0; i < COMPARE_PROFILES; i++)
		if (index->readings[PROFILE_LENIENT].result == DIAG_OK)
			bar(compare, index, i);
	return true;
}

static void
drop(struct compare_document *document)
{
	for (int i = 0; i < COMPARE_PROFILES; i++)
		content_release(&document->readings[i].content);
}

/* Take the kinds of documents from the crawl. */
static void
learn_kinds(struct compare *compare)
{
	for (size_t i = 0; i < compare->count; i++) {
		struct compare_document *document = &compare->documents[i];
		struct document stored;

		for (int k = 0; k < COMPARE_PROFILES; k++)
			document->readings[k].is_reached = document->is_seed;
		if (!store_document_get(
			compare->crawl.store, document->id, &stored))
			continue;
		document->is_index = stored.kind == KIND_INDEX;
		document->site_id = stored.site_id;
		document_release(&stored);
	}
}

bool
compare_read(struct compare *compare, compare_fn *fn, void *arg)
{
	learn_kinds(compare);
	if (compare->count > 0)
		qsort(compare->documents, compare->count,
		    sizeof(*compare->documents), by_url);
	for (uint32_t depth = 0; depth <= INDEX_MAX_DEPTH; depth++)
		for (size_t i = 0; i < compare->count; i++)
			if (compare->documents[i].is_index &&
			    compare->documents[i].scope.depth == depth &&
			    !read_index(compare, &compare->documents[i]))
				return false;
	for (int of_indexes = 1; of_indexes >= 0; of_indexes--)
		for (size_t i = 0; i < compare->count; i++) {
			struct compare_document *at = &compare->documents[i];

			if (at->is_index != (of_indexes == 1))
				continue;
			if (!at->is_index && !read_all(compare, at))
				return false;
			fn(arg, at);
			drop(at);
		}
	return true;
}
