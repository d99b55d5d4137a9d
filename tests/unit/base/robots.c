/* robots.txt as a file: SPEC, HOSTILE B.
 */
#include "tests/fixtures/fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/hash.h"
#include "base/robots.h"

#define STAR "User-agent: *\n"
#define OURS "User-agent: freshet\n"

static struct robots *
parse(const char *body, enum profile_name name, struct seen *seen)
{
	struct profile profile = profile_default(name);
	char *copy = exact_copy(slice_of(body));
	struct robots *robots = robots_parse(slice_make(copy, strlen(body)),
	    slice_of("freshet"), &profile, seen_sink(seen));

	free(copy);
	return robots;
}

static void
no_robots_allow_all(void **state)
{
	struct profile profile = profile_default(PROFILE_GOOGLE);
	struct robots *robots;
	uint32_t line = 7;

	/* an empty file, which may have no bytes to point to */
	robots = robots_parse((struct slice){0}, slice_of("freshet"), &profile,
	    (struct diag_sink){0});
	assert_true(robots_verdict(robots, slice_of("/x")).is_allowed);
	robots_free(robots);
	assert_true(robots_verdict(NULL, slice_of("/x")).is_allowed);
	assert_int_equal(robots_delay_ms(NULL), 0);
	assert_int_equal(robots_bytes(NULL), 0);
	assert_int_equal(robots_sitemap(NULL, 0, &line).len, 0);
	robots_free(NULL);
}

struct delay_row {
	const char *body;
	uint32_t delay_ms;
};

static const struct delay_row delays[] = {
    {STAR "Crawl-delay: 2.5\n", 2500},
    {STAR "Crawl-delay: 1\nCrawl-delay: 3\nCrawl-delay: 2\n", 3000},
    {STAR "Crawl-delay: 60\n", 60000},
    {STAR "Crawl-delay: 61\n", 60000},
    {STAR "Crawl-delay: 1e9\n", 60000},
    {STAR "Crawl-delay: 99999999999999999999\n", 60000},
    {STAR "Crawl-delay: 59.999\n", 59999},
    {STAR "Crawl-delay: 59.9999\n", 60000},
    {STAR "Crawl-delay: 2.00000000000000000000000000000\n", 2000},
    {STAR "Crawl-delay: 2.000000000000000000000000000000\n", 0},
    {STAR "Crawl-delay: 0.001\n", 1},
    {STAR "Crawl-delay: 0.0001\n", 1},
    {STAR "Crawl-delay: 0\n", 0},
    {STAR "Crawl-delay: -1\n", 0},
    {STAR "Crawl-delay: NaN\n", 0},
    {STAR "Crawl-delay: inf\n", 0},
    {STAR "Crawl-delay: 0x10\n", 0},
    {STAR "Crawl-delay: 1,5\n", 0},
    {STAR "Crawl-delay: 5s\n", 0},
    {STAR "Crawl-delay:\n", 0},
    {STAR "Crawl-delay 4\n", 4000},
    {"Crawl-delay: 5\n" STAR "Disallow: /x\n", 0},
    {STAR "Disallow: /x\nCrawl-delay: 5\n", 5000},
    {STAR "Crawl-delay: 5\n" OURS "Disallow: /x\n", 5000},
    {STAR "Crawl-delay: 5\nDisallow:\n" OURS "Disallow: /x\n", 0},
    {STAR "Crawl-delay: 5\nDisallow: /\n" OURS "Crawl-delay: 2\n", 2000},
    {OURS "Crawl-delay: 5\nDisallow: /\nUser-agent: x\nCrawl-delay: 9\n", 5000},
};

/* R-105, B4 */
static void
delays_are_clamped(void **state)
{
	for (size_t i = 0; i < COUNT(delays); i++) {
		struct seen seen = {{0}};
		struct robots *robots = parse(
		    delays[i].body, PROFILE_GOOGLE, &seen);

		if (robots_delay_ms(robots) != delays[i].delay_ms)
			fail_msg("%u for '%s'", robots_delay_ms(robots),
			    delays[i].body);
		assert_int_equal(seen.count[DIAG_ROBOTS_CRAWL_DELAY],
		    delays[i].delay_ms > 0);
		robots_free(robots);
	}
}

struct sitemap_row {
	const char *rule;
	const char *body;
	const char *urls; /* each with its line */
	const char *codes;
};

static const struct sitemap_row sitemaps[] = {
    {"R-98", "Sitemap: http://a.example/s.xml\n", "1 http://a.example/s.xml\n",
	""},
    {"R-98 anywhere",
	"\nsitemap:https://b.example/ \n" OURS
	"SITEMAP : http://a.example/2\nDisallow: /\n",
	"2 https://b.example/\n4 http://a.example/2\n", ""},
    {"R-98 one after normalisation",
	"Sitemap: https://a.example/s\nSitemap: "
	"HTTPS://A.EXAMPLE:443/%73\nSitemap: https://a.example/t\n",
	"1 https://a.example/s\n3 https://a.example/t\n", ""},
    {"R-98 not escaped", "Sitemap: http://a.example/\xc3\xbc b|c\n",
	"1 http://a.example/%C3%BC%20b%7Cc\n", ""},
    {"R-98 comment", "Sitemap: http://a.example/s#x\n",
	"1 http://a.example/s\n", ""},
    {"R-98 relative", "Sitemap: /s\nSitemap: s.xml\nSitemap: //a/s\n", "",
	"robots-relative-sitemapx3"},
    {"R-98 bad",
	"Sitemap: ftp://a.example/s\nSitemap: http://a..b/\n"
	"Sitemap: http://u@a.example/\nSitemap:\n",
	"", "robots-bad-sitemapx4"},
    {"R-98 a scheme twice, two URLs",
	"Sitemap: https://https://a.example/s\nSitemap: "
	"http://http:/a.example/s\n"
	"Sitemap: http://a.example/s http://a.example/t\n"
	"Sitemap: http://a.example/s, https://a.example/t\n",
	"", "robots-bad-sitemapx4"},
    {"R-98 a URL in a query",
	"Sitemap: http://a.example/s?of=https://b.example/\n",
	"1 http://a.example/s?of=https://b.example/\n", ""},
    {"R-97 misspelt", "Site-map: http://a.example/s\n",
	"1 http://a.example/s\n", "robots-typo"},
    {"R-97 no colon", "Sitemap http://a.example/s\n", "1 http://a.example/s\n",
	"robots-typo"},
    {"R-96 BOM", "\xef\xbb\xbfSitemap: http://a.example/s\n",
	"1 http://a.example/s\n", "robots-bom"},
    {"R-90 outside", "Disallow: /x\nAllow: /y\n", "",
	"robots-rule-outside-groupx2"},
    {"R-106 HTML", " \n<!DOCTYPE html>\n", "", "robots-html"},
    {"R-96 nothing", "\n\n# x\n", "", ""},
};

static void
sitemaps_are_listed(void **state)
{
	struct buf *out = *state;

	for (size_t i = 0; i < COUNT(sitemaps); i++) {
		struct seen seen = {{0}};
		struct robots *robots = parse(
		    sitemaps[i].body, PROFILE_GOOGLE, &seen);
		struct slice url;
		uint32_t line;

		for (uint32_t k = 0;
		     (url = robots_sitemap(robots, k, &line)).len > 0; k++)
			(void)buf_print(
			    out, "%u %.*s\n", line, (int)url.len, url.p);
		assert_row(sitemaps[i].rule, out, sitemaps[i].urls);
		(void)seen_names(&seen, out);
		assert_row(sitemaps[i].rule, out, sitemaps[i].codes);
		robots_free(robots);
	}
}

/* Fill body with comment lines until it has exactly len bytes. */
static void
pad(struct buf *body, size_t len)
{
	while (body->len + 64 < len)
		(void)buf_print(body, "#%62s\n", "");
	while (body->len + 1 < len)
		(void)buf_put_char(body, '#');
	if (body->len < len)
		(void)buf_put_char(body, '\n');
	assert_int_equal(body->len, len);
}

static bool
body_allows(struct buf *body, struct seen *seen)
{
	struct robots *robots = parse(buf_str(body), PROFILE_GOOGLE, seen);
	bool is_allowed = robots_verdict(robots, slice_of("/x")).is_allowed;

	robots_free(robots);
	return is_allowed;
}

/* R-99, B1: "Disallow: /x" ends at the limit, one byte before or after it. */
static void
the_limit_cuts_at_a_byte(void **state)
{
	static const char rule[] = "Disallow: /x";
	const size_t rule_len = sizeof(rule) - 1;
	struct buf *body = *state;

	for (int past = -1; past <= 1; past++) {
		for (int more = 0; more <= 1; more++) {
			struct seen seen = {{0}};
			bool is_whole = past <= 0;

			buf_clear(body);
			(void)buf_print(body, STAR);
			pad(body, ROBOTS_MAX_BYTES + past - rule_len);
			(void)buf_print(
			    body, "%s%s", rule, more ? "\nAllow: /x\n" : "");
			assert_int_equal(
			    body_allows(body, &seen), is_whole ? 0 : 1);
			assert_int_equal(seen.count[DIAG_ROBOTS_TOO_LARGE],
			    body->len > ROBOTS_MAX_BYTES);
		}
	}
}

/* bytes of a line after byte 16,664 are ignored. */
static void
long_lines_are_cut(void **state)
{
	struct buf *body = *state;
	struct seen seen = {{0}};
	struct robots *robots;
	struct slice rule;

	(void)buf_print(body, STAR "Disallow: /");
	for (int i = 0; i < 30000; i++)
		(void)buf_put_char(body, 'x');
	(void)buf_print(body, "\nDisallow: /y\n");
	robots = parse(buf_str(body), PROFILE_GOOGLE, &seen);
	assert_int_equal(robots_verdict(robots, slice_of("/y")).line, 3);
	rule = robots_verdict(
	    robots, slice_make(body->p + strlen(STAR "Disallow: "), 30001))
		   .rule;
	assert_int_equal(rule.len, 16664 - strlen("Disallow: "));
	robots_free(robots);
}

/* R-40, B3 */
static void
sitemaps_have_a_cap(void **state)
{
	struct seen seen = {{0}};
	struct robots *robots;
	struct buf *body = *state;
	uint32_t line;

	for (unsigned i = 0; i < ROBOTS_MAX_SITEMAPS + 5; i++)
		(void)buf_print(body, "Sitemap:http://a.example/%x\n", i);
	robots = parse(buf_str(body), PROFILE_GOOGLE, &seen);
	assert_true(
	    slice_is(robots_sitemap(robots, ROBOTS_MAX_SITEMAPS - 1, &line),
		"http://a.example/270f"));
	assert_int_equal(line, ROBOTS_MAX_SITEMAPS);
	assert_int_equal(
	    robots_sitemap(robots, ROBOTS_MAX_SITEMAPS, &line).len, 0);
	assert_int_equal(seen.count[DIAG_TOO_MANY_ROBOTS_SITEMAPS], 5);
	robots_free(robots);
}

struct agent_row {
	const char *rule;
	const char *body;
	uint32_t lines[4]; /* up to the first 0 */
};

static const struct agent_row agents[] = {
    {"R-89 none", "User-agent: other\nDisallow: /\n", {0}},
    {"R-89 star", "\n" STAR "Disallow: /\n" STAR, {2, 4}},
    {"R-89 ours, not star", STAR "Disallow: /\n" OURS, {3}},
    {"R-90 two agents", "User-agent: a\r\nUser-agent: Freshet/2\r" STAR OURS,
	{2, 4}},
};

struct token_row {
	const char *agent, *body;
	uint32_t line; /* of the rule that forbids /x; 0: none does */
};

/* SPEC R-89: as Google documents its own crawlers. */
#define GROUP(agent) "User-agent: " agent "\nDisallow: /x\n"

static const struct token_row tokens[] = {
    {"Googlebot", GROUP("*"), 2},
    {"Googlebot", GROUP("Googlebot-Image"), 0},
    {"Googlebot-Image", GROUP("*"), 2},
    {"Googlebot-Image", GROUP("googlebot"), 2},
    {"googlebot-IMAGE", GROUP("*") GROUP("googlebot"), 4},
    {"Googlebot-Image", GROUP("googlebot") GROUP("*"), 2},
    {"Googlebot-Image", GROUP("googlebot") GROUP("Googlebot-Image"), 4},
    {"Googlebot-Image",
	GROUP("googlebot") "User-agent: Googlebot-Image\nAllow: /\n", 0},
    {"Googlebot-Image", GROUP("*") "User-agent: googlebot\nAllow: /\n", 0},
    /* one group of both: a rule of it is one rule */
    {"Googlebot-Video", "User-agent: Googlebot\n" GROUP("Googlebot-Video"), 3},
    {"GoogleOther-Image", GROUP("googlebot"), 0},
    {"GoogleOther-Image", GROUP("GoogleOther"), 2},
    {"AdsBot-Google", GROUP("*"), 0},
    {"AdsBot-Google", GROUP("*") GROUP("adsbot-google"), 4},
    {"AdsBot-Google-Mobile", GROUP("*") GROUP("AdsBot-Google"), 0},
    {"Mediapartners-Google", GROUP("*"), 0},
    {"Googlebot-Imagery", GROUP("googlebot"), 0},
    {"freshet", GROUP("googlebot"), 0},
};

static void
some_agents_have_two_tokens(void **state)
{
	struct profile profile = profile_default(PROFILE_GOOGLE);

	for (size_t i = 0; i < COUNT(tokens); i++) {
		struct robots *robots = robots_parse(slice_of(tokens[i].body),
		    slice_of(tokens[i].agent), &profile, (struct diag_sink){0});
		struct robots_verdict verdict = robots_verdict(
		    robots, slice_of("/x"));

		if (verdict.is_allowed != (tokens[i].line == 0) ||
		    (!verdict.is_allowed && verdict.line != tokens[i].line))
			fail_msg("%s, '%s': line %u", tokens[i].agent,
			    tokens[i].body, verdict.line);
		robots_free(robots);
	}
	for (int i = 0; i < 2; i++) {
		struct robots *robots = robots_parse(slice_of(""),
		    slice_of(i == 0 ? "freshet" : "apis-google"), &profile,
		    (struct diag_sink){0});

		assert_int_equal(robots->heeds_all, i == 0);
		robots_free(robots);
	}
}

static void
agent_lines_are_known(void **state)
{
	for (size_t i = 0; i < COUNT(agents); i++) {
		struct seen seen = {{0}};
		struct robots *robots = parse(
		    agents[i].body, PROFILE_GOOGLE, &seen);

		for (uint32_t n = 0; n < COUNT(agents[i].lines); n++) {
			const struct robots_rules *rules = &robots->rules;
			uint32_t line = n < rules->agent_count
			    ? rules->agents[n]
			    : 0;

			if (line != agents[i].lines[n])
				fail_msg(
				    "%s: %u: line %u", agents[i].rule, n, line);
		}
		robots_free(robots);
	}
}

/* what a line is. */
static void
lines_are_found(void **state)
{
	static const char text[] = "\xef\xbb\xbfone\r\n\rthree\nfour";
	static const char *const lines[] = {"", "one", "", "three", "four", ""};

	for (uint32_t n = 0; n < COUNT(lines); n++)
		assert_true(slice_is(robots_line(slice_of(text), n), lines[n]));
	assert_int_equal(robots_line(slice_of(""), 1).len, 0);
	assert_int_equal(robots_line(slice_of("x\n"), 2).len, 0);
}

static double
parse_ms(struct slice body)
{
	struct profile profile = profile_default(PROFILE_GOOGLE);
	struct timespec from, to;

	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
	struct robots *robots = robots_parse(
	    body, slice_of("freshet"), &profile, (struct diag_sink){0});
	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
	robots_free(robots);
	return (double)(to.tv_sec - from.tv_sec) * 1000 +
	    (double)(to.tv_nsec - from.tv_nsec) / 1e6;
}

/* B3: URLs whose hashes were made to meet in one place cost no more than any
 * others; where the hash was not keyed by the file it was 20 times as much. */
static void
colliding_sitemaps_cost_nothing(void **state)
{
	double plain_ms = 1e9, chosen_ms = 1e9;
	struct buf plain, chosen;
	char url[32];

	buf_init(&plain, ROBOTS_MAX_BYTES);
	buf_init(&chosen, ROBOTS_MAX_BYTES);
	for (unsigned i = 0, count = 0; count < 2000; i++) {
		int n = snprintf(url, sizeof(url), "http://a.b/%x", i);

		if (hash_key(slice_make(url, (size_t)n), 0) % 32768 > 8)
			continue;
		count++;
		(void)buf_print(&chosen, "Sitemap:%s\n", url);
		(void)buf_print(&plain, "Sitemap:http://a.b/%x\n", count);
	}
	/* A busy machine disturbs single measurements, so the shortest of many
	 * count. */
	for (int i = 0; i < 3 || (i < 100 && chosen_ms > 8 * plain_ms); i++) {
		double ms = parse_ms(buf_text(&plain));

		plain_ms = ms < plain_ms ? ms : plain_ms;
		ms = parse_ms(buf_text(&chosen));
		chosen_ms = ms < chosen_ms ? ms : chosen_ms;
	}
	if (chosen_ms > 8 * plain_ms)
		fail_msg(
		    "too slow: %.2f ms, others %.2f ms", chosen_ms, plain_ms);
	buf_release(&plain);
	buf_release(&chosen);
}

/* Which rule of robots.txt decides: SPEC, HOSTILE B2. */

struct row {
	const char *rule;
	const char *body;
	const char *target;
	bool is_allowed;
	uint32_t line; /* of the deciding rule */
};

static const struct row rows[] = {
    {"R-89 other agent", "User-agent: other\nDisallow: /\n", "/x", true, 0},
    {"R-89 star", STAR "Disallow: /x\n", "/x", false, 2},
    {"R-89 ours replaces", STAR "Disallow: /\n" OURS "Disallow: /p\n", "/x",
	true, 0},
    {"R-89 order", OURS "Disallow: /p\n" STAR "Disallow: /\n", "/x", true, 0},
    {"R-89 merged star", STAR "Disallow: /a\n" STAR "Disallow: /b\n", "/a",
	false, 2},
    {"R-89 case", "USER-AGENT: FrEsHeT\nDISALLOW: /x\n", "/x", false, 2},
    {"R-90 two agents", "User-agent: a\nUser-agent: freshet\nDisallow: /x\n",
	"/x", false, 3},
    {"R-90 star and ours", STAR OURS "Disallow: /x\n", "/x", false, 3},
    {"R-90 sitemap", OURS "Sitemap: http://a.example/s\n" STAR "Disallow: /\n",
	"/x", false, 4},
    {"R-90 unknown", OURS "Noindex: /\n" STAR "Disallow: /\n", "/x", false, 4},
    {"R-90 no rules", STAR "Disallow: /\n" OURS, "/x", true, 0},
    {"R-90 outside", "Disallow: /\n" OURS "Allow: /\n", "/x", true, 3},
    {"R-92 longest", STAR "Disallow: /a\nAllow: /a/b\n", "/a/b/c", true, 3},
    {"R-92 longest, first", STAR "Allow: /a/b\nDisallow: /a\n", "/a/b/c", true,
	2},
    {"R-92 the first of equals", STAR "Disallow: /a\nDisallow: /a\n", "/a",
	false, 2},
    {"R-92 wildcard counts one", STAR "Allow: /ab\nDisallow: /*b\n", "/ab",
	true, 2},
    {"R-92 wildcard counts one", STAR "Allow: /ab\nDisallow: /*bc\n", "/abc",
	false, 3},
    {"R-92 anchor counts", STAR "Disallow: /\nAllow: /$\n", "/", true, 3},
    {"R-92 octets, not characters",
	STAR "Allow: /a*c\xc3\xbc\nDisallow: /abcc*\n", "/abcc%C3%BC", true, 2},
    {"R-92 escapes count three", STAR "Allow: /%2A\nDisallow: /*a\n", "/*a",
	true, 2},
    {"R-92 decoded escapes count one", STAR "Allow: /%61\nDisallow: /a*\n",
	"/ab", false, 3},
    {"R-92 case", STAR "Disallow: /X\n", "/x", true, 0},
    {"R-92 first octet", STAR "Disallow: /b\n", "/a/b", true, 0},
    {"R-93 prefix", STAR "Disallow: /k\n", "/kelp/x?y", false, 2},
    {"R-93 seven octets", STAR "Disallow: /234567\n", "/234567", false, 2},
    {"R-93 seven octets", STAR "Disallow: /234567\n", "/23456x8", true, 0},
    {"R-93 eight octets", STAR "Disallow: /2345678\n", "/2345678", false, 2},
    {"R-93 eight octets", STAR "Disallow: /2345678\n", "/23456789", false, 2},
    {"R-93 eight octets", STAR "Disallow: /2345678\n", "/234567", true, 0},
    {"R-93 eight octets", STAR "Disallow: /2345678\n", "/234567x", true, 0},
    {"R-93 nine octets", STAR "Disallow: /23456789\n", "/2345678", true, 0},
    {"R-93 nine octets", STAR "Disallow: /23456789\n", "/2345678x", true, 0},
    {"R-93 wildcard", STAR "Disallow: /*.php\n", "/a/b.php?x", false, 2},
    {"R-93 wildcard, empty run", STAR "Disallow: /a*b\n", "/ab", false, 2},
    {"R-93 anchor", STAR "Disallow: /*.php$\n", "/a.php", false, 2},
    {"R-93 anchor", STAR "Disallow: /*.php$\n", "/a.php/", true, 0},
    {"R-93 anchor wants the last", STAR "Disallow: /*ab$\n", "/abxab", false,
	2},
    {"R-93 anchor, no overlap", STAR "Disallow: /a*aa$\n", "/aa", true, 0},
    {"R-93 anchor, no overlap", STAR "Disallow: /a*aa$\n", "/aaa", false, 2},
    {"R-93 star, anchor", STAR "Disallow: /a*$\n", "/abc", false, 2},
    {"R-93 only anchor", STAR "Disallow: /a$\n", "/a?", true, 0},
    {"R-93 dollar before star", STAR "Disallow: /a$*\n", "/a", true, 0},
    {"R-93 trailing star", STAR "Disallow: /a*\n", "/a", false, 2},
    {"R-93 leading star", STAR "Disallow: *b\n", "/a/b", false, 2},
    {"R-93 order", STAR "Disallow: /a*b*c\n", "/acb", true, 0},
    {"R-93 backing up", STAR "Disallow: /*abac\n", "/ababac", false, 2},
    {"R-93 query", STAR "Disallow: /*?\n", "/a?", false, 2},
    {"R-94 non-ASCII", STAR "Disallow: /\xe3\x83\x84\n", "/%E3%83%84", false,
	2},
    {"R-94 case of escapes", STAR "Disallow: /%e3%83%84\n", "/%E3%83%84", false,
	2},
    {"R-94 unreserved", STAR "Disallow: /%7Ea%2e\n", "/~a.", false, 2},
    {"R-94 unreserved digits", STAR "Disallow: /%30%39\n", "/09", false, 2},
    {"R-94 reserved stay", STAR "Disallow: /a%3Ab\n", "/a:b", true, 0},
    {"R-94 star", STAR "Disallow: /%2a$\n", "/*", false, 2},
    {"R-94 star", STAR "Disallow: /%2A$\n", "/%2A", false, 2},
    {"R-94 star", STAR "Disallow: /%2Ab$\n", "/%2Ab", false, 2},
    {"R-94 star is literal", STAR "Disallow: /%2A$\n", "/x", true, 0},
    {"R-94 dollar is literal", STAR "Disallow: /a%24\n", "/a$b", false, 2},
    {"R-94 dollar is literal", STAR "Disallow: /a%24\n", "/a", true, 0},
    {"R-94 what URLs escape", STAR "Disallow: /a|b {c}\n", "/a%7Cb%20%7Bc%7D",
	false, 2},
    {"R-94 lone percent", STAR "Disallow: /a%zz\n", "/a%25zz", false, 2},
    {"R-94 half percent", STAR "Disallow: /a%4z\n", "/a%254z", false, 2},
    {"R-94 cut percent", STAR "Disallow: /a%\n", "/a%25", false, 2},
    {"R-94 cut percent", STAR "Disallow: /a%4", "/a%254", false, 2},
    {"R-94 byte 0", STAR "Disallow: /%00\n", "/%00", false, 2},
    {"R-94 byte 127", STAR "Disallow: /\x7f\n", "/%7F", false, 2},
    {"R-95 empty", STAR "Disallow:\nAllow:\n", "/x", true, 0},
    {"R-95 robots.txt alone", STAR "Disallow: /\n", "/robots.txt/", false, 2},
    {"R-96 mixed", "\n\r\n\rUser-agent: *\nDisallow: /x", "/x", false, 5},
    {"R-96 comment", STAR "Disallow: /x # /y\n", "/x", false, 2},
    {"R-96 comment", STAR "#Disallow: /x\n", "/x", true, 0},
    {"R-96 spaces", " User-agent\t:\t* \n  Disallow :  /x  \n", "/x", false, 2},
    {"R-96 BOM", "\xef\xbb\xbf" STAR "Disallow: /x\n", "/x", false, 2},
    {"R-97 colon later", STAR "Disallow /x:y\n", "/x:y", false, 2},
    {"R-97 three words", STAR "Disallow /x /y\n", "/x", true, 0},
    {"R-97 disalow", STAR "Disalow: /x\n", "/x", false, 2},
    {"R-97 dissalow", STAR "Dissalow: /x\n", "/x", false, 2},
    {"R-97 dissallow", STAR "Dissallow: /x\n", "/x", false, 2},
    {"R-97 diasllow", STAR "Diasllow: /x\n", "/x", false, 2},
    {"R-97 disallaw", STAR "Disallaw: /x\n", "/x", false, 2},
    {"R-106 HTML", "<html>\n" STAR "Disallow: /x\n", "/x", false, 3},
};

static void
verdicts_follow_the_rules(void **state)
{
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct seen seen = {{0}};
		struct robots *robots = parse(
		    rows[i].body, PROFILE_GOOGLE, &seen);
		char *target = exact_copy(slice_of(rows[i].target));
		struct robots_verdict verdict = robots_verdict(
		    robots, slice_make(target, strlen(rows[i].target)));

		free(target);
		if (verdict.is_allowed != rows[i].is_allowed ||
		    verdict.line != rows[i].line)
			fail_msg("%s: '%s' is %s by line %u", rows[i].rule,
			    rows[i].target,
			    verdict.is_allowed ? "allowed" : "denied",
			    verdict.line);
		robots_free(robots);
	}
}

/* A preference: R-144.  The pages are wanted for ai-train. */
static const struct {
	const char *body, *target, *said;
	bool is_allowed;
	uint32_t line;
} preferences[] = {
    {STAR "Content-Signal: ai-train=no\nAllow: /\n", "/x", "ai-train=no", false,
	2},
    {STAR "Content-Signal: search=no\nAllow: /\n", "/x", "search=no", true, 3},
    {STAR "Content-Usage: train-ai=n\n", "/", "ai-train=no", false, 2},
    /* the example of draft-ietf-aipref-attach 3.4 */
    {STAR "Allow: /\nDisallow: /never/\nContent-Usage: train-ai=n\n"
	  "Content-Usage: /ai-ok/ train-ai=y\n",
	"/test", "ai-train=no", false, 4},
    {STAR "Allow: /\nDisallow: /never/\nContent-Usage: train-ai=n\n"
	  "Content-Usage: /ai-ok/ train-ai=y\n",
	"/ai-ok/test", "ai-train=yes", true, 2},
    {STAR "Allow: /\nDisallow: /never/\nContent-Usage: train-ai=n\n"
	  "Content-Usage: /ai-ok/ train-ai=y\n",
	"/never/test", "", false, 3},
    /* a group of our own replaces that of others, with its preferences */
    {STAR "Content-Signal: ai-train=no\n" OURS "Allow: /a\n", "/a", "", true,
	4},
    {STAR "Content-Signal: ai-train=yes\n" OURS "Content-Signal: ai-train=no\n",
	"/a", "ai-train=no", false, 4},
    {"User-agent: other\nContent-Signal: ai-train=no\n", "/a", "", true, 0},
    /* the longest path, and nothing of shorter ones */
    {STAR "Content-Usage: search=y\nContent-Usage: /a train-ai=y\n", "/a",
	"ai-train=yes", true, 0},
    {STAR "Content-Usage: train-ai=n\nContent-Usage: / train-ai=y\n", "/a",
	"ai-train=yes", true, 0},
    {STAR "Content-Usage: train-ai=n\nContent-Usage: /a\n", "/a", "", true, 0},
    {STAR "Content-Signal: /*.pdf$\tai-train=no\n", "/a.pdf", "ai-train=no",
	false, 2},
    {STAR "Content-Signal: /*.pdf$\tai-train=no\n", "/a.pdf?x", "", true, 0},
    /* of equal paths all count, and what one of them refuses is refused */
    {STAR "Content-Usage: /a train-ai=y\nContent-Usage: /a train-ai=n\n", "/a",
	"ai-train=no", false, 3},
    {STAR "Content-Signal: /a search=yes\nContent-Signal: /a ai-train=yes\n",
	"/a", "search=yes, ai-train=yes", true, 0},
    /* each field has a longest path of its own */
    {STAR "Content-Signal: ai-train=no\nContent-Usage: /a train-ai=y\n", "/a",
	"ai-train=no", false, 2},
    /* agents before it have it, and it does not end their lines */
    {STAR "Content-Signal: ai-train=no\n" OURS "Disallow: /b\n", "/a", "", true,
	0},
    {OURS "Content-Signal: ai-train=no\nUser-agent: b\nDisallow: /b\n", "/b",
	"", false, 4},
    {OURS "Content-Signal: ai-train=no\nUser-agent: b\nDisallow: /b\n", "/a",
	"ai-train=no", false, 2},
    {STAR "Content-Signal: ai-train=no\n", "/robots.txt", "", true, 0},
    {"Content-Signal: ai-train=no\n" STAR "Allow: /\n", "/a", "", true, 3},
};

static void
preferences_refuse_purposes(void **state)
{
	struct buf *text = *state;

	for (size_t i = 0; i < COUNT(preferences); i++) {
		struct seen seen = {{0}};
		struct robots *robots = parse(
		    preferences[i].body, PROFILE_GOOGLE, &seen);
		struct slice target = slice_of(preferences[i].target);
		struct robots_verdict verdict = robots_page_verdict(
		    robots, target, 1U << PURPOSE_AI_TRAIN);
		bool is_by_rule = robots_verdict(robots, target).is_allowed;

		buf_clear(text);
		purposes_print(text, "", verdict.said);
		if (!slice_is(buf_text(text), preferences[i].said) ||
		    verdict.is_allowed != preferences[i].is_allowed ||
		    verdict.line != preferences[i].line ||
		    (verdict.refused_for != 0) !=
			(is_by_rule && !verdict.is_allowed))
			fail_msg("'%s' %s: %s, line %u", preferences[i].body,
			    preferences[i].target, buf_str(text), verdict.line);
		robots_free(robots);
	}
}

/* The text of a preference is all of its value; faults are found. */
static void
preferences_are_kept_as_written(void **state)
{
	struct seen seen = {{0}};
	struct robots *robots = parse("Content-Usage: search=n\n" STAR
				      "Content-Usage: /a%7e\ttrain-ai=n # x\n"
				      "Content-Signal: ai-train=never\n",
	    PROFILE_GOOGLE, &seen);
	struct robots_verdict verdict = robots_page_verdict(
	    robots, slice_of("/a~"), 1U << PURPOSE_AI_TRAIN);

	assert_false(verdict.is_allowed);
	assert_true(slice_is(verdict.rule, "/a%7e\ttrain-ai=n"));
	assert_int_equal(seen.count[DIAG_ROBOTS_BAD_PREFERENCE], 1);
	assert_int_equal(seen.count[DIAG_ROBOTS_RULE_OUTSIDE_GROUP], 1);
	robots_free(robots);
}

/* under strict no line is repaired. */
/* Lines that no engine reads, and that look as if somebody named a sitemap. */
static void
almost_sitemap_lines_are_told(void **state)
{
	static const struct {
		const char *line;
		unsigned count;
	} lines[] = {{"Sitemaps: https://a.example/s.xml\n", 1},
	    {"Sitemap_index: HTTPS://a.example/s.xml\n", 1},
	    {"Sitemap-of-all-of-this-site: https://a.example/s.xml\n", 0},
	    {"Xitemaps: https://a.example/s.xml\n", 1},
	    {"The-sitemap: https://a.example/s.xml\n", 0},
	    {"Siteowner: https://a.example/\n", 0},
	    {"Sitemaps: see /s.xml\n", 0}, {"Sitemaps: http\n", 0},
	    {"Site map\n", 0}};

	for (size_t i = 0; i < COUNT(lines); i++) {
		struct seen seen = {{0}};
		struct robots *robots = parse(
		    lines[i].line, PROFILE_GOOGLE, &seen);

		if (seen.count[DIAG_ROBOTS_SITEMAP_KEY] != lines[i].count)
			fail_msg("%s", lines[i].line);
		robots_free(robots);
	}
}

static void
strict_repairs_nothing(void **state)
{
	static const char *const bodies[] = {STAR "Disallow /x\n",
	    STAR "Disalow: /x\n", "useragent: *\nDisallow: /x\n"};

	for (size_t i = 0; i < COUNT(bodies); i++) {
		struct seen seen = {{0}};
		struct robots *robots = parse(bodies[i], PROFILE_STRICT, &seen);

		assert_true(robots_verdict(robots, slice_of("/x")).is_allowed);
		assert_int_equal(seen.count[DIAG_ROBOTS_TYPO], 0);
		robots_free(robots);
	}
}

static void
the_rule_is_kept_as_written(void **state)
{
	struct seen seen = {{0}};
	struct robots *robots = parse(
	    STAR "Disallow:  /\xc3\xbc%7e*$ # x\n", PROFILE_GOOGLE, &seen);
	struct robots_verdict verdict = robots_verdict(
	    robots, slice_of("/%C3%BC~z"));

	assert_false(verdict.is_allowed);
	assert_true(slice_is(verdict.rule, "/\xc3\xbc%7e*$"));
	verdict = robots_verdict(robots, slice_of("/"));
	assert_true(verdict.is_allowed);
	assert_int_equal(verdict.rule.len, 0);
	robots_free(robots);
}

static void
put_path(struct buf *path, size_t len)
{
	(void)buf_put_char(path, '/');
	while (path->len < len)
		(void)buf_put_char(path, path->len % 3 == 0 ? 'b' : 'a');
}

/* B2: a matcher that tries a position twice would need years for these
 * patterns. */
static void
nothing_is_tried_twice(void **state)
{
	struct seen seen = {{0}};
	struct robots *robots;
	struct buf body, path;

	buf_init(&body, ROBOTS_MAX_BYTES);
	buf_init(&path, ROBOTS_MAX_BYTES);
	(void)buf_print(&body, STAR "Disallow: /");
	for (unsigned i = 0; i < 3000; i++)
		(void)buf_print(&body, "*%s", i % 2 == 0 ? "a" : "ab");
	(void)buf_print(&body, "*c$\n");
	robots = parse(buf_str(&body), PROFILE_GOOGLE, &seen);
	put_path(&path, 32768);
	assert_true(robots_verdict(robots, buf_text(&path)).is_allowed);
	robots_free(robots);
	buf_release(&path);
	buf_release(&body);
}

/* E27: as many rules of stars as fit into a file: short URLs are judged
 * exactly, and long ones are disallowed before they have cost much. */
static void
stars_cost_little(void **state)
{
	struct seen seen = {{0}};
	struct robots_verdict verdict;
	struct robots *robots;
	struct buf body, path;

	buf_init(&body, ROBOTS_MAX_BYTES);
	buf_init(&path, ROBOTS_MAX_BYTES);
	(void)buf_print(&body, STAR "Allow: /b/*/longest\n");
	for (unsigned i = 0; body.len < ROBOTS_MAX_BYTES - 100; i++)
		(void)buf_print(&body, "Allow:/*z%u\n", i);
	(void)buf_print(&body, "Disallow: /a\n");
	robots = parse(buf_str(&body), PROFILE_GOOGLE, &seen);
	verdict = robots_verdict(robots, slice_of("/a"));
	assert_false(verdict.is_allowed || verdict.is_given_up);
	assert_true(verdict.work <= ROBOTS_MAX_WORK);
	put_path(&path, 8192);
	verdict = robots_verdict(robots, buf_text(&path));
	assert_true(verdict.is_given_up && !verdict.is_allowed);
	assert_true(verdict.line > 0 && verdict.rule.len > 0);
	assert_true(verdict.work <= ROBOTS_MAX_WORK + path.len + 20);
	/* A rule that is reached before the limit decides exactly. */
	memcpy(path.p, "/b/", 3);
	(void)buf_put_slice(&path, slice_of("/longest"));
	verdict = robots_verdict(robots, buf_text(&path));
	assert_true(verdict.is_allowed && !verdict.is_given_up);
	assert_int_equal(verdict.line, 2);
	robots_free(robots);
	buf_release(&path);
	buf_release(&body);
}

/* A preference that is reached when all work is done says no more. */
static void
stars_of_preferences_cost_little(void **state)
{
	struct seen seen = {{0}};
	struct robots_verdict verdict;
	struct robots *robots;
	struct buf body, path;

	buf_init(&body, ROBOTS_MAX_BYTES);
	buf_init(&path, ROBOTS_MAX_BYTES);
	(void)buf_print(&body, STAR);
	for (unsigned i = 0; body.len < ROBOTS_MAX_BYTES - 100; i++)
		(void)buf_print(&body, "Content-Usage: /*z%u train-ai=n\n", i);
	robots = parse(buf_str(&body), PROFILE_GOOGLE, &seen);
	put_path(&path, 8192);
	verdict = robots_page_verdict(
	    robots, buf_text(&path), 1U << PURPOSE_AI_TRAIN);
	assert_true(verdict.is_given_up && !verdict.is_allowed);
	assert_true(verdict.work <= ROBOTS_MAX_WORK + path.len + 20);
	robots_free(robots);
	buf_release(&path);
	buf_release(&body);
}

/* E30: only the rules that apply to freshet are kept of a file. */
static void
only_our_group_is_kept(void **state)
{
	struct seen seen = {{0}};
	struct robots *robots, *ours;
	struct buf *body = *state;

	(void)buf_print(body, STAR);
	for (unsigned i = 0; body->len < ROBOTS_MAX_BYTES - 100; i++)
		(void)buf_print(body, "Disallow: /%u\n", i);
	robots = parse(buf_str(body), PROFILE_GOOGLE, &seen);
	(void)buf_print(body, "User-agent: freshet\nDisallow: /x\n");
	ours = parse(buf_str(body), PROFILE_GOOGLE, &seen);
	assert_true(robots_bytes(robots) > body->len);
	assert_true(robots_bytes(robots) < 8 * body->len);
	assert_true(robots_bytes(ours) < 1000);
	robots_free(robots);
	robots_free(ours);
	/* lines that name the agent, and Sitemap lines, take memory, too */
	buf_clear(body);
	for (unsigned i = 0; i < 1000; i++)
		(void)buf_print(body, STAR);
	robots = parse(buf_str(body), PROFILE_GOOGLE, &seen);
	assert_in_range(robots_bytes(robots), 1000 * sizeof(uint32_t), 20000);
	robots_free(robots);
	buf_clear(body);
	for (unsigned i = 0; i < 1000; i++)
		(void)buf_print(body, "Sitemap: http://a.example/%u\n", i);
	robots = parse(buf_str(body), PROFILE_GOOGLE, &seen);
	assert_in_range(robots_bytes(robots), body->len, 8 * body->len);
	robots_forget_sitemaps(robots);
	assert_int_equal(robots->sitemaps.count, 0);
	assert_true(robots_bytes(robots) < 1000);
	robots_free(robots);
}

/* Repeated lines count once, in files with few sitemaps and with many. */
static void
repeated_sitemaps_count_once(void **state)
{
	static const unsigned counts[] = {1, 15, 16, 17, 18, 400};
	struct buf *body = *state;

	for (size_t i = 0; i < COUNT(counts); i++) {
		struct seen seen = {{0}};
		struct robots *robots;
		char expected[64];
		uint32_t line;

		buf_clear(body);
		for (unsigned k = 0; k < 2 * counts[i]; k++)
			(void)buf_print(body, "Sitemap: http://a.example/%u\n",
			    k % counts[i]);
		robots = parse(buf_str(body), PROFILE_GOOGLE, &seen);
		assert_int_equal(robots->sitemaps.count, counts[i]);
		for (unsigned k = 0; k < counts[i]; k++) {
			struct slice url = robots_sitemap(robots, k, &line);

			(void)snprintf(expected, sizeof(expected),
			    "http://a.example/%u", k);
			assert_true(slice_is(url, expected));
			assert_int_equal(line, k + 1);
		}
		robots_free(robots);
	}
}

static void
findings_have_no_detail(void **state)
{
	struct profile profile = profile_default(PROFILE_GOOGLE);
	unsigned count = 0;
	struct robots *robots;
	struct robots_verdict verdict;

	robots = robots_parse(
	    slice_of("\xef\xbb\xbf<User-agent: *\nUser-agent: *\n"
		     "Crawl-delay: 1\nDisallow: /first\nDisallow: /second\n"),
	    slice_of("freshet"), &profile,
	    (struct diag_sink){no_detail, &count});
	assert_int_equal(count, 3);
	/* the rule is named as it stands in the file */
	verdict = robots_verdict(robots, slice_of("/second/x"));
	assert_false(verdict.is_allowed);
	assert_int_equal(verdict.line, 5);
	assert_true(slice_is(verdict.rule, "/second"));
	robots_free(robots);
}

/* SPEC R-106: what is no robots.txt, though it came as one. */
static void
pages_are_no_files(void **state)
{
	static const struct {
		const char *body;
		bool is_file, is_html;
	} cases[] = {{"", true, false}, {"\xef\xbb\xbf\r\n", true, false},
	    {"# nothing\n#x\n", true, false}, {"Disallow:", true, false},
	    {"x\nallow : /\n", true, false}, {"Sitemap: /s.xml\n", true, false},
	    {"site-map: x", true, false}, {"Not found\n", false, false},
	    {"{\"error\": 404}", false, false},
	    {"Host: a.example\n", false, false},
	    {"<html><body>Welcome!</body></html>", false, true},
	    {" \n\xef\xbb\xbf<p>", false, false},
	    {"\xef\xbb\xbf \n<p>", false, true},
	    {"<script>\nuserAgent: navigator.x,\nallow: 1,\n"
	     "sitemap: \"/s\",\n\"user-agent\": 2",
		false, true},
	    {"<br />\n<b>Warning</b>\nUser-agent: *\nDisallow: /\n", true,
		true},
	    {"<!-- x -->\nsitemap: https://a.example/s.xml\n", true, true}};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct slice body = slice_of(cases[i].body);

		if (robots_is_file(body) != cases[i].is_file ||
		    robots_is_html(body) != cases[i].is_html)
			fail_msg("'%s'", cases[i].body);
	}
}

/* SPEC R-100: a robots.txt in a content coding is no text. */
static void
packed_files_are_known(void **state)
{
	static const struct {
		const char *body;
		size_t len;
		const char *encoding;
		bool is_packed;
	} cases[] = {{"User-agent: *\n", 14, NULL, false}, {"", 0, "br", false},
	    {"\x1f\x8b\x08", 3, NULL, true},
	    {"\x28\xb5\x2f\xfd", 4, "identity", true},
	    {"\t\n\v\f\r x\xff", 8, "br", false}, {"a\x01", 2, "br", true},
	    {"a\x01", 2, "Identity", false}, {"a\x01", 2, NULL, false},
	    {"a\x00", 2, "zstd", true}};
	char text[1025];

	for (size_t i = 0; i < COUNT(cases); i++)
		assert_int_equal(
		    robots_is_packed(slice_make(cases[i].body, cases[i].len),
			cases[i].encoding),
		    cases[i].is_packed);
	/* only the beginning is looked at */
	memset(text, 'a', sizeof(text));
	text[1024] = 1;
	assert_false(robots_is_packed(slice_make(text, 1025), "br"));
	text[1023] = 1;
	assert_true(robots_is_packed(slice_make(text, 1025), "br"));
}

static void
count_findings(void *arg, enum diag_code code, struct slice detail)
{
	unsigned *count = arg;

	(void)code;
	(void)detail;
	(*count)++;
}

/* A URL whose normal form is longer than the store keeps is no sitemap. */
static void
long_sitemaps_are_refused(void **state)
{
	struct profile profile = profile_default(PROFILE_GOOGLE);
	struct robots *robots;
	unsigned count = 0;
	struct buf *text = *state;

	(void)buf_print(text, "Sitemap: http://a.example/");
	for (int i = 0; i < 2000; i++)
		(void)buf_print(text, "\xc3\xa9");
	robots = robots_parse(buf_text(text), slice_of("freshet"), &profile,
	    (struct diag_sink){count_findings, &count});
	assert_int_equal(robots->sitemaps.count, 0);
	assert_int_equal(robots->rules.count, 0);
	assert_int_equal(count, 1);
	robots_free(robots);
}

UNIT(robots)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(pages_are_no_files),
	    cmocka_unit_test(packed_files_are_known),
	    text_test(long_sitemaps_are_refused),
	    cmocka_unit_test(no_robots_allow_all),
	    cmocka_unit_test(delays_are_clamped),
	    text_test(sitemaps_are_listed),
	    text_test(the_limit_cuts_at_a_byte),
	    text_test(long_lines_are_cut),
	    text_test(sitemaps_have_a_cap),
	    cmocka_unit_test(colliding_sitemaps_cost_nothing),
	    cmocka_unit_test(some_agents_have_two_tokens),
	    cmocka_unit_test(agent_lines_are_known),
	    cmocka_unit_test(lines_are_found),
	    cmocka_unit_test(verdicts_follow_the_rules),
	    text_test(preferences_refuse_purposes),
	    cmocka_unit_test(preferences_are_kept_as_written),
	    cmocka_unit_test(strict_repairs_nothing),
	    cmocka_unit_test(almost_sitemap_lines_are_told),
	    cmocka_unit_test(stars_of_preferences_cost_little),
	    cmocka_unit_test(the_rule_is_kept_as_written),
	    cmocka_unit_test(nothing_is_tried_twice),
	    cmocka_unit_test(stars_cost_little),
	    text_test(only_our_group_is_kept),
	    text_test(repeated_sitemaps_count_once),
	    cmocka_unit_test(findings_have_no_detail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
