/* Copies out of PostgreSQL, the way in, and shards that become two. */
#include "store/depot/copy.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/db.h"
#include "store/depot/arrays.h"
#include "store/depot/pg.h"
#include "store/depot/term.h"
#include "store/schema.h"

#include "store/depot/control.inc"
#include "store/depot/look.inc"
#include "store/depot/migrate.inc"
#include "store/depot/public.inc"
#include "store/depot/roles.inc"
#include "store/depot/split.inc"
#include "store/depot/unready.inc"

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

/* The shard where all hosts have their home; COPY_ALL: there is none. */
static uint32_t
copy_home(const struct pg_cluster *cluster, const struct strings *hosts)
{
	uint32_t shard = cluster->shards == 1 ? 0 : COPY_ALL;

	for (size_t i = 0; hosts != NULL && i < hosts->count; i++) {
		unsigned home = pg_home(cluster, slice_of(hosts->items[i]));

		if (i > 0 && home != shard)
			return COPY_ALL;
		shard = home;
	}
	return shard;
}

enum diag_code
copy_fill(const char *url, const struct strings *hosts, uint32_t shard,
    struct store *store, struct buf *why)
{
	struct pg_cluster cluster;
	struct pg_conn *conn = copy_begin(url, ONE_MOMENT, &cluster, why);
	struct rows_schema *rows = rows_schema_new();
	struct term_transfer transfer = {
	    .conn = conn, .cluster = &cluster, .why = why};
	enum diag_code code = DIAG_STORE_UNUSABLE;
	char which[16] = "all", schema[16];
	const char *const parameters[] = {which, schema};
	struct pg_result *result;

	if (conn != NULL && shard == COPY_ALL)
		shard = copy_home(&cluster, hosts);
	transfer.shard = shard;
	if (shard != COPY_ALL)
		(void)snprintf(which, sizeof(which), "%u", shard);
	(void)snprintf(schema, sizeof(schema), "%d", schema_current.count);
	result = pg_ask(conn, look_sql, 2, parameters, why);
	if (result != NULL)
		(void)buf_print(why, "%s", pq.getvalue(result, 0, 2));
	if (result != NULL && why->len == 0)
		code = term_fill(&transfer,
		    (int)strtol(pq.getvalue(result, 0, 0), NULL, 10), store,
		    rows);
	if (code == DIAG_OK && strcmp(pq.getvalue(result, 0, 1), "0") != 0)
		(void)buf_print(why,
		    "requests that are noted, and wait for a 'freshet run': %s",
		    pq.getvalue(result, 0, 1));
	pq.clear(result);
	if (code == DIAG_OK)
		code = schema_code(sqlite3_exec(
		    store->db, "PRAGMA query_only = ON", NULL, NULL, NULL));
	store->is_read_only = true;
	rows_schema_free(rows);
	pq.finish(conn);
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
	struct buf sql = BUF_UP_TO(SIZE_MAX);

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
	struct pg_cluster cluster;
	struct term_transfer transfer = {.conn = conn, .why = why};
	bool is_good = db_row(store, key) &&
	    copy_run(conn, (const char *)sqlite3_column_text(key, 0), why) &&
	    pg_look(conn, &cluster, why);

	db_drop(key);
	is_good = is_good && term_load(&transfer, store, schema) == DIAG_OK;
	for (unsigned to = 1; is_good && to < cluster.shards; to++)
		is_good = copy_rehome(conn, &cluster, 0, to, why);
	rows_schema_free(schema);
	return is_good;
}

/* The statements that make the tables of this version in a new schema of the
 * database. */
static void
copy_put_tables(struct buf *sql, const char *name)
{
	struct rows_schema *schema = rows_schema_new();

	(void)buf_print(sql, "CREATE SCHEMA %s; SET LOCAL search_path = %s; %s",
	    name, name, control_sql);
	arrays_ddl(sql, schema);
	(void)buf_print(sql,
	    "INSERT INTO cluster (id, schema, hash_key) VALUES (1, %d,"
	    " left(replace(gen_random_uuid()::text, '-', ''), 16));",
	    schema_current.count);
	rows_schema_free(schema);
}

enum diag_code
copy_init(const char *url, unsigned shards, const char *views,
    struct store *from, struct buf *why)
{
	static const char lacks[] =
	    "SELECT 'the roles freshet_worker and freshet_reader were not made,"
	    " since this user may not make roles: grant the schema freshet to"
	    " others yourself' WHERE to_regrole('freshet_worker') IS NULL"
	    " OR to_regrole('freshet_reader') IS NULL";
	struct pg_conn *conn = pg_dial(url, why);
	enum diag_code code = DIAG_STORE_UNUSABLE;
	struct pg_result *result;
	const char *state;
	struct buf sql = BUF_UP_TO(SIZE_MAX);

	if (conn == NULL)
		return code;
	(void)buf_print(&sql, "BEGIN;");
	copy_put_tables(&sql, "freshet");
	(void)buf_print(&sql,
	    "INSERT INTO freshet.shard (shard, schema)"
	    " SELECT n, %d FROM generate_series(0, %u) n;"
	    "INSERT INTO freshet.slot"
	    " SELECT n, n %% %u FROM generate_series(0, %d) n;",
	    schema_current.count, shards - 1, shards, PG_SLOTS - 1);
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
	} else if ((from == NULL || copy_load(conn, from, why)) &&
	    copy_run(conn, "COMMIT", why)) {
		code = DIAG_OK;
	}
	pq.clear(result);
	result = code == DIAG_OK ? pg_ask(conn, lacks, 0, NULL, why) : NULL;
	if (result != NULL && pq.ntuples(result) > 0)
		(void)buf_print(why, "%s", pq.getvalue(result, 0, 0));
	pq.clear(result);
	pq.finish(conn);
	buf_release(&sql);
	return code;
}

enum diag_code
copy_migrate(const char *url, const char *views, struct copy_migrated *migrated,
    struct buf *why)
{
	/* Every COMMIT begins with the row of its shard, so that nobody has
	 * locked a table then.  Who looks makes no worker wait long. */
	static const char lock[] =
	    "BEGIN; SET LOCAL lock_timeout = '3s';"
	    "LOCK TABLE freshet.shard IN ACCESS EXCLUSIVE MODE;";
	static const char count[] =
	    "SELECT count(*), count(*) FILTER (WHERE s.schema < c.schema)"
	    " FROM freshet.shard s, freshet.cluster c";
	struct pg_conn *conn = pg_dial(url, why);
	enum diag_code code = DIAG_STORE_UNUSABLE;
	struct pg_result *result = NULL;
	struct pg_cluster cluster;
	struct buf sql = BUF_UP_TO(SIZE_MAX);

	/* a store that is older is what this is for */
	if (conn != NULL && !pg_look(conn, &cluster, why) &&
	    cluster.schema > 0 && cluster.schema < schema_current.count)
		buf_clear(why);
	(void)buf_print(&sql, "%s", lock);
	copy_put_tables(&sql, "freshet_next");
	(void)buf_print(
	    &sql, "%s%s%s%sCOMMIT", migrate_sql, public_sql, views, roles_sql);
	if (conn != NULL && why->len == 0 && copy_run(conn, buf_str(&sql), why))
		result = pg_ask(conn, count, 0, NULL, why);
	if (result != NULL) {
		code = DIAG_OK;
		migrated->from = cluster.schema;
		migrated->to = schema_current.count;
		migrated->shards = cluster.shards;
		migrated->older = (unsigned)strtoul(
		    pq.getvalue(result, 0, 1), NULL, 10);
	}
	pq.clear(result);
	pq.finish(conn);
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
	char sql[640], schema[16], *end;
	const char *const parameter[] = {schema};
	unsigned long shard = strtoul(text, &end, 10);

	(void)snprintf(schema, sizeof(schema), "%d", schema_current.count);
	if (conn == NULL)
		return code;
	if (end == text || *end != '\0' || shard >= cluster.shards)
		(void)buf_print(why, "there is no such shard: they are 0 to %u",
		    cluster.shards - 1);
	else if (cluster.shards == PG_SLOTS)
		(void)buf_print(
		    why, "there are %d shards, and no more can be", PG_SLOTS);
	else
		result = pg_ask(conn, unready_sql, 1, parameter, why);
	if (result != NULL && pq.ntuples(result) > 0) {
		(void)buf_print(why, "%s", pq.getvalue(result, 0, 0));
		code = DIAG_STORE_LOCKED;
	}
	(void)snprintf(sql, sizeof(sql),
	    "DELETE FROM freshet.host;"
	    "UPDATE freshet.slot SET shard = %u WHERE slot IN (SELECT slot FROM"
	    " (SELECT slot, row_number() OVER (ORDER BY slot) AS n"
	    " FROM freshet.slot WHERE shard = %lu) s WHERE n %% 2 = 0);"
	    "INSERT INTO freshet.shard (shard, schema) VALUES (%u, %d)",
	    cluster.shards, shard, cluster.shards, schema_current.count);
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
	struct pg_result *result = pg_ask(conn, sql, 1, &parameter, why);
	int64_t number = result == NULL
	    ? -1
	    : strtoll(pq.getvalue(result, 0, 0), NULL, 10);

	pq.clear(result);
	pq.finish(conn);
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
	struct pg_result *result = pg_ask(conn, look, 0, NULL, why);

	for (int i = 0; result != NULL && i < pq.ntuples(result); i++) {
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
	if (result != NULL)
		*shards = cluster.shards;
	pq.clear(result);
	pq.finish(conn);
	return result != NULL ? DIAG_OK : DIAG_STORE_UNUSABLE;
}
