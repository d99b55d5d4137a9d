/* What the owner of the store says of itself: its state, and the total budget
 * of all sites together, which it may have from its command line only. */
#ifndef FRESHET_STATUS_H
#define FRESHET_STATUS_H

struct control_client;
struct control_peer;
struct crawler;
struct ndjson;

#define STATUS_REQUEST "status"
#define TOTAL_BUDGET_REQUEST "total-budget"
/* Of an answer: 80 rows, 40 of them with a URL. */
#define STATUS_MAX_BYTES (1u << 20)

/*
 * status_serve(crawler, peer, request): answer and end the peer.  An owner
 * without driver, such as `due`, says that it reads no sites.
 *
 *	{"v":1,"command":"status","version":V}
 *	{"v":1,"type":"status",...} (docs/reference/json.md)
 *
 * The answer is made from what is in memory, in lists of RUN_STATUS_ROWS rows
 * at most (crawler/crawl/run_status.h).
 */
struct control_client *status_serve(
    struct crawler *, struct control_peer *, const struct ndjson *request);

/*
 * total_budget_serve(crawler, peer, request): answer and end the peer.  Only
 * `run` and `due`, which keep a total budget, send the line with the "rate".
 *
 *	{"v":1,"command":"total-budget","version":V}
 *	{"v":1,"type":"total-budget","rate":"4/h"} or "rate":null
 */
struct control_client *total_budget_serve(
    struct crawler *, struct control_peer *, const struct ndjson *request);

#endif
