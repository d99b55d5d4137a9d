/* The request log. */
#include "store/request_log.h"

#include "store/db.h"

void
store_request_log_add(
    struct store *store, struct slice host, const struct request_log_note *note)
{
	struct sqlite3_stmt *stmt = db_use(store, SQL_REQUEST_LOG_ADD);

	db_bind_text(stmt, 1, host);
	db_bind_int(stmt, 2, note->minute_s);
	db_bind_int(stmt, 3, note->requests);
	if (note->least_gap_ms >= 0)
		db_bind_int(stmt, 4, note->least_gap_ms);
	db_bind_int(stmt, 5, note->delay_ms);
	db_bind_int(stmt, 6, note->overlaps);
	db_bind_int(stmt, 7, note->last_s);
	(void)db_write(store, stmt);
}

int64_t
store_request_log_last(
    struct store *store, struct slice host, int64_t *delay_ms)
{
	struct sqlite3_stmt *stmt = db_use(store, SQL_REQUEST_LOG_LAST);
	int64_t last_s = 0;

	db_bind_text(stmt, 1, host);
	*delay_ms = 0;
	if (db_row(store, stmt)) {
		last_s = db_time(store, stmt, 0);
		*delay_ms = (int64_t)db_count(store, stmt, 1);
	}
	db_done(stmt);
	return last_s;
}
