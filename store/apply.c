/*
 * What a reading changes.
 *
 *	READ, complete   segment, delta, validators, digests, links
 *	READ, partial    the same, but no validators and digests, so that the
 *	                 next attempt is unconditional; nothing is removed
 *	READ, held       complete, but without validators and digests, too: the
 *	                 next reading is to see whether so much is absent again
 *	UNCHANGED        fresher validators; what was missed is gone
 *	READ that could not be read, FAILED   failures only
 *	REFUSED          the attempt only
 */
#include "store/apply.h"

#include <string.h>

#include "store/db.h"
#include "store/document_row.h"
#include "store/merge.h"
#include "store/query.h"

#define VALIDATOR_MAX_BYTES 256 /* HOSTILE T35 */

/*
 * usable_etag(text): what a server calls a tag, but for what means something
 * else when it is sent back: a list of tags, or any tag (HOSTILE N28).
 */
static const char *
usable_etag(const char *text)
{
	const char *p = text;
	size_t len;

	if (text == NULL || strcmp(text, "*") == 0)
		return NULL;
	if (strncmp(p, "W/", 2) == 0)
		p += 2;
	len = strlen(p);
	if (len >= 2 && p[0] == '"' && p[len - 1] == '"')
		return memchr(p + 1, '"', len - 2) == NULL ? text : NULL;
	return strchr(p, '"') == NULL ? text : NULL;
}

/* A validator is sent back to its server: printable, and not too long. */
static const char *
usable_validator(const char *text)
{
	if (text == NULL || strlen(text) > VALIDATOR_MAX_BYTES)
		return NULL;
	for (const char *p = text; *p != '\0'; p++)
		if ((unsigned char)*p < 0x20 || (unsigned char)*p > 0x7e)
			return NULL;
	return text;
}

static struct slice
digest_bytes(const struct digest *digest)
{
	const void *p = digest->bytes;

	return slice_make(p, sizeof(digest->bytes));
}

static enum diag_code
failure_of(const struct reading *reading)
{
	return reading->failure != DIAG_OK ? reading->failure
					   : reading->content.failure;
}

static int64_t
add_reading(struct store *store, const struct reading *reading)
{
	struct sqlite3_stmt *stmt = db_use(store, SQL_READING_ADD);
	const struct http_facts *http = &reading->http;
	const struct content *content = &reading->content;
	enum diag_code failure = failure_of(reading);

	db_bind_int(stmt, 1, reading->document_id);
	db_bind_int(stmt, 2, reading->at_s);
	db_bind_str(stmt, 3, outcome_name(reading->outcome));
	db_bind_str(stmt, 4, failure == DIAG_OK ? NULL : diag_name(failure));
	db_bind_int(stmt, 5, (int64_t)reading->fingerprint);
	db_bind_int(stmt, 6, http->status);
	db_bind_str(stmt, 7, http->final_url);
	db_bind_str(stmt, 8, http->content_type);
	db_bind_int(stmt, 9, (int64_t)http->wire_bytes);
	db_bind_int(stmt, 10, http->duration_ms);
	db_bind_str(stmt, 11, document_kind_name(content->kind));
	db_bind_int(stmt, 12, content->is_complete);
	db_bind_int(stmt, 13, (int64_t)content->decoded_bytes);
	db_bind_int(stmt, 14, content->gzip_layers);
	db_bind_int(stmt, 15, (int64_t)content->seen);
	db_bind_int(stmt, 16, (int64_t)content->accepted);
	db_bind_int(stmt, 17, (int64_t)content->refused);
	db_bind_int(stmt, 18, (int64_t)content->merge.entries);
	db_bind_int(stmt, 19, (int64_t)content->merge.missed);
	db_bind_int(stmt, 20, (int64_t)content->merge.dated);
	db_bind_int(stmt, 21, (int64_t)content->merge.regressed);
	db_bind_int(stmt, 22, (int64_t)content->merge.refused);
	db_run(store, stmt);
	return db_last_id(store);
}

static void
add_findings(
    struct store *store, int64_t reading_id, const struct findings *findings)
{
	for (size_t i = 0; i < findings->count; i++) {
		const struct finding *finding = &findings->items[i];
		struct sqlite3_stmt *stmt = db_use(store, SQL_FINDING_ADD);

		db_bind_int(stmt, 1, reading_id);
		db_bind_int(stmt, 2, (int64_t)i);
		db_bind_str(stmt, 3, diag_name(finding->code));
		db_bind_int(stmt, 4, (int64_t)finding->count);
		db_run(store, stmt);
		for (unsigned k = 0; k < finding->sample_count; k++) {
			stmt = db_use(store, SQL_SAMPLE_ADD);
			db_bind_int(stmt, 1, reading_id);
			db_bind_int(stmt, 2, (int64_t)i);
			db_bind_int(stmt, 3, k);
			db_bind_int(stmt, 4, finding->samples[k].line);
			db_bind_str(stmt, 5, finding->samples[k].text);
			db_run(store, stmt);
		}
	}
}

static void
clear_blocks(struct store *store, enum statement statement, int64_t first_id)
{
	struct sqlite3_stmt *stmt = db_use(store, statement);

	db_bind_int(stmt, 1, first_id);
	db_bind_int(stmt, 2, first_id + BLOCKS_MAX);
	db_run(store, stmt);
}

static void
add_block(struct store *store, int64_t id, const struct block_copy *block)
{
	struct sqlite3_stmt *stmt = db_use(store, SQL_SEGMENT_ADD);

	db_bind_int(stmt, 1, id);
	db_bind_str(stmt, 2, block->first_url);
	db_bind_int(stmt, 3, block->count);
	db_bind_blob(stmt, 4, slice_make(block->data, block->len));
	db_run(store, stmt);
	stmt = db_use(store, SQL_FENCE_ADD);
	db_bind_int(stmt, 1, id);
	db_bind_str(stmt, 2, block->first_url);
	db_bind_str(stmt, 3, block->last_url);
	db_bind_blob(stmt, 4, slice_make(block->sieve, block->sieve_len));
	db_run(store, stmt);
}

static void
replace_segment(
    struct store *store, int64_t document_id, const struct block_list *segment)
{
	int64_t first_id = BLOCK_ID(document_id);

	store->segments_replaced++;
	clear_blocks(store, SQL_SEGMENT_CLEAR, first_id);
	clear_blocks(store, SQL_FENCE_CLEAR, first_id);
	for (size_t i = 0; i < segment->count; i++)
		add_block(store, first_id + (int64_t)i, &segment->items[i]);
}

static void
add_delta(
    struct store *store, int64_t reading_id, const struct content *content)
{
	struct sqlite3_stmt *stmt = db_use(store, SQL_READING_DELTA);
	const uint64_t *changes = content->merge.changes;
	const struct block_list *delta = &content->delta;

	db_bind_int(stmt, 1, reading_id);
	for (int kind = 0; kind < DELTA_KINDS; kind++)
		db_bind_int(stmt, 2 + kind, (int64_t)changes[kind]);
	db_bind_int(stmt, 2 + DELTA_KINDS, (int64_t)delta->count);
	db_run(store, stmt);
	for (size_t i = 0; i < delta->count; i++) {
		stmt = db_use(store, SQL_DELTA_ADD);
		db_bind_int(stmt, 1, BLOCK_ID(reading_id) + (int64_t)i);
		db_bind_int(stmt, 2, delta->items[i].count);
		db_bind_blob(stmt, 3,
		    slice_make(delta->items[i].data, delta->items[i].len));
		db_run(store, stmt);
	}
}

/* The new segment and delta of a reading, and what they count up to. */
static void
put_content(struct store *store, int64_t document_id, int64_t reading_id,
    const struct content *content)
{
	row_put_counts(
	    store, document_id, &content->merge, content->segment.count);
	replace_segment(store, document_id, &content->segment);
	add_delta(store, reading_id, content);
}

static void
mark_tried(
    struct store *store, const struct reading *reading, int64_t reading_id)
{
	struct sqlite3_stmt *stmt = db_use(store, SQL_DOCUMENT_TRIED);

	db_bind_int(stmt, 1, reading->document_id);
	db_bind_int(stmt, 2, reading->at_s);
	db_bind_int(stmt, 3, reading_id);
	db_run(store, stmt);
}

static void
mark_failed(struct store *store, const struct reading *reading)
{
	struct sqlite3_stmt *stmt = db_use(store, SQL_DOCUMENT_FAILED);

	db_bind_int(stmt, 1, reading->document_id);
	db_bind_int(stmt, 2, reading->at_s);
	db_run(store, stmt);
}

static void
mark_healthy(struct store *store, const struct reading *reading)
{
	struct sqlite3_stmt *stmt = db_use(store, SQL_DOCUMENT_HEALTHY);

	db_bind_int(stmt, 1, reading->document_id);
	db_bind_int(stmt, 2, reading->at_s);
	db_bind_date(stmt, 3, &reading->index_lastmod);
	db_run(store, stmt);
}

static void
mark_read(
    struct store *store, const struct reading *reading, int64_t reading_id)
{
	struct sqlite3_stmt *stmt = db_use(store, SQL_DOCUMENT_READ);
	const struct http_facts *http = &reading->http;
	const struct content *content = &reading->content;
	bool is_whole = content->is_complete && !content->is_held;

	db_bind_int(stmt, 1, reading->document_id);
	if (content->kind != KIND_UNKNOWN)
		db_bind_str(stmt, 2, document_kind_name(content->kind));
	db_bind_str(stmt, 3, http->final_url);
	if (is_whole) {
		db_bind_str(stmt, 4, usable_validator(usable_etag(http->etag)));
		db_bind_str(stmt, 5, usable_validator(http->last_modified));
	}
	if (is_whole && http->has_digest) {
		db_bind_blob(stmt, 6, digest_bytes(&http->wire_digest));
		db_bind_blob(stmt, 7, digest_bytes(&content->decoded_digest));
	}
	db_bind_int(stmt, 8, (int64_t)reading->fingerprint);
	db_bind_int(stmt, 9, reading->at_s);
	db_bind_int(stmt, 10, reading_id);
	db_bind_int(stmt, 11, content->is_complete);
	db_run(store, stmt);
}

static void
put_links(struct store *store, int64_t index_id, bool is_complete,
    const struct link_set *links)
{
	struct sqlite3_stmt *stmt;

	if (is_complete) {
		stmt = db_use(store, SQL_LINKS_AGE);
		db_bind_int(stmt, 1, index_id);
		db_run(store, stmt);
		stmt = db_use(store, SQL_LINKS_MISS);
		db_bind_int(stmt, 1, index_id);
		db_run(store, stmt);
	}
	for (size_t i = 0; i < links->count; i++) {
		stmt = db_use(store, SQL_LINK_SET);
		db_bind_int(stmt, 1, index_id);
		db_bind_int(stmt, 2, links->items[i].child_id);
		db_bind_date(stmt, 3, &links->items[i].lastmod);
		db_run(store, stmt);
	}
}

static void
segment_block(void *arg, const struct block *block)
{
	struct content *content = arg;

	block_list_add(&content->segment, block);
}

static void
delta_block(void *arg, const struct block *block)
{
	struct content *content = arg;

	block_list_add(&content->delta, block);
}

/* SPEC 15.2: an unchanged reading lacks, like the one before it, what that
 * one missed. */
static void
make_gone(struct store *store, struct reading *reading, int64_t reading_id)
{
	struct content content;
	struct block_source *source = block_source_segment(
	    store, reading->document_id);
	struct merge_options options = {
	    .now_s = reading->at_s,
	    .is_complete = true,
	    .previous = block_source_pull,
	    .previous_arg = source,
	    .segment = segment_block,
	    .delta = delta_block,
	    .arg = &content,
	};

	content_init(&content);
	/* A segment that cannot be decoded stays as it is until the document
	 * changes: nothing is known that could be made gone. */
	if (merge_unchanged(&options, &content.merge) == DIAG_OK) {
		put_content(store, reading->document_id, reading_id, &content);
		reading->content.merge
		    .changes[DELTA_GONE] = content.merge.changes[DELTA_GONE];
	}
	content_release(&content);
	block_source_free(source);
}

static void
apply_unchanged(
    struct store *store, struct reading *reading, int64_t reading_id)
{
	struct sqlite3_stmt *stmt = db_use(store, SQL_DOCUMENT_VALIDATORS);
	const struct http_facts *http = &reading->http;
	bool is_complete = false;
	int64_t missed = 0;

	db_bind_int(stmt, 1, reading->document_id);
	db_bind_str(stmt, 2, usable_validator(usable_etag(http->etag)));
	db_bind_str(stmt, 3, usable_validator(http->last_modified));
	if (http->has_digest)
		db_bind_blob(stmt, 4, digest_bytes(&http->wire_digest));
	db_run(store, stmt);

	stmt = db_use(store, SQL_DOCUMENT_STATE);
	db_bind_int(stmt, 1, reading->document_id);
	if (db_row(store, stmt)) {
		is_complete = db_int(stmt, 0) != 0;
		missed = db_int(stmt, 1);
	}
	db_done(stmt);
	if (!is_complete)
		return;
	stmt = db_use(store, SQL_LINKS_AGE);
	db_bind_int(stmt, 1, reading->document_id);
	db_run(store, stmt);
	if (missed > 0)
		make_gone(store, reading, reading_id);
}

int64_t
apply_reading(
    struct store *store, struct reading *reading, const struct link_set *links)
{
	struct sqlite3_stmt *stmt = db_use(store, SQL_META_STARTED);
	int64_t reading_id;

	db_bind_int(stmt, 1, reading->at_s);
	db_run(store, stmt);
	reading_id = add_reading(store, reading);
	add_findings(store, reading_id, &reading->content.findings);
	mark_tried(store, reading, reading_id);
	switch (reading->outcome) {
	case OUTCOME_READ:
		if (reading->content.failure != DIAG_OK) {
			mark_failed(store, reading);
			break;
		}
		put_links(store, reading->document_id,
		    reading->content.is_complete, links);
		mark_healthy(store, reading);
		mark_read(store, reading, reading_id);
		put_content(
		    store, reading->document_id, reading_id, &reading->content);
		break;
	case OUTCOME_UNCHANGED:
		mark_healthy(store, reading);
		apply_unchanged(store, reading, reading_id);
		break;
	case OUTCOME_FAILED:
		mark_failed(store, reading);
		break;
	case OUTCOME_REFUSED:
		break;
	}
	return reading_id;
}
