/* Documents: what the driver must know before it asks for one. */
#include "store/document.h"

#include <stdlib.h>

#include "base/mem.h"
#include "store/db.h"
#include "store/site.h"

void
document_release(struct document *document)
{
	free(document->url);
	free(document->final_url);
	free(document->etag);
	free(document->last_modified);
	*document = (struct document){0};
}

static enum document_kind
kind_of(struct slice name)
{
	for (int kind = 0; kind < KIND_COUNT; kind++)
		if (slice_is(name, document_kind_name(kind)))
			return (enum document_kind)kind;
	return KIND_UNKNOWN;
}

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

void
document_row(
    struct store *store, struct sqlite3_stmt *stmt, struct document *document)
{
	char *url = db_str(stmt, 2);

	*document = (struct document){
	    .id = db_int(stmt, 0),
	    .site_id = db_int(stmt, 1),
	    .url = url == NULL ? mem_copy("") : url,
	    .kind = kind_of(db_text(stmt, 3)),
	    .final_url = db_str(stmt, 4),
	    .etag = db_str(stmt, 5),
	    .last_modified = db_str(stmt, 6),
	    .fingerprint = (uint64_t)db_int(stmt, 9),
	    .last_read_s = db_int(stmt, 10),
	    .last_full_s = db_int(stmt, 11),
	    .last_try_s = db_int(stmt, 12),
	    .failures = (uint32_t)db_int(stmt, 13),
	    .failing_since_s = db_int(stmt, 14),
	    .index_lastmod_read = db_date(stmt, 15),
	    .entries = (uint64_t)db_int(stmt, 18),
	    .missed = (uint64_t)db_int(stmt, 19),
	    .is_complete = db_int(stmt, 20) != 0,
	};
	document->has_digest = db_digest(stmt, 7, &document->wire_digest) &&
	    db_digest(stmt, 8, &document->decoded_digest);
	document->index_lastmod = index_lastmod(store, document->id);
}

static bool
find(struct store *store, int64_t site_id, struct slice url,
    struct document *document)
{
	struct sqlite3_stmt *stmt = db_use(store, SQL_DOCUMENT_FIND);

	db_bind_int(stmt, 1, site_id);
	db_bind_text(stmt, 2, url);
	bool is_there = db_row(store, stmt);
	if (is_there)
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

static int64_t
origin_id(struct store *store, struct slice origin)
{
	struct sqlite3_stmt *stmt = db_use(store, SQL_ORIGIN_GET);
	int64_t id = 0;

	db_bind_text(stmt, 1, origin);
	if (db_row(store, stmt))
		id = db_int(stmt, 0);
	db_done(stmt);
	if (id != 0)
		return id;
	stmt = db_use(store, SQL_ORIGIN_MAKE);
	db_bind_text(stmt, 1, origin);
	return db_write(store, stmt) ? db_last_id(store) : 0;
}

void
store_document(struct store *store, int64_t site_id, struct slice url,
    struct document *document)
{
	*document = (struct document){0};
	if (find(store, site_id, url, document))
		return;
	document->url = slice_dup(url);
	document->site_id = site_id;

	struct sqlite3_stmt *stmt = db_use(store, SQL_DOCUMENT_MAKE);
	db_bind_int(stmt, 1, site_id);
	db_bind_text(stmt, 2, url);
	if (!db_write(store, stmt))
		return;
	document->id = db_last_id(store);

	int64_t origin = origin_id(store, origin_of(url));
	stmt = db_use(store, SQL_ORIGIN_TOUCH);
	db_bind_int(stmt, 1, site_id);
	db_bind_int(stmt, 2, origin);
	(void)db_write(store, stmt);
}

bool
store_document_get(struct store *store, int64_t id, struct document *document)
{
	struct sqlite3_stmt *stmt = db_use(store, SQL_DOCUMENT_GET);

	*document = (struct document){0};
	db_bind_int(stmt, 1, id);
	bool is_there = db_row(store, stmt);
	if (is_there)
		document_row(store, stmt, document);
	db_done(stmt);
	return is_there;
}

int64_t
store_document_id(struct store *store, int64_t site_id, struct slice url)
{
	struct sqlite3_stmt *stmt = db_use(store, SQL_DOCUMENT_ID);
	int64_t id = 0;

	db_bind_int(stmt, 1, site_id);
	db_bind_text(stmt, 2, url);
	if (db_row(store, stmt))
		id = db_int(stmt, 0);
	db_done(stmt);
	return id;
}

static void
put_fact(struct store *store, int64_t id, const struct robots_fact *fact)
{
	struct sqlite3_stmt *stmt = db_use(store, SQL_ORIGIN_SET);

	db_bind_int(stmt, 1, id);
	db_bind_int(stmt, 2, fact->fetched_s);
	db_bind_int(stmt, 3, fact->expires_s);
	db_bind_int(stmt, 4, fact->failing_since_s);
	db_bind_int(stmt, 5, fact->status);
	if (fact->has_body)
		db_bind_blob(stmt, 6, fact->body);
	(void)db_write(store, stmt);
}

void
store_robots(struct store *store, const struct robots_fact *fact)
{
	int64_t id = origin_id(store, fact->origin);
	struct sqlite3_stmt *stmt = db_use(store, SQL_PROOF_CLEAR);

	put_fact(store, id, fact);
	db_bind_int(stmt, 1, id);
	(void)db_write(store, stmt);
	for (uint32_t i = 0; i < fact->sitemap_count; i++) {
		stmt = db_use(store, SQL_PROOF_ADD);
		db_bind_int(stmt, 1, id);
		db_bind_text(stmt, 2, fact->sitemaps[i]);
		db_bind_int(stmt, 3, fact->lines[i]);
		db_bind_int(stmt, 4, fact->fetched_s);
		(void)db_write(store, stmt);
	}
}

bool
store_robots_get(struct store *store, struct slice origin,
    struct robots_fact *fact, struct buf *body)
{
	struct sqlite3_stmt *stmt = db_use(store, SQL_ORIGIN_FACTS);

	*fact = (struct robots_fact){.origin = origin};
	db_bind_text(stmt, 1, origin);
	bool is_there = db_row(store, stmt);
	if (is_there) {
		struct slice stored = db_blob(stmt, 4);

		fact->fetched_s = db_int(stmt, 0);
		fact->expires_s = db_int(stmt, 1);
		fact->failing_since_s = db_int(stmt, 2);
		fact->status = (int)db_int(stmt, 3);
		buf_clear(body);
		fact->has_body = !db_is_null(stmt, 4) &&
		    buf_put_slice(body, stored);
		fact->body = buf_text(body);
	}
	db_done(stmt);
	return is_there;
}
