/* Origins, and what their robots.txt allows. */
#ifndef FRESHET_ORIGIN_TABLE_H
#define FRESHET_ORIGIN_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/names.h"
#include "base/robots.h"
#include "base/slice.h"
#include "crawler/frontier/frontier_show.h"
#include "crawler/frontier/page_table.h"

struct frontier;

/* An origin, and its robots.txt if that was read. */
struct origin_item {
	uint32_t host;
	uint32_t site; /* a site with pages or documents at this origin */
	struct page_list closed; /* chosen pages that robots.txt disallows */
	uint32_t next; /* the next origin of its host, plus one */
	uint32_t orphan; /* its robots.txt, if that is an orphan, plus one */
	uint32_t crawl_delay_ms; /* when robots.txt was last read */
	/* enum frontier_robots: what holds before the rules */
	uint8_t fallback;
	/* spent on matching its rules since robots.txt was read */
	uint64_t work;
	bool is_judged; /* has_rules and fallback are up to date */
	bool has_rules; /* store_rules() has them; false: all is allowed */
	bool repairs; /* as store_rules() wants to know it */
	bool is_wanted; /* its robots.txt was made a document of the site */
};

struct origin_table {
	struct names names;
	struct origin_item *items; /* owned */
	size_t count, cap;
	/* what matching rules has cost: */
	uint64_t work; /* so far */
	uint64_t work_most; /* origin_judge_if_cheap() stops there */
};

/* origin_find(frontier, name): the number of that origin; NONE: unknown. */
uint32_t origin_find(const struct frontier *, struct slice name);

/* origin_put(frontier, origin, site): the number of that origin, made when it
 * is new; the site is one that has pages or documents there. */
uint32_t origin_put(struct frontier *, struct slice origin, uint32_t site);

/*
 * origin_judge(frontier, origin, target, line): does robots.txt allow the
 * target?  *line is set to the line of the rule that decides, 0: none; line
 * may be NULL.  robots.txt is parsed when it is needed.
 *
 * origin_judge_if_cheap: the same, but when the work of origins_allow_work()
 * is used up, the function returns FRONTIER_ROBOTS_ALLOW without matching
 * rules; the page is judged again before it is leased.
 */
enum frontier_robots origin_judge(
    struct frontier *, uint32_t origin, struct slice target, uint32_t *line);
enum frontier_robots origin_judge_if_cheap(
    struct frontier *, uint32_t origin, struct slice target);

/* origin_know(frontier, origin): parse robots.txt unless that was done: from
 * now on the host has the delay that it names. */
void origin_know(struct frontier *, uint32_t origin);

/* origins_allow_work(frontier, work): origin_judge_if_cheap() may do that much
 * more work of matching rules. */
void origins_allow_work(struct frontier *, uint64_t work);

/* origin_changed(frontier, origin): robots.txt was read, so the scheduler may
 * again choose the pages that were disallowed. */
void origin_changed(struct frontier *, uint32_t origin);

#endif
