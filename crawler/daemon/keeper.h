/*
 * The keeper of a machine: it takes a fair part of the shards of a store in
 * PostgreSQL, and runs a worker for each: this program with --shard.
 *
 * The part follows from the capacities of the machines that run, in the order
 * of their names; the parts of all machines make all shards.  Workers end when
 * the keeper does.
 */
#ifndef FRESHET_KEEPER_H
#define FRESHET_KEEPER_H

#include "base/buf.h"

struct keeper;
struct log;
struct loop;
struct options;

/* Everything in it is borrowed and outlives the keeper. */
struct keeper_options {
	struct loop *loop;
	const struct options *options; /* of `run` */
	const char *program; /* the version */
	struct log *log;
	/* Called from the loop when the last worker has ended, after
	 * keeper_stop, or with --once: then the status is the worst of theirs,
	 * or EXIT_LOCKED if no shard was free. */
	void (*over)(void *arg, int status);
	void *arg;
};

/* keeper_new(how, status): a keeper that begins in the next round of the loop;
 * NULL, with an exit status, after one line on stderr: PostgreSQL cannot be
 * reached, or another keeper of this machine has this store. */
struct keeper *keeper_new(const struct keeper_options *, int *status);
void keeper_free(struct keeper *); /* NULL is ignored */

/* keeper_stop(keeper): give all shards; over follows.
 * keeper_signal(keeper, number): to all workers that are not ending, such as
 * SIGHUP. Returns how many workers there are. */
void keeper_stop(struct keeper *);
unsigned keeper_signal(struct keeper *, int number);

#endif
