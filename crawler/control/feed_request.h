/* Changes of the feed's consumers, which the owner of the store makes. */
#ifndef FRESHET_FEED_REQUEST_H
#define FRESHET_FEED_REQUEST_H

#include "crawler/control/feed_serve.h"

struct options;

/* feed_request_run(options, request): EXIT_DONE after the commit, or the exit
 * status after one line on stderr: EXIT_USAGE if there is no such consumer, or
 * the cursor is none of its. */
int feed_request_run(const struct options *, const struct feed_request *);

#endif
