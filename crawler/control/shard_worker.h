/*
 * The worker of a shard: what a crawler does whose store is the cache of a
 * shard in PostgreSQL.  It lets the depot do its work, does what came by mail,
 * and speaks for the hosts and budgets that shards share (machines.md).
 */
#ifndef FRESHET_SHARD_WORKER_H
#define FRESHET_SHARD_WORKER_H

#include "base/buf.h"
#include "base/diag.h"

struct crawler;
struct shard_worker;

/* shard_worker_open(crawler, why): take the shard that the options name, and
 * fill the store, which is open; sets worker, depot, others and lease_prefix of
 * the crawler.  Returns what depot_open() does.
 * shard_worker_free(worker): call it after depot_close() and store_close().
 * NULL is ignored. */
enum diag_code shard_worker_open(struct crawler *, struct buf *why);
void shard_worker_free(struct shard_worker *);

#endif
