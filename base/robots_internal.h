/* The lines of robots.txt and the parts of struct robots, for robots.c,
 * robots_difference.c, and the fuzz target, which matches with a simpler
 * algorithm. */
#ifndef FRESHET_ROBOTS_INTERNAL_H
#define FRESHET_ROBOTS_INTERNAL_H

#include "base/buf.h"
#include "base/names.h"
#include "base/robots.h"

/* What the record on a line is for. */
enum robots_scope {
	ROBOTS_NOTHING, /* the line has no record */
	ROBOTS_AGENT, /* a group begins, or has one agent more */
	ROBOTS_OF_GROUP, /* a rule or a delay */
	ROBOTS_OF_FILE /* a Sitemap, or a field that freshet does not know */
};

/*
 * robots_next_line(text): take the first line of text; the result has no line
 * end.
 * robots_record(line, name, value): the record on a line, borrowed: the name as
 * RFC 9309 spells it, or as written if it is unknown. Typos of SPEC R-97 count
 * as what they mean.
 * robots_token(value): the front of value up to the first character that a
 * product token cannot contain (SPEC R-91).
 */
struct slice robots_next_line(struct slice *text);
enum robots_scope robots_record(
    struct slice line, struct slice *name, struct slice *value);
struct slice robots_token(struct slice value);

/* A '*' in a compiled pattern; all other bytes of the pattern are printable. */
#define ROBOTS_WILDCARD '\1'

/* Positions (..._at) are offsets into the text of the rules, which moves when
 * it grows. */
struct robots_rule {
	/* the first octets, up to eight, as they lie in memory, and a mask of
	 * those octets */
	uint64_t head, mask;
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

struct robots {
	/* the rules that apply to us: those with most octets first, then Allow
	 * before Disallow, then by line */
	struct robots_rules rules;
	struct names sitemaps; /* each URL once */
	uint32_t *lines; /* owned: of the sitemaps, by their number */
	size_t line_cap;
};

#endif
