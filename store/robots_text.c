/* Former texts of robots.txt. */
#include "store/robots_text.h"

#include "base/robots_difference.h"
#include "store/db.h"
#include "store/origin.h"
#include "store/proof.h"

void
robots_text_keep(
    struct store *store, int64_t origin_id, const struct robots_fact *fact)
{
	struct sqlite3_stmt *stmt = db_use_id(
	    store, SQL_ROBOTS_OTHER, origin_id);
	bool is_first, is_other = false;

	if (fact->has_body)
		db_bind_blob(stmt, 2, fact->body);
	if (!db_row(store, stmt)) {
		db_done(stmt);
		return;
	}
	is_first = db_is_null(stmt, 0);
	if (!is_first) {
		struct robots_difference difference = robots_compare(
		    db_blob(stmt, 1), fact->body, NULL, NULL);

		is_other = robots_is_different(&difference);
	}
	db_done(stmt);
	if (is_other) {
		/* Keep the text of the origin's row. */
		stmt = db_use_ints(store, SQL_ROBOTS_TEXT_ADD, 2,
		    (int64_t[]){origin_id, fact->fetched_s});
		if (db_write(store, stmt)) {
			/* Drop the oldest texts over the limits; consumers of
			 * the feed must know which. */
			stmt = db_use(store, SQL_ROBOTS_TEXT_TRIM);
			int64_t last_id = 0;

			db_bind_int(stmt, 1, origin_id);
			db_bind_int(stmt, 2, ROBOTS_TEXTS_MOST);
			db_bind_int(stmt, 3, ROBOTS_TEXTS_BYTES);
			while (db_row(store, stmt))
				if (db_int(stmt, 0) > last_id)
					last_id = db_int(stmt, 0);
			if (last_id != 0) {
				db_put_id(
				    store, SQL_ROBOTS_TEXT_TRIMMED, last_id);
			}
		}
	}
	if (is_first || is_other) {
		db_put_ints(store, SQL_ROBOTS_SINCE, 2,
		    (int64_t[]){origin_id, fact->fetched_s});
	}
}

void
store_each_robots_text(struct store *store, struct slice origin,
    store_robots_text_fn *fn, void *arg)
{
	struct sqlite3_stmt *stmt = db_loop_id(
	    store, SQL_ROBOTS_TEXTS, store_origin_find(store, origin));
	bool goes_on = true;

	while (goes_on && db_row(store, stmt)) {
		struct robots_text text = {.since_s = db_time(store, stmt, 0),
		    .until_s = db_time(store, stmt, 1),
		    .is_file = !db_is_null(stmt, 2),
		    .body = db_blob(stmt, 2)};

		goes_on = store->failed == DIAG_OK && fn(arg, &text);
	}
	db_done(stmt);
}

void
store_each_site_origin(
    struct store *store, int64_t site_id, store_origin_fn *fn, void *arg)
{
	struct sqlite3_stmt *stmt = db_loop_id(
	    store, SQL_SITE_ORIGINS, site_id);

	while (db_row(store, stmt)) {
		struct slice origin = db_url(store, stmt, 0);

		if (store->failed == DIAG_OK)
			fn(arg, origin);
	}
	db_done(stmt);
}
