/*
 * Access of a command to the frontier of its store: in this process when the
 * store is free, else through the socket of the store's owner.  When that owner
 * leaves, the command goes on with the next one.
 */
#ifndef FRESHET_FRONTIER_ACCESS_H
#define FRESHET_FRONTIER_ACCESS_H

#include <stdbool.h>

#include "base/slice.h"
#include "crawler/cli/options.h"
#include "crawler/event/loop.h"

struct frontier_access;
struct ndjson;

struct frontier_access_options {
	struct options *options;
	struct loop *loop;

	/*
	 * The loop calls these; none of them may free the access.
	 * ready: there is a frontier, and the next line written must be a
	 * request (frontier_service.h).  Called again for each further
	 * frontier: what the one before did not answer must be sent again.
	 * on_line: a line of the answer, without its line feed.
	 * failed: there is no frontier; the exit status, after one line on
	 * stderr.
	 */
	void (*ready)(void *arg);
	void (*on_line)(void *arg, struct slice line);
	void (*failed)(void *arg, int status);
	void *arg;
	bool makes_store; /* if there is none */
	/* wait without end while another process owns the store and does not
	 * answer; else five seconds, unless a frontier was found before */
	bool waits;
};

/* frontier_access_new(options): begin to look for the frontier.
 * frontier_access_free(access): lines whose answers are missing are lost. */
struct frontier_access *frontier_access_new(
    const struct frontier_access_options *);
void frontier_access_free(struct frontier_access *);

/* frontier_access_write(access, lines): send whole lines; they are dropped
 * while there is no frontier. */
void frontier_access_write(struct frontier_access *, struct slice lines);

/* frontier_access_end(object, *status): is this line the last one?  Then
 * *status is the exit status, and an error that it names goes to stderr. */
bool frontier_access_end(const struct ndjson *, int *status);

#endif
