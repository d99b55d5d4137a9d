/* Access to a store: in this process when the store's lock is free, else
 * through the owner of the store. */
#ifndef FRESHET_STORE_ACCESS_H
#define FRESHET_STORE_ACCESS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

struct options;
struct store;

/* How long a command waits for a store that another process owns, and how often
 * it tries again. */
#define LOCK_WAIT_MS 5000
#define LOCK_STEP_MS 50

struct store_access {
	/* here: open the store and do the work; EXIT_LOCKED, with one line in
	 * why, when another process owns the store. */
	int (*here)(void *arg, struct buf *why);
	/* there: ask the owner, whose first answer may take patience_ms;
	 * EXIT_LOCKED when another try makes sense, and *has_answered when the
	 * owner answered before it failed. */
	int (*there)(void *arg, int64_t patience_ms, bool *has_answered);
	void *arg;
};

/*
 * store_access_run(access): try here and there in turns until one of them
 * succeeds or fails, and return its exit status.  EXIT_LOCKED, after one line
 * on stderr, when no process has answered for 5 seconds.
 */
int store_access_run(const struct store_access *);

/* store_access_exists(path): is there a store?  A line on stderr says if not.
 */
bool store_access_exists(const char *path);

/* store_access_opened(store, options): this process has opened the store to
 * write it.  Sites at which earlier processes were at work when they aborted
 * are set aside (store/aside.h); a warning on stderr names these sites. */
void store_access_opened(struct store *, const struct options *);

#endif
