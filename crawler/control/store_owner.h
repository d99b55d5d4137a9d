/*
 * The owner of the store for commands that need no crawler: it holds the
 * store's lock, has the frontier, and serves the socket through which other
 * commands use both.
 */
#ifndef FRESHET_STORE_OWNER_H
#define FRESHET_STORE_OWNER_H

#include <stdbool.h>

#include "base/buf.h"
#include "crawler/cli/options.h"
#include "crawler/control/frontier_service.h"

struct store_owner;

struct store_owner_options {
	struct options *options;
	struct loop *loop;
	/* Called once, from the loop, when another command wants the store for
	 * something that this process cannot do.  The callback calls
	 * store_owner_free. */
	void (*yield)(void *arg);
	void *arg;
	bool makes_store; /* if there is none */
};

/*
 * store_owner_open(owner, options, why): EXIT_DONE and *owner, or the exit
 * status after one line on stderr.  For EXIT_LOCKED that line is in why
 * instead.
 */
int store_owner_open(
    struct store_owner **, const struct store_owner_options *, struct buf *why);
void store_owner_free(struct store_owner *);

/* store_owner_service(owner): the service of its frontier, borrowed. */
struct frontier_service *store_owner_service(const struct store_owner *);

#endif
