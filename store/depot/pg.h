/*
 * libpq, connections through it, and what each connection of a store looks at
 * first.  Only the files of this folder include this header.
 *
 * libpq is loaded when it is first used, and its headers are not needed: its
 * types and numbers are repeated here (a unit test compares them).  Source:
 * PostgreSQL 15, chapter 34 and libpq-fe.h.
 */
#ifndef FRESHET_PG_H
#define FRESHET_PG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

struct pg_conn; /* PGconn */
struct pg_result; /* PGresult */
struct pg_notify { /* PGnotify, until its private part */
	char *relname; /* the channel */
	int be_pid;
	char *extra;
};
struct pg_option { /* PQconninfoOption */
	char *keyword, *envvar, *compiled, *val, *label, *dispchar;
	int dispsize;
};

/* ConnStatusType, PostgresPollingStatusType, ExecStatusType, PG_DIAG_... */
enum { PG_CONNECTION_OK = 0, PG_CONNECTION_BAD = 1 };
enum { PG_POLL_FAILED, PG_POLL_READING, PG_POLL_WRITING, PG_POLL_OK };
enum {
	PG_COMMAND_OK = 1,
	PG_TUPLES_OK = 2,
	PG_COPY_OUT = 3,
	PG_COPY_IN = 4,
	PG_FATAL_ERROR = 7,
	PG_PIPELINE_SYNC = 10
};
enum { PG_SQLSTATE = 'C', PG_MESSAGE = 'M' };

/* The functions of libpq; depot_check_url() and pg_dial() have loaded them. */
extern struct libpq {
	int (*lib_version)(void);
	struct pg_option *(*conninfo_parse)(const char *, char **);
	void (*conninfo_free)(struct pg_option *);
	void (*freemem)(void *);
	struct pg_conn *(*connect_start)(
	    const char *const *, const char *const *, int);
	int (*connect_poll)(struct pg_conn *);
	struct pg_conn *(*connect)(
	    const char *const *, const char *const *, int);
	void (*finish)(struct pg_conn *);
	int (*status)(const struct pg_conn *);
	char *(*error_message)(const struct pg_conn *);
	int (*socket)(const struct pg_conn *);
	int (*server_version)(const struct pg_conn *);
	const char *(*parameter_status)(const struct pg_conn *, const char *);
	struct pg_result *(*exec)(struct pg_conn *, const char *);
	struct pg_result *(*exec_params)(struct pg_conn *, const char *, int,
	    const uint32_t *, const char *const *, const int *, const int *,
	    int);
	int (*send_query_params)(struct pg_conn *, const char *, int,
	    const uint32_t *, const char *const *, const int *, const int *,
	    int);
	int (*set_nonblocking)(struct pg_conn *, int);
	int (*enter_pipeline)(struct pg_conn *);
	int (*exit_pipeline)(struct pg_conn *);
	int (*pipeline_sync)(struct pg_conn *);
	int (*flush)(struct pg_conn *);
	int (*consume_input)(struct pg_conn *);
	int (*is_busy)(struct pg_conn *);
	struct pg_result *(*get_result)(struct pg_conn *);
	struct pg_notify *(*notifies)(struct pg_conn *);
	int (*get_copy_data)(struct pg_conn *, char **, int);
	int (*result_status)(const struct pg_result *);
	char *(*result_field)(const struct pg_result *, int);
	char *(*cmd_tuples)(struct pg_result *);
	int (*ntuples)(const struct pg_result *);
	char *(*getvalue)(const struct pg_result *, int, int);
	int (*getisnull)(const struct pg_result *, int, int);
	void (*(*set_notice)(struct pg_conn *, void (*)(void *, const char *),
	    void *))(void *, const char *);
	void (*clear)(struct pg_result *);
} pq;

/* pg_put_message(why, message): the message of libpq, which has several lines,
 * as one. */
void pg_put_message(struct buf *why, const char *message);

/*
 * pg_dial(url, why): a connection, which the caller finishes; NULL: there is
 * none, or the server cannot hold a store, and why has a line.
 * pg_dial_start(url): begin one, for connect_poll; never NULL.
 * pg_ask(conn, sql, count, parameters, why): run a statement with parameters as
 * text, and wait for its result, which the caller clears; NULL: it failed, and
 * why has a line.
 */
struct pg_conn *pg_dial(const char *url, struct buf *why);
struct pg_conn *pg_dial_start(const char *url);
struct pg_result *pg_ask(struct pg_conn *, const char *sql, int count,
    const char *const parameters[], struct buf *why);

/* What holds for the whole store. */
#define PG_SLOTS 4096
struct pg_cluster {
	int64_t lease_ms;
	int schema; /* version of the tables */
	/* meta.hash_key of all shards, in hex; also the key of the slots, so
	 * that nobody can choose hosts of one shard */
	char hash_key[17];
	uint16_t slots[PG_SLOTS]; /* the shard of each slot */
	unsigned shards; /* their number; they count from 0 */
};

/* pg_look(conn, cluster, why): false: there is no store in the database, or one
 * of another version, and why has a line. */
bool pg_look(struct pg_conn *, struct pg_cluster *, struct buf *why);

/* pg_slot(cluster, host), pg_home(cluster, host): the slot and the shard that a
 * normalised host belongs to.  A host and that with "www." before it belong to
 * one. */
unsigned pg_slot(const struct pg_cluster *, struct slice host);
unsigned pg_home(const struct pg_cluster *, struct slice host);

#endif
