/* The budget of all sites that holds now: that of whoever holds the store, who
 * may have it from his command line alone. */
#ifndef FRESHET_TOTAL_BUDGET_H
#define FRESHET_TOTAL_BUDGET_H

#include <stdbool.h>

#include "base/buf.h"

struct control_peer;
struct ndjson;
struct options;

/*
 * total_budget_serve(options, peer, request): true when that is what was asked
 * for: it is answered, and the peer ended.  Commands that keep none know
 * nothing of it.
 *
 *	{"v":1,"command":"total-budget","version":V}
 *	{"v":1,"type":"total-budget","rate":"4/h"}, or null; run and due alone
 *	{"v":1,"type":"end","exit":0}
 */
bool total_budget_serve(const struct options *, struct control_peer *,
    const struct ndjson *request);

#define TOTAL_BUDGET_MAX 4096 /* bytes of an answer */

/*
 * total_budget(options, room): what was typed, else what whoever holds the
 * store says within a second, else what is configured; NULL: there is none.
 * Borrowed from both.
 */
const char *total_budget(const struct options *, struct buf *room);

#endif
