/* How the owner of the store changes the watch list, and notes, for other
 * commands. */
#ifndef FRESHET_WATCH_SERVE_H
#define FRESHET_WATCH_SERVE_H

#include <stdbool.h>
#include <stdint.h>

struct control_peer;
struct ndjson;
struct store;

struct watch_owner {
	struct store *store;
	int64_t now_s;
	/* Commit the open transaction; false: it failed for good. */
	bool (*commit)(void *arg);
	/* The row of this site was written and committed; or NULL. */
	void (*changed)(void *arg, int64_t site_id);
	void *arg;
};

/*
 * watch_serve(owner, peer, request): if this is a request about the watch list,
 * make the change, commit it, answer, end the peer, and return true.
 *
 *	{"v":1,"command":"watch","version":V,"verb":"add","targets":[...],
 *	    "settings":["every=1h..1d"]}
 *	{"v":1,"command":"watch","version":V,"verb":"note","targets":[...],
 *	    "settings":[],"at_s":1795737600,"note":"Black Friday"}
 *	{"v":1,"type":"site","site":"www.example.org","change":"added"} ...
 *	{"v":1,"type":"end","exit":0}
 */
bool watch_serve(const struct watch_owner *, struct control_peer *,
    const struct ndjson *request);

#endif
