/*
 * The driver: the numbers of entries that sites list.
 *
 * A site is counted after its readings are stored. A large site is counted in
 * steps, while other sites are read and stored: a database connection of its
 * own shows the site as it was at one moment.
 */
#ifndef FRESHET_RUN_TALLY_H
#define FRESHET_RUN_TALLY_H

#include <stdbool.h>
#include <stdint.h>

struct run;

struct run_tally;
struct run_tally *run_tally_new(struct run *);
void run_tally_free(struct run_tally *);

/*
 * tally_stored(run): something was committed.
 * tally_step(run): count for a few milliseconds; false: there is nothing to
 * count now.
 */
void tally_stored(struct run *);
bool tally_step(struct run *);

/* tally_is_over(run, crawl): are the numbers of all sites of the crawl
 * stored?  If not, these sites are counted first. */
bool tally_is_over(struct run *, uint32_t crawl);

/* tally_sum(run, crawl): add the numbers up to the totals of the crawl. */
void tally_sum(struct run *, uint32_t crawl);

#endif
