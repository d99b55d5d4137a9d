/* The driver: all crawls, from their first target to their end. */
#ifndef FRESHET_RUN_CRAWLS_H
#define FRESHET_RUN_CRAWLS_H

#include <stdint.h>

struct run;

/* crawls_drain(run): nothing is asked for any more of crawls and sites that
 * have reached a limit since the last call. */
void crawls_drain(struct run *);

/* crawls_step(run): move each crawl to its next state if nothing holds it up;
 * end crawls that are over, and call their `done`. */
void crawls_step(struct run *);

/* crawls_drop(run, crawl): see run_drop(). */
void crawls_drop(struct run *, uint32_t crawl);

#endif
