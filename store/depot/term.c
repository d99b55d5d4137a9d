/* Taking a shard, and filling the cache with it. */
#include "store/depot/term.h"

#include <inttypes.h>
#include <poll.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/mem.h"
#include "base/vis.h"
#include "store/db.h"
#include "store/depot/arrays.h"
#include "store/depot/copy.h"
#include "store/depot/filler.h"
#include "store/schema.h"
#include "store/store.h"

#include "store/depot/merge.inc"
#include "store/depot/take.inc"

#define TAKE_STEP_MS 200
#define CLOCK_MOST_MS 10000
#define AT_ONCE 200 /* rows; those with blocks are 100 kB each */
#define PROGRESS_OPS 100000 /* of SQLite's virtual machine, some ms */

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
	static const char settings[] =
	    "SELECT set_config('lock_timeout', '2s', false),"
	    " set_config('idle_in_transaction_session_timeout', $1, false)";
	/* An owner that was stopped in the middle of a COMMIT keeps the row of
	 * the shard locked. */
	static const char evict[] =
	    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
	    " WHERE datname = current_database() AND usename = current_user"
	    " AND application_name = 'freshet' AND wait_event = 'ClientRead'"
	    " AND xact_start IS NOT NULL AND state_change <"
	    " clock_timestamp() - $1::float8 * interval '1 ms'";
	char schema[16];
	const char *parameters[] = {
	    term->shard, term->owner, term->lease_ms, schema};
	const char *lease[] = {term->lease_ms};
	struct pg_result *result;

	(void)snprintf(schema, sizeof(schema), "%d", schema_current.count);
	pq.clear(pg_ask(conn, settings, 1, lease, why));
	term->renewed_ms = term_clock_ms();
	result = pg_ask(conn, take_sql, 4, parameters, why);
	if (result == NULL && pq.status(conn) == PG_CONNECTION_OK) {
		buf_clear(why);
		pq.clear(pg_ask(conn, evict, 1, lease, why));
		term->renewed_ms = term_clock_ms();
		result = pg_ask(conn, take_sql, 4, parameters, why);
	}
	if (result == NULL)
		return DIAG_STORE_UNUSABLE;
	if (pq.ntuples(result) == 0 || pq.getisnull(result, 0, 0)) {
		if (pq.ntuples(result) == 0)
			(void)buf_print(
			    why, "there is no shard %s", term->shard);
		else
			vis_put(why, slice_of(pq.getvalue(result, 0, 3)), 200);
		pq.clear(result);
		return DIAG_STORE_LOCKED;
	}
	(void)snprintf(
	    term->term, sizeof(term->term), "%s", pq.getvalue(result, 0, 0));
	term->version = strtoull(pq.getvalue(result, 0, 1), NULL, 10);
	term->schema = (int)strtol(pq.getvalue(result, 0, 2), NULL, 10);
	term->idle_s = strtoll(pq.getvalue(result, 0, 4), NULL, 10);
	pq.clear(result);
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

/* Renew the term through another connection, if that is due: a large table
 * takes longer than a lease, and PostgreSQL may sort it before it answers. */
static enum diag_code
term_keep(struct term_transfer *transfer)
{
	struct term *term = transfer->term;

	if (transfer->code != DIAG_OK || term == NULL ||
	    term_clock_ms() - term->renewed_ms < term->cluster.lease_ms / 4)
		return transfer->code;
	if (transfer->other == NULL)
		transfer->other = pg_dial(term->url, transfer->why);
	transfer->code = transfer->other == NULL
	    ? DIAG_STORE_UNUSABLE
	    : term_renew(term, transfer->other, transfer->why);
	return transfer->code;
}

static int
term_on_progress(void *arg)
{
	return term_keep(arg) != DIAG_OK;
}

static enum diag_code
term_wait(struct term_transfer *transfer)
{
	struct pollfd fd = {.fd = pq.socket(transfer->conn), .events = POLLIN};

	(void)poll(&fd, 1, TAKE_STEP_MS);
	if (pq.consume_input(transfer->conn) != 1)
		return DIAG_STORE_UNUSABLE;
	return term_keep(transfer);
}

/* Run a statement, with parameters or without.  The rows that a COPY of the
 * table tells go to the filler. */
static enum diag_code
term_run(struct term_transfer *transfer, const char *sql,
    const struct arrays *put, const struct rows_table *table,
    struct filler *filler)
{
	static const struct arrays none = {0};
	struct arrays_copy copy = {.table = table};
	struct pg_conn *conn = transfer->conn;
	enum diag_code code = DIAG_OK;
	int binary[ROWS_COLUMNS_MAX + 1];
	struct pg_result *result;
	char *piece;
	int n = 0;

	for (int i = 0; i <= ROWS_COLUMNS_MAX; i++)
		binary[i] = 1;
	if (put == NULL)
		put = &none;
	if (pq.send_query_params(conn, sql, put->count, put->types,
		(const char *const *)put->values, put->lengths, binary, 0) != 1)
		code = DIAG_STORE_UNUSABLE;
	while (code == DIAG_OK && pq.is_busy(conn))
		code = term_wait(transfer);
	while (code == DIAG_OK && (result = pq.get_result(conn)) != NULL) {
		int status = pq.result_status(result);

		pq.clear(result);
		while (status == PG_COPY_OUT && code == DIAG_OK && n >= 0) {
			n = pq.get_copy_data(conn, &piece, 1);
			if (n > 0) {
				code = arrays_copy_rows(&copy,
				    slice_make(piece, (size_t)n), filler_put,
				    filler);
				pq.freemem(piece);
			}
			if (code == DIAG_OK)
				code = n == 0 ? term_wait(transfer)
					      : term_keep(transfer);
		}
		if (code == DIAG_OK && status != PG_COPY_OUT &&
		    status != PG_COMMAND_OK)
			code = DIAG_STORE_UNUSABLE;
	}
	if (code == DIAG_STORE_UNUSABLE && transfer->why->len == 0)
		pg_put_message(transfer->why, pq.error_message(conn));
	else if (code != DIAG_OK && transfer->why->len == 0)
		(void)buf_print(transfer->why, "table %s: %s", table->name,
		    filler_why(filler));
	return code;
}

/* The statement that tells the rows of a table; all: those of all shards. */
static void
term_put_copy(struct term_transfer *transfer, const struct rows_table *table,
    struct buf *sql)
{
	struct pg_result *merge;
	struct buf names = BUF_UP_TO(SIZE_MAX);

	buf_clear(sql);
	if (transfer->shard != COPY_ALL) {
		arrays_copy_out(sql, table, transfer->shard);
		return;
	}
	for (int i = 0; i < table->count; i++)
		(void)buf_print(
		    &names, "%s%s", i == 0 ? "" : ",", table->columns[i].name);
	merge = pg_ask(transfer->conn, merge_sql, 2,
	    (const char *const[]){table->name, buf_str(&names)}, transfer->why);
	if (merge != NULL)
		(void)buf_print(sql, "%s", pq.getvalue(merge, 0, 0));
	pq.clear(merge);
	buf_release(&names);
}

/* Rows into a database that has the tables of their schema. */
static enum diag_code
term_fill_as_is(struct term_transfer *transfer, struct sqlite3 *db,
    const struct rows_schema *schema)
{
	struct filler *filler = filler_new(db, schema);
	enum diag_code code = filler_begin(filler);
	struct buf sql = BUF_UP_TO(SIZE_MAX);

	for (size_t i = 0; code == DIAG_OK && i < schema->count; i++) {
		const struct rows_table *table = &schema->tables[i];

		term_put_copy(transfer, table, &sql);
		code = sql.len == 0
		    ? DIAG_STORE_UNUSABLE
		    : term_run(transfer, buf_str(&sql), NULL, table, filler);
		if (code == DIAG_OK && transfer->term != NULL)
			code = term_renew(
			    transfer->term, transfer->conn, transfer->why);
	}
	if (code == DIAG_OK)
		code = filler_commit(filler);
	if (code != DIAG_OK && transfer->why->len == 0)
		(void)buf_print(transfer->why, "cannot store the rows: %s",
		    filler_why(filler));
	buf_release(&sql);
	filler_free(filler);
	return code;
}

/* Rows of an older schema: the steps since then change them on their way, in a
 * temporary file, which has no name. */
static enum diag_code
term_fill_older(struct term_transfer *transfer, int schema, struct sqlite3 *db,
    const struct rows_schema *rows)
{
	const struct schema then = {schema_current.steps, schema, NULL};
	struct rows_schema *former;
	struct filler *filler = filler_new(db, rows);
	struct sqlite3 *old = NULL;
	enum diag_code code = schema_code(sqlite3_open("", &old));

	if (code == DIAG_OK)
		code = schema_migrate(old, &then);
	if (code == DIAG_OK) {
		former = rows_schema_of(old);
		code = term_fill_as_is(transfer, old, former);
		rows_schema_free(former);
	}
	sqlite3_progress_handler(old, PROGRESS_OPS, term_on_progress, transfer);
	if (code == DIAG_OK)
		code = schema_migrate(old, &schema_current);
	if (code == DIAG_OK)
		code = filler_begin(filler);
	if (code == DIAG_OK)
		code = rows_each(old, rows, filler_put, filler);
	if (code == DIAG_OK)
		code = filler_commit(filler);
	if (transfer->code != DIAG_OK)
		code = transfer->code;
	else if (code != DIAG_OK && transfer->why->len == 0)
		(void)buf_print(transfer->why,
		    "cannot make schema %d of schema %d: %s",
		    schema_current.count, schema,
		    filler_why(filler)[0] != '\0' ? filler_why(filler)
						  : sqlite3_errmsg(old));
	filler_free(filler);
	(void)sqlite3_close(old);
	return code;
}

enum diag_code
term_fill(struct term_transfer *transfer, int schema, struct store *store,
    const struct rows_schema *rows)
{
	enum diag_code code = schema == schema_current.count
	    ? term_fill_as_is(transfer, store->db, rows)
	    : term_fill_older(transfer, schema, store->db, rows);
	char meta[96];

	/* A shard that nobody has taken yet has no rows.  All shards have one
	 * key, so that they can lie in one file. */
	(void)snprintf(meta, sizeof(meta),
	    "INSERT OR IGNORE INTO meta (id, hash_key) VALUES (1, x'%s')",
	    transfer->cluster->hash_key);
	if (code == DIAG_OK && !db_exec(store, meta))
		code = store_failed(store);
	return code;
}

/* Rows into PostgreSQL. */

struct term_load {
	struct term_transfer *transfer;
	struct rows_list *list; /* owned; rows of one table */
};

static enum diag_code
term_load_flush(struct term_load *load)
{
	enum diag_code code = DIAG_OK;
	struct arrays put;

	if (load->list->count > 0) {
		(void)arrays_make(
		    &put, load->list->items, load->transfer->shard);
		code = term_run(load->transfer, put.sql, &put, NULL, NULL);
		arrays_release(&put);
	}
	rows_list_free(load->list);
	load->list = mem_zero(sizeof(*load->list));
	return code;
}

static enum diag_code
term_load_row(void *arg, const struct rows *row)
{
	struct term_load *load = arg;
	const struct rows *waiting = load->list->items;
	struct rows_cell cells[ROWS_COLUMNS_MAX];
	enum diag_code code = DIAG_OK;

	if (load->list->count > 0 &&
	    (waiting->table != row->table || waiting->count == AT_ONCE))
		code = term_load_flush(load);
	for (int i = 0; i < row->width; i++) {
		cells[i] = row->cells[i];
		if (cells[i].kind == ROWS_TEXT || cells[i].kind == ROWS_BLOB)
			cells[i].bytes = rows_list_keep(
			    load->list, cells[i].bytes);
	}
	rows_list_add(load->list, row->table, ROWS_INSERT, row->columns, cells);
	return code;
}

enum diag_code
term_load(struct term_transfer *transfer, struct store *store,
    const struct rows_schema *schema)
{
	struct term_load load = {
	    .transfer = transfer, .list = mem_zero(sizeof(*load.list))};
	enum diag_code code = rows_each(
	    store->db, schema, term_load_row, &load);

	if (code == DIAG_OK)
		code = term_load_flush(&load);
	rows_list_free(load.list);
	if (code != DIAG_OK && transfer->why->len == 0)
		(void)buf_print(transfer->why, "the file cannot be read: %s",
		    sqlite3_errmsg(store->db));
	return code;
}

/* In one transaction, the rows of the shard become those of the store, which
 * has the schema of this version.  Its end renews the term, which another
 * connection does until then. */
static enum diag_code
term_replace(struct term_transfer *transfer, struct store *store,
    const struct rows_schema *schema)
{
	static const char fence[] =
	    "UPDATE freshet.shard SET version = version + 1,"
	    " schema = $4::integer WHERE shard = $1::integer AND owner = $2"
	    " AND term = $3::bigint";
	struct term *term = transfer->term;
	char number[16], sql[128];
	const char *const parameters[] = {
	    term->shard, term->owner, term->term, number};
	enum diag_code code = term_run(transfer, "BEGIN", NULL, NULL, NULL);

	(void)snprintf(number, sizeof(number), "%d", schema_current.count);
	for (size_t i = 0; code == DIAG_OK && i < schema->count; i++) {
		(void)snprintf(sql, sizeof(sql),
		    "DELETE FROM freshet.\"%s\" WHERE shard = %u",
		    schema->tables[i].name, term->number);
		code = term_run(transfer, sql, NULL, NULL, NULL);
	}
	if (code == DIAG_OK)
		code = term_load(transfer, store, schema);
	if (code == DIAG_OK)
		pq.clear(pg_ask(
		    transfer->conn, fence, 4, parameters, transfer->why));
	term->version++;
	/* also that the fence held */
	if (code == DIAG_OK)
		code = term_renew(term, transfer->conn, transfer->why);
	return code != DIAG_OK ? code
			       : term_run(transfer, "COMMIT", NULL, NULL, NULL);
}

enum diag_code
term_begin(struct term *term, struct store *store,
    const struct rows_schema *schema, struct pg_conn **conn, struct buf *why)
{
	struct term_transfer transfer = {.cluster = &term->cluster,
	    .shard = term->number,
	    .term = term,
	    .why = why};
	enum diag_code code = DIAG_STORE_UNUSABLE;
	int64_t asked_ms;

	(void)snprintf(term->shard, sizeof(term->shard), "%u", term->number);
	*conn = transfer.conn = pg_dial(term->url, why);
	asked_ms = term_clock_ms();
	if (*conn != NULL && pg_look(*conn, &term->cluster, why) &&
	    !term_clock_differs(term->cluster.now_ms, asked_ms, why)) {
		(void)snprintf(term->lease_ms, sizeof(term->lease_ms),
		    "%" PRId64, term->cluster.lease_ms);
		code = term_take(term, *conn, why);
		if (code == DIAG_OK)
			code = term_fill(
			    &transfer, term->schema, store, schema);
		if (code == DIAG_OK && term->schema < schema_current.count)
			code = term_replace(&transfer, store, schema);
	}
	pq.finish(transfer.other);
	if (code != DIAG_OK) {
		pq.finish(*conn);
		*conn = NULL;
	}
	return code;
}
