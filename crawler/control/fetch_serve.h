/* The request `fetch` (crawler_serve.h). */
#ifndef FRESHET_FETCH_SERVE_H
#define FRESHET_FETCH_SERVE_H

#include "crawler/page_fetch/page_fetch.h"

struct control_client;
struct control_peer;
struct crawler;
struct ndjson;

/* fetch_serve(crawler, peer, request): fetch pages for the peer; what serves it
 * from now on, or NULL. */
struct control_client *fetch_serve(
    struct crawler *, struct control_peer *, const struct ndjson *request);

/* fetch_options(crawler): options of a page fetcher of that crawler, which has
 * a frontier; those that a request names are not set. */
struct page_fetch_options fetch_options(const struct crawler *);

#endif
