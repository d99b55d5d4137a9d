/*
 * The driver: what sites list, as one number, once their readings are stored.
 *
 * A large site is looked at as it was at one moment, through a connection of
 * its own, little by little, while others are read and stored.
 */
#ifndef FRESHET_RUN_TALLY_H
#define FRESHET_RUN_TALLY_H

#include "crawler/crawl/run_base.h"

struct run_tally;
struct run_tally *run_tally_new(struct run *);
void run_tally_free(struct run_tally *);

/* tally_stored(run): something was committed.  tally_step(run): for a few
 * milliseconds; false: nothing is left to do by now. */
void tally_stored(struct run *);
bool tally_step(struct run *);

/* tally_is_over(run, crawl): are the numbers of all sites that it crawled
 * stored?  They are made first of all then. */
bool tally_is_over(struct run *, uint32_t crawl);

/* tally_sum(run, crawl): they become its totals. */
void tally_sum(struct run *, uint32_t crawl);

#endif
