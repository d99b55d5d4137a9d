/* Copies out of PostgreSQL, the way in, and shards that become two. */
#include "store/depot/copy.h"

#include <poll.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/db.h"
#include "store/depot/arrays.h"
#include "store/depot/filler.h"
#include "store/depot/pg.h"
#include "store/schema.h"

#define PIECE_BYTES (64u << 10) /* of a COPY into PostgreSQL */
#define STEP_MS 200 /* between two looks whether shards are free */

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

/* A connection with a transaction that sees one moment; NULL: why has a line.
 */
static struct pg_conn *
copy_begin(const char *url, const char *how, struct pg_cluster *cluster,
    struct buf *why)
{
	struct pg_conn *conn = pg_dial(url, why);

	if (conn == NULL ||
	    (copy_run(conn, how, why) && pg_look(conn, cluster, why)))
		return conn;
	pq.finish(conn);
	return NULL;
}

#define ONE_MOMENT "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY"

/* Several shards as one store, in PostgreSQL's words: t is the table. */

#define COUNT "(SELECT count(*) FROM freshet.shard)"
#define RENUMBERED(id, shard) id " * " COUNT " + " shard

/* What several shards know of the same origin, or consumer, is told by one of
 * them: by that with the site of the origin, else by that which asked it last.
 * `joined` is the new id of the row that stays. */
static const char joined_origins[] =
    " JOIN (SELECT m.shard, m.id, first_value(" RENUMBERED("m.id",
	"m.shard") ") OVER (PARTITION BY m.origin ORDER BY h.apex IS NULL,"
		   " m.fetched_s DESC NULLS LAST, m.shard) AS joined FROM "
		   "freshet.origin m"
		   " LEFT JOIN (SELECT DISTINCT shard, regexp_replace(host, "
		   "'^www\\.', '')"
		   " AS apex FROM freshet.site) h ON h.shard = m.shard AND "
		   "h.apex ="
		   " regexp_replace(m.origin, '^[a-z]*://(www\\.)?|:[0-9]*$', "
		   "'', 'g')) o"
		   " ON o.shard = t.shard AND o.id = t.";
static const char joined_feeds[] =
    " JOIN (SELECT m.shard, m.id, first_value(" RENUMBERED("m.id",
	"m.shard") ") OVER (PARTITION BY m.name ORDER BY m.shard) AS joined"
		   " FROM freshet.feed m) o ON o.shard = t.shard AND o.id = t.";

static const struct copy_join {
	const char *table, *column, *join;
	bool is_told_once; /* the rows of the others go */
} copy_joins[] = {
    {"origin", "id", joined_origins, true},
    {"proof", "origin_id", joined_origins, true},
    {"robots_text", "origin_id", joined_origins, true},
    {"site_origin", "origin_id", joined_origins, false},
    {"root", "origin_id", joined_origins, false},
    {"feed", "id", joined_feeds, true},
    {"feed_site", "feed_id", joined_feeds, false},
};

/* Tables whose rows of the same key become one, and columns that are not those
 * of the first shard then; all columns: "". */
#define FIRST "(array_agg(%s ORDER BY t.shard))[1]"
static const struct copy_group {
	const char *table, *column, *value;
} copy_groups[] = {
    {"meta", "created_s", "min(%s)"},
    {"meta", "pruned_reading_id", "max(%s)"},
    {"meta", "pruned_outcome_id", "max(%s)"},
    {"meta", "pruned_robots_id", "max(%s)"},
    {"meta", "pruned_unknown_id", "max(%s)"},
    {"meta", "", FIRST},
    {"hold", "", "max(%s)"},
    {"tag_budget", "", "max(%s)"},
    {"request_log", "requests", "sum(%s)::bigint"},
    {"request_log", "overlaps", "sum(%s)::bigint"},
    {"request_log", "last_s", "max(%s)"},
    {"request_log", "", "min(%s)"},
    {"alert", "", FIRST},
    {"learned", "", FIRST},
};

/* A column of several shards: append what it is in one store. */
static void
copy_put_value(struct buf *sql, const struct rows_table *table,
    const char *name, const struct copy_join *join)
{
	size_t len = strlen(name);

	if (join != NULL && strcmp(name, join->column) == 0)
		(void)buf_print(sql, "o.joined");
	else if (strcmp(table->name, "feed") == 0 &&
	    strcmp(name, "cursor") == 0)
		/* A cursor is of one shard: all is told again. */
		(void)buf_print(sql, "NULL::text");
	else if (strcmp(table->name, "learned") == 0 &&
	    strcmp(name, "data") == 0)
		/* Which reading was applied last: the last one, then. */
		(void)buf_print(sql,
		    "CASE WHEN t.kind = 'told' THEN '\\xffffffffffffff7f' ||"
		    " substr(t.data, 9) ELSE t.data END");
	else if (strcmp(name, "id") == 0 &&
	    (strcmp(table->name, "segment") == 0 ||
		strcmp(table->name, "block_index") == 0 ||
		strcmp(table->name, "delta") == 0))
		(void)buf_print(sql,
		    "((" RENUMBERED(
			"(t.id >> 16)", "t.shard") ") << 16)"
						   " | (t.id & 65535)");
	else if (strcmp(table->name, "meta") != 0
		? strcmp(name, "id") == 0 ||
		    (len > 3 && strcmp(name + len - 3, "_id") == 0) ||
		    strcmp(name, "alias_of") == 0 ||
		    strcmp(name, "last_crawl_after") == 0
		: strncmp(name, "pruned_", 7) == 0)
		(void)buf_print(sql,
		    "CASE WHEN t.\"%s\" = 0 THEN 0 ELSE t.\"%s\" * " COUNT
		    " + t.shard END",
		    name, name);
	else
		(void)buf_print(sql, "t.\"%s\"", name);
}

/* The COPY that tells the rows of all shards as those of one store. */
static void
copy_put_all(struct buf *sql, const struct rows_table *table)
{
	const struct copy_join *join = NULL;
	bool is_grouped = false;
	struct buf keys, value;

	for (size_t i = 0; i < sizeof(copy_joins) / sizeof(copy_joins[0]); i++)
		if (strcmp(copy_joins[i].table, table->name) == 0)
			join = &copy_joins[i];
	buf_init(&keys, SIZE_MAX);
	buf_init(&value, SIZE_MAX);
	(void)buf_print(sql, "COPY (SELECT ");
	for (int i = 0; i < table->count; i++) {
		const char *name = table->columns[i].name;
		const char *form = NULL;

		for (size_t k = 0;
		     k < sizeof(copy_groups) / sizeof(copy_groups[0]); k++)
			if (form == NULL &&
			    strcmp(copy_groups[k].table, table->name) == 0 &&
			    (copy_groups[k].column[0] == '\0' ||
				strcmp(copy_groups[k].column, name) == 0))
				form = copy_groups[k].value;
		is_grouped = is_grouped || form != NULL;
		buf_clear(&value);
		copy_put_value(&value, table, name, join);
		if (i > 0)
			(void)buf_print(sql, ", ");
		if (form == NULL || table->columns[i].key > 0)
			(void)buf_put_slice(sql, buf_text(&value));
		else
			(void)buf_print(sql, "%.*s%s%s",
			    (int)strcspn(form, "%"), form, buf_str(&value),
			    strchr(form, '%') + 2);
		if (table->columns[i].key > 0)
			(void)buf_print(
			    &keys, "%s%d", keys.len > 0 ? ", " : "", i + 1);
	}
	(void)buf_print(sql, " FROM freshet.\"%s\" t", table->name);
	if (join != NULL)
		(void)buf_print(sql, " LEFT%s\"%s\"", join->join, join->column);
	if (join != NULL && join->is_told_once)
		(void)buf_print(sql,
		    " WHERE o.joined = t.\"%s\" * " COUNT " + t.shard",
		    join->column);
	/* The keys of folders depend on the ids of sites. */
	if (strcmp(table->name, "learned") == 0)
		(void)buf_print(sql, " WHERE t.kind <> 'section'");
	if (is_grouped)
		(void)buf_print(sql, " GROUP BY %s", buf_str(&keys));
	(void)buf_print(
	    sql, " ORDER BY %s) TO STDOUT (FORMAT binary)", buf_str(&keys));
	buf_release(&keys);
	buf_release(&value);
}

static enum diag_code
copy_on_row(void *arg, const struct rows *row)
{
	return filler_put(arg, row);
}

/* Put the rows that a COPY tells into the file. */
static enum diag_code
copy_table(struct pg_conn *conn, const char *sql, struct filler *filler,
    const struct rows_table *table, struct buf *why)
{
	struct arrays_copy copy = {.table = table};
	enum diag_code code = DIAG_OK;
	struct pg_result *result = pq.exec(conn, sql);
	int n = pq.result_status(result) == PG_COPY_OUT ? 0 : -2;
	char *piece;

	if (n == -2)
		pg_put_message(why, pq.error_message(conn));
	pq.clear(result);
	if (n == -2)
		return DIAG_STORE_UNUSABLE;
	while ((n = pq.get_copy_data(conn, &piece, 0)) > 0) {
		if (code == DIAG_OK)
			code = arrays_copy_rows(&copy,
			    slice_make(piece, (size_t)n), copy_on_row, filler);
		pq.freemem(piece);
	}
	while ((result = pq.get_result(conn)) != NULL) {
		if (pq.result_status(result) != PG_COMMAND_OK)
			n = -2;
		pq.clear(result);
	}
	if (n != -1)
		pg_put_message(why, pq.error_message(conn));
	else if (code != DIAG_OK)
		(void)buf_print(
		    why, "table %s: %s", table->name, filler_why(filler));
	return n != -1 ? DIAG_STORE_UNUSABLE : code;
}

enum diag_code
copy_fill(const char *url, const struct strings *hosts, uint32_t shard,
    struct store *store, struct buf *why)
{
	struct pg_cluster cluster;
	struct pg_conn *conn = copy_begin(url, ONE_MOMENT, &cluster, why);
	struct rows_schema *schema = rows_schema_new();
	struct filler *filler = filler_new(store->db, schema);
	enum diag_code code = conn == NULL ? DIAG_STORE_UNUSABLE : DIAG_OK;
	char meta[96];
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
	if (code == DIAG_OK)
		code = filler_begin(filler, true);
	for (size_t i = 0; code == DIAG_OK && i < schema->count; i++) {
		const struct rows_table *table = &schema->tables[i];

		buf_clear(&sql);
		if (shard == COPY_ALL)
			copy_put_all(&sql, table);
		else
			arrays_copy_out(&sql, table, shard);
		code = copy_table(conn, buf_str(&sql), filler, table, why);
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

/* How a row belongs to what moves; t is its table, m the table of the ids that
 * move.  Rows of tables without a rule are those of all shards. */
static const struct copy_owner {
	const char *table; /* NULL: each with the column */
	const char *column, *moved, *id;
} copy_owners[] = {
    {"site", "id", "site", "t.id"},
    {NULL, "site_id", "site", "t.site_id"},
    {"reading", "document_id", "document", "t.document_id"},
    {"page", "document_id", "document", "t.document_id"},
    {NULL, "index_id", "document", "t.index_id"},
    {"segment", "id", "document", "t.id >> 16"},
    {"block_index", "id", "document", "t.id >> 16"},
    {NULL, "reading_id", "reading", "t.reading_id"},
    {"delta", "id", "reading", "t.id >> 16"},
    {"state", "id", "page", "t.id"},
    {NULL, "page_id", "page", "t.page_id"},
    {"request_log", "host", "host", "regexp_replace(t.host, '^www\\.', '')"},
    {"learned", "id", "site",
	"CASE WHEN t.kind IN ('site', 'crawl', 'aside') THEN t.id END"},
    {"learned", "id", "document",
	"CASE WHEN t.kind = 'document' THEN t.id END"},
};

/* Move the sites of a shard whose home is the other one. */
static bool
copy_rehome(struct pg_conn *conn, const struct pg_cluster *cluster,
    unsigned from, unsigned to, struct buf *why)
{
	struct rows_schema *schema = rows_schema_new();
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
	    "DROP TABLE IF EXISTS moved_site, moved_document, moved_reading,"
	    " moved_page, moved_host;"
	    "CREATE TEMP TABLE moved_site ON COMMIT DROP AS"
	    " SELECT unnest('{");
	for (int i = 0, n = 0; is_good && i < pq.ntuples(result); i++)
		if (pg_home(cluster, slice_of(pq.getvalue(result, i, 1))) == to)
			(void)buf_print(&sql, "%s%s", n++ > 0 ? "," : "",
			    pq.getvalue(result, i, 0));
	pq.clear(result);
	(void)buf_print(&sql,
	    "}'::bigint[]) AS id;"
	    "CREATE TEMP TABLE moved_document ON COMMIT DROP AS SELECT t.id"
	    " FROM freshet.document t JOIN moved_site m ON m.id = t.site_id"
	    " WHERE t.shard = %u;"
	    "CREATE TEMP TABLE moved_reading ON COMMIT DROP AS SELECT t.id"
	    " FROM freshet.reading t JOIN moved_document m"
	    " ON m.id = t.document_id WHERE t.shard = %u;"
	    "CREATE TEMP TABLE moved_page ON COMMIT DROP AS SELECT t.id"
	    " FROM freshet.page t JOIN moved_document m"
	    " ON m.id = t.document_id WHERE t.shard = %u;"
	    "CREATE TEMP TABLE moved_host ON COMMIT DROP AS"
	    " SELECT DISTINCT regexp_replace(t.host, '^www\\.', '') AS id"
	    " FROM freshet.site t JOIN moved_site m ON m.id = t.id"
	    " WHERE t.shard = %u;",
	    from, from, from, from);
	for (size_t i = 0; i < schema->count; i++) {
		const struct rows_table *table = &schema->tables[i];
		bool is_learned = strcmp(table->name, "learned") == 0;
		bool is_owned = false;

		for (size_t k = 0;
		     k < sizeof(copy_owners) / sizeof(copy_owners[0]); k++) {
			const struct copy_owner *owner = &copy_owners[k];
			bool has_column = owner->table != NULL &&
			    strcmp(owner->table, table->name) == 0;

			for (int c = 0;
			     owner->table == NULL && c < table->count; c++)
				has_column = has_column ||
				    strcmp(table->columns[c].name,
					owner->column) == 0;
			if (!has_column || (is_owned && !is_learned))
				continue;
			is_owned = true;
			(void)buf_print(&sql,
			    "UPDATE freshet.\"%s\" t SET shard = %u"
			    " FROM moved_%s m WHERE t.shard = %u AND m.id = "
			    "%s;",
			    table->name, to, owner->moved, from, owner->id);
		}
		if (is_owned && !is_learned)
			continue;
		(void)buf_print(&sql, "INSERT INTO freshet.\"%s\" SELECT %u",
		    table->name, to);
		for (int c = 0; c < table->count; c++)
			(void)buf_print(
			    &sql, ", t.\"%s\"", table->columns[c].name);
		(void)buf_print(&sql,
		    " FROM freshet.\"%s\" t WHERE t.shard = %u%s;", table->name,
		    from,
		    is_learned ? " AND t.kind IN ('all', 'told', 'section')"
			       : "");
	}
	/* Whoever takes the new shard next asks no host before its delay. */
	(void)buf_print(&sql,
	    "UPDATE freshet.shard SET version = version + 1, owner = 'moved'"
	    " WHERE shard = %u AND EXISTS"
	    " (SELECT 1 FROM freshet.meta WHERE shard = %u)",
	    to, to);
	is_good = is_good && copy_run(conn, buf_str(&sql), why);
	buf_release(&sql);
	rows_schema_free(schema);
	return is_good;
}

/* Rows on their way into PostgreSQL. */
struct copy_load {
	struct pg_conn *conn;
	const struct rows_table *table; /* whose COPY is under way */
	struct buf bytes;
	struct buf *why;
};

/* End the COPY that is under way. */
static bool
copy_load_end(struct copy_load *load)
{
	struct pg_result *result;
	bool is_good = true;

	if (load->table == NULL)
		return true;
	load->table = NULL;
	(void)buf_put(&load->bytes, "\377\377", 2);
	(void)pq.put_copy_data(load->conn, load->bytes.p, (int)load->bytes.len);
	(void)pq.put_copy_end(load->conn, NULL);
	buf_clear(&load->bytes);
	while ((result = pq.get_result(load->conn)) != NULL) {
		is_good = is_good && pq.result_status(result) == PG_COMMAND_OK;
		if (!is_good)
			pg_put_message(load->why, pq.error_message(load->conn));
		pq.clear(result);
	}
	return is_good;
}

static enum diag_code
copy_load_row(void *arg, const struct rows *row)
{
	struct copy_load *load = arg;

	if (row->table != load->table) {
		struct pg_result *result;
		struct buf sql;

		if (!copy_load_end(load))
			return DIAG_STORE_UNUSABLE;
		buf_init(&sql, SIZE_MAX);
		arrays_copy_in(&sql, row->table);
		result = pq.exec(load->conn, buf_str(&sql));
		buf_release(&sql);
		if (pq.result_status(result) == PG_COPY_IN)
			load->table = row->table;
		else
			pg_put_message(load->why, pq.error_message(load->conn));
		pq.clear(result);
		if (load->table == NULL)
			return DIAG_STORE_UNUSABLE;
		arrays_copy_begin(&load->bytes);
	}
	arrays_copy_row(&load->bytes, row, 0);
	if (load->bytes.len >= PIECE_BYTES) {
		(void)pq.put_copy_data(
		    load->conn, load->bytes.p, (int)load->bytes.len);
		buf_clear(&load->bytes);
	}
	return DIAG_OK;
}

/* In the open transaction, which has just made the tables and the shards, store
 * all rows of a file, each in the shard of its site. */
static bool
copy_load_all(struct pg_conn *conn, struct store *store, struct buf *why)
{
	struct copy_load load = {.conn = conn, .why = why};
	struct rows_schema *schema = rows_schema_new();
	/* All keys of pages depend on it. */
	struct sqlite3_stmt *key = db_make(store,
	    "SELECT 'UPDATE freshet.shard SET version = 1 WHERE shard = 0;"
	    " UPDATE freshet.cluster SET hash_key = ' ||"
	    " quote(lower(hex(hash_key))) FROM meta",
	    0, NULL);
	struct pg_cluster cluster;
	enum diag_code code = DIAG_STORE_DAMAGED;
	bool is_good = db_row(store, key) &&
	    copy_run(conn, (const char *)sqlite3_column_text(key, 0), why);

	db_drop(key);
	buf_init(&load.bytes, SIZE_MAX);
	if (is_good)
		code = rows_each(store->db, schema, copy_load_row, &load);
	is_good = copy_load_end(&load) && code == DIAG_OK;
	if (!is_good && why->len == 0)
		(void)buf_print(why, "the store cannot be read: %s",
		    sqlite3_errmsg(store->db));
	is_good = is_good && pg_look(conn, &cluster, why);
	for (unsigned to = 1; is_good && to < cluster.shards; to++)
		is_good = copy_rehome(conn, &cluster, 0, to, why);
	buf_release(&load.bytes);
	rows_schema_free(schema);
	return is_good;
}

/* Who may do what `freshet run` does, and who may only look: for all tables
 * that there are now.  The roles are those of all databases of a server, and
 * not every user may make some. */
static const char roles[] =
    "DO $$ BEGIN"
    " IF to_regrole('freshet_worker') IS NULL THEN"
    " CREATE ROLE freshet_worker; END IF;"
    " IF to_regrole('freshet_reader') IS NULL THEN"
    " CREATE ROLE freshet_reader; END IF;"
    " EXCEPTION WHEN insufficient_privilege OR duplicate_object"
    " OR unique_violation THEN NULL; END $$;"
    "DO $$ BEGIN"
    " GRANT USAGE ON SCHEMA freshet TO freshet_worker, freshet_reader;"
    " GRANT SELECT ON ALL TABLES IN SCHEMA freshet"
    " TO freshet_worker, freshet_reader;"
    " GRANT INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA freshet"
    " TO freshet_worker;"
    " EXCEPTION WHEN undefined_object THEN NULL; END $$";

enum diag_code
copy_init(const char *url, unsigned shards, struct store *from, struct buf *why)
{
	struct pg_conn *conn = pg_dial(url, why);
	struct rows_schema *schema;
	struct pg_result *result;
	enum diag_code code = DIAG_STORE_UNUSABLE;
	bool is_there;
	struct buf sql;

	if (conn == NULL)
		return code;
	result = pg_ask(conn, "SELECT to_regnamespace('freshet') IS NOT NULL",
	    0, NULL, why);
	is_there = result != NULL && pq.getvalue(result, 0, 0)[0] == 't';
	pq.clear(result);
	if (is_there) {
		(void)buf_print(why,
		    "the database has a schema 'freshet' already; nothing was "
		    "changed");
		code = DIAG_STORE_LOCKED;
	}
	if (is_there || result == NULL) {
		pq.finish(conn);
		return code;
	}
	buf_init(&sql, SIZE_MAX);
	schema = rows_schema_new();
	(void)buf_print(&sql, "BEGIN; CREATE SCHEMA freshet;%s", pg_tables);
	arrays_ddl(&sql, schema);
	(void)buf_print(&sql,
	    "INSERT INTO freshet.cluster (id, schema, schema_least, hash_key)"
	    " VALUES (1, %d, %d,"
	    " left(replace(gen_random_uuid()::text, '-', ''), 16));"
	    "INSERT INTO freshet.shard (shard, schema)"
	    " SELECT n, %d FROM generate_series(0, %u) n;"
	    "INSERT INTO freshet.slot"
	    " SELECT n, n %% %u FROM generate_series(0, %d) n;%s",
	    SCHEMA_VERSION, SCHEMA_VERSION, SCHEMA_VERSION, shards - 1, shards,
	    PG_SLOTS - 1, roles);
	result = pq.exec(conn, buf_str(&sql));
	if (pq.result_status(result) != PG_COMMAND_OK)
		pg_put_message(why, pq.error_message(conn));
	else if (from == NULL || copy_load_all(conn, from, why))
		code = DIAG_OK;
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

/* Set whether the shards may be taken; false: why has a line. */
static bool
copy_set_open(struct pg_conn *conn, bool is_open, struct buf *why)
{
	return copy_run(conn,
	    is_open ? "UPDATE freshet.shard SET is_open = true"
		    : "UPDATE freshet.shard SET is_open = false",
	    why);
}

enum diag_code
copy_split(const char *url, uint32_t shard, unsigned *made, struct buf *why)
{
	struct pg_cluster cluster;
	struct pg_conn *conn = copy_begin(url, "SELECT", &cluster, why);
	enum diag_code code = DIAG_STORE_UNUSABLE;
	bool is_held = true;
	char sql[640];

	if (conn == NULL)
		return code;
	*made = cluster.shards;
	if (shard >= cluster.shards || cluster.shards == PG_SLOTS)
		(void)buf_print(why, "there is no shard %u: they are 0 to %u",
		    shard, cluster.shards - 1);
	else if (copy_set_open(conn, false, why))
		code = DIAG_OK;
	/* Whoever holds a shard gives it now, or lost it long ago. */
	for (int64_t ms = 0; code == DIAG_OK && is_held; ms += STEP_MS) {
		struct pg_result *result = pg_ask(conn,
		    "SELECT shard, coalesce(owner, 'letters that nobody read')"
		    " FROM freshet.shard s WHERE (owner IS NOT NULL"
		    " AND until > clock_timestamp()) OR EXISTS (SELECT 1"
		    " FROM freshet.mail m WHERE m.shard = s.shard)",
		    0, NULL, why);

		if (result == NULL)
			code = DIAG_STORE_UNUSABLE;
		is_held = result != NULL && pq.ntuples(result) > 0;
		if (is_held && ms > 2 * cluster.lease_ms) {
			(void)buf_print(why, "shard %s still has ",
			    pq.getvalue(result, 0, 0));
			pg_put_message(why, pq.getvalue(result, 0, 1));
			code = DIAG_STORE_LOCKED;
		}
		pq.clear(result);
		if (code == DIAG_OK && is_held)
			(void)poll(NULL, 0, STEP_MS);
	}
	(void)snprintf(sql, sizeof(sql),
	    "BEGIN; LOCK TABLE freshet.shard, freshet.mail IN EXCLUSIVE MODE;"
	    "UPDATE freshet.slot SET shard = %u WHERE slot IN (SELECT slot FROM"
	    " (SELECT slot, row_number() OVER (ORDER BY slot) AS n"
	    " FROM freshet.slot WHERE shard = %u) s WHERE n %% 2 = 0);"
	    "INSERT INTO freshet.shard (shard, schema, is_open)"
	    " SELECT %u, schema, false FROM freshet.shard WHERE shard = %u;"
	    "UPDATE freshet.shard SET version = version + 1, term = term + 1"
	    " WHERE shard = %u AND version > 0",
	    *made, shard, *made, shard, shard);
	if (code == DIAG_OK &&
	    !(copy_run(conn, sql, why) && pg_look(conn, &cluster, why) &&
		copy_rehome(conn, &cluster, shard, *made, why)))
		code = DIAG_STORE_UNUSABLE;
	/* Shared hosts whose slot moved: the new home has not seen them yet. */
	struct pg_result *hosts = code != DIAG_OK
	    ? NULL
	    : pg_ask(conn, "SELECT host, home FROM freshet.host", 0, NULL, why);
	for (int i = 0; hosts != NULL && i < pq.ntuples(hosts); i++) {
		char home[16];
		const char *parameters[] = {pq.getvalue(hosts, i, 0), home};

		(void)snprintf(home, sizeof(home), "%u",
		    pg_home(&cluster, slice_of(parameters[0])));
		if (strcmp(home, pq.getvalue(hosts, i, 1)) != 0)
			pq.clear(pg_ask(conn,
			    "UPDATE freshet.host SET home = $2::integer,"
			    " seen = 0 WHERE host = $1",
			    2, parameters, why));
	}
	pq.clear(hosts);
	if (code == DIAG_OK &&
	    !(copy_set_open(conn, true, why) && copy_run(conn, "COMMIT", why)))
		code = DIAG_STORE_UNUSABLE;
	/* Nothing was done: the shards are open as before. */
	if (code != DIAG_OK) {
		(void)copy_run(conn, "ROLLBACK", why);
		(void)copy_set_open(conn, true, why);
	}
	pq.finish(conn);
	return code;
}

enum diag_code
copy_check(const char *url, copy_fault_fn *fn, void *arg, unsigned *shards,
    struct buf *why)
{
	struct pg_cluster cluster;
	struct pg_conn *conn = copy_begin(url, ONE_MOMENT, &cluster, why);
	struct rows_schema *schema = rows_schema_new();
	struct pg_result *result = NULL;
	char what[128];
	struct buf sql;

	buf_init(&sql, SIZE_MAX);
	*shards = 0;
	if (conn != NULL) {
		*shards = cluster.shards;
		result = pg_ask(conn,
		    "SELECT shard, host FROM freshet.site"
		    " ORDER BY shard, id",
		    0, NULL, why);
	}
	for (int i = 0; result != NULL && i < pq.ntuples(result); i++) {
		struct slice host = slice_of(pq.getvalue(result, i, 1));
		unsigned home = pg_home(&cluster, host);

		(void)snprintf(what, sizeof(what),
		    "it is in shard %s, and its home is shard %u",
		    pq.getvalue(result, i, 0), home);
		if (strtoul(pq.getvalue(result, i, 0), NULL, 10) != home)
			fn(arg, "site", host, slice_of(what));
	}
	/* What each table has of shards that are none. */
	(void)buf_print(&sql,
	    "SELECT 'slot', 'there is none, or it is of no shard: ' || n"
	    " FROM generate_series(0, %d) n LEFT JOIN freshet.slot t"
	    " ON t.slot = n LEFT JOIN freshet.shard s ON s.shard = t.shard"
	    " WHERE s.shard IS NULL UNION ALL SELECT 'shard', 'its number "
	    "leaves"
	    " a gap: ' || shard FROM freshet.shard WHERE shard >= " COUNT,
	    PG_SLOTS - 1);
	for (size_t i = 0; i < schema->count; i++)
		(void)buf_print(&sql,
		    " UNION ALL SELECT '%s', count(*) || ' rows of shard ' ||"
		    " shard || ', which does not exist' FROM freshet.\"%s\" t"
		    " WHERE NOT EXISTS (SELECT 1 FROM freshet.shard s"
		    " WHERE s.shard = t.shard) GROUP BY shard",
		    schema->tables[i].name, schema->tables[i].name);
	if (result != NULL) {
		pq.clear(result);
		result = pg_ask(conn, buf_str(&sql), 0, NULL, why);
	}
	for (int i = 0; result != NULL && i < pq.ntuples(result); i++)
		fn(arg, pq.getvalue(result, i, 0), slice_of(""),
		    slice_of(pq.getvalue(result, i, 1)));
	rows_schema_free(schema);
	buf_release(&sql);
	if (result == NULL) {
		if (conn != NULL)
			pq.finish(conn);
		return DIAG_STORE_UNUSABLE;
	}
	pq.clear(result);
	pq.finish(conn);
	return DIAG_OK;
}
