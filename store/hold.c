/* Hosts that are left alone for a time: see hold.h. */
#include "store/hold.h"

#include "store/db.h"

/* From this answer in a row on, a short Retry-After is not believed. */
#define DOUBTS_FROM 3
/* Answers 429 and 503 are forgotten so long after the hold that they led to: a
 * crawl a day begins with robots.txt, and must not meet a longer hold each day
 * before it comes to what the host answers well. */
#define FORGIVEN_S HOLD_MOST_S
#define COUNT_MOST 1000

void
store_hold(struct store *store, struct slice host, struct hold_times times)
{
	if (times.all_s <= 0 && times.pages_s <= 0)
		(void)db_put(store, SQL_HOLD_DROP, DB_ROW(AS_TEXT(host)));
	else
		(void)db_put(store, SQL_HOLD_PUT,
		    DB_ROW(AS_TEXT(host),
			AS_INT(times.all_s > 0 ? times.all_s : 0),
			AS_INT(times.pages_s > 0 ? times.pages_s : 0)));
}

void
store_each_hold(struct store *store, store_hold_fn *fn, void *arg)
{
	struct sqlite3_stmt *stmt = db_loop(store, SQL_HOLD_EACH);

	while (db_row(store, stmt)) {
		struct hold_times times = {.all_s = db_time(store, stmt, 1),
		    .pages_s = db_time(store, stmt, 2),
		    .limited = (uint32_t)db_int(stmt, 3)};
		struct slice host = db_url(store, stmt, 0);

		if (store->failed == DIAG_OK)
			fn(arg, host, &times);
	}
}

struct hold_times
store_hold_get(struct store *store, struct slice host, int64_t now_s)
{
	struct sqlite3_stmt *stmt = db_use_text(store, SQL_HOLD_GET, host);
	struct hold_times times = {0};
	int64_t latest_s;

	if (db_row(store, stmt))
		times = (struct hold_times){.all_s = db_time(store, stmt, 0),
		    .pages_s = db_time(store, stmt, 1),
		    .limited = (uint32_t)db_int(stmt, 2)};
	db_done(stmt);
	if (times.all_s <= now_s)
		return times;
	times.left_s = times.all_s - now_s;
	/* a latest reading that is later than now: the clock was put back */
	latest_s = store_number(store, STORE_LATEST_S, 0, 0);
	if (latest_s > now_s)
		times.left_s -= latest_s - now_s;
	if (times.left_s < 0 || times.left_s > HOLD_END_MOST_S)
		times.left_s = 0;
	return times;
}

int64_t
hold_limited_s(struct slice host, uint32_t count, int64_t retry_after_s)
{
	int64_t wait_s = HOLD_FIRST_S;
	uint32_t before = count;

	if (retry_after_s > HOLD_RETRY_AFTER_MOST_S)
		retry_after_s = HOLD_RETRY_AFTER_MOST_S;
	if (retry_after_s >= 0 && count < DOUBTS_FROM)
		return retry_after_s;
	if (retry_after_s >= 0)
		before = count - DOUBTS_FROM + 1;
	for (; before > 1 && wait_s < HOLD_MOST_S; before--)
		wait_s *= 2;
	wait_s += (int64_t)(hash_key(host, count) % (uint64_t)(wait_s / 4 + 1));
	if (wait_s > HOLD_MOST_S)
		wait_s = HOLD_MOST_S;
	return wait_s > retry_after_s ? wait_s : retry_after_s;
}

bool
store_limited(struct store *store, struct slice host, int64_t now_s,
    int64_t retry_after_s, int64_t *wait_s)
{
	struct hold_times times = store_hold_get(store, host, now_s);
	int64_t left_s = times.left_s;

	if (left_s == 0 || times.limited == 0) {
		if (times.all_s < now_s - FORGIVEN_S)
			times.limited = 0;
		if (times.limited < COUNT_MOST)
			times.limited++;
		*wait_s = hold_limited_s(host, times.limited, retry_after_s);
	} else {
		*wait_s = hold_limited_s(
		    host, 1, retry_after_s < 0 ? 0 : retry_after_s);
	}
	if (*wait_s < left_s)
		*wait_s = left_s;
	(void)db_put(store, SQL_HOLD_LIMIT,
	    DB_ROW(
		AS_TEXT(host), AS_INT(now_s + *wait_s), AS_INT(times.limited)));
	return *wait_s > retry_after_s;
}

void
store_answered(struct store *store, struct slice host)
{
	(void)db_write(store, db_use_text(store, SQL_HOLD_ANSWERED, host));
}

/* Signed requests. */

void
store_signing(struct store *store, struct slice host, struct host_signing is)
{
	(void)db_put(store, SQL_SIGNING_PUT,
	    DB_ROW(AS_TEXT(host), AS_INT(is.form), AS_INT(is.at_s)));
	store->signing = SIGNING_SOME;
}

/* Each request asks, and mostly no host wants signatures.  Only the owner of a
 * store knows that it stays so. */
struct host_signing
store_signing_get(struct store *store, struct slice host)
{
	struct host_signing is = {0};
	struct sqlite3_stmt *stmt;

	if (store->signing == SIGNING_UNKNOWN && !store->is_read_only)
		store->signing = db_first(
				     store, db_use(store, SQL_SIGNING_ANY)) == 0
		    ? SIGNING_NONE
		    : SIGNING_SOME;
	if (store->signing == SIGNING_NONE)
		return is;
	stmt = db_use_text(store, SQL_SIGNING_GET, host);
	if (db_row(store, stmt))
		is = (struct host_signing){
		    (unsigned)db_int(stmt, 0), db_int(stmt, 1)};
	db_done(stmt);
	return is;
}

/* What the scheduler learned about things other than pages. */

void
store_learned(
    struct store *store, const char *kind, int64_t id, struct slice data)
{
	if (data.len > 0)
		(void)db_put(store, SQL_LEARNED_PUT,
		    DB_ROW(AS_STR(kind), AS_INT(id), AS_BLOB(data)));
	else
		(void)db_put(
		    store, SQL_LEARNED_DROP, DB_ROW(AS_STR(kind), AS_INT(id)));
}

bool
store_learned_get(
    struct store *store, const char *kind, int64_t id, struct buf *data)
{
	struct sqlite3_stmt *stmt = db_bind(
	    db_use(store, SQL_LEARNED_GET), DB_ROW(AS_STR(kind), AS_INT(id)));
	bool is_there = db_row(store, stmt) &&
	    buf_put_slice(data, db_blob(stmt, 0));
	db_done(stmt);
	return is_there;
}

void
store_each_learned(
    struct store *store, const char *kind, store_learned_fn *fn, void *arg)
{
	struct sqlite3_stmt *stmt = db_bind(
	    db_loop(store, SQL_LEARNED_EACH), DB_ROW(AS_STR(kind)));

	while (db_row(store, stmt))
		fn(arg, db_int(stmt, 0), db_blob(stmt, 1));
}

/* The request log. */

void
store_request_log_add(
    struct store *store, struct slice host, const struct request_log_note *note)
{
	(void)db_put(store, SQL_REQUEST_LOG_ADD,
	    DB_ROW(AS_TEXT(host), AS_INT(note->minute_s),
		AS_INT(note->requests),
		AS_IF(note->least_gap_ms >= 0, AS_INT(note->least_gap_ms)),
		AS_INT(note->delay_ms), AS_INT(note->overlaps),
		AS_INT(note->last_s)));
}

int64_t
store_asked_s(
    struct store *store, struct slice host, int64_t now_s, int64_t *delay_ms)
{
	struct sqlite3_stmt *stmt = db_use_text(
	    store, SQL_REQUEST_LOG_LAST, host);
	int64_t killed_s = store_killed_s(store, now_s);
	int64_t last_s = 0;

	*delay_ms = 0;
	if (db_row(store, stmt)) {
		last_s = db_time(store, stmt, 0);
		*delay_ms = (int64_t)db_count(store, stmt, 1);
	}
	db_done(stmt);
	return killed_s > last_s ? killed_s : last_s;
}
