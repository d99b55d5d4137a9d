/*
 * A shard, as one owner has it from taking to giving: its term.
 *
 * All here waits for PostgreSQL; what goes on while the shard is held is
 * depot.c's.
 */
#ifndef FRESHET_TERM_H
#define FRESHET_TERM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/diag.h"
#include "store/depot/pg.h"
#include "store/depot/rows.h"

struct store;

struct term {
	char *url, *owner; /* owned */
	uint32_t number; /* of the shard */
	struct pg_cluster cluster;
	/* as parameters of statements */
	char shard[16], term[24], lease_ms[24];
	uint64_t version;
	int schema; /* of the rows */
	int64_t idle_s; /* how long nobody had the shard before, at least */
	int64_t renewed_ms; /* when that was asked which renewed it last */
};

/* term_clock_ms(): the time since the machine started, in milliseconds, also
 * that in which the machine slept. */
int64_t term_clock_ms(void);

/* term_clock_differs(server_ms, asked_ms, why): does the wall clock of this
 * machine differ by more than 10 s from the server's, which answered server_ms
 * to a question of asked_ms (by term_clock_ms)?  Then why has a line. */
bool term_clock_differs(int64_t server_ms, int64_t asked_ms, struct buf *why);

/* Statements; their parameters are shard, owner, term, lease_ms, and what
 * others are told of the shard: sites, pages (NULL: as before).  PULSE renews
 * the term, and answers the version and the server's time. */
#define TERM_PULSE                                                        \
	"UPDATE freshet.shard SET"                                        \
	" until = clock_timestamp() + $4::float8 * interval '1 ms',"      \
	" sites = coalesce($5::bigint, sites),"                           \
	" pages = coalesce($6::bigint, pages)"                            \
	" WHERE shard = $1::integer AND owner = $2 AND term = $3::bigint" \
	" RETURNING version,"                                             \
	" (extract(epoch FROM clock_timestamp()) * 1000)::bigint"
#define TERM_GIVE                                                          \
	"UPDATE freshet.shard SET owner = NULL, until = clock_timestamp()" \
	" WHERE shard = $1::integer AND owner = $2 AND term = $3::bigint"

/*
 * term_begin(term, store, schema, conn, why):
 * Take the shard, and make the store what PostgreSQL has of it.  If its rows
 * are of an older schema, they become rows of this one there, too, all or none.
 * The connection becomes the caller's.
 *
 * Returns the codes of depot_open.
 */
enum diag_code term_begin(struct term *, struct store *,
    const struct rows_schema *, struct pg_conn **, struct buf *why);

/* Rows of a shard on their way. */
struct term_transfer {
	struct pg_conn *conn;
	const struct pg_cluster *cluster;
	uint32_t shard; /* COPY_ALL: all, as those of one store */
	struct buf *why; /* gets a line if it fails */
	struct term *term; /* to be renewed meanwhile; NULL: none */
	struct pg_conn *other; /* made when it is needed, the caller's */
	enum diag_code code; /* of the renewals */
};

/*
 * term_fill(transfer, schema, store, rows): make a store what PostgreSQL has,
 * whose rows are of that schema.  If it is an older one, the steps since then
 * change them on their way.
 * term_load(transfer, store, rows): in the open transaction, add all rows of a
 * store to the shard.
 *
 * Both return DIAG_OK; STORE_UNUSABLE: of PostgreSQL; STORE_LOCKED: the term is
 * over; or the codes of filler_put.
 */
enum diag_code term_fill(struct term_transfer *, int schema, struct store *,
    const struct rows_schema *);
enum diag_code term_load(
    struct term_transfer *, struct store *, const struct rows_schema *);

#endif
