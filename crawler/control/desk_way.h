/*
 * From a command to the desk of its store: in this process, when the store is
 * free, else through the socket of whoever holds it; and on to the next one
 * when that leaves.
 */
#ifndef FRESHET_DESK_WAY_H
#define FRESHET_DESK_WAY_H

#include <stdbool.h>

#include "base/slice.h"
#include "crawler/cli/options.h"
#include "crawler/event/loop.h"

struct desk_way;

/* All are called from the loop. */
struct desk_way_options {
	struct options *options;
	struct loop *loop;

	/*
	 * ready: there is a desk; the first line said to it is a request
	 * (desk_service.h).  Once more for each further one: whatever the one
	 * before did not answer must be asked for again.
	 * hear: one line, without its line feed, that is for the command.
	 * failed: there is none; the exit status, after one line on stderr.
	 * None of them may free the way.
	 */
	void (*ready)(void *arg);
	void (*hear)(void *arg, struct slice line);
	void (*failed)(void *arg, int status);
	void *arg;
	bool makes_store; /* where there is none */
	bool waits; /* while another has the store and says nothing; else for
		     * five seconds, if no desk was found before */
};

/* desk_way_new(options): begin to look.  desk_way_free: what was not committed
 * is as if it had not been said. */
struct desk_way *desk_way_new(const struct desk_way_options *);
void desk_way_free(struct desk_way *);

/* desk_way_say(way, lines): whole lines; dropped while there is no desk. */
void desk_way_say(struct desk_way *, struct slice lines);

/* desk_way_end(way, object, *status): is the line the last one?  What it
 * complains of is said on stderr. */
struct ndjson;
bool desk_way_end(const struct ndjson *, int *status);

#endif
