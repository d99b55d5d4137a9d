/* How the owner of the store notes what alerts have told. */
#ifndef FRESHET_ALERT_SERVE_H
#define FRESHET_ALERT_SERVE_H

struct control_client;
struct control_peer;
struct crawler;
struct ndjson;

/*
 * alert_serve(crawler, peer, request): make the change, commit it, and end the
 * peer.
 *
 *	{"v":1,"command":"alert","version":V,"alert":NAME,"sink":0,"begun":T,
 *	    "until":T,"tries":0,"next":0,"why":null,"sites":["SITE_ID UNTIL"]}
 */
struct control_client *alert_serve(
    struct crawler *, struct control_peer *, const struct ndjson *request);

#endif
