/* The requests of other commands to a crawler. */
#ifndef FRESHET_CRAWLER_SERVE_H
#define FRESHET_CRAWLER_SERVE_H

struct crawler;

/* crawler_serve(crawler): serve the socket of the store from now on: further
 * targets, the frontier, the watch list, the total budget. */
void crawler_serve(struct crawler *);

#endif
