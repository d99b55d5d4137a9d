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

/* depot_probe(url, text): can a store of this version be reached there?  The
 * text says of which server it is and how much of it is held, or why not. */
bool depot_probe(const char *url, struct buf *text);

struct depot_options {
	const char *url;
	/* A name that no other process has which may run at the same time, and
	 * which the next process on this cache has, too. */
	const char *owner;
	uint32_t shard;
	/* wake: depot_step has something to do at once.  closes: so it has, and
	 * the descriptor of depot_fd is about to be closed. */
	void (*wake)(void *wake_arg);
	void (*closes)(void *wake_arg);
	void *wake_arg;

	/* All of these are called from depot_step, and may be NULL. */

	/* A request came by mail: lines as those of a peer of the socket.  It
	 * comes again, to the next owner at least, until depot_mail_done. */
	void (*mail)(void *events_arg, int64_t id, struct slice lines);
	/* Other shards want this host, whose home this shard is: it needs
	 * reservations from now on.  The shard holds the host already: call
	 * depot_back as soon as no request to it is under way, at once if none
	 * is.  The same host may be told again. */
	void (*shared)(void *events_arg, struct slice host);
	/* The answer to depot_reserve: send the request after so many
	 * milliseconds; -1: ask again after a second.  Without a host, all that
	 * the shard holds may be another's: reserve it anew. */
	void (*reserved)(void *events_arg, struct slice host, int64_t wait_ms);
	/* The answer to depot_share: so much a second. */
	void (*shared_out)(void *events_arg, const char *name, double rate);
	/* Something that people should know; the depot goes on.  This one is
	 * called at each COMMIT. */
	void (*warned)(void *events_arg, const char *line);
	void *events_arg;
};

/*
 * depot_open(options, store, depot, why):
 * Take the shard, and fill the store, which has just been opened for writing,
 * with its rows.  From then on each COMMIT
 * of the store goes to PostgreSQL, too, and is durable when PostgreSQL has
 * committed it (store_is_durable).  All that happens in depot_step, and while
 * store_await waits.
 *
 * If PostgreSQL goes away, COMMITs wait until it is there again.  If another
 * process took the shard, the store has failed with STORE_LOCKED; if
 * store_await waited in vain for a minute, with STORE_UNUSABLE.
 *
 * Returns DIAG_OK, STORE_UNUSABLE (PostgreSQL cannot be reached, is unfit, has
 * another version's tables; or the clock of this machine is wrong),
 * STORE_LOCKED (another process holds the shard, or it is closed or not there),
 * STORE_DAMAGED or DISK_FULL (of the cache).
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

/* depot_shard(depot): the shard that this process holds. depot_shards(depot):
 * how many there are. depot_home(depot, host): the shard of a normalised host,
 * and of its sites. */
unsigned depot_shard(const struct depot *);
unsigned depot_shards(const struct depot *);
unsigned depot_home(const struct depot *, struct slice host);

/* depot_may_ask(depot): may this process ask hosts now, as far as it knows?  To
 * be looked at in the moment of sending, too; NULL is allowed. */
bool depot_may_ask(const struct depot *);

/* depot_load(depot, sites, pages): what others are told of this shard. */
void depot_load(struct depot *, int64_t sites, int64_t pages);

/* depot_mail_done(depot, id): the request of that mail has been answered, and
 * what it changed is durable. */
void depot_mail_done(struct depot *, int64_t id);

/*
 * A host that several shards ask is asked by whoever has reserved it.  That is
 * each host whose home is another shard, and those of which `shared` told.
 *
 * depot_reserve(depot, host, delay_ms): ask for the next time, which lies
 * delay_ms after the end of the last request.  If the answer is a time, the
 * host is this shard's until depot_back: nobody else gets the next time before.
 * A request that was not sent by then, or would be late by more than 200 ms, is
 * reserved anew, without depot_back.
 * depot_back(depot, host): the request has ended, or will not be sent.
 */
void depot_reserve(struct depot *, struct slice host, int64_t delay_ms);
void depot_back(struct depot *, struct slice host);

/*
 * depot_share(depot, name, total, wanted): ask for a part of a budget that
 * holds for all shards together, in proportion to what is wanted; all say the
 * same total.  Ask again every 10 seconds.  Before the first answer the part is
 * 0; each answer holds until the next.
 */
void depot_share(struct depot *, const char *name, double total, double wanted);

/*
 * depot_step(depot): do what can be done without waiting; renews the hold on
 * the shard, too. depot_fd(depot, wants_write): the descriptor that shall be
 * ready before the next step, for reading and, if *wants_write, for writing;
 * -1: none. depot_wait_ms(depot): the next step is due after so many
 * milliseconds at most. depot_is_waiting(depot): for PostgreSQL.
 */
void depot_step(struct depot *);
int depot_fd(const struct depot *, bool *wants_write);
int64_t depot_wait_ms(const struct depot *);
bool depot_is_waiting(const struct depot *);

#endif
