/* The driver: robots.txt of each origin, and who waits for it. */
#ifndef FRESHET_RUN_ROBOTS_H
#define FRESHET_RUN_ROBOTS_H

#include "crawler/crawl/run_tables.h"

/* run_robots.c */
/* robots_ask(run, origin, site): for that site. */
void robots_ask(struct run *, uint32_t origin, uint32_t site);
/* robots_task(run, origin, site): the same, whatever is known. */
void robots_task(struct run *, uint32_t origin, uint32_t site);
void robots_conditions(struct run *, uint32_t task, const struct document *,
    struct fetch_request *);
void robots_answered(struct run *, uint32_t task, const struct fetch_result *);

/* run_origin.c */
/* robots_begin(run, visit): to the frontier. */
void robots_begin(struct run *, uint32_t task);
/* robots_admit(run, visit): what came out of the frontier may be asked for;
 * false: robots.txt has become too old meanwhile (SPEC R-104), and the visit
 * waits for it, or it says no now, and the visit is over. */
bool robots_admit(struct run *, uint32_t task);
/* robots_known(run, origin): those that waited for it go on. */
void robots_known(struct run *, uint32_t origin);
/* robots_is_known(run, origin, site): is it, for that site?  To a crawl, what
 * an earlier crawl learnt is old; to a single document, what is not fresh any
 * more (SPEC R-104). */
bool robots_is_known(struct run *, uint32_t origin, uint32_t site);
/* robots_forget(run, visit): nobody wants it but sites of its own crawl that
 * are closed: it is not asked for; else false. */
bool robots_forget(struct run *, uint32_t task);

#endif
