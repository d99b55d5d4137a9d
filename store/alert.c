/* What alerts have told: see alert.h. */
#include "store/alert.h"

#include "store/db.h"

bool
store_alert_get(
    struct store *store, struct slice name, int sink, struct store_alert *alert)
{
	struct sqlite3_stmt *stmt = db_use_text(store, SQL_ALERT_GET, name);
	bool is_there;

	*alert = (struct store_alert){0};
	db_bind_int(stmt, 2, sink);
	is_there = db_row(store, stmt);
	if (is_there)
		*alert = (struct store_alert){
		    .begun_s = db_time(store, stmt, 0),
		    .until_s = db_time(store, stmt, 1),
		    .tries = db_small(store, stmt, 2),
		    .next_s = db_time(store, stmt, 3),
		    .why = db_str(stmt, 4)};
	db_done(stmt);
	return is_there;
}

int64_t
store_alert_held(
    struct store *store, struct slice name, int sink, int64_t site_id)
{
	/* most sites have no row: their time is that of the alert */
	struct sqlite3_stmt *stmt = db_use_text(store, SQL_ALERT_HELD, name);

	db_bind_int(stmt, 2, sink);
	db_bind_int(stmt, 3, site_id);
	return db_first_time(store, stmt);
}

void
store_alert_put(struct store *store, struct slice name, int sink,
    const struct store_alert *alert, const struct store_alert_site *sites,
    size_t count)
{
	struct sqlite3_stmt *stmt = db_use_text(store, SQL_ALERT_PUT, name);

	db_bind_int(stmt, 2, sink);
	db_bind_int(stmt, 3, alert->begun_s);
	db_bind_int(stmt, 4, alert->until_s);
	db_bind_int(stmt, 5, alert->tries);
	db_bind_int(stmt, 6, alert->next_s);
	db_bind_str(stmt, 7, alert->why);
	(void)db_write(store, stmt);
	/* The sites that wait are others each time, so all rows are written
	 * anew; one whose site was removed since is left out. */
	if (sites == NULL)
		return;
	stmt = db_use_text(store, SQL_ALERT_LET_GO, name);
	db_bind_int(stmt, 2, sink);
	(void)db_write(store, stmt);
	for (size_t i = 0; i < count; i++) {
		stmt = db_use_text(store, SQL_ALERT_HOLD, name);
		db_bind_int(stmt, 2, sink);
		db_bind_int(stmt, 3, sites[i].site_id);
		db_bind_int(stmt, 4, sites[i].until_s);
		(void)db_write(store, stmt);
	}
}
