/*
 * The keeper of a machine: it takes a fair part of the shards of a store in
 * PostgreSQL, and runs a worker for each: this program with --shard.
 *
 * The part follows from the machines that run, their capacities, and the order
 * of their names; the parts of all machines make all shards.  The keeper prints
 * nothing and knows no signals but SIGCHLD.  Workers end when it does.
 */
#ifndef FRESHET_KEEPER_H
#define FRESHET_KEEPER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

struct keeper;
struct loop;

/* Everything in it is borrowed and outlives the keeper. */
struct keeper_options {
	struct loop *loop;
	const char *url;
	const char *machine; /* options.store.machine; its folder is there */
	const char *program; /* the version */
	int argc; /* the command line, to which --shard is added */
	char *const *argv;
	unsigned capacity; /* 0: processors */
	/* start each shard that is free once, with --once among the words */
	bool is_once;
	/* Called from the loop.  event: something for the log, about a shard,
	 * or -1.  over: the last worker has ended; with is_once, its status is
	 * the worst of theirs, or EXIT_LOCKED if there was none. */
	void (*event)(
	    void *arg, const char *event, int64_t shard, struct slice text);
	void (*over)(void *arg, int status);
	void *arg;
};

/* keeper_new(options, status, why): a keeper that begins in the next round of
 * the loop; NULL, with a line and an exit status: PostgreSQL cannot be reached,
 * or another keeper of this machine has this store. */
struct keeper *keeper_new(
    const struct keeper_options *, int *status, struct buf *why);
void keeper_free(struct keeper *); /* NULL is ignored */

/* keeper_stop(keeper): give all shards; over follows.
 * keeper_signal(keeper, number): to all workers, such as SIGHUP.
 * keeper_workers(keeper, shards): so many run, for so many shards in all. */
void keeper_stop(struct keeper *);
void keeper_signal(struct keeper *, int number);
unsigned keeper_workers(const struct keeper *, unsigned *shards);

#endif
