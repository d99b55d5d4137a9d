/* Documents: what the driver must know before it asks for one. */
#include "store/document.h"

#include <stdlib.h>

#include "base/mem.h"
#include "store/db.h"
#include "store/document_row.h"
#include "store/site.h"

#define GATE_READINGS 8 /* SCHEDULING F.1 */
#define GATE_LEAST 3 /* HOSTILE U8 */
#define GIVE_UP_S (7 * 86400)

bool
document_is_given_up(const struct document *document, int64_t now_s)
{
	return document->failing_since_s != 0 &&
	    now_s - document->failing_since_s >= GIVE_UP_S;
}

void
document_release(struct document *document)
{
	free(document->url);
	free(document->final_url);
	free(document->etag);
	free(document->last_modified);
	*document = (struct document){0};
}

static bool
find(struct store *store, int64_t site_id, struct slice url,
    struct document *document)
{
	struct sqlite3_stmt *stmt = db_use(store, SQL_DOCUMENT_FIND);

	db_bind_int(stmt, 1, site_id);
	db_bind_text(stmt, 2, url);
	bool is_there = db_row(store, stmt) &&
	    document_row(store, stmt, document);
	db_done(stmt);
	return is_there;
}

/* A normalised URL's scheme, host and port; all of it when it has no path. */
static struct slice
origin_of(struct slice url)
{
	unsigned slashes = 0;

	for (size_t i = 0; i < url.len; i++)
		if (url.p[i] == '/' && ++slashes == 3)
			return slice_make(url.p, i);
	return url;
}

static void
set_kind(struct store *store, int64_t id, enum document_kind kind)
{
	struct sqlite3_stmt *stmt = db_use(store, SQL_DOCUMENT_KIND);

	db_bind_int(stmt, 1, id);
	db_bind_str(stmt, 2, document_kind_name(kind));
	(void)db_write(store, stmt);
}

void
store_document(struct store *store, int64_t site_id, struct slice url,
    struct document *document)
{
	*document = (struct document){0};
	if (find(store, site_id, url, document)) {
		if (document->kind == KIND_UNLISTED) {
			set_kind(store, document->id, KIND_UNKNOWN);
			document->kind = KIND_UNKNOWN;
		}
		return;
	}
	document->url = slice_dup(url);
	document->site_id = site_id;

	struct sqlite3_stmt *stmt = db_use(store, SQL_DOCUMENT_MAKE);
	db_bind_int(stmt, 1, site_id);
	db_bind_text(stmt, 2, url);
	if (!db_write(store, stmt))
		return;
	document->id = db_last_id(store);

	int64_t origin = row_origin_id(store, origin_of(url));
	stmt = db_use(store, SQL_ORIGIN_TOUCH);
	db_bind_int(stmt, 1, site_id);
	db_bind_int(stmt, 2, origin);
	(void)db_write(store, stmt);
}

int64_t
store_unlisted(struct store *store, int64_t site_id, struct slice url)
{
	int64_t id = store_document_id(store, site_id, url);
	struct document document;

	if (id != 0)
		return id;
	store_document(store, site_id, url, &document);
	id = document.id;
	document_release(&document);
	if (id != 0)
		set_kind(store, id, KIND_UNLISTED);
	return id;
}

bool
store_document_get(struct store *store, int64_t id, struct document *document)
{
	struct sqlite3_stmt *stmt = db_use(store, SQL_DOCUMENT_GET);

	*document = (struct document){0};
	db_bind_int(stmt, 1, id);
	bool is_there = db_row(store, stmt) &&
	    document_row(store, stmt, document);
	db_done(stmt);
	return is_there;
}

enum diag_code
store_last_failure(struct store *store, int64_t document_id)
{
	struct sqlite3_stmt *stmt = db_use(store, SQL_DOCUMENT_FAILURE);
	enum diag_code code = DIAG_OK;

	db_bind_int(stmt, 1, document_id);
	if (db_row(store, stmt))
		code = diag_find(db_text(stmt, 0));
	db_done(stmt);
	return code;
}

bool
store_moves_dates(struct store *store, int64_t document_id, uint64_t redated,
    uint64_t entries)
{
	struct sqlite3_stmt *stmt;
	int64_t share = entries == 0 ? 0 : (int64_t)(redated * 1000 / entries);
	bool is_so = false;

	if (share <= 500)
		return false;
	stmt = db_use(store, SQL_READING_MOVES);
	db_bind_int(stmt, 1, document_id);
	db_bind_int(stmt, 2, GATE_READINGS - 1);
	if (db_row(store, stmt))
		is_so = db_int(stmt, 1) + 1 >= GATE_LEAST &&
		    (int64_t)db_count(store, stmt, 2) + share >
			(db_int(stmt, 0) + 1) * 500;
	db_done(stmt);
	return is_so;
}

int64_t
store_latest_s(struct store *store)
{
	struct sqlite3_stmt *stmt = db_use(store, SQL_READING_LATEST);
	int64_t at_s = db_row(store, stmt) ? db_time(store, stmt, 0) : 0;

	db_done(stmt);
	return at_s;
}

int64_t
store_last_reading(struct store *store)
{
	struct sqlite3_stmt *stmt = db_use(store, SQL_READING_LAST);
	int64_t id = db_row(store, stmt) ? db_id(store, stmt, 0) : 0;

	db_done(stmt);
	return id;
}

int64_t
store_document_id(struct store *store, int64_t site_id, struct slice url)
{
	struct sqlite3_stmt *stmt = db_use(store, SQL_DOCUMENT_ID);
	int64_t id = 0;

	db_bind_int(stmt, 1, site_id);
	db_bind_text(stmt, 2, url);
	if (db_row(store, stmt))
		id = db_id(store, stmt, 0);
	db_done(stmt);
	return id;
}
