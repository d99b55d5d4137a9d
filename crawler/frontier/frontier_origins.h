/* Origins, and what their robots.txt allows. */
#ifndef FRESHET_FRONTIER_ORIGINS_H
#define FRESHET_FRONTIER_ORIGINS_H

#include <stdint.h>

#include "base/slice.h"
#include "crawler/frontier/frontier_show.h"

struct frontier;

/* origin_put(frontier, origin, site): the number of that origin, made when it
 * is new; the site is one that has pages or documents there. */
uint32_t origin_put(struct frontier *, struct slice origin, uint32_t site);

/*
 * origin_judge(frontier, origin, target, line): does robots.txt allow the
 * target?  *line is set to the line of the rule that decides, 0: none; line may
 * be NULL.  robots.txt is parsed when it is needed.
 *
 * origin_judge_if_cheap: answers FRONTIER_ROBOTS_ALLOW without looking once
 * frontier->robots.work has reached work_most; the page is judged again before
 * it is leased.
 */
enum frontier_robots origin_judge(
    struct frontier *, uint32_t origin, struct slice target, uint32_t *line);
enum frontier_robots origin_judge_if_cheap(
    struct frontier *, uint32_t origin, struct slice target);

/* origin_hold(frontier, origin): a crawl may have met a Retry-After there: hold
 * the host as long. */
void origin_hold(struct frontier *, uint32_t origin);

/* origin_changed(frontier, origin): robots.txt was read: the scheduler may
 * choose the pages again that were disallowed. */
void origin_changed(struct frontier *, uint32_t origin);

#endif
