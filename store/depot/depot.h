/*
 * PostgreSQL as the store: a shard of it, held by this process under a term.
 *
 * The process works on a cache, an ordinary store file.  Each COMMIT of it goes
 * to PostgreSQL as the rows that it changed, in one transaction that a fence
 * begins: the row of the shard must still have this owner, this term, and the
 * version before.  Of two processes that believe to hold a shard, at most one
 * can commit, therefore; and what PostgreSQL has of a shard is a prefix of its
 * history.
 *
 * This is the one place of libpq, which is loaded when it is first used.
 */
#ifndef FRESHET_DEPOT_H
#define FRESHET_DEPOT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/diag.h"
#include "base/late.h"

struct depot;
struct store;

/* depot_library(library): libpq, as it is loaded; false: it is not there, and
 * all functions below refuse. */
bool depot_library(struct library *);

/*
 * depot_check_url(url, why): may this be the URL of a store?  A line for people
 * in why says why not: it cannot be parsed, or has a password, which other
 * users of the machine could see.  The URL is not repeated in that line.
 */
bool depot_check_url(const char *url, struct buf *why);

/*
 * depot_init(url, shards, why): make the schema `freshet` with the tables of
 * this version and so many shards, all or nothing.  On failure `why` gets a
 * line for people.
 *
 * Returns DIAG_OK, STORE_UNUSABLE (PostgreSQL cannot be reached, is unfit, or
 * refuses) or STORE_LOCKED (there is a schema `freshet` already).
 */
enum diag_code depot_init(const char *url, unsigned shards, struct buf *why);

/* depot_probe(url, text): can a store of this version be reached there?  The
 * text says of which server it is and how much of it is held, or why not. */
bool depot_probe(const char *url, struct buf *text);

struct depot_options {
	const char *url;
	/* A name that no other process has which may run at the same time, and
	 * which the next process on this cache has, too. */
	const char *owner;
	uint32_t shard;
	/* The monotonic clock, in milliseconds. */
	int64_t (*clock_ms)(void *clock_arg);
	void *clock_arg;
	/* Called when depot_step has something to do at once. */
	void (*wake)(void *wake_arg);
	void *wake_arg;
};

/*
 * depot_open(options, store, depot, why):
 * Take the shard, and fill the store, which has just been opened for writing,
 * with its rows.  If another owner holds the shard, the function waits until
 * that one's time has passed, for one lease at most.  From then on each COMMIT
 * of the store goes to PostgreSQL, too, and is durable when PostgreSQL has
 * committed it (store_is_durable).  All that happens in depot_step, and while
 * store_await waits.
 *
 * If PostgreSQL goes away, COMMITs wait until it is there again.  If another
 * process took the shard, the store has failed with STORE_LOCKED; if
 * store_await waited in vain for a minute, with STORE_UNUSABLE.
 *
 * Returns DIAG_OK, STORE_UNUSABLE (PostgreSQL cannot be reached, is unfit, has
 * no such shard or another version's tables), STORE_LOCKED (another process
 * holds the shard), STORE_DAMAGED or DISK_FULL (of the cache).
 */
enum diag_code depot_open(const struct depot_options *, struct store *,
    struct depot **, struct buf *why);

/* depot_close(depot): give the shard away; call it before store_close.
 * depot_free(depot): call it after store_close.  Both accept NULL. */
void depot_close(struct depot *);
void depot_free(struct depot *);

/* depot_why(depot): what the last trouble was, such as why the store has
 * failed; empty: there was none.  NULL is allowed. depot_away_ms(depot): for
 * how long PostgreSQL has not been there; 0: it is. */
const char *depot_why(struct depot *);
int64_t depot_away_ms(const struct depot *);

/*
 * depot_step(depot): do what can be done without waiting; renews the hold on
 * the shard, too. depot_fd(depot, wants_write): the descriptor that shall be
 * ready before the next step, for reading and, if *wants_write, for writing;
 * -1: none. depot_wait_ms(depot): the next step is due after so many
 * milliseconds at most.
 */
void depot_step(struct depot *);
int depot_fd(const struct depot *, bool *wants_write);
int64_t depot_wait_ms(const struct depot *);

#endif
