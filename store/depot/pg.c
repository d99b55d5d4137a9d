/* libpq, and connections through it. */
#include "store/depot/pg.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/late.h"
#include "base/vis.h"
#include "store/depot/depot.h"
#include "store/schema.h"

#define LEAST_SERVER "150000"

struct libpq pq;

#define LIBRARY "libpq.so.5"

static bool
pg_is_there(void)
{
#ifdef FRESHET_NO_POSTGRESQL
	return false;
#else
	return late_is_there(LIBRARY);
#endif
}

static void
pg_load(void)
{
#define PG_NAME(type, name, symbol, arguments) symbol,
	static const char *const names[] = {PG_FUNCTIONS(PG_NAME) NULL};

	late_load(LIBRARY, names, &pq);
}

bool
depot_library(struct library *library)
{
	*library = (struct library){.name = "libpq"};
	if (!pg_is_there())
		return false;
	pg_load();
	(void)snprintf(library->running, sizeof(library->running), "%d.%d",
	    pq.lib_version() / 10000, pq.lib_version() % 10000);
	return true;
}

void
pg_put_message(struct buf *why, const char *message)
{
	struct buf line = BUF_UP_TO(SIZE_MAX);

	for (const char *p = message; *p != '\0'; p++)
		if (*p != '\n' && *p != '\t')
			(void)buf_put_char(&line, *p);
		else if (*p == '\n' && p[1] != '\0')
			(void)buf_put_slice(&line, slice_of("; "));
	vis_put(why, buf_text(&line), 1000);
	buf_release(&line);
}

/* The value of an option that the URL has; NULL: it does not have it. */
static const char *
pg_option_of(const struct pg_option *options, const char *name)
{
	while (options->keyword != NULL && strcmp(options->keyword, name) != 0)
		options++;
	return options->val;
}

bool
depot_check_url(const char *url, struct buf *why)
{
	struct pg_option *options;
	char *error = NULL;
	bool is_good;

	if (!pg_is_there()) {
		(void)buf_print(why,
		    "a store in PostgreSQL needs " LIBRARY
		    ", which cannot be loaded here: install libpq5");
		return false;
	}
	pg_load();
	options = pq.conninfo_parse(url, &error);
	is_good = options != NULL && pg_option_of(options, "password") == NULL;
	if (options == NULL)
		pg_put_message(why, error == NULL ? "no memory" : error);
	else if (!is_good)
		(void)buf_print(why,
		    "the URL of a store must have no password, which other "
		    "users of this machine could read: write it into the file "
		    "that PGPASSFILE names, or ~/.pgpass");
	pq.conninfo_free(options);
	pq.freemem(error);
	return is_good;
}

#define PG_OPTIONS 10

/* The options of each connection: the URL can say otherwise where its name
 * follows.  Roles and servers that cannot be verified are refused, unless the
 * URL says so. */
static void
pg_options(const char *url, const char *keys[PG_OPTIONS],
    const char *values[PG_OPTIONS])
{
	struct pg_option *options = pq.conninfo_parse(url, NULL);
	const char *host = options == NULL ? NULL
					   : pg_option_of(options, "host");
	bool is_remote = host != NULL && host[0] != '/' && host[0] != '\0' &&
	    pg_option_of(options, "sslmode") == NULL;
	const char *const all[PG_OPTIONS][2] = {{"connect_timeout", "10"},
	    {"target_session_attrs", "read-write"},
	    /* a server that vanished is noticed within 20 seconds */
	    {"keepalives_idle", "5"}, {"keepalives_interval", "5"},
	    {"keepalives_count", "3"}, {"tcp_user_timeout", "20000"},
	    {"fallback_application_name", "freshet"}, {"dbname", url},
	    {is_remote ? "sslmode" : NULL, "verify-full"}, {NULL, NULL}};

	for (int i = 0; i < PG_OPTIONS; i++) {
		keys[i] = all[i][0];
		values[i] = all[i][1];
	}
	pq.conninfo_free(options);
}

/* Notices of the server, which libpq would print on stderr. */
static void
pg_on_notice(void *arg, const char *message)
{
	(void)arg, (void)message;
}

struct pg_conn *
pg_dial_start(const char *url)
{
	const char *keys[PG_OPTIONS], *values[PG_OPTIONS];
	struct pg_conn *conn;

	pg_options(url, keys, values);
	conn = pq.connect_start(keys, values, 1);
	(void)pq.set_notice(conn, pg_on_notice, NULL);
	return conn;
}

struct pg_result *
pg_ask(struct pg_conn *conn, const char *sql, int count,
    const char *const parameters[], struct buf *why)
{
	struct pg_result *result;
	int status;

	if (conn == NULL)
		return NULL;
	result = pq.exec_params(
	    conn, sql, count, NULL, parameters, NULL, NULL, 0);
	status = pq.result_status(result);
	if (status == PG_TUPLES_OK || status == PG_COMMAND_OK)
		return result;
	pg_put_message(why, pq.error_message(conn));
	pq.clear(result);
	return NULL;
}

struct pg_conn *
pg_dial(const char *url, struct buf *why)
{
	static const char unfit[] =
	    "SELECT CASE WHEN current_setting('server_version_num')::int "
	    "< " LEAST_SERVER " THEN 'PostgreSQL 15 or newer is needed'"
	    " WHEN current_setting('server_encoding') <> 'UTF8' THEN"
	    " 'the database must have the encoding UTF8:"
	    " createdb -E UTF8 -T template0'"
	    " WHEN current_setting('synchronous_commit') = 'off' THEN"
	    " 'synchronous_commit is off: what is acknowledged could be lost;"
	    " set it to on for this database or role' ELSE '' END";
	const char *keys[PG_OPTIONS], *values[PG_OPTIONS];
	struct pg_result *result;
	struct pg_conn *conn;
	bool is_fit;

	if (!depot_check_url(url, why))
		return NULL;
	pg_options(url, keys, values);
	conn = pq.connect(keys, values, 1);
	(void)pq.set_notice(conn, pg_on_notice, NULL);
	if (pq.status(conn) != PG_CONNECTION_OK) {
		(void)buf_print(why, "cannot reach PostgreSQL: ");
		pg_put_message(why, pq.error_message(conn));
		pq.finish(conn);
		return NULL;
	}
	result = pg_ask(conn, unfit, 0, NULL, why);
	is_fit = result != NULL && pq.getvalue(result, 0, 0)[0] == '\0';
	if (result != NULL)
		(void)buf_print(why, "%s", pq.getvalue(result, 0, 0));
	pq.clear(result);
	if (is_fit)
		return conn;
	pq.finish(conn);
	return NULL;
}

/* The store in PostgreSQL. */

bool
pg_look(struct pg_conn *conn, struct pg_cluster *cluster, struct buf *why)
{
	struct pg_result *result = pg_ask(conn,
	    "SELECT to_regclass('freshet.cluster') IS NOT NULL", 0, NULL, why);
	const char *slots;
	char *end;

	cluster->schema = 0;
	if (result == NULL)
		return false;
	if (pq.getvalue(result, 0, 0)[0] != 't') {
		(void)buf_print(why,
		    "there is no store in this database; 'freshet db init' "
		    "makes one");
		pq.clear(result);
		return false;
	}
	pq.clear(result);
	result = pg_ask(conn,
	    "SELECT schema, lease_ms, hash_key,"
	    " (SELECT count(*) FROM freshet.shard),"
	    " (SELECT string_agg(shard::text, ' ' ORDER BY slot)"
	    " FROM freshet.slot),"
	    " (extract(epoch FROM clock_timestamp()) * 1000)::bigint,"
	    " (SELECT min(schema) FROM freshet.shard)"
	    " FROM freshet.cluster",
	    0, NULL, why);
	if (result == NULL || pq.ntuples(result) != 1) {
		pq.clear(result);
		return false;
	}
	cluster->schema = (int)strtol(pq.getvalue(result, 0, 0), NULL, 10);
	cluster->lease_ms = strtoll(pq.getvalue(result, 0, 1), NULL, 10);
	(void)snprintf(cluster->hash_key, sizeof(cluster->hash_key), "%s",
	    pq.getvalue(result, 0, 2));
	cluster->shards = (unsigned)strtoul(
	    pq.getvalue(result, 0, 3), NULL, 10);
	cluster->now_ms = strtoll(pq.getvalue(result, 0, 5), NULL, 10);
	cluster->oldest = (int)strtol(pq.getvalue(result, 0, 6), NULL, 10);
	slots = pq.getvalue(result, 0, 4);
	for (int i = 0; i < PG_SLOTS; i++) {
		cluster->slots[i] = (uint16_t)strtoul(slots, &end, 10);
		slots = end;
	}
	pq.clear(result);
	if (cluster->schema < schema_current.count)
		(void)buf_print(why,
		    "the store has schema %d, this freshet needs %d: 'freshet "
		    "db migrate' makes it so, and older ones go on",
		    cluster->schema, schema_current.count);
	else if (cluster->oldest > schema_current.count)
		(void)buf_print(why,
		    "the store has schema %d, newer than %d, the newest known: "
		    "install the freshet that the other machines have",
		    cluster->schema, schema_current.count);
	return cluster->schema >= schema_current.count &&
	    cluster->oldest <= schema_current.count;
}

unsigned
pg_home(const struct pg_cluster *cluster, struct slice host)
{
	if (slice_starts(host, slice_of("www.")))
		host = slice_from(host, 4);
	return cluster
	    ->slots[hash_key(host, strtoull(cluster->hash_key, NULL, 16)) %
		PG_SLOTS];
}

bool
depot_probe(const char *url, struct buf *text)
{
	struct pg_conn *conn = pg_dial(url, text);
	struct pg_cluster cluster;
	struct pg_result *result = NULL;
	bool is_good;

	if (conn == NULL)
		return false;
	if (pg_look(conn, &cluster, text))
		result = pg_ask(conn,
		    "SELECT count(*) FILTER (WHERE until > clock_timestamp()),"
		    " current_setting('synchronous_standby_names')"
		    " FROM freshet.shard",
		    0, NULL, text);
	is_good = result != NULL;
	if (is_good) {
		(void)buf_print(text, "%s, schema %d, %s of %u shards held",
		    pq.parameter_status(conn, "server_version"), cluster.schema,
		    pq.getvalue(result, 0, 0), cluster.shards);
		if (pq.getvalue(result, 0, 1)[0] == '\0')
			(void)buf_print(text,
			    "; no synchronous standby: what is acknowledged "
			    "could be lost with the server");
	}
	pq.clear(result);
	pq.finish(conn);
	return is_good;
}
