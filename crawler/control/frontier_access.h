/*
 * From a command to the frontier of its store: in this process, when the store
 * is free, else through the socket of whoever holds it; and on to the next one
 * when that leaves.
 */
#ifndef FRESHET_FRONTIER_WAY_H
#define FRESHET_FRONTIER_WAY_H

#include <stdbool.h>

#include "base/slice.h"
#include "crawler/cli/options.h"
#include "crawler/event/loop.h"

struct frontier_access;

/* All are called from the loop. */
struct frontier_access_options {
	struct options *options;
	struct loop *loop;

	/*
	 * ready: there is a frontier; the first line said to it is a request
	 * (frontier_service.h).  Once more for each further one: whatever the
	 * one before did not answer must be asked for again. hear: one line,
	 * without its line feed, that is for the command. failed: there is
	 * none; the exit status, after one line on stderr. None of them may
	 * free the way.
	 */
	void (*ready)(void *arg);
	void (*hear)(void *arg, struct slice line);
	void (*failed)(void *arg, int status);
	void *arg;
	bool makes_store; /* where there is none */
	bool waits; /* while another has the store and says nothing; else for
		     * five seconds, if no frontier was found before */
};

/* frontier_access_new(options): begin to look.  frontier_access_free: what was
 * not committed is as if it had not been said. */
struct frontier_access *frontier_access_new(
    const struct frontier_access_options *);
void frontier_access_free(struct frontier_access *);

/* frontier_access_say(way, lines): whole lines; dropped while there is no desk.
 */
void frontier_access_say(struct frontier_access *, struct slice lines);

/* frontier_access_end(way, object, *status): is the line the last one?  What it
 * complains of is said on stderr. */
struct ndjson;
bool frontier_access_end(const struct ndjson *, int *status);

#endif
