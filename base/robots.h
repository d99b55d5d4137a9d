/*
 * robots.txt: rules, Crawl-delay and Sitemap lines (RFC 9309, SPEC section 8).
 */
#ifndef FRESHET_ROBOTS_H
#define FRESHET_ROBOTS_H

#include <stdbool.h>
#include <stdint.h>

#include "buf.h"
#include "diag.h"
#include "names.h"
#include "profile.h"
#include "purposes.h"
#include "slice.h"

#define ROBOTS_PRODUCT "freshet" /* our product token */
#define ROBOTS_MAX_BYTES 512000 /* SPEC R-99 */
#define ROBOTS_MAX_SITEMAPS 10000 /* SPEC R-40 */
#define ROBOTS_MAX_WORK 10000000 /* SPEC R-95: takes some milliseconds */

/* A '*' in a compiled pattern; all other bytes of the pattern are printable. */
#define ROBOTS_WILDCARD '\1'

enum robots_kind { ROBOTS_RULE, ROBOTS_SIGNAL, ROBOTS_USAGE };

/* Positions (..._at) are offsets into the text of the rules, which may move. */
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
	/* of a Content-Signal or Content-Usage: what it says; the pattern as
	 * written is all of its value */
	struct purposes said;
	uint8_t kind; /* enum robots_kind */
};

struct robots_rules {
	struct buf text;
	struct robots_rule *items; /* owned */
	size_t count;
	size_t cap;
	bool has_preferences; /* some are of another kind than ROBOTS_RULE */
	uint32_t delay_ms;
	/* owned: the numbers, from 1, of the agent lines that selected these
	 * rules; none: no group is for us */
	uint32_t *agents;
	size_t agent_count;
	size_t agent_cap;
};

/* One parsed file. */
struct robots {
	/* the rules that apply to us: those with most octets first, then Allow
	 * before Disallow, then by line */
	struct robots_rules rules;
	struct names sitemaps; /* each URL once */
	uint32_t *lines; /* owned: of the sitemaps, by their number */
	size_t line_cap;
	/* the agent obeys groups for "*" if it has no group of its own; Google
	 * documents that some of its crawlers do not */
	bool heeds_all;
};

/* robots_parse(body, agent, profile, sink): Parse a whole body for the product
 * token `agent`. The body is hostile and of any length; bytes past
 * ROBOTS_MAX_BYTES are ignored. Never fails; free the result with robots_free.
 * To the sink: ROBOTS_BOM, ROBOTS_HTML, ROBOTS_TOO_LARGE, ROBOTS_TYPO,
 * ROBOTS_RULE_OUTSIDE_GROUP, ROBOTS_RELATIVE_SITEMAP, ROBOTS_BAD_SITEMAP,
 * ROBOTS_CRAWL_DELAY, TOO_MANY_ROBOTS_SITEMAPS, ROBOTS_BAD_PREFERENCE. Source:
 * SPEC. */
struct robots *robots_parse(struct slice body, struct slice agent,
    const struct profile *, struct diag_sink);
void robots_free(struct robots *);

/* robots_forget_sitemaps(robots): free the Sitemap URLs when only verdicts are
 * still needed. */
void robots_forget_sitemaps(struct robots *);

/* robots_bytes(robots): the memory that robots takes; 0 for NULL. */
size_t robots_bytes(const struct robots *);

struct robots_verdict {
	bool is_allowed;
	/* the rules with stars were too many for so long a target: it is not
	 * allowed, whatever the rule says */
	bool is_given_up;
	uint32_t line; /* of the deciding rule, from 1; 0: no rule matched */
	uint32_t work; /* bytes that rules with stars were compared with */
	struct slice rule; /* the pattern as written, borrowed from robots */
	struct purposes said; /* of what may be fetched */
	/* the wanted purposes that are refused, by which alone it is not
	 * allowed */
	uint8_t refused_for;
};

/* The text that explains is_given_up to users. */
#define ROBOTS_GIVEN_UP "too many rules with stars for so long a URL"

/* robots_verdict(robots, target): may `target` ("/path?query", normalised) be
 * fetched? The time is linear in the bytes of all rules, plus, for rules with
 * stars, their number times the length of target, at most ROBOTS_MAX_WORK. NULL
 * robots allow everything.
 * robots_page_verdict(robots, target, purposes): the same of a page that is
 * wanted for these purposes, bits as in struct purposes (SPEC R-144). */
struct robots_verdict robots_verdict(
    const struct robots *, struct slice target);
struct robots_verdict robots_page_verdict(
    const struct robots *, struct slice target, unsigned purposes);

/* robots_delay_ms(robots): the Crawl-delay of our group, up to 60,000, or 0. */
uint32_t robots_delay_ms(const struct robots *);

/* robots_line(body, line): the text of that line without its end; lines are
 * counted as robots_parse counts them. Empty past the last line. */
struct slice robots_line(struct slice body, uint32_t line);

/* robots_sitemap(robots, i, line): the i-th Sitemap URL, normalised, borrowed,
 * and its line. Empty past the last. */
struct slice robots_sitemap(const struct robots *, uint32_t i, uint32_t *line);

/*
 * robots_is_file(body): is this a robots.txt? It is none if it has text, but no
 * line of a robots.txt: an error page, a page for every path, a challenge. An
 * empty file is one, and so is one of comments.
 * robots_is_html(body): does it begin as a page does? A robots.txt with real
 * lines behind some markup is a file all the same (SPEC R-106).
 */
bool robots_is_file(struct slice body);
bool robots_is_html(struct slice body);

/* robots_is_packed(body, content_encoding): does a content coding hide the
 * rules?  The header says one (else NULL), or the bytes show one.  A coding
 * that is said, but not there, does no harm: the file is text (SPEC R-85). */
bool robots_is_packed(struct slice body, const char *content_encoding);

/* The lines of robots.txt, for robots_difference.c. */

/* What the record on a line is for. */
enum robots_scope {
	ROBOTS_NOTHING, /* the line has no record */
	ROBOTS_AGENT, /* a group begins, or has one agent more */
	ROBOTS_OF_GROUP, /* a rule, a delay or a preference */
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

#endif
