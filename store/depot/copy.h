/*
 * Copies of what PostgreSQL holds, for commands that look, and the way in and
 * out: a store in a file becomes one in PostgreSQL, a shard becomes two.
 *
 * Each copy is of one moment.  The rows of a shard are copied as they are.  The
 * rows of several shards are made those of one store: an id is multiplied by
 * the number of shards, and the shard is added, so that the order within a
 * shard stays; what several shards know of the same (an origin, a held host, a
 * minute of the request log) is joined.
 */
#ifndef FRESHET_COPY_H
#define FRESHET_COPY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/diag.h"
#include "base/strings.h"

struct store;

#define COPY_ALL UINT32_MAX

/*
 * copy_fill(url, hosts, shard, store, why):
 * Make a store that has just been opened for writing what PostgreSQL holds; it
 * can only be read then.  COPY_ALL: of the one shard where all hosts have their
 * home, or of all shards if there is none, or are no hosts.
 *
 * Returns DIAG_OK, STORE_UNUSABLE (PostgreSQL cannot be reached, is unfit, has
 * no such shard, rows of a newer version or of several), STORE_DAMAGED (what it
 * has is no store) or DISK_FULL (of the copy); then why has a line.  After
 * DIAG_OK it has one if requests of commands wait, and nobody is there to do
 * them.
 */
enum diag_code copy_fill(const char *url, const struct strings *hosts,
    uint32_t shard, struct store *, struct buf *why);

/*
 * copy_init(url, shards, views, from, why): make the schema `freshet` with the
 * tables of this version and so many shards, and freshet_public with the views
 * of public_put_views(), and store what `from` has, which nobody writes
 * meanwhile (NULL: nothing); all or nothing.  On failure `why` gets a line for
 * people; on success it gets one if the roles could not be made.
 *
 * Returns DIAG_OK, STORE_UNUSABLE (PostgreSQL cannot be reached, is unfit, or
 * refuses) or STORE_LOCKED (there is a schema `freshet` already).
 */
enum diag_code copy_init(const char *url, unsigned shards, const char *views,
    struct store *from, struct buf *why);

/* What became of a store, and how many of its shards have an older schema. */
struct copy_migrated {
	int from, to; /* schema */
	unsigned shards, older;
};

/*
 * copy_migrate(url, views, migrated, why):
 * In one transaction, add to the store what tables and columns of this version
 * it lacks; if no shard is older, remove what this version lacks.  The views
 * are made anew.  Owners of shards go on meanwhile.
 *
 * Returns DIAG_OK or STORE_UNUSABLE, also if somebody reads or writes for
 * longer than three seconds; then nothing has changed.
 */
enum diag_code copy_migrate(const char *url, const char *views,
    struct copy_migrated *, struct buf *why);

/*
 * copy_split(url, shard, shards, why):
 * Make a new shard, and move half of the slots of the one whose number was
 * typed there, with their sites.  *shards: their number then.
 *
 * Returns DIAG_OK, STORE_UNUSABLE or STORE_LOCKED (a shard is held, or a
 * request or a host waits); then nothing has changed.
 */
enum diag_code copy_split(
    const char *url, const char *shard, unsigned *shards, struct buf *why);

/* copy_number(url, sql, parameter, why): a number that is not negative, which a
 * statement answers; -1: why has a line. */
int64_t copy_number(
    const char *url, const char *sql, const char *parameter, struct buf *why);

/*
 * copy_check(url, fn, arg, shards, why):
 * Call fn for what only several shards can have wrong: a site that is not at
 * home, slots without a shard, rows of no shard.  *shards: their number.
 *
 * Returns DIAG_OK or STORE_UNUSABLE.
 */
typedef void copy_fault_fn(
    void *arg, const char *table, struct slice where, struct slice what);
enum diag_code copy_check(const char *url, copy_fault_fn *, void *arg,
    unsigned *shards, struct buf *why);

#endif
