/* The request `crawl` (crawler_serve.h). */
#ifndef FRESHET_CRAWL_SERVE_H
#define FRESHET_CRAWL_SERVE_H

struct control_client;
struct control_peer;
struct crawler;
struct ndjson;

/* crawl_serve(crawler, peer, request): crawl for the peer; what serves it from
 * now on, or NULL. */
struct control_client *crawl_serve(
    struct crawler *, struct control_peer *, const struct ndjson *request);

#endif
