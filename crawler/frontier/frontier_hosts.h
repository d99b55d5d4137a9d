/* Hosts and origins of the frontier: delays, and what robots.txt says. */
#ifndef FRESHET_FRONTIER_HOSTS_H
#define FRESHET_FRONTIER_HOSTS_H

#include "crawler/frontier/frontier_internal.h"

/* host_put(frontier, name), origin_put(frontier, origin, site): its number,
 * made when new; the site is one that reaches it. */
uint32_t host_put(struct frontier *, struct slice name);
uint32_t origin_put(struct frontier *, struct slice origin, uint32_t site);

/* host_limit(frontier, host): what the scheduler and the frontier keep there,
 * from all that is known of it. */
void host_limit(struct frontier *, uint32_t host);

/* host_ready_s(frontier, host, is_spaced): when one more page of it may go out;
 * is_spaced: or the scheduler does not space it, at its delay. */
int64_t host_ready_s(struct frontier *, uint32_t host, bool is_spaced);

/* origin_judge(frontier, origin, target, line): may that be fetched?  line: of
 * the rule that decides, 0: none; or NULL.  origin_judge_if_cheap: allowed,
 * too, when frontier->work has reached frontier->work_most: it is judged again
 * before it is handed out. */
enum frontier_robots origin_judge_if_cheap(
    struct frontier *, uint32_t origin, struct slice target);
enum frontier_robots origin_judge(
    struct frontier *, uint32_t origin, struct slice target, uint32_t *line);

/* origin_park(frontier, origin): it may have asked a crawl to be left alone. */
void origin_park(struct frontier *, uint32_t origin);

/* origin_changed(frontier, origin): its robots.txt was read: what it refused is
 * judged again when it is chosen again. */
void origin_changed(struct frontier *, uint32_t origin);

void origins_release(struct frontier *);

#endif
