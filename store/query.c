/* Queries: blocks, rows of documents, findings, totals. */
#include "store/query.h"

#include <stdlib.h>

#include "base/mem.h"
#include "store/db.h"
#include "store/lookup.h"
#include "store/schema.h"

struct block_source *
block_source_new(struct store *store, enum block_owner owner, int64_t owner_id)
{
	struct block_source *source = store->spare_source;
	enum statement count = owner == BLOCKS_OF_SEGMENT ? SQL_DOCUMENT_BLOCKS
							  : SQL_READING_BLOCKS;

	store->spare_source = NULL;
	if (source == NULL) {
		source = mem_zero(sizeof(*source));
		buf_init(&source->data, BLOCK_MAX_BYTES);
	}
	source->store = store;
	source->statement = owner == BLOCKS_OF_SEGMENT ? SQL_SEGMENT_GET
						       : SQL_DELTA_GET;
	source->first_id = BLOCK_ID(owner_id);
	source->count = (uint32_t)db_first(
	    store, db_use_id(store, count, owner_id));
	source->at = 0;
	if (source->reader != NULL)
		block_reader_reset(source->reader, false);
	return source;
}

struct block_reader *
block_source_reader(struct block_source *source)
{
	if (source->reader == NULL)
		source->reader = block_reader_new(block_source_pull, source);
	return source->reader;
}

/* A reader is dear to make, by zstd's CPUID on a virtual machine most of all,
 * and a page about many sites reads some hundred thousand short deltas: so the
 * store keeps a source for the next one who wants it. */
void
block_source_close(struct block_source *source, const char *what, int64_t id)
{
	if (source == NULL)
		return;
	if (what != NULL && source->reader != NULL &&
	    block_reader_damaged(source->reader))
		db_damaged(source->store, NULL,
		    "%s %lld: its blocks cannot be decoded", what,
		    (long long)id);
	if (source->store->spare_source == NULL) {
		source->store->spare_source = source;
		return;
	}
	one_block_release(source);
	free(source);
}

/* Each block is read by a statement of its own, so that commits are possible
 * between two blocks. */
struct slice
block_source_pull(void *arg)
{
	struct block_source *source = arg;
	struct sqlite3_stmt *stmt;

	if (source->at >= source->count)
		return slice_make(NULL, 0);
	buf_clear(&source->data);
	stmt = db_use_id(source->store, (enum statement)source->statement,
	    source->first_id + source->at++);
	bool is_there = db_row(source->store, stmt) &&
	    buf_put_slice(&source->data, db_blob(stmt, 0));
	db_done(stmt);
	/* A missing block must not look like the end: a byte with which no
	 * block begins makes the reader report damage. */
	if (!is_there || source->data.len == 0)
		(void)buf_put_char(&source->data, '\0');
	return buf_text(&source->data);
}

void
store_each_document(struct store *store, enum documents_by by,
    struct slice text, store_row_fn *fn, void *arg)
{
	struct sqlite3_stmt *stmt = db_loop(store,
	    by == DOCUMENTS_OF_SITE ? SQL_EACH_DOCUMENT : SQL_DOCUMENTS_AT);
	struct buf failure = BUF_UP_TO(SIZE_MAX);
	struct date published;
	bool goes_on = true;
	const int more = DOCUMENT_COLUMN_COUNT;

	db_bind_text(stmt, 1, text);
	while (goes_on && db_row(store, stmt)) {
		struct document_row row = {
		    .site = db_url(store, stmt, more),
		    .reading_id = db_int(stmt, more + 1),
		    .content_id = db_int(stmt, more + 2),
		    .dated = db_count(store, stmt, more + 3),
		    .newest = db_date(stmt, more + 4),
		    .crawl_after = db_int(stmt, more + 7),
		};

		/* the newest article of a news sitemap is as new */
		published = db_date(stmt, more + 10);
		if (date_order(&published, &row.newest) > 0)
			row.newest = published;
		row.is_failing = db_int(stmt, more + 9) != 0;
		row.is_unlisted = db_int(stmt, more + 8) == 0 &&
		    row.reading_id != 0 && row.reading_id <= row.crawl_after;
		if (!document_row(store, stmt, &row.document))
			break;
		if (row.reading_id != 0) {
			/* Add the latest attempt, and the counts of entries and
			 * findings.  If the attempt found the document
			 * unchanged, the counts are those of the reading that
			 * it confirmed. */
			struct sqlite3_stmt *get = db_use_id(
			    store, SQL_READING_GET, row.reading_id);

			buf_clear(&failure);
			if (db_row(store, get)) {
				row.outcome = outcome_find(db_text(get, 0));
				(void)buf_put_slice(&failure, db_text(get, 1));
				row.status = (int)db_int(get, 2);
				row.at_s = db_time(store, get, 3);
				for (int kind = 0; kind < DELTA_KINDS; kind++)
					row.changes[kind] = db_count(
					    store, get, 6 + kind);
			}
			db_done(get);
			row.failure = buf_text(&failure);
			if (row.outcome != OUTCOME_UNCHANGED ||
			    row.content_id == 0)
				row.content_id = row.reading_id;
			get = db_use_id(store, SQL_READING_GET, row.content_id);
			if (db_row(store, get)) {
				row.seen = db_count(store, get, 4);
				row.refused = db_count(store, get, 5);
			}
			db_done(get);
			/* Severities are those of the default profile, so that
			 * rows of different documents can be compared. */
			get = db_use_id(
			    store, SQL_FINDING_COUNTS, row.content_id);
			while (db_row(store, get)) {
				enum diag_code code = diag_find(
				    db_text(get, 0));
				enum severity severity = code == DIAG_OK
				    ? SEVERITY_NONE
				    : diag_info(code)->severity[PROFILE_GOOGLE];
				uint64_t count = db_count(store, get, 1);

				if (severity == SEVERITY_ERROR)
					row.errors += count;
				else if (severity == SEVERITY_WARNING)
					row.warnings += count;
			}
		}
		row.first_parent_id = db_first(
		    store, db_use_id(store, SQL_LINK_PARENT, row.document.id));
		goes_on = store->failed == DIAG_OK && fn(arg, &row);
		document_release(&row.document);
	}
	db_done(stmt);
	buf_release(&failure);
}

int64_t
store_not_tried_since(
    struct store *store, const struct document *document, uint64_t *tries)
{
	struct sqlite3_stmt *stmt = db_use_ints(store, SQL_REFUSED_SINCE, 2,
	    (int64_t[]){document->id, document->last_read_s});
	int64_t since_s = 0;

	*tries = 0;
	if (db_row(store, stmt)) {
		since_s = db_time(store, stmt, 0);
		*tries = db_count(store, stmt, 1);
	}
	db_done(stmt);
	return since_s;
}

void
store_each_finding(
    struct store *store, int64_t reading_id, store_finding_fn *fn, void *arg)
{
	struct sqlite3_stmt *stmt = db_loop_id(
	    store, SQL_FINDING_ROWS, reading_id);

	while (db_row(store, stmt)) {
		struct finding_row row = {
		    .code = db_text(stmt, 0),
		    .count = db_count(store, stmt, 1),
		    .line = (uint32_t)db_int(stmt, 2),
		    .text = db_text(stmt, 3),
		};

		fn(arg, &row);
	}
}

void
store_info(struct store *store, struct store_info *info)
{
	struct sqlite3_stmt *stmt = db_use(store, SQL_INFO_COUNTS);

	*info = (struct store_info){
	    .schema_version = schema_current.count,
	    .schema_before = store->schema_before,
	    .file_bytes = store->is_scratch
		? store_bytes(store)
		: db_file_bytes(store, "") + db_file_bytes(store, "-wal"),
	    .used_bytes = store_bytes(store),
	};
	if (db_row(store, stmt)) {
		info->sites = (uint64_t)db_int(stmt, 0);
		info->documents = (uint64_t)db_int(stmt, 1);
		info->readings = (uint64_t)db_int(stmt, 2);
		info->findings = (uint64_t)db_int(stmt, 3);
		info->proofs = (uint64_t)db_int(stmt, 4);
		info->urls = db_count(store, stmt, 5);
		info->segment_bytes = (uint64_t)db_int(stmt, 6);
		info->delta_bytes = (uint64_t)db_int(stmt, 7);
		info->first_reading_s = db_time(store, stmt, 8);
		info->last_reading_s = db_time(store, stmt, 9);
		info->robots = (uint64_t)db_int(stmt, 10);
		info->watched = (uint64_t)db_int(stmt, 11);
		info->pages = (uint64_t)db_int(stmt, 12);
		info->documents -= info->robots;
	}
	db_done(stmt);
}

/* Decoding a single block of a segment. */

void
one_block_open(struct block_source *block, struct store *store, int64_t id)
{
	if (block->reader == NULL) {
		buf_init(&block->data, BLOCK_MAX_BYTES);
		block->reader = block_reader_new(block_source_pull, block);
	}
	block_reader_reset(block->reader, false);
	block->store = store;
	block->statement = SQL_SEGMENT_GET;
	block->first_id = id;
	block->count = 1;
	block->at = 0;
}

void
one_block_close(struct block_source *block)
{
	int64_t id = block->first_id;
	struct sqlite3_stmt *stmt;
	char *url = NULL;

	if (!block_reader_damaged(block->reader))
		return;
	stmt = db_use_id(block->store, SQL_DOCUMENT_URL, id >> BLOCK_ID_SHIFT);
	if (db_row(block->store, stmt))
		url = slice_dup(db_text(stmt, 0));
	db_done(stmt);
	db_damaged(block->store, NULL,
	    "segment %lld: block %lld of '%s' cannot be decoded", (long long)id,
	    (long long)(id & (BLOCKS_MAX - 1)), url == NULL ? "" : url);
	free(url);
}

void
one_block_release(struct block_source *block)
{
	block_reader_free(block->reader);
	buf_release(&block->data);
	*block = (struct block_source){0};
}
