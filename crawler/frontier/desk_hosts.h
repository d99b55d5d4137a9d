/* Hosts and origins of the desk: delays, and what robots.txt says. */
#ifndef FRESHET_DESK_HOSTS_H
#define FRESHET_DESK_HOSTS_H

#include "crawler/frontier/desk_internal.h"

/* host_put(desk, name), origin_put(desk, origin, site): its number, made when
 * new; the site is one that reaches it. */
uint32_t host_put(struct desk *, struct slice name);
uint32_t origin_put(struct desk *, struct slice origin, uint32_t site);

/* host_limit(desk, host): what the scheduler and the desk keep there, from all
 * that is known of it. */
void host_limit(struct desk *, uint32_t host);

/* host_ready_s(desk, host, is_spaced): when one more page of it may go out;
 * is_spaced: or the scheduler does not space it, at its delay. */
int64_t host_ready_s(struct desk *, uint32_t host, bool is_spaced);

/* origin_judge(desk, origin, target, line): may that be fetched?  line: of the
 * rule that decides, 0: none; or NULL.  origin_judge_if_cheap: allowed, too,
 * when desk->work has reached desk->work_most: it is judged again before it is
 * handed out. */
enum desk_robots origin_judge_if_cheap(
    struct desk *, uint32_t origin, struct slice target);
enum desk_robots origin_judge(
    struct desk *, uint32_t origin, struct slice target, uint32_t *line);

/* origin_park(desk, origin): it may have asked a crawl to be left alone. */
void origin_park(struct desk *, uint32_t origin);

/* origin_changed(desk, origin): its robots.txt was read: what it refused is
 * judged again when it is chosen again. */
void origin_changed(struct desk *, uint32_t origin);

void origins_release(struct desk *);

#endif
