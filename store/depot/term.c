/* Taking a shard, and filling the cache with it. */
#include "store/depot/term.h"

#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/vis.h"
#include "store/db.h"
#include "store/depot/arrays.h"
#include "store/depot/filler.h"
#include "store/schema.h"
#include "store/store.h"

#define TAKE_STEP_MS 200
#define CLOCK_MOST_MS 10000

static int64_t
term_read_clock(clockid_t clock)
{
	struct timespec now = {0};

	(void)clock_gettime(clock, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

int64_t
term_clock_ms(void)
{
	return term_read_clock(CLOCK_BOOTTIME);
}

bool
term_clock_differs(int64_t server_ms, int64_t asked_ms, struct buf *why)
{
	/* the answer was made between the question and now */
	int64_t behind = server_ms - term_read_clock(CLOCK_REALTIME);
	int64_t ahead = asked_ms - term_clock_ms() - behind;

	if (ahead <= CLOCK_MOST_MS && behind <= CLOCK_MOST_MS)
		return false;
	(void)buf_print(why,
	    "the clock of this machine is %" PRId64
	    " s %s that of PostgreSQL's machine: set the one that is wrong, "
	    "such as by NTP",
	    (ahead > behind ? ahead : behind) / 1000,
	    ahead > behind ? "ahead of" : "behind");
	return true;
}

/* Taking. */

/* Take the shard, once. */
static enum diag_code
term_take(struct term *term, struct pg_conn *conn, struct buf *why)
{
	static const char take[] =
	    "UPDATE freshet.shard SET owner = $2, term = term + 1,"
	    " until = clock_timestamp() + $3::float8 * interval '1 ms'"
	    " WHERE shard = $1::integer"
	    " AND schema = $4::integer AND (owner IS NULL"
	    " OR until < clock_timestamp() OR owner = $2)"
	    " RETURNING term, version";
	/* An owner that was stopped in the middle of a COMMIT keeps the row of
	 * the shard locked. */
	static const char evict[] =
	    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
	    " WHERE datname = current_database() AND usename = current_user"
	    " AND application_name = 'freshet' AND wait_event = 'ClientRead'"
	    " AND xact_start IS NOT NULL AND state_change <"
	    " clock_timestamp() - $1::float8 * interval '1 ms'";
	static const char explain[] =
	    "SELECT CASE WHEN schema <> $2::integer THEN 'it has schema ' || "
	    "schema"
	    " ELSE 'another machine holds it: ' || owner END"
	    " FROM freshet.shard WHERE shard = $1::integer";
	/* These no shard wants any more, and nobody is asked now. */
	static const char forget[] =
	    "DELETE FROM freshet.host WHERE home = $1::integer"
	    " AND greatest(until, wanted_at) < now() - interval '1 day'";
	char schema[16];
	const char *parameters[] = {
	    term->shard, term->owner, term->lease_ms, schema};
	const char *why_not[] = {term->shard, schema};
	const char *lease[] = {term->lease_ms};
	struct pg_result *result;

	(void)snprintf(schema, sizeof(schema), "%d", SCHEMA_VERSION);
	pq.clear(pq.exec(conn, "SET lock_timeout = '2s'"));
	term->renewed_ms = term_clock_ms();
	result = pg_ask(conn, take, 4, parameters, why);
	if (result == NULL && pq.status(conn) == PG_CONNECTION_OK) {
		buf_clear(why);
		pq.clear(pg_ask(conn, evict, 1, lease, why));
		term->renewed_ms = term_clock_ms();
		result = pg_ask(conn, take, 4, parameters, why);
	}
	if (result == NULL)
		return DIAG_STORE_UNUSABLE;
	if (pq.ntuples(result) == 0) {
		pq.clear(result);
		result = pg_ask(conn, explain, 2, why_not, why);
		if (result != NULL)
			vis_put(why,
			    slice_of(pq.ntuples(result) == 0
				    ? "it is not there"
				    : pq.getvalue(result, 0, 0)),
			    200);
		pq.clear(result);
		return DIAG_STORE_LOCKED;
	}
	(void)snprintf(
	    term->term, sizeof(term->term), "%s", pq.getvalue(result, 0, 0));
	term->version = strtoull(pq.getvalue(result, 0, 1), NULL, 10);
	pq.clear(result);
	pq.clear(pg_ask(conn, forget, 1, parameters, why));
	return DIAG_OK;
}

/* Filling the cache. */

/* Renew the term through this connection, and see that nobody has written. */
static enum diag_code
term_renew(struct term *term, struct pg_conn *conn, struct buf *why)
{
	const char *parameters[] = {
	    term->shard, term->owner, term->term, term->lease_ms, NULL, NULL};
	int64_t now_ms = term_clock_ms();
	struct pg_result *result = pg_ask(conn, TERM_PULSE, 6, parameters, why);
	enum diag_code code = DIAG_STORE_UNUSABLE;

	if (result != NULL && pq.ntuples(result) == 1 &&
	    strtoull(pq.getvalue(result, 0, 0), NULL, 10) == term->version) {
		code = DIAG_OK;
	} else if (result != NULL) {
		(void)buf_print(why, "another machine took the shard");
		code = DIAG_STORE_LOCKED;
	}
	pq.clear(result);
	term->renewed_ms = now_ms;
	return code;
}

static enum diag_code
term_on_row(void *arg, const struct rows *row)
{
	return filler_put(arg, row);
}

static bool
term_is_due(const struct term *term)
{
	return term != NULL &&
	    term_clock_ms() - term->renewed_ms >= term->cluster.lease_ms / 4;
}

/* Wait for the connection, and renew the term through another: a large table
 * takes longer than a lease, and PostgreSQL may sort it before it answers. */
static enum diag_code
term_wait(struct term_filling *filling)
{
	struct pollfd fd = {.fd = pq.socket(filling->conn), .events = POLLIN};
	struct term *term = filling->term;

	(void)poll(&fd, 1, TAKE_STEP_MS);
	if (pq.consume_input(filling->conn) != 1)
		return DIAG_STORE_UNUSABLE;
	if (!term_is_due(term))
		return DIAG_OK;
	if (filling->other == NULL)
		filling->other = pg_dial(term->url, filling->why);
	if (filling->other == NULL)
		return DIAG_STORE_UNUSABLE;
	return term_renew(term, filling->other, filling->why);
}

enum diag_code
term_fill_table(struct term_filling *filling, const struct rows_table *table,
    const char *sql)
{
	struct arrays_copy copy = {.table = table};
	struct pg_conn *conn = filling->conn;
	enum diag_code code = DIAG_OK;
	struct pg_result *result;
	char *piece;
	int n = 0;

	if (pq.send_query_params(conn, sql, 0, NULL, NULL, NULL, NULL, 0) != 1)
		code = DIAG_STORE_UNUSABLE;
	while (code == DIAG_OK && pq.is_busy(conn))
		code = term_wait(filling);
	while (code == DIAG_OK && (result = pq.get_result(conn)) != NULL) {
		int status = pq.result_status(result);

		pq.clear(result);
		while (status == PG_COPY_OUT && code == DIAG_OK && n >= 0) {
			n = pq.get_copy_data(conn, &piece, 1);
			if (n > 0) {
				code = arrays_copy_rows(&copy,
				    slice_make(piece, (size_t)n), term_on_row,
				    filling->filler);
				pq.freemem(piece);
			}
			if (code == DIAG_OK &&
			    (n == 0 || (n > 0 && term_is_due(filling->term))))
				code = term_wait(filling);
		}
		if (code == DIAG_OK && status != PG_COPY_OUT &&
		    status != PG_COMMAND_OK)
			code = DIAG_STORE_UNUSABLE;
	}
	if (code == DIAG_STORE_UNUSABLE && filling->why->len == 0)
		pg_put_message(filling->why, pq.error_message(conn));
	else if (code != DIAG_OK && filling->why->len == 0)
		(void)buf_print(filling->why, "table %s: %s", table->name,
		    filler_why(filling->filler));
	return code;
}

/* Make the cache what PostgreSQL has; a shard that is new has a store as new.
 */
static enum diag_code
term_fill(struct term *term, struct pg_conn *conn, struct store *store,
    const struct rows_schema *schema, struct buf *why)
{
	struct filler *filler = filler_new(store->db, schema);
	struct term_filling filling = {
	    .conn = conn, .filler = filler, .term = term, .why = why};
	enum diag_code code = filler_begin(filler, true);
	struct buf sql;

	buf_init(&sql, SIZE_MAX);
	/* All shards have one key, so that they can lie in one file. */
	if (term->version == 0 && code == DIAG_OK) {
		(void)buf_print(&sql,
		    "INSERT INTO meta (id, hash_key) VALUES (1, x'%s')",
		    term->cluster.hash_key);
		code = db_exec(store, buf_str(&sql)) ? DIAG_OK
						     : store_failed(store);
	}
	for (size_t i = 0;
	     term->version > 0 && code == DIAG_OK && i < schema->count; i++) {
		buf_clear(&sql);
		arrays_copy_out(&sql, &schema->tables[i], term->number);
		code = term_fill_table(
		    &filling, &schema->tables[i], buf_str(&sql));
		if (code == DIAG_OK)
			code = term_renew(term, conn, why);
	}
	if (code == DIAG_OK)
		code = filler_commit(filler);
	if (code != DIAG_OK && why->len == 0)
		(void)buf_print(
		    why, "cannot fill the cache: %s", filler_why(filler));
	buf_release(&sql);
	filler_free(filler);
	pq.finish(filling.other);
	return code;
}

enum diag_code
term_begin(struct term *term, struct store *store,
    const struct rows_schema *schema, struct pg_conn **conn, struct buf *why)
{
	enum diag_code code = DIAG_STORE_UNUSABLE;
	int64_t asked_ms;

	(void)snprintf(term->shard, sizeof(term->shard), "%u", term->number);
	*conn = pg_dial(term->url, why);
	asked_ms = term_clock_ms();
	if (*conn != NULL && pg_look(*conn, &term->cluster, why) &&
	    !term_clock_differs(term->cluster.now_ms, asked_ms, why)) {
		(void)snprintf(term->lease_ms, sizeof(term->lease_ms),
		    "%" PRId64, term->cluster.lease_ms);
		code = term_take(term, *conn, why);
		if (code == DIAG_OK)
			code = term_fill(term, *conn, store, schema, why);
	}
	if (code != DIAG_OK) {
		pq.finish(*conn);
		*conn = NULL;
	}
	return code;
}
