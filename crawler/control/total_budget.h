/* The total budget, of all sites together, that holds now.  It is that of the
 * owner of the store, which may have the budget from its command line only. */
#ifndef FRESHET_TOTAL_BUDGET_H
#define FRESHET_TOTAL_BUDGET_H

#include <stdbool.h>

#include "base/buf.h"

struct control_peer;
struct ndjson;
struct options;

/*
 * total_budget_serve(options, peer, request): if the request is the one below,
 * answer, end the peer, and return true.  Only `run` and `due`, which keep a
 * total budget, send the line with the "rate".
 *
 *	{"v":1,"command":"total-budget","version":V}
 *	{"v":1,"type":"total-budget","rate":"4/h"} or "rate":null
 *	{"v":1,"type":"end","exit":0}
 */
bool total_budget_serve(const struct options *, struct control_peer *,
    const struct ndjson *request);

#define TOTAL_BUDGET_MAX 4096 /* bytes of an answer */

/*
 * total_budget(options, room): the budget of the command line, else the one
 * that the owner of the store answers within a second, else the configured one;
 * NULL: there is none.  Borrowed from options or room.
 */
const char *total_budget(const struct options *, struct buf *room);

#endif
