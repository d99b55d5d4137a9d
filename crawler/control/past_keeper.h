/*
 * Keeping the past of sites (crawler/events/past.h) in the store, so that who
 * looks need not compute it.
 */
#ifndef FRESHET_PAST_KEEPER_H
#define FRESHET_PAST_KEEPER_H

#include <stdbool.h>
#include <stdint.h>

struct crawler;
struct options;
struct past_keeper;
struct store;

/* A site that lists more pages would take longer than a tenth of a second,
 * which neither the loop waits for nor a crawl in which little changed: it is
 * left out, unless the past of all sites is asked for (after_id 0). */
#define PAST_KEEPER_PAGES 200000

/* past_keeper_new(crawler): keep that of all sites, a little at a time while
 * nothing waits for a COMMIT, now and every ten minutes.  The crawler has its
 * run, and outlives the keeper; free it before the run.
 * past_keeper_free(keeper): NULL is allowed. */
struct past_keeper *past_keeper_new(struct crawler *);
void past_keeper_free(struct past_keeper *);

/* past_keep_read(store, options, after_id, now_s, step, arg): keep that of the
 * sites of which readings with greater ids were made, and commit; at now_s,
 * which is after these readings.  step, if it is not NULL, is told after each
 * COMMIT how many of them are done; false from it stops. */
typedef bool past_keep_step_fn(void *arg, uint64_t done, uint64_t total);
void past_keep_read(struct store *, const struct options *, int64_t after_id,
    int64_t now_s, past_keep_step_fn *, void *arg);

#endif
