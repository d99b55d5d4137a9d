/* Changes of the feed's consumers: in this process, or through the owner of the
 * store. */
#ifndef FRESHET_FEED_REQUEST_H
#define FRESHET_FEED_REQUEST_H

#include <stdbool.h>

#include "base/slice.h"

struct control_peer;
struct ndjson;
struct options;
struct watch_owner;

enum feed_verb {
	FEED_OPEN, /* make the consumer, unless there is one */
	FEED_ACK,
	FEED_FORGET
};

struct feed_request {
	enum feed_verb verb;
	struct slice consumer;
	struct slice tags; /* of OPEN: separated by spaces */
	struct slice cursor; /* of ACK */
};

/* feed_request_run(options, request): EXIT_DONE after the commit, or the exit
 * status after one line on stderr: EXIT_USAGE if there is no such consumer, or
 * the cursor is none of its. */
int feed_request_run(const struct options *, const struct feed_request *);

/*
 * feed_request_serve(owner, peer, request): if this is such a request, make the
 * change, commit it, answer, end the peer, and return true.
 *
 *	{"v":1,"command":"feed","version":V,"verb":"ack","consumer":NAME,
 *	    "tags":"","cursor":CURSOR}
 *	{"v":1,"type":"end","exit":0}
 */
bool feed_request_serve(const struct watch_owner *, struct control_peer *,
    const struct ndjson *request);

#endif
