/* robots.txt: rules, Crawl-delay and Sitemap lines (RFC 9309, SPEC 8). */
#ifndef FRESHET_ROBOTS_H
#define FRESHET_ROBOTS_H

#include <stdbool.h>
#include <stdint.h>

#include "diag.h"
#include "profile.h"
#include "slice.h"

#define ROBOTS_MAX_BYTES 512000 /* SPEC R-99 */
#define ROBOTS_MAX_SITEMAPS 10000 /* SPEC R-40 */
#define ROBOTS_MAX_WORK 10000000 /* SPEC R-95: some milliseconds */

struct robots; /* one parsed file */

/*
 * robots_parse(body, agent, profile, sink):
 * Parse a whole body (hostile, any length; what is past ROBOTS_MAX_BYTES is
 * ignored) for that product token.  Never fails; free with robots_free.
 * To the sink: ROBOTS_BOM, ROBOTS_HTML, ROBOTS_TOO_LARGE, ROBOTS_TYPO,
 * ROBOTS_RULE_OUTSIDE_GROUP, ROBOTS_RELATIVE_SITEMAP, ROBOTS_BAD_SITEMAP,
 * ROBOTS_CRAWL_DELAY, TOO_MANY_ROBOTS_SITEMAPS.  Source: SPEC,
 *
 */
struct robots *robots_parse(struct slice body, struct slice agent,
    const struct profile *, struct diag_sink);
void robots_free(struct robots *);

/* robots_heeds_all(agent): do groups for "*" hold for it where there is none of
 * its own?  Some crawlers of Google say they do not. */
bool robots_heeds_all(struct slice agent);

/* robots_forget_sitemaps(robots): when only verdicts are wanted any more. */
void robots_forget_sitemaps(struct robots *);

/* robots_bytes(robots): the memory that it takes; NULL takes none. */
size_t robots_bytes(const struct robots *);

struct robots_verdict {
	bool is_allowed;
	bool is_given_up; /* the rules were too many for so long a target: it
			     is not allowed, whatever the rule says */
	uint32_t line; /* of the deciding rule, from 1; 0: no rule matched */
	uint32_t work; /* bytes that rules with stars were tried on */
	struct slice rule; /* its pattern as written, borrowed from robots */
};

/* What is said of a URL whose verdict is_given_up. */
#define ROBOTS_GIVEN_UP "too many rules with stars for so long a URL"

/*
 * robots_verdict(robots, target): may `target` ("/path?query", normalised)
 * be fetched?  Linear in the bytes of all rules, but for rules with stars:
 * these cost their number times |target|, at most ROBOTS_MAX_WORK.  NULL robots
 * allow all.
 */
struct robots_verdict robots_verdict(
    const struct robots *, struct slice target);

/* robots_rules(robots): how many hold for us; NULL robots have none. */
uint32_t robots_rules(const struct robots *);

/* robots_delay_ms(robots): Crawl-delay of our group, at most 60,000; 0: none.
 */
uint32_t robots_delay_ms(const struct robots *);

/*
 * robots_agent_line(robots, i): the line of the i-th agent line that chose the
 * rules which hold, from 1; 0 past the last, and when no group is for us.
 */
uint32_t robots_agent_line(const struct robots *, uint32_t i);

/* robots_line(body, line): the text of that line, as robots_parse counts them,
 * without its end; empty past the last. */
struct slice robots_line(struct slice body, uint32_t line);

/* robots_sitemaps(robots): how many there are of these: */
uint32_t robots_sitemaps(const struct robots *);

/*
 * robots_sitemap(robots, i, *line): the i-th Sitemap URL, normalised, without
 * repeats, borrowed; empty past the last.
 */
struct slice robots_sitemap(const struct robots *, uint32_t i, uint32_t *line);

#endif
