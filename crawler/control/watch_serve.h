/* How the owner of the store changes the watch list, and notes. */
#ifndef FRESHET_WATCH_SERVE_H
#define FRESHET_WATCH_SERVE_H

struct control_client;
struct control_peer;
struct crawler;
struct ndjson;

/*
 * watch_serve(crawler, peer, request): make the change, commit it, and end the
 * peer.  The command of the request is a verb, see watch_change.h.
 *
 *	{"v":1,"command":"add","version":V,"targets":[...],
 *	    "settings":["every=1h..1d"]}
 *	{"v":1,"command":"note","version":V,"targets":[...],"settings":[],
 *	    "at_s":1795737600,"note":"Black Friday"}
 *	{"v":1,"type":"site","site":"www.example.org","change":"added"} ...
 */
struct control_client *watch_serve(
    struct crawler *, struct control_peer *, const struct ndjson *request);

#endif
