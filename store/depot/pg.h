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

typedef void pg_notice_fn(void *, const char *);

/* The functions of libpq in use: type, name here, name there, arguments. */
#define PG_FUNCTIONS(F)                                                        \
	F(int, lib_version, "PQlibVersion", (void))                            \
	F(struct pg_option *, conninfo_parse, "PQconninfoParse",               \
	    (const char *, char **))                                           \
	F(void, conninfo_free, "PQconninfoFree", (struct pg_option *))         \
	F(void, freemem, "PQfreemem", (void *))                                \
	F(struct pg_conn *, connect_start, "PQconnectStartParams",             \
	    (const char *const *, const char *const *, int))                   \
	F(int, connect_poll, "PQconnectPoll", (struct pg_conn *))              \
	F(struct pg_conn *, connect, "PQconnectdbParams",                      \
	    (const char *const *, const char *const *, int))                   \
	F(void, finish, "PQfinish", (struct pg_conn *))                        \
	F(int, status, "PQstatus", (const struct pg_conn *))                   \
	F(char *, error_message, "PQerrorMessage", (const struct pg_conn *))   \
	F(int, socket, "PQsocket", (const struct pg_conn *))                   \
	F(int, server_version, "PQserverVersion", (const struct pg_conn *))    \
	F(const char *, parameter_status, "PQparameterStatus",                 \
	    (const struct pg_conn *, const char *))                            \
	F(struct pg_result *, exec, "PQexec",                                  \
	    (struct pg_conn *, const char *))                                  \
	F(struct pg_result *, exec_params, "PQexecParams",                     \
	    (struct pg_conn *, const char *, int, const uint32_t *,            \
		const char *const *, const int *, const int *, int))           \
	F(int, send_query_params, "PQsendQueryParams",                         \
	    (struct pg_conn *, const char *, int, const uint32_t *,            \
		const char *const *, const int *, const int *, int))           \
	F(int, send_prepare, "PQsendPrepare",                                  \
	    (struct pg_conn *, const char *, const char *, int,                \
		const uint32_t *))                                             \
	F(int, send_query_prepared, "PQsendQueryPrepared",                     \
	    (struct pg_conn *, const char *, int, const char *const *,         \
		const int *, const int *, int))                                \
	F(int, set_nonblocking, "PQsetnonblocking", (struct pg_conn *, int))   \
	F(int, enter_pipeline, "PQenterPipelineMode", (struct pg_conn *))      \
	F(int, pipeline_sync, "PQpipelineSync", (struct pg_conn *))            \
	F(int, flush, "PQflush", (struct pg_conn *))                           \
	F(int, consume_input, "PQconsumeInput", (struct pg_conn *))            \
	F(int, is_busy, "PQisBusy", (struct pg_conn *))                        \
	F(struct pg_result *, get_result, "PQgetResult", (struct pg_conn *))   \
	F(struct pg_notify *, notifies, "PQnotifies", (struct pg_conn *))      \
	F(int, get_copy_data, "PQgetCopyData",                                 \
	    (struct pg_conn *, char **, int))                                  \
	F(int, result_status, "PQresultStatus", (const struct pg_result *))    \
	F(char *, result_field, "PQresultErrorField",                          \
	    (const struct pg_result *, int))                                   \
	F(char *, cmd_tuples, "PQcmdTuples", (struct pg_result *))             \
	F(int, ntuples, "PQntuples", (const struct pg_result *))               \
	F(char *, getvalue, "PQgetvalue",                                      \
	    (const struct pg_result *, int, int))                              \
	F(int, getisnull, "PQgetisnull", (const struct pg_result *, int, int)) \
	F(pg_notice_fn *, set_notice, "PQsetNoticeProcessor",                  \
	    (struct pg_conn *, pg_notice_fn *, void *))                        \
	F(void, clear, "PQclear", (struct pg_result *))

/* depot_check_url() and pg_dial() have loaded them. */
#define PG_POINTER(type, name, symbol, arguments) type(*name) arguments;
extern struct libpq {
	PG_FUNCTIONS(PG_POINTER)
} pq;

/* pg_put_message(why, message): the message of libpq, which has several lines,
 * as one. */
void pg_put_message(struct buf *why, const char *message);

/*
 * pg_dial(url, why): a connection, which the caller finishes; NULL: there is
 * none, or the server cannot hold a store, and why has a line.
 * pg_dial_start(url): begin one, for connect_poll; never NULL.
 * pg_ask(conn, sql, count, parameters, why): run a statement with parameters as
 * text, and wait for its result, which the caller clears; NULL: it failed, or
 * conn is NULL, and why has a line.
 */
struct pg_conn *pg_dial(const char *url, struct buf *why);
struct pg_conn *pg_dial_start(const char *url);
struct pg_result *pg_ask(struct pg_conn *, const char *sql, int count,
    const char *const parameters[], struct buf *why);

/* What holds for the whole store. */
#define PG_SLOTS 4096
struct pg_cluster {
	int64_t lease_ms;
	int64_t now_ms; /* the server's wall clock when it was looked at */
	int schema; /* version of the tables */
	int oldest; /* of the rows of a shard */
	/* meta.hash_key of all shards, in hex; also the key of the slots, so
	 * that nobody can choose hosts of one shard */
	char hash_key[17];
	uint16_t slots[PG_SLOTS]; /* the shard of each slot */
	unsigned shards; /* their number; they count from 0 */
};

/* pg_look(conn, cluster, why): false: there is no store in the database, or one
 * of a version that this one cannot use, and why has a line; cluster->schema is
 * 0 if nothing is known of it. */
bool pg_look(struct pg_conn *, struct pg_cluster *, struct buf *why);

/* pg_home(cluster, host): the shard that a normalised host belongs to.  A host
 * and that with "www." before it belong to one. */
unsigned pg_home(const struct pg_cluster *, struct slice host);

#endif
