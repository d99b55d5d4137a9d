/* How the owner of the store changes the feed's consumers. */
#ifndef FRESHET_FEED_SERVE_H
#define FRESHET_FEED_SERVE_H

#include "base/slice.h"

struct control_client;
struct control_peer;
struct crawler;
struct ndjson;

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

/* feed_verb_name(verb): "open", "ack" or "forget". */
const char *feed_verb_name(enum feed_verb);

/*
 * feed_serve(crawler, peer, request): make the change, commit it, and end the
 * peer.
 *
 *	{"v":1,"command":"feed","version":V,"verb":"ack","consumer":NAME,
 *	    "tags":"","cursor":CURSOR}
 */
struct control_client *feed_serve(
    struct crawler *, struct control_peer *, const struct ndjson *request);

#endif
