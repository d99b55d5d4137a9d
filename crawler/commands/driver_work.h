/*
 * A command whose work the driver of the owner of the store does, which is this
 * process if no other one owns it: crawl, fetch.  If the owner leaves first,
 * the work goes on as after an interruption.
 */
#ifndef FRESHET_DRIVER_WORK_H
#define FRESHET_DRIVER_WORK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "crawler/cli/options.h"
#include "crawler/crawl/crawl_options.h"

struct forkserver;
struct ndjson;

struct driver_work {
	struct options *options;
	struct forkserver *forkserver; /* may be NULL */
	bool makes_store; /* if there is none */
	bool stops_unheard; /* it ends when nobody reads its output */
	/* how long a user who stops the command waits for an owner that
	 * hangs */
	int64_t farewell_ms;
	/* put: append the members of a request that are its own; was_asked: an
	 * owner before did a part.
	 * line: a line of an answer that is not of every work; NULL: there is
	 * none. */
	void (*put)(void *arg, struct buf *request, bool was_asked);
	void (*line)(void *arg, const struct ndjson *);
	void *arg;
	struct run_totals totals; /* what the owner counted */
};

/* driver_work_do(work, command): let the owner do it; command is the word of
 * the request and its COMMAND_BIT.  Returns the exit status. */
int driver_work_do(
    struct driver_work *, const char *command, uint64_t command_bit);

#endif
