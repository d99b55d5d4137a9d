/* What a running crawler does at this moment, for `top`. */
#ifndef FRESHET_STATUS_H
#define FRESHET_STATUS_H

#include <stdbool.h>

struct control_peer;
struct crawler;
struct ndjson;

#define STATUS_REQUEST "status"
/* Of an answer: 80 rows, 40 of them with a URL. */
#define STATUS_MAX_BYTES (1u << 20)

/*
 * status_serve(crawler, peer, request): if the request is the one below,
 * answer, end the peer, and return true.  crawler is NULL in a process that
 * reads no sites (`due`), which says so.
 *
 *	{"v":1,"command":"status","version":V}
 *	{"v":1,"type":"status",...} (docs/reference/json.md)
 *	{"v":1,"type":"end","exit":0}
 *
 * The answer is made from what is in memory, in lists of RUN_STATUS_ROWS rows
 * at most (crawler/crawl/run_status.h).
 */
bool status_serve(
    struct crawler *, struct control_peer *, const struct ndjson *request);

#endif
