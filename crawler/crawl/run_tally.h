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

#include "base/diag.h"

struct run;
struct run_tally;

/*
 * tally_step(run, *failure): count for a few milliseconds; false: there is
 * nothing to count now. *failure is DIAG_OK, or why a site could not be
 * counted.
 */
bool tally_step(struct run *, enum diag_code *failure);

/* tally_is_over(run, crawl): are the numbers of all sites of the crawl
 * stored?  If not, these sites are counted first. */
bool tally_is_over(struct run *, uint32_t crawl);

/* tally_sum(run, crawl): add the numbers up to the totals of the crawl. */
void tally_sum(struct run *, uint32_t crawl);

/* tally_drop(tally): give up the count that is under way. */
void tally_drop(struct run_tally *);

#endif
