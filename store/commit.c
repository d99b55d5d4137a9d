/* Commits: readings become known, whole, several in one transaction. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>

#include "base/mem.h"
#include "store/internal.h"
#include "store/query.h"

#define GROUP_READINGS 64 /* DESIGN 7 */
#define GROUP_BYTES (8u << 20) /* DESIGN 7 */

int64_t
store_block_id(int64_t owner, uint32_t number)
{
	assert(number < 1u << BLOCK_BITS);
	return (int64_t)((uint64_t)owner << BLOCK_BITS | number);
}

/* Findings. */

static void
put_sample(struct store *store, int64_t finding_id, int number,
    const struct finding_sample *sample)
{
	sqlite3_stmt *statement = store_begin(store, SAMPLE_ADD);

	if (statement == NULL)
		return;
	(void)sqlite3_bind_int64(statement, 1, finding_id);
	(void)sqlite3_bind_int(statement, 2, number);
	(void)sqlite3_bind_int64(statement, 3, sample->line);
	store_bind_string(
	    statement, 4, sample->text == NULL ? "" : sample->text);
	store_run(store, statement);
}

static void
put_findings(
    struct store *store, int64_t reading_id, const struct findings *findings)
{
	for (size_t i = 0; i < findings->count; i++) {
		const struct finding *finding = &findings->items[i];
		sqlite3_stmt *statement = store_begin(store, FINDING_ADD);
		int64_t id;

		if (statement == NULL)
			return;
		(void)sqlite3_bind_int64(statement, 1, reading_id);
		store_bind_string(statement, 2, diag_name(finding->code));
		(void)sqlite3_bind_int64(statement, 3, (int64_t)finding->count);
		store_run(store, statement);
		id = sqlite3_last_insert_rowid(store->db);
		for (unsigned k = 0; k < finding->sample_count; k++)
			put_sample(store, id, (int)k, &finding->samples[k]);
	}
}

/* count_severity(findings, severity): occurrences, as profile google sees
 * them: rows of all profiles are compared. */
static uint64_t
count_severity(const struct findings *findings, enum severity severity)
{
	uint64_t count = 0;

	for (size_t i = 0; i < findings->count; i++)
		if (diag_info(findings->items[i].code)
			->severity[PROFILE_GOOGLE] == severity)
			count += findings->items[i].count;
	return count;
}

/* The reading's own row. */

static void
bind_counts(sqlite3_stmt *statement, const struct content *content)
{
	const struct merge_counts *merge = &content->merge;
	static const int columns[DELTA_KINDS] = {[DELTA_ADDED] = 23,
	    [DELTA_REMOVED] = 24,
	    [DELTA_RETURNED] = 25,
	    [DELTA_REDATED] = 26,
	    [DELTA_GONE] = 27};

	(void)sqlite3_bind_int64(statement, 14, (int64_t)content->seen);
	(void)sqlite3_bind_int64(statement, 15, (int64_t)content->accepted);
	(void)sqlite3_bind_int64(statement, 16, (int64_t)content->refused);
	(void)sqlite3_bind_int64(statement, 17, (int64_t)merge->entries);
	(void)sqlite3_bind_int64(statement, 18, (int64_t)merge->missed);
	(void)sqlite3_bind_int64(statement, 19, (int64_t)merge->dated);
	store_bind_date(statement, 20, &merge->newest);
	for (int kind = 0; kind < DELTA_KINDS; kind++)
		(void)sqlite3_bind_int64(
		    statement, columns[kind], (int64_t)merge->changes[kind]);
	(void)sqlite3_bind_int64(statement, 28,
	    (int64_t)count_severity(&content->findings, SEVERITY_ERROR));
	(void)sqlite3_bind_int64(statement, 29,
	    (int64_t)count_severity(&content->findings, SEVERITY_WARNING));
}

static int64_t
put_reading(struct store *store, const struct reading *reading)
{
	sqlite3_stmt *statement = store_begin(store, READING_ADD);
	const struct http_facts *http = &reading->http;
	const struct content *content = &reading->content;

	if (statement == NULL)
		return 0;
	(void)sqlite3_bind_int64(statement, 1, reading->document_id);
	(void)sqlite3_bind_int64(statement, 2, reading->at_s);
	store_bind_string(statement, 3, outcome_name(reading->outcome));
	store_bind_string(statement, 4,
	    reading->failure == DIAG_OK ? NULL : diag_name(reading->failure));
	store_bind_string(statement, 5, document_kind_name(content->kind));
	(void)sqlite3_bind_int(statement, 6, http->status);
	store_bind_string(statement, 7, http->final_url);
	store_bind_string(statement, 8, http->content_type);
	(void)sqlite3_bind_int64(statement, 9, http->duration_ms);
	(void)sqlite3_bind_int64(statement, 10, (int64_t)http->wire_bytes);
	(void)sqlite3_bind_int64(
	    statement, 11, (int64_t)content->decoded_bytes);
	(void)sqlite3_bind_int64(statement, 12, (int64_t)reading->fingerprint);
	(void)sqlite3_bind_int(statement, 13, content->is_complete);
	bind_counts(statement, content);
	store_run(store, statement);
	return sqlite3_last_insert_rowid(store->db);
}

/* Blocks. */

static void
put_blocks(struct store *store, enum statement which, int64_t owner,
    const struct block_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		const struct block_copy *block = &list->items[i];
		sqlite3_stmt *statement = store_begin(store, which);

		if (statement == NULL)
			return;
		(void)sqlite3_bind_int64(
		    statement, 1, store_block_id(owner, (uint32_t)i));
		store_bind_string(statement, 2, block->first_url);
		store_bind_string(statement, 3, block->last_url);
		(void)sqlite3_bind_int64(statement, 4, block->count);
		store_bind_blob(
		    statement, 5, slice_make(block->data, block->len));
		store_run(store, statement);
	}
}

static void
replace_segment(
    struct store *store, int64_t document_id, const struct block_list *segment)
{
	sqlite3_stmt *statement = store_begin(store, SEGMENT_CLEAR);

	if (statement == NULL)
		return;
	(void)sqlite3_bind_int64(statement, 1, store_block_id(document_id, 0));
	(void)sqlite3_bind_int64(
	    statement, 2, store_block_id(document_id, (1u << BLOCK_BITS) - 1));
	store_run(store, statement);
	put_blocks(store, SEGMENT_ADD, document_id, segment);
}

/* The document's row. */

static void
bind_digest(
    sqlite3_stmt *statement, int at, bool has, const struct digest *digest)
{
	if (has)
		store_bind_blob(statement, at,
		    slice_make(
			(const char *)digest->bytes, sizeof(digest->bytes)));
	else
		(void)sqlite3_bind_null(statement, at);
}

/*
 * document_was_read(…): a partial reading keeps no validators, so that the
 * next attempt brings all bytes.
 */
static void
document_was_read(
    struct store *store, const struct reading *reading, int64_t reading_id)
{
	sqlite3_stmt *statement = store_begin(store, DOCUMENT_READ);
	const struct http_facts *http = &reading->http;
	const struct content *content = &reading->content;
	bool keeps = content->is_complete;

	if (statement == NULL)
		return;
	(void)sqlite3_bind_int64(statement, 1, reading->document_id);
	store_bind_string(statement, 2, document_kind_name(content->kind));
	store_bind_string(statement, 3, http->final_url);
	store_bind_string(statement, 4, keeps ? http->etag : NULL);
	store_bind_string(statement, 5, keeps ? http->last_modified : NULL);
	bind_digest(
	    statement, 6, keeps && http->has_digest, &http->wire_digest);
	bind_digest(
	    statement, 7, keeps && http->has_digest, &content->decoded_digest);
	(void)sqlite3_bind_int64(statement, 8, (int64_t)reading->fingerprint);
	(void)sqlite3_bind_int64(statement, 9, reading->at_s);
	(void)sqlite3_bind_int64(
	    statement, 10, (int64_t)content->merge.entries);
	(void)sqlite3_bind_int64(statement, 11, (int64_t)content->merge.missed);
	(void)sqlite3_bind_int(statement, 12, content->is_complete);
	(void)sqlite3_bind_int64(statement, 13, reading_id);
	store_run(store, statement);
}

static void
document_is_unchanged(struct store *store, const struct reading *reading,
    int64_t reading_id, uint64_t missed)
{
	sqlite3_stmt *statement = store_begin(store, DOCUMENT_UNCHANGED);

	if (statement == NULL)
		return;
	(void)sqlite3_bind_int64(statement, 1, reading->document_id);
	store_bind_string(statement, 2, reading->http.etag);
	store_bind_string(statement, 3, reading->http.last_modified);
	(void)sqlite3_bind_int64(statement, 4, reading->at_s);
	(void)sqlite3_bind_int64(statement, 5, (int64_t)missed);
	(void)sqlite3_bind_int64(statement, 6, reading_id);
	store_run(store, statement);
}

static void
document_failed(
    struct store *store, const struct reading *reading, int64_t reading_id)
{
	sqlite3_stmt *statement = store_begin(store, DOCUMENT_FAILED);

	if (statement == NULL)
		return;
	(void)sqlite3_bind_int64(statement, 1, reading->document_id);
	(void)sqlite3_bind_int64(statement, 2, reading->at_s);
	(void)sqlite3_bind_int(
	    statement, 3, reading->outcome == OUTCOME_FAILED);
	(void)sqlite3_bind_int64(statement, 4, reading_id);
	store_run(store, statement);
}

static void
settle_links(struct store *store, const struct reading *reading)
{
	sqlite3_stmt *statement = store_begin(
	    store, reading->content.is_complete ? LINK_SETTLE : LINK_KEEP);

	if (statement == NULL)
		return;
	(void)sqlite3_bind_int64(statement, 1, reading->document_id);
	store_run(store, statement);
}

/* An unchanged reading counts as a complete one (SPEC 15.2). */

static void
take_segment(void *arg, const struct block *block)
{
	struct content *content = arg;

	block_list_add(&content->segment, block);
}

static void
take_delta(void *arg, const struct block *block)
{
	struct content *content = arg;

	block_list_add(&content->delta, block);
}

/*
 * let_go(store, reading): what was missed once is gone now; true when the
 * segment changed.
 */
static bool
let_go(struct store *store, struct reading *reading)
{
	struct block_source *source;
	struct merge_options options = {.now_s = reading->at_s,
	    .is_complete = true,
	    .previous = block_source_pull,
	    .segment = take_segment,
	    .delta = take_delta,
	    .arg = &reading->content};
	struct document document;
	enum diag_code code;
	bool is_due;

	if (!store_document_get(store, reading->document_id, &document))
		return false;
	is_due = document.is_complete && document.missed > 0;
	document_release(&document);
	if (!is_due)
		return false;
	source = block_source_segment(store, reading->document_id);
	options.previous_arg = source;
	code = merge_unchanged(&options, &reading->content.merge);
	block_source_free(source);
	if (code != DIAG_OK)
		store_fail(store, SQLITE_CORRUPT);
	return code == DIAG_OK;
}

/* One reading. */

static void
write_pending(struct store *store, struct pending *pending)
{
	struct reading *reading = pending->reading;
	bool is_new = reading->outcome == OUTCOME_READ;
	bool is_smaller = false;

	if (reading->outcome == OUTCOME_UNCHANGED)
		is_smaller = let_go(store, reading);
	pending->reading_id = put_reading(store, reading);
	put_findings(store, pending->reading_id, &reading->content.findings);
	put_blocks(
	    store, DELTA_ADD, pending->reading_id, &reading->content.delta);
	if (is_new || is_smaller)
		replace_segment(
		    store, reading->document_id, &reading->content.segment);
	switch (reading->outcome) {
	case OUTCOME_READ:
		document_was_read(store, reading, pending->reading_id);
		if (reading->content.kind == KIND_INDEX)
			settle_links(store, reading);
		break;
	case OUTCOME_UNCHANGED:
		document_is_unchanged(store, reading, pending->reading_id, 0);
		break;
	case OUTCOME_FAILED:
	case OUTCOME_REFUSED:
		document_failed(store, reading, pending->reading_id);
		break;
	}
}

static size_t
weight(const struct block_list *list)
{
	size_t bytes = 0;

	for (size_t i = 0; i < list->count; i++)
		bytes += list->items[i].len;
	return bytes;
}

bool
store_submit(struct store *store, struct reading *reading, store_done_fn *done,
    void *arg)
{
	store->pending = mem_grow(store->pending, &store->pending_cap,
	    store->pending_count + 1, sizeof(*store->pending));
	store->pending[store->pending_count++] = (struct pending){
	    .reading = reading, .done = done, .arg = arg};
	store->pending_bytes += weight(&reading->content.segment) +
	    weight(&reading->content.delta);
	return store->pending_count >= GROUP_READINGS ||
	    store->pending_bytes >= GROUP_BYTES;
}

bool
store_pending(const struct store *store)
{
	return store->pending_count > 0 || store->is_writing;
}

/* has_room(store): stop before SQLite has to (HOSTILE T29). */
static bool
has_room(const struct store *store)
{
	struct statvfs fs;

	if (store->min_free_bytes == 0 || statvfs(store->path, &fs) != 0)
		return true;
	return (uint64_t)fs.f_bavail * fs.f_frsize >= store->min_free_bytes;
}

static void
end_transaction(struct store *store)
{
	int result;

	if (!store->is_writing)
		return;
	if (store->failed == DIAG_OK) {
		result = sqlite3_exec(store->db, "COMMIT", NULL, NULL, NULL);
		if (result != SQLITE_OK)
			store_fail(store, result);
	}
	if (store->failed != DIAG_OK)
		(void)sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
	store->is_writing = false;
}

enum diag_code
store_flush(struct store *store)
{
	struct pending *pending = store->pending;
	size_t count = store->pending_count;

	/* done may submit: those belong to the next flush. */
	store->pending = NULL;
	store->pending_count = store->pending_cap = 0;
	store->pending_bytes = 0;
	if (store->failed == DIAG_OK && (count > 0 || store->is_writing) &&
	    !has_room(store))
		store->failed = DIAG_DISK_FULL;
	for (size_t i = 0; i < count && store->failed == DIAG_OK; i++)
		write_pending(store, &pending[i]);
	end_transaction(store);
	for (size_t i = 0; i < count; i++) {
		if (store->failed == DIAG_OK)
			pending[i].done(pending[i].arg, pending[i].reading,
			    pending[i].reading_id);
		reading_free(pending[i].reading);
	}
	free(pending);
	return store->failed;
}
