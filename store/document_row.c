/* Rows of documents and origins. */
#include "store/document_row.h"

#include "store/db.h"

static struct date
index_lastmod(struct store *store, int64_t document_id)
{
	struct sqlite3_stmt *stmt = db_use(store, SQL_LINK_LASTMOD);
	struct date date = {0};

	db_bind_int(stmt, 1, document_id);
	if (db_row(store, stmt))
		date = db_date(stmt, 0);
	db_done(stmt);
	return date;
}

/* Sent back to its server: in a line of its own. */
static char *
validator(struct store *store, struct sqlite3_stmt *stmt, int column)
{
	return db_is_null(stmt, column)
	    ? NULL
	    : slice_dup(db_line(store, stmt, column));
}

bool
document_row(
    struct store *store, struct sqlite3_stmt *stmt, struct document *document)
{
	struct slice url = db_whole_url(store, stmt, 2);

	*document = (struct document){
	    .id = db_id(store, stmt, 0),
	    .site_id = db_id(store, stmt, 1),
	    .url = slice_dup(url),
	    .kind = document_kind_find(db_text(stmt, 3)),
	    .final_url = db_is_null(stmt, 4)
		? NULL
		: slice_dup(db_whole_url(store, stmt, 4)),
	    .etag = validator(store, stmt, 5),
	    .last_modified = validator(store, stmt, 6),
	    .fingerprint = (uint64_t)db_int(stmt, 9),
	    .last_read_s = db_time(store, stmt, 10),
	    .last_full_s = db_time(store, stmt, 11),
	    .last_try_s = db_time(store, stmt, 12),
	    .failures = db_small(store, stmt, 13),
	    .failing_since_s = db_time(store, stmt, 14),
	    .index_lastmod_read = db_date(stmt, 15),
	    .entries = db_count(store, stmt, 18),
	    .missed = db_count(store, stmt, 19),
	    .is_complete = db_int(stmt, 20) != 0,
	    .refused = db_count(store, stmt, 21),
	    .refused_by = verdict_of(diag_find(db_text(stmt, 22))),
	    .lacks_refused = db_int(stmt, 23) != 0,
	};
	document->has_digest = db_digest(stmt, 7, &document->wire_digest) &&
	    db_digest(stmt, 8, &document->decoded_digest);
	document->index_lastmod = index_lastmod(store, document->id);
	if (store->failed == DIAG_OK)
		return true;
	document_release(document);
	return false;
}

void
row_put_counts(struct store *store, int64_t document_id,
    const struct merge_counts *counts, size_t blocks)
{
	struct sqlite3_stmt *stmt = db_use(store, SQL_DOCUMENT_SEGMENT);

	db_bind_int(stmt, 1, document_id);
	db_bind_int(stmt, 2, (int64_t)counts->entries);
	db_bind_int(stmt, 3, (int64_t)counts->missed);
	db_bind_int(stmt, 4, (int64_t)blocks);
	db_bind_int(stmt, 5, (int64_t)counts->dated);
	db_bind_date(stmt, 6, &counts->newest);
	db_bind_int(stmt, 9, (int64_t)counts->refused);
	if (counts->refused > 0)
		db_bind_str(stmt, 10,
		    diag_name(verdict_code(merge_refused_by(counts))));
	(void)db_write(store, stmt);
}

int64_t
row_origin_find(struct store *store, struct slice origin)
{
	struct sqlite3_stmt *stmt = db_use(store, SQL_ORIGIN_GET);
	int64_t id = 0;

	db_bind_text(stmt, 1, origin);
	if (db_row(store, stmt))
		id = db_id(store, stmt, 0);
	db_done(stmt);
	return id;
}

int64_t
row_origin_id(struct store *store, struct slice origin)
{
	int64_t id = row_origin_find(store, origin);
	struct sqlite3_stmt *stmt;

	if (id != 0)
		return id;
	stmt = db_use(store, SQL_ORIGIN_MAKE);
	db_bind_text(stmt, 1, origin);
	return db_write(store, stmt) ? db_last_id(store) : 0;
}
