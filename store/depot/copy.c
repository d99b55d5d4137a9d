/* Copies out of PostgreSQL, the way in, and shards that become two. */
#include "store/depot/copy.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "store/db.h"
#include "store/depot/arrays.h"
#include "store/depot/filler.h"
#include "store/depot/pg.h"
#include "store/depot/term.h"
#include "store/schema.h"

#include "store/depot/control.inc"
#include "store/depot/merge.inc"
#include "store/depot/public.inc"
#include "store/depot/roles.inc"
#include "store/depot/split.inc"

#define AT_ONCE 200 /* rows; those with blocks are 100 kB each */
#define ONE_MOMENT "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY"

/* Run statements without an answer; false: why has a line. */
static bool
copy_run(struct pg_conn *conn, const char *sql, struct buf *why)
{
	struct pg_result *result = pq.exec(conn, sql);
	int status = pq.result_status(result);

	if (status != PG_COMMAND_OK && status != PG_TUPLES_OK)
		pg_put_message(why, pq.error_message(conn));
	pq.clear(result);
	return status == PG_COMMAND_OK || status == PG_TUPLES_OK;
}

/* A connection after the statement; NULL: why has a line. */
static struct pg_conn *
copy_begin(const char *url, const char *sql, struct pg_cluster *cluster,
    struct buf *why)
{
	struct pg_conn *conn = pg_dial(url, why);

	if (conn == NULL ||
	    (copy_run(conn, sql, why) && pg_look(conn, cluster, why)))
		return conn;
	pq.finish(conn);
	return NULL;
}

enum diag_code
copy_fill(const char *url, const struct strings *hosts, uint32_t shard,
    struct store *store, struct buf *why)
{
	struct pg_cluster cluster;
	struct pg_conn *conn = copy_begin(url, ONE_MOMENT, &cluster, why);
	struct rows_schema *schema = rows_schema_new();
	struct filler *filler = filler_new(store->db, schema);
	struct term_filling filling = {
	    .conn = conn, .filler = filler, .why = why};
	enum diag_code code = conn == NULL ? DIAG_STORE_UNUSABLE : DIAG_OK;
	char meta[96], count[16];
	struct buf sql;

	buf_init(&sql, SIZE_MAX);
	if (code == DIAG_OK && shard == COPY_ALL && cluster.shards == 1)
		shard = 0;
	for (size_t i = 0; code == DIAG_OK && shard == COPY_ALL &&
	     hosts != NULL && i < hosts->count;
	     i++) {
		shard = pg_home(&cluster, slice_of(hosts->items[i]));
		if (shard != pg_home(&cluster, slice_of(hosts->items[0]))) {
			shard = COPY_ALL;
			break;
		}
	}
	if (code == DIAG_OK && shard != COPY_ALL && shard >= cluster.shards) {
		(void)buf_print(why, "there is no shard %u: they are 0 to %u",
		    shard, cluster.shards - 1);
		code = DIAG_STORE_UNUSABLE;
	}
	/* What commands have noted, and nobody does. */
	struct pg_result *mail = code != DIAG_OK
	    ? NULL
	    : pg_ask(conn,
		  "SELECT count(*) FROM freshet.mail m JOIN freshet.shard s"
		  " USING (shard) WHERE s.owner IS NULL"
		  " OR s.until < clock_timestamp()",
		  0, NULL, why);
	if (code == DIAG_OK)
		code = filler_begin(filler, true);
	for (size_t i = 0; code == DIAG_OK && i < schema->count; i++) {
		const struct rows_table *table = &schema->tables[i];

		const char *parameters[] = {table->name, count};
		struct pg_result *merge = NULL;

		buf_clear(&sql);
		(void)snprintf(count, sizeof(count), "%u", cluster.shards);
		if (shard != COPY_ALL)
			arrays_copy_out(&sql, table, shard);
		else
			merge = pg_ask(conn, merge_sql, 2, parameters, why);
		if (merge != NULL)
			(void)buf_print(&sql, "%s", pq.getvalue(merge, 0, 0));
		pq.clear(merge);
		if (sql.len == 0)
			code = DIAG_STORE_UNUSABLE;
		if (code == DIAG_OK)
			code = term_fill_table(&filling, table, buf_str(&sql));
	}
	/* A shard that nobody has taken yet has no rows. */
	if (code == DIAG_OK) {
		(void)snprintf(meta, sizeof(meta),
		    "INSERT OR IGNORE INTO meta (id, hash_key)"
		    " VALUES (1, x'%s')",
		    cluster.hash_key);
		code = db_exec(store, meta) ? DIAG_OK : store_failed(store);
	}
	if (code == DIAG_OK)
		code = filler_commit(filler);
	if (code != DIAG_OK && why->len == 0)
		(void)buf_print(why, "cannot copy: %s", filler_why(filler));
	if (code == DIAG_OK && mail != NULL &&
	    strcmp(pq.getvalue(mail, 0, 0), "0") != 0)
		(void)buf_print(why,
		    "requests that are noted, and wait for a 'freshet run': %s",
		    pq.getvalue(mail, 0, 0));
	pq.clear(mail);
	filler_free(filler);
	if (code == DIAG_OK)
		code = schema_code(sqlite3_exec(
		    store->db, "PRAGMA query_only = ON", NULL, NULL, NULL));
	store->is_read_only = true;
	rows_schema_free(schema);
	pq.finish(conn);
	buf_release(&sql);
	return code;
}

/* Sites move to another shard. */

/* Move the sites of a shard whose home is another one, which has no rows. */
static bool
copy_rehome(struct pg_conn *conn, const struct pg_cluster *cluster,
    unsigned from, unsigned to, struct buf *why)
{
	struct pg_result *result;
	bool is_good;
	struct buf sql;

	buf_init(&sql, SIZE_MAX);
	(void)buf_print(
	    &sql, "SELECT id, host FROM freshet.site WHERE shard = %u", from);
	result = pg_ask(conn, buf_str(&sql), 0, NULL, why);
	is_good = result != NULL;
	buf_clear(&sql);
	(void)buf_print(&sql,
	    "CREATE TEMP TABLE moved ON COMMIT DROP AS SELECT %u AS a, %u AS b;"
	    "CREATE TEMP TABLE moved_site ON COMMIT DROP AS"
	    " SELECT unnest('{0",
	    from, to);
	for (int i = 0; is_good && i < pq.ntuples(result); i++)
		if (pg_home(cluster, slice_of(pq.getvalue(result, i, 1))) == to)
			(void)buf_print(&sql, ",%s", pq.getvalue(result, i, 0));
	(void)buf_print(&sql, "}'::bigint[]) AS id; %s", split_sql);
	is_good = is_good && copy_run(conn, buf_str(&sql), why);
	pq.clear(result);
	buf_release(&sql);
	return is_good;
}

/* Rows of one table on their way into PostgreSQL. */
struct copy_load {
	struct pg_conn *conn;
	struct rows rows; /* owns the bytes of its cells */
	struct buf *why;
};

static enum diag_code
copy_load_flush(struct copy_load *load)
{
	struct rows *rows = &load->rows;
	int binary[ROWS_COLUMNS_MAX + 1];
	struct pg_result *result;
	struct arrays put;

	if (rows->count == 0)
		return DIAG_OK;
	for (int i = 0; i <= ROWS_COLUMNS_MAX; i++)
		binary[i] = 1;
	(void)arrays_make(&put, rows, 0);
	result = pq.exec_params(load->conn, put.sql, put.count, put.types,
	    (const char *const *)put.values, put.lengths, binary, 0);
	if (pq.result_status(result) != PG_COMMAND_OK)
		pg_put_message(load->why, pq.error_message(load->conn));
	pq.clear(result);
	arrays_release(&put);
	for (size_t i = 0; i < rows->count * (size_t)rows->width; i++)
		if (rows->cells[i].kind == ROWS_TEXT ||
		    rows->cells[i].kind == ROWS_BLOB)
			free((void *)(uintptr_t)rows->cells[i].bytes.p);
	rows->count = 0;
	return load->why->len > 0 ? DIAG_STORE_UNUSABLE : DIAG_OK;
}

static enum diag_code
copy_load_row(void *arg, const struct rows *row)
{
	struct copy_load *load = arg;
	struct rows *rows = &load->rows;
	struct rows_cell *cells;
	enum diag_code code = DIAG_OK;

	if (rows->table != row->table || rows->count == AT_ONCE)
		code = copy_load_flush(load);
	rows->table = row->table;
	rows->operation = ROWS_INSERT;
	rows->columns = row->columns;
	rows->width = row->width;
	rows->cells = mem_grow(rows->cells, &rows->cap,
	    (rows->count + 1) * (size_t)row->width, sizeof(*cells));
	cells = rows->cells + rows->count++ * (size_t)row->width;
	memcpy(cells, row->cells, (size_t)row->width * sizeof(*cells));
	for (int i = 0; i < row->width; i++)
		if (cells[i].kind == ROWS_TEXT || cells[i].kind == ROWS_BLOB)
			cells[i].bytes.p = slice_dup(cells[i].bytes);
	return code;
}

/* In the open transaction, which has just made the tables and the shards, store
 * all rows of a file, each in the shard of its site. */
static bool
copy_load(struct pg_conn *conn, struct store *store, struct buf *why)
{
	/* All keys of pages depend on it. */
	struct sqlite3_stmt *key = db_make(store,
	    "SELECT 'UPDATE freshet.shard SET version = 1 WHERE shard = 0;"
	    " UPDATE freshet.cluster SET hash_key = ' ||"
	    " quote(lower(hex(hash_key))) FROM meta",
	    0, NULL);
	struct rows_schema *schema = rows_schema_new();
	struct copy_load load = {.conn = conn, .why = why};
	struct pg_cluster cluster;
	bool is_good = db_row(store, key) &&
	    copy_run(conn, (const char *)sqlite3_column_text(key, 0), why) &&
	    pg_look(conn, &cluster, why);

	db_drop(key);
	is_good = is_good &&
	    rows_each(store->db, schema, copy_load_row, &load) == DIAG_OK &&
	    copy_load_flush(&load) == DIAG_OK;
	free(load.rows.cells);
	if (!is_good && why->len == 0)
		(void)buf_print(why, "the file cannot be read: %s",
		    sqlite3_errmsg(store->db));
	for (unsigned to = 1; is_good && to < cluster.shards; to++)
		is_good = copy_rehome(conn, &cluster, 0, to, why);
	rows_schema_free(schema);
	return is_good;
}

enum diag_code
copy_init(const char *url, unsigned shards, const char *views,
    struct store *from, struct buf *why)
{
	struct pg_conn *conn = pg_dial(url, why);
	struct rows_schema *schema;
	struct pg_result *result;
	enum diag_code code = DIAG_STORE_UNUSABLE;
	const char *state;
	struct buf sql;

	if (conn == NULL)
		return code;
	buf_init(&sql, SIZE_MAX);
	schema = rows_schema_new();
	(void)buf_print(&sql, "BEGIN; %s", control_sql);
	arrays_ddl(&sql, schema);
	(void)buf_print(&sql,
	    "INSERT INTO freshet.cluster (id, schema, schema_least, hash_key)"
	    " VALUES (1, %d, %d,"
	    " left(replace(gen_random_uuid()::text, '-', ''), 16));"
	    "INSERT INTO freshet.shard (shard, schema)"
	    " SELECT n, %d FROM generate_series(0, %u) n;"
	    "INSERT INTO freshet.slot"
	    " SELECT n, n %% %u FROM generate_series(0, %d) n;",
	    SCHEMA_VERSION, SCHEMA_VERSION, SCHEMA_VERSION, shards - 1, shards,
	    PG_SLOTS - 1);
	(void)buf_print(&sql, "%s%s%s", public_sql, views, roles_sql);
	result = pq.exec(conn, buf_str(&sql));
	state = pq.result_field(result, PG_SQLSTATE);
	if (state != NULL && strcmp(state, "42P06") == 0) {
		(void)buf_print(why,
		    "the database has a schema 'freshet' already; nothing was "
		    "changed");
		code = DIAG_STORE_LOCKED;
	} else if (pq.result_status(result) != PG_COMMAND_OK) {
		pg_put_message(why, pq.error_message(conn));
	} else if (from == NULL || copy_load(conn, from, why)) {
		code = DIAG_OK;
	}
	pq.clear(result);
	/* Without it nothing was done. */
	if (code == DIAG_OK) {
		result = pg_ask(conn, "COMMIT", 0, NULL, why);
		code = result == NULL ? DIAG_STORE_UNUSABLE : DIAG_OK;
		pq.clear(result);
		result = pg_ask(conn,
		    "SELECT to_regrole('freshet_worker') IS NULL"
		    " OR to_regrole('freshet_reader') IS NULL",
		    0, NULL, why);
		if (result != NULL && pq.getvalue(result, 0, 0)[0] == 't')
			(void)buf_print(why,
			    "the roles freshet_worker and freshet_reader were "
			    "not made, since this user may not make roles: "
			    "grant the schema freshet to others yourself");
		pq.clear(result);
	}
	pq.finish(conn);
	rows_schema_free(schema);
	buf_release(&sql);
	return code;
}

enum diag_code
copy_split(const char *url, const char *text, unsigned *shards, struct buf *why)
{
	/* Until the end nobody takes a shard, or writes a letter. */
	static const char lock[] =
	    "BEGIN; LOCK TABLE freshet.shard, freshet.mail IN EXCLUSIVE MODE";
	struct pg_cluster cluster;
	struct pg_conn *conn = copy_begin(url, lock, &cluster, why);
	enum diag_code code = DIAG_STORE_UNUSABLE;
	struct pg_result *result = NULL;
	char sql[640], *end;
	unsigned long shard = strtoul(text, &end, 10);

	if (conn == NULL)
		return code;
	if (end == text || *end != '\0' || shard >= cluster.shards ||
	    cluster.shards == PG_SLOTS)
		(void)buf_print(why,
		    "it takes the number of a shard, which are 0 to %u, and "
		    "%d can be there",
		    cluster.shards - 1, PG_SLOTS);
	else
		result = pg_ask(conn,
		    "SELECT 1 FROM freshet.shard"
		    " WHERE owner IS NOT NULL AND until > clock_timestamp()"
		    " UNION ALL SELECT 1 FROM freshet.mail UNION ALL"
		    " SELECT 1 FROM freshet.host WHERE until > "
		    "clock_timestamp()",
		    0, NULL, why);
	if (result != NULL && pq.ntuples(result) > 0) {
		(void)buf_print(why,
		    "a 'freshet run' is at work, or ended less than a minute "
		    "ago, or requests are noted that none has done yet: let "
		    "all be done, end each, and split then");
		code = DIAG_STORE_LOCKED;
	}
	(void)snprintf(sql, sizeof(sql),
	    "DELETE FROM freshet.host;"
	    "UPDATE freshet.slot SET shard = %u WHERE slot IN (SELECT slot FROM"
	    " (SELECT slot, row_number() OVER (ORDER BY slot) AS n"
	    " FROM freshet.slot WHERE shard = %lu) s WHERE n %% 2 = 0);"
	    "INSERT INTO freshet.shard (shard, schema)"
	    " SELECT %u, schema FROM freshet.shard WHERE shard = %lu",
	    cluster.shards, shard, cluster.shards, shard);
	if (result != NULL && code != DIAG_STORE_LOCKED &&
	    copy_run(conn, sql, why) && pg_look(conn, &cluster, why) &&
	    copy_rehome(
		conn, &cluster, (unsigned)shard, cluster.shards - 1, why) &&
	    copy_run(conn, "COMMIT", why))
		code = DIAG_OK;
	*shards = cluster.shards;
	pq.clear(result);
	pq.finish(conn);
	return code;
}

int64_t
copy_number(
    const char *url, const char *sql, const char *parameter, struct buf *why)
{
	struct pg_conn *conn = pg_dial(url, why);
	struct pg_result *result = conn == NULL
	    ? NULL
	    : pg_ask(conn, sql, 1, &parameter, why);
	int64_t number = result == NULL
	    ? -1
	    : strtoll(pq.getvalue(result, 0, 0), NULL, 10);

	if (conn != NULL) {
		pq.clear(result);
		pq.finish(conn);
	}
	return number;
}

enum diag_code
copy_check(const char *url, copy_fault_fn *fn, void *arg, unsigned *shards,
    struct buf *why)
{
	static const char look[] =
	    "SELECT 'site', host, shard::text FROM freshet.site"
	    " UNION ALL SELECT place, '', what FROM freshet.faults()";
	struct pg_cluster cluster;
	struct pg_conn *conn = copy_begin(url, ONE_MOMENT, &cluster, why);
	struct pg_result *result = conn == NULL
	    ? NULL
	    : pg_ask(conn, look, 0, NULL, why);
	enum diag_code code = result == NULL ? DIAG_STORE_UNUSABLE : DIAG_OK;

	for (int i = 0; code == DIAG_OK && i < pq.ntuples(result); i++) {
		struct slice host = slice_of(pq.getvalue(result, i, 1));
		char what[128], home[16];

		(void)snprintf(
		    home, sizeof(home), "%u", pg_home(&cluster, host));
		(void)snprintf(what, sizeof(what),
		    host.len == 0 ? "%s" : "it is in shard %s, its home is %s",
		    pq.getvalue(result, i, 2), home);
		if (host.len == 0 ||
		    strcmp(pq.getvalue(result, i, 2), home) != 0)
			fn(arg, pq.getvalue(result, i, 0), host,
			    slice_of(what));
	}
	if (code == DIAG_OK)
		*shards = cluster.shards;
	if (conn != NULL) {
		pq.clear(result);
		pq.finish(conn);
	}
	return code;
}
