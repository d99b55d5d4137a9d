/* What is known of sites, documents, links and robots.txt. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "store/internal.h"
#include "store/site.h"

/* Statements, values, failures. */

void
store_fail(struct store *store, int result)
{
	/* One writer, one lock: nobody else can hold the database. */
	assert((result & 0xff) != SQLITE_BUSY || store->is_read_only);
	if (store->failed != DIAG_OK)
		return;
	switch (result & 0xff) {
	case SQLITE_CORRUPT:
	case SQLITE_NOTADB:
	case SQLITE_SCHEMA:
		store->failed = DIAG_STORE_DAMAGED;
		break;
	default:
		store->failed = DIAG_DISK_FULL;
		break;
	}
}

enum diag_code
store_failed(const struct store *store)
{
	return store->failed;
}

sqlite3_stmt *
store_statement(struct store *store, enum statement which)
{
	int result;

	if (store->failed != DIAG_OK)
		return NULL;
	if (store->statements[which] != NULL)
		return store->statements[which];
	result = sqlite3_prepare_v3(store->db, statement_sql(which), -1,
	    SQLITE_PREPARE_PERSISTENT, &store->statements[which], NULL);
	if (result != SQLITE_OK)
		store_fail(store, result);
	return store->statements[which];
}

sqlite3_stmt *
store_begin(struct store *store, enum statement which)
{
	int result;

	if (!store->is_writing && store->failed == DIAG_OK) {
		result = sqlite3_exec(
		    store->db, "BEGIN IMMEDIATE", NULL, NULL, NULL);
		if (result != SQLITE_OK)
			store_fail(store, result);
		store->is_writing = result == SQLITE_OK;
	}
	return store_statement(store, which);
}

bool
store_step(struct store *store, sqlite3_stmt *statement)
{
	int result;

	if (statement == NULL)
		return false;
	result = sqlite3_step(statement);
	if (result == SQLITE_ROW)
		return true;
	(void)sqlite3_reset(statement);
	if (result != SQLITE_DONE)
		store_fail(store, result);
	return false;
}

void
store_run(struct store *store, sqlite3_stmt *statement)
{
	if (store_step(store, statement))
		(void)sqlite3_reset(statement);
}

/* Slices live until the statement is stepped, and it is reset before they
 * go: SQLite need not copy them. */
void
store_bind_slice(sqlite3_stmt *statement, int at, struct slice text)
{
	(void)sqlite3_bind_text(statement, at, text.len == 0 ? "" : text.p,
	    (int)text.len, SQLITE_STATIC);
}

void
store_bind_string(sqlite3_stmt *statement, int at, const char *text)
{
	(void)sqlite3_bind_text(statement, at, text, -1, SQLITE_STATIC);
}

void
store_bind_blob(sqlite3_stmt *statement, int at, struct slice bytes)
{
	(void)sqlite3_bind_blob(statement, at, bytes.len == 0 ? "" : bytes.p,
	    (int)bytes.len, SQLITE_STATIC);
}

void
store_bind_date(sqlite3_stmt *statement, int at, const struct date *date)
{
	bool has = date->precision != DATE_NONE;

	(void)sqlite3_bind_int64(statement, at, has ? date->epoch_s : 0);
	(void)sqlite3_bind_int64(statement, at + 1, has ? date->nanos : 0);
	(void)sqlite3_bind_int(
	    statement, at + 2, has ? date->precision + 16 * date->zone : 0);
}

struct slice
store_column_slice(sqlite3_stmt *statement, int at)
{
	const void *p = sqlite3_column_blob(statement, at);

	return slice_make(p, (size_t)sqlite3_column_bytes(statement, at));
}

char *
store_column_string(sqlite3_stmt *statement, int at)
{
	if (sqlite3_column_type(statement, at) == SQLITE_NULL)
		return NULL;
	return slice_dup(store_column_slice(statement, at));
}

void
store_column_date(sqlite3_stmt *statement, int at, struct date *date)
{
	int form = sqlite3_column_int(statement, at + 2);

	*date = (struct date){0};
	if ((form & 15) < DATE_YEAR || (form & 15) > DATE_FRACTION ||
	    form >> 4 < 0 || form >> 4 > ZONE_EXPLICIT)
		return;
	date->epoch_s = sqlite3_column_int64(statement, at);
	date->nanos = (uint32_t)sqlite3_column_int64(statement, at + 1);
	date->precision = (uint8_t)(form & 15);
	date->zone = (uint8_t)(form >> 4);
}

/* Sites. */

int64_t
store_site(struct store *store, struct slice host)
{
	sqlite3_stmt *statement = store_begin(store, SITE_FIND);
	int64_t id = 0;

	if (statement == NULL)
		return 0;
	store_bind_slice(statement, 1, host);
	if (store_step(store, statement)) {
		id = sqlite3_column_int64(statement, 0);
		(void)sqlite3_reset(statement);
		return id;
	}
	statement = store_begin(store, SITE_ADD);
	if (statement == NULL)
		return 0;
	store_bind_slice(statement, 1, host);
	store_run(store, statement);
	return sqlite3_last_insert_rowid(store->db);
}

int64_t
store_crawl_begin(struct store *store, int64_t site_id, int64_t now_s)
{
	sqlite3_stmt *statement = store_begin(store, SITE_CRAWL);
	int64_t began_s = 0;

	if (statement == NULL)
		return now_s;
	(void)sqlite3_bind_int64(statement, 1, site_id);
	if (store_step(store, statement)) {
		began_s = sqlite3_column_int64(statement, 0);
		(void)sqlite3_reset(statement);
	}
	if (began_s > 0 && began_s <= now_s && now_s - began_s < CRAWL_RESUME_S)
		return began_s;
	statement = store_begin(store, SITE_SET_CRAWL);
	if (statement == NULL)
		return now_s;
	(void)sqlite3_bind_int64(statement, 1, site_id);
	(void)sqlite3_bind_int64(statement, 2, now_s);
	store_run(store, statement);
	return now_s;
}

void
store_crawl_end(struct store *store, int64_t site_id)
{
	sqlite3_stmt *statement = store_begin(store, SITE_SET_CRAWL);

	if (statement == NULL)
		return;
	(void)sqlite3_bind_int64(statement, 1, site_id);
	(void)sqlite3_bind_int64(statement, 2, 0);
	store_run(store, statement);
}

/* Documents. */

void
document_release(struct document *document)
{
	free(document->url);
	free(document->final_url);
	free(document->etag);
	free(document->last_modified);
	*document = (struct document){0};
}

int64_t
store_document_id(struct store *store, int64_t site_id, struct slice url)
{
	sqlite3_stmt *statement = store_statement(store, DOCUMENT_FIND);
	int64_t id = 0;

	if (statement == NULL)
		return 0;
	(void)sqlite3_bind_int64(statement, 1, site_id);
	store_bind_slice(statement, 2, url);
	if (store_step(store, statement)) {
		id = sqlite3_column_int64(statement, 0);
		(void)sqlite3_reset(statement);
	}
	return id;
}

void
store_document(struct store *store, int64_t site_id, struct slice url,
    struct document *document)
{
	int64_t id = store_document_id(store, site_id, url);
	sqlite3_stmt *statement;

	*document = (struct document){0};
	if (id == 0) {
		statement = store_begin(store, DOCUMENT_ADD);
		if (statement == NULL)
			return;
		(void)sqlite3_bind_int64(statement, 1, site_id);
		store_bind_slice(statement, 2, url);
		store_run(store, statement);
		id = sqlite3_last_insert_rowid(store->db);
	}
	(void)store_document_get(store, id, document);
}

static enum document_kind
kind_of(struct slice name)
{
	for (int kind = 0; kind < KIND_COUNT; kind++)
		if (slice_is(
			name, document_kind_name((enum document_kind)kind)))
			return (enum document_kind)kind;
	return KIND_UNKNOWN;
}

static bool
column_digest(sqlite3_stmt *statement, int at, struct digest *digest)
{
	struct slice bytes = store_column_slice(statement, at);

	if (bytes.len != sizeof(digest->bytes))
		return false;
	memcpy(digest->bytes, bytes.p, bytes.len);
	return true;
}

void
store_document_row(sqlite3_stmt *statement, struct document *d)
{
	*d = (struct document){.id = sqlite3_column_int64(statement, 0),
	    .site_id = sqlite3_column_int64(statement, 1),
	    .url = store_column_string(statement, 2),
	    .kind = kind_of(store_column_slice(statement, 3)),
	    .final_url = store_column_string(statement, 4),
	    .etag = store_column_string(statement, 5),
	    .last_modified = store_column_string(statement, 6),
	    .fingerprint = (uint64_t)sqlite3_column_int64(statement, 9),
	    .last_read_s = sqlite3_column_int64(statement, 10),
	    .last_full_s = sqlite3_column_int64(statement, 11),
	    .last_try_s = sqlite3_column_int64(statement, 12),
	    .failures = (uint32_t)sqlite3_column_int64(statement, 13),
	    .failing_since_s = sqlite3_column_int64(statement, 14),
	    .entries = (uint64_t)sqlite3_column_int64(statement, 21),
	    .missed = (uint64_t)sqlite3_column_int64(statement, 22),
	    .is_complete = sqlite3_column_int(statement, 23) != 0};
	d->has_digest = column_digest(statement, 7, &d->wire_digest) &&
	    column_digest(statement, 8, &d->decoded_digest);
	store_column_date(statement, 15, &d->index_lastmod);
	store_column_date(statement, 18, &d->index_lastmod_read);
}

bool
store_document_get(struct store *store, int64_t id, struct document *document)
{
	sqlite3_stmt *statement = store_statement(store, DOCUMENT_GET);

	*document = (struct document){0};
	if (statement == NULL)
		return false;
	(void)sqlite3_bind_int64(statement, 1, id);
	if (!store_step(store, statement))
		return false;
	store_document_row(statement, document);
	(void)sqlite3_reset(statement);
	return true;
}

/* Links. */

void
store_links_begin(struct store *store, int64_t index_id)
{
	sqlite3_stmt *statement = store_begin(store, LINK_STALE);

	if (statement == NULL)
		return;
	(void)sqlite3_bind_int64(statement, 1, index_id);
	store_run(store, statement);
}

void
store_link(struct store *store, int64_t index_id, int64_t child_id,
    const struct date *lastmod)
{
	sqlite3_stmt *statement = store_begin(store, LINK_ADD);

	if (statement == NULL)
		return;
	(void)sqlite3_bind_int64(statement, 1, index_id);
	(void)sqlite3_bind_int64(statement, 2, child_id);
	store_bind_date(statement, 3, lastmod);
	store_run(store, statement);
	statement = store_begin(store, DOCUMENT_LISTED);
	if (statement == NULL)
		return;
	(void)sqlite3_bind_int64(statement, 1, child_id);
	store_bind_date(statement, 2, lastmod);
	store_run(store, statement);
}

void
store_each_child(
    struct store *store, int64_t index_id, store_child_fn *fn, void *arg)
{
	sqlite3_stmt *statement = store_statement(store, LINK_CHILDREN);

	if (statement == NULL)
		return;
	(void)sqlite3_bind_int64(statement, 1, index_id);
	while (store_step(store, statement)) {
		struct date lastmod;

		store_column_date(statement, 1, &lastmod);
		fn(arg, sqlite3_column_int64(statement, 0), &lastmod);
	}
}

/* A parent, kept while its statement is used again further up. */
struct parent {
	int64_t id;
	char *url;
};

void
store_each_parent(
    struct store *store, int64_t child_id, store_parent_fn *fn, void *arg)
{
	sqlite3_stmt *statement = store_statement(store, LINK_PARENTS);
	struct parent *parents = NULL;
	size_t count = 0, cap = 0;

	if (statement == NULL)
		return;
	(void)sqlite3_bind_int64(statement, 1, child_id);
	while (store_step(store, statement)) {
		parents = mem_grow(parents, &cap, count + 1, sizeof(*parents));
		parents[count++] = (struct parent){
		    sqlite3_column_int64(statement, 0),
		    store_column_string(statement, 1)};
	}
	for (size_t i = 0; i < count; i++) {
		fn(arg, parents[i].id, slice_of(parents[i].url));
		free(parents[i].url);
	}
	free(parents);
}

/* robots.txt and proofs. */

static int64_t
put_origin(struct store *store, const struct robots_fact *fact)
{
	sqlite3_stmt *statement = store_begin(store, ORIGIN_PUT);
	int64_t id = 0;

	if (statement == NULL)
		return 0;
	store_bind_slice(statement, 1, fact->origin);
	(void)sqlite3_bind_int64(statement, 2, fact->fetched_s);
	(void)sqlite3_bind_int64(statement, 3, fact->expires_s);
	(void)sqlite3_bind_int64(statement, 4, fact->failing_since_s);
	(void)sqlite3_bind_int(statement, 5, fact->status);
	if (fact->has_body)
		store_bind_blob(statement, 6, fact->body);
	else
		(void)sqlite3_bind_null(statement, 6);
	if (store_step(store, statement)) {
		id = sqlite3_column_int64(statement, 0);
		store_run(store, statement);
	}
	return id;
}

void
store_robots(struct store *store, const struct robots_fact *fact)
{
	int64_t id = put_origin(store, fact);
	sqlite3_stmt *statement = store_begin(store, PROOF_CLEAR);

	if (statement == NULL)
		return;
	(void)sqlite3_bind_int64(statement, 1, id);
	store_run(store, statement);
	for (uint32_t i = 0; i < fact->sitemap_count; i++) {
		statement = store_begin(store, PROOF_ADD);
		if (statement == NULL)
			return;
		(void)sqlite3_bind_int64(statement, 1, id);
		store_bind_slice(statement, 2, fact->sitemaps[i]);
		(void)sqlite3_bind_int64(statement, 3, fact->lines[i]);
		(void)sqlite3_bind_int64(statement, 4, fact->fetched_s);
		store_run(store, statement);
	}
}

bool
store_robots_get(struct store *store, struct slice origin,
    struct robots_fact *fact, struct buf *body)
{
	sqlite3_stmt *statement = store_statement(store, ORIGIN_GET);

	*fact = (struct robots_fact){.origin = origin};
	if (statement == NULL)
		return false;
	store_bind_slice(statement, 1, origin);
	if (!store_step(store, statement))
		return false;
	fact->fetched_s = sqlite3_column_int64(statement, 0);
	fact->expires_s = sqlite3_column_int64(statement, 1);
	fact->failing_since_s = sqlite3_column_int64(statement, 2);
	fact->status = sqlite3_column_int(statement, 3);
	fact->has_body = sqlite3_column_type(statement, 4) != SQLITE_NULL;
	if (!buf_put_slice(body, store_column_slice(statement, 4)))
		fact->has_body = false;
	fact->body = buf_text(body);
	(void)sqlite3_reset(statement);
	return true;
}

static void
each_text(
    struct store *store, sqlite3_stmt *statement, store_text_fn *fn, void *arg)
{
	while (store_step(store, statement))
		fn(arg, store_column_slice(statement, 0));
}

void
store_vouchers(struct store *store, struct slice document_url,
    store_text_fn *fn, void *arg)
{
	sqlite3_stmt *statement = store_statement(store, PROOF_VOUCHERS);

	if (statement == NULL)
		return;
	store_bind_slice(statement, 1, document_url);
	each_text(store, statement, fn, arg);
}

void
store_self_listed(
    struct store *store, int64_t site_id, store_text_fn *fn, void *arg)
{
	sqlite3_stmt *statement = store_statement(store, PROOF_LISTED);

	if (statement == NULL)
		return;
	(void)sqlite3_bind_int64(statement, 1, site_id);
	each_text(store, statement, fn, arg);
}
