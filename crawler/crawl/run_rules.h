/* The driver: what robots.txt of an origin says, and for how long. */
#ifndef FRESHET_RUN_RULES_H
#define FRESHET_RUN_RULES_H

#include "crawler/crawl/run_base.h"

/* rules_parse(run, origin, site, body, findings): its rules, under the profile
 * of the site, hold from now on.  rules_use: these; NULL: none; takes them.
 * rules_are_stored(run, origin): the body is in the store, and all that it says
 * of sitemaps: no more of it is kept than verdicts need, and that may be
 * dropped when there is too much of it, and is read again. */
void rules_parse(struct run *, uint32_t origin, const struct crawled_site *,
    struct slice body, struct findings *);
void rules_use(struct run *, uint32_t origin, struct robots *);
void rules_are_stored(struct run *, uint32_t origin);

/* rules_verdict(run, origin, target): as robots_verdict, by the rules that hold
 * for it; its rule is borrowed until rules are used or asked again. */
struct robots_verdict rules_verdict(
    struct run *, uint32_t origin, struct slice target);

/* rules_set_fresh(run, origin, until_s): but for ROBOTS_LEAST_S. */
void rules_set_fresh(struct run *, uint32_t origin, int64_t until_s);

/* rules_close(run, origin, site, fact, why): SPEC R-102: it cannot be had: is
 * all closed, with that reason? */
void rules_close(struct run *, uint32_t origin, const struct crawled_site *,
    const struct robots_fact *, enum diag_code why);

/* rules_recall(run, origin, site): what was heard before, if that still holds
 * for the site; else false. */
bool rules_recall(struct run *, uint32_t origin, const struct crawled_site *);

/* rules_if_parked(run, origin, site): true when nothing may be asked for, not
 * even robots.txt: what it said last says what there is that cannot be had. */
bool rules_if_parked(
    struct run *, uint32_t origin, const struct crawled_site *);

#endif
