/* Origins, and what their robots.txt allows. */
#ifndef FRESHET_ORIGIN_TABLE_H
#define FRESHET_ORIGIN_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/names.h"
#include "base/robots.h"
#include "base/slice.h"
#include "crawler/frontier/frontier_context.h"
#include "crawler/frontier/frontier_show.h"

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
	uint64_t work; /* that matching rules has cost so far */
};

/* origin_put(frontier, origin, site): the number of that origin, made when it
 * is new; the site is one that has pages or documents there. */
uint32_t origin_put(struct frontier *, struct slice origin, uint32_t site);

/* origin_judge(frontier, origin, target, line): does robots.txt allow the
 * target?  *line is set to the line of the rule that decides, 0: none; line
 * may be NULL.  robots.txt is parsed when it is needed. */
enum frontier_robots origin_judge(
    struct frontier *, uint32_t origin, struct slice target, uint32_t *line);

/* origin_know(frontier, origin): parse robots.txt unless that was done: from
 * now on the host has the delay that it names. */
void origin_know(struct frontier *, uint32_t origin);

/* origin_changed(frontier, origin): robots.txt was read, so the scheduler may
 * again choose the pages that were disallowed. */
void origin_changed(struct frontier *, uint32_t origin);

#endif
