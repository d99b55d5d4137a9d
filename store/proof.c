/* What robots.txt of an origin said, and what that proves. */
#include "store/proof.h"

#include "store/db.h"
#include "store/document.h"
#include "store/origin.h"
#include "store/reach.h"
#include "store/robots_text.h"

bool
store_knows_origin(struct store *store, struct slice origin)
{
	return store_origin_find(store, origin) != 0;
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

uint64_t
store_robots(struct store *store, const struct robots_fact *fact)
{
	int64_t id = store_origin_make(store, fact->origin);
	struct sqlite3_stmt *stmt = db_use(store, SQL_PROOF_CLEAR);

	if (fact->failing_since_s == 0)
		robots_text_keep(store, id, fact);
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
	return fact->failing_since_s == 0 ? reach_robots(store, id, fact) : 0;
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

		fact->fetched_s = db_time(store, stmt, 0);
		fact->expires_s = db_time(store, stmt, 1);
		fact->failing_since_s = db_time(store, stmt, 2);
		fact->status = (int)db_int(stmt, 3);
		buf_clear(body);
		fact->has_body = !db_is_null(stmt, 4) &&
		    buf_put_slice(body, stored);
		fact->body = buf_text(body);
	}
	db_done(stmt);
	return is_there;
}

bool
store_answered_since(
    struct store *store, int64_t site_id, struct slice origin, int64_t since_s)
{
	struct sqlite3_stmt *stmt = db_use(store, SQL_DOCUMENT_SINCE);
	bool has_answered;

	db_bind_int(stmt, 1, site_id);
	db_bind_text(stmt, 2, origin);
	db_bind_int(stmt, 3, since_s);
	has_answered = db_row(store, stmt) && db_int(stmt, 0) != 0;
	db_done(stmt);
	return has_answered;
}

void
store_self_listed(
    struct store *store, int64_t site_id, store_text_fn *fn, void *arg)
{
	struct sqlite3_stmt *stmt = db_loop(store, SQL_PROOF_SELF);

	db_bind_int(stmt, 1, site_id);
	db_each_url(store, stmt, fn, arg);
}

void
store_seeds(
    struct store *store, struct slice origin, store_text_fn *fn, void *arg)
{
	struct sqlite3_stmt *stmt = db_loop(store, SQL_PROOF_SEEDS);

	db_bind_text(stmt, 1, origin);
	db_each_url(store, stmt, fn, arg);
}
