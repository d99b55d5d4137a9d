/* What alerts have told: see alert.h. */
#include "store/alert.h"

#include "store/db.h"

bool
store_alert_get(
    struct store *store, struct slice name, int sink, struct store_alert *alert)
{
	struct sqlite3_stmt *stmt = db_bind(
	    db_use(store, SQL_ALERT_GET), DB_ROW(AS_TEXT(name), AS_INT(sink)));
	bool is_there = db_row(store, stmt);

	*alert = (struct store_alert){0};
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
	return db_first_time(store,
	    db_bind(db_use(store, SQL_ALERT_HELD),
		DB_ROW(AS_TEXT(name), AS_INT(sink), AS_INT(site_id))));
}

void
store_alert_put(struct store *store, struct slice name, int sink,
    const struct store_alert *alert, const struct store_alert_site *sites,
    size_t count)
{
	(void)db_put(store, SQL_ALERT_PUT,
	    DB_ROW(AS_TEXT(name), AS_INT(sink), AS_INT(alert->begun_s),
		AS_INT(alert->until_s), AS_INT(alert->tries),
		AS_INT(alert->next_s), AS_STR(alert->why)));
	/* The sites that wait are others each time, so all rows are written
	 * anew; one whose site was removed since is left out. */
	if (sites == NULL)
		return;
	(void)db_put(
	    store, SQL_ALERT_LET_GO, DB_ROW(AS_TEXT(name), AS_INT(sink)));
	for (size_t i = 0; i < count; i++)
		(void)db_put(store, SQL_ALERT_HOLD,
		    DB_ROW(AS_TEXT(name), AS_INT(sink),
			AS_INT(sites[i].site_id), AS_INT(sites[i].until_s)));
}
