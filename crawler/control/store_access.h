/* The way to a store: here, when its lock is free, else through the process
 * that holds it (CLI section 2). */
#ifndef FRESHET_WAY_H
#define FRESHET_WAY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

struct options;
struct store;

struct store_access {
	/* here: EXIT_LOCKED, with one line in why, when the store is held. */
	int (*here)(void *arg, struct buf *why);
	/* there: ask the holder, who has so long for its first answer;
	 * EXIT_LOCKED when it may be tried again, *has_heard when there was
	 * an answer before. */
	int (*there)(void *arg, int64_t patience_ms, bool *has_heard);
	void *arg;
};

/*
 * store_access_run(way): here and there in turns, until one of them did it: its
 * exit status; EXIT_LOCKED after one line on stderr when nobody has answered
 * for 5 seconds.
 */
int store_access_run(const struct store_access *);

/* store_access_opened(store, options): it was opened here, to write: see
 * aside_begin(); what became of the start before is said on stderr. */
void store_access_opened(struct store *, const struct options *);

#endif
