/* What a parsed robots.txt is made of: private to robots*.c. */
#ifndef FRESHET_ROBOTS_INTERNAL_H
#define FRESHET_ROBOTS_INTERNAL_H

#include "base/buf.h"
#include "base/robots.h"

/* What '*' becomes in a compiled pattern, in which all else is printable. */
#define ROBOTS_WILDCARD '\1'

/* Places are those of bytes in the text of the rules, which moves while it
 * grows. */
struct robots_rule {
	uint64_t head, mask; /* the octets that it begins with, up to eight, as
			      * they lie in memory, and which those are */
	uint32_t raw_at; /* the pattern as written */
	uint32_t raw_len;
	uint32_t compiled_at;
	uint32_t compiled_len;
	uint32_t octets; /* of the normalised pattern: SPEC R-92 */
	uint32_t line;
	bool is_allow;
	bool is_anchored; /* it ended with '$' */
	bool has_star;
};

struct robots_rules {
	struct buf text;
	struct robots_rule *items; /* owned */
	size_t count;
	size_t cap;
	uint32_t delay_ms;
	uint32_t *agents; /* owned: the lines that name the agent */
	size_t agent_count;
	size_t agent_cap;
};

struct robots_line {
	uint32_t at; /* of a Sitemap URL in robots.places */
	uint32_t len;
	uint32_t line;
};

struct robots {
	struct robots_rules rules; /* that hold for us, most octets first, of
				      equal ones Allow, then the first line */
	struct buf places;
	struct robots_line *sitemaps; /* owned */
	size_t sitemap_count;
	size_t sitemap_cap;
};

#endif
