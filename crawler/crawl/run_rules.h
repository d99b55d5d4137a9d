/* The driver: what robots.txt of an origin says, and for how long. */
#ifndef FRESHET_RUN_RULES_H
#define FRESHET_RUN_RULES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/robots.h"
#include "base/slice.h"

struct crawled_site;
struct findings;
struct robots_fact;
struct run;

/*
 * rules_parse(run, origin, site, body, findings): the rules of this body hold
 * from now on, under the profile of the site.
 * rules_use(run, origin, robots): these rules hold; NULL: all is allowed.
 * Takes robots over.
 */
void rules_parse(struct run *, uint32_t origin, const struct crawled_site *,
    struct slice body, struct findings *);
void rules_use(struct run *, uint32_t origin, struct robots *);

/* rules_verdict(run, origin, target): robots_verdict() by the rules of the
 * origin; the rule in it is borrowed until the next call of this module. */
struct robots_verdict rules_verdict(
    struct run *, uint32_t origin, struct slice target);

/* rules_set_fresh(run, origin, until_s): robots.txt is fresh until then, but
 * at least for ROBOTS_LEAST_S. */
void rules_set_fresh(struct run *, uint32_t origin, int64_t until_s);

/* rules_close(run, origin, site, fact, why): robots.txt cannot be read. If
 * nothing may be fetched because of that (SPEC R-102), close the origin with
 * that reason. */
void rules_close(struct run *, uint32_t origin, const struct crawled_site *,
    const struct robots_fact *, enum diag_code why);

/* rules_recall(run, origin, site): use the stored answer, if it is good
 * enough for the site entry; else false. */
bool rules_recall(struct run *, uint32_t origin, const struct crawled_site *);

/* rules_if_parked(run, origin, site): true if the host asked for a pause, so
 * that robots.txt cannot be asked for; the stored rules hold then. */
bool rules_if_parked(
    struct run *, uint32_t origin, const struct crawled_site *);

#endif
