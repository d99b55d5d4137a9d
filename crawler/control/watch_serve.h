/* Changes of the watch list that others ask of whoever holds the store. */
#ifndef FRESHET_WATCH_SERVE_H
#define FRESHET_WATCH_SERVE_H

#include <stdbool.h>
#include <stdint.h>

struct control_peer;
struct ndjson;
struct store;

/* Of the process that holds the store. */
struct watch_owner {
	struct store *store;
	int64_t now_s;
	bool (*commit)(void *arg); /* what is in the open transaction; false:
				    * it never will be */
	/* that site's row was written, and committed; NULL: nobody cares */
	void (*changed)(void *arg, int64_t site_id);
	void *arg;
};

/*
 * watch_serve(host, peer, request): true when that is what was asked for: it
 * is done, committed, answered, and the peer ended.
 *
 *	{"v":1,"command":"watch","version":V,"verb":"add","targets":[...],
 *	    "settings":["every=1h..1d"]}
 *	{"v":1,"type":"site","site":"www.example.org","change":"added"} ...
 *	{"v":1,"type":"end","exit":0}
 */
bool watch_serve(const struct watch_owner *, struct control_peer *,
    const struct ndjson *request);

#endif
