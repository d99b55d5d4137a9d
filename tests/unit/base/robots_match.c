/* Which rule of robots.txt decides: SPEC, HOSTILE B2. */
#include "tests/fixtures/fixture.h"

#include <string.h>

#include "base/robots.h"

#define STAR "User-agent: *\n"
#define OURS "User-agent: freshet\n"

static struct robots *
parse(const char *body, enum profile_name name, struct seen *seen)
{
	struct profile profile = profile_default(name);

	return robots_parse(
	    slice_of(body), slice_of("freshet"), &profile, seen_sink(seen));
}

struct row {
	const char *rule;
	const char *body;
	const char *target;
	bool is_allowed;
	uint32_t line; /* of the deciding rule */
};

static const struct row rows[] = {
    {"R-89 none", "", "/x", true, 0},
    {"R-89 other agent", "User-agent: other\nDisallow: /\n", "/x", true, 0},
    {"R-89 star", STAR "Disallow: /x\n", "/x", false, 2},
    {"R-89 ours replaces", STAR "Disallow: /\n" OURS "Disallow: /p\n", "/x",
	true, 0},
    {"R-89 order", OURS "Disallow: /p\n" STAR "Disallow: /\n", "/x", true, 0},
    {"R-89 merged",
	OURS "Disallow: /a\n" STAR "Disallow: /c\n" OURS "Disallow: /b\n", "/b",
	false, 6},
    {"R-89 merged star", STAR "Disallow: /a\n" STAR "Disallow: /b\n", "/a",
	false, 2},
    {"R-89 case", "USER-AGENT: FrEsHeT\nDISALLOW: /x\n", "/x", false, 2},
    {"R-90 two agents", "User-agent: a\nUser-agent: freshet\nDisallow: /x\n",
	"/x", false, 3},
    {"R-90 star and ours", STAR OURS "Disallow: /x\n", "/x", false, 3},
    {"R-90 blank", OURS "\n\nDisallow: /x\n", "/x", false, 4},
    {"R-90 delay, blank, star", OURS "Crawl-delay: 10\n\n" STAR "Disallow: /\n",
	"/x", false, 5},
    {"R-90 sitemap", OURS "Sitemap: http://a.example/s\n" STAR "Disallow: /\n",
	"/x", false, 4},
    {"R-90 unknown", OURS "Noindex: /\n" STAR "Disallow: /\n", "/x", false, 4},
    {"R-90 empty rule ends", OURS "Disallow:\n" STAR "Disallow: /\n", "/x",
	true, 0},
    {"R-90 no rules", STAR "Disallow: /\n" OURS, "/x", true, 0},
    {"R-90 outside", "Disallow: /\n" OURS "Allow: /\n", "/x", true, 3},
    {"R-91 version", "User-agent: freshet/1.0\nDisallow: /x\n", "/x", false, 2},
    {"R-91 longer", "User-agent: freshet-news\nDisallow: /x\n", "/x", true, 0},
    {"R-91 shorter", "User-agent: fresh\nDisallow: /x\n", "/x", true, 0},
    {"R-91 word star", "User-agent: *bot\nDisallow: /x\n", "/x", true, 0},
    {"R-91 empty", "User-agent:\nDisallow: /x\n", "/x", true, 0},
    {"R-92 longest", STAR "Disallow: /a\nAllow: /a/b\n", "/a/b/c", true, 3},
    {"R-92 longest, first", STAR "Allow: /a/b\nDisallow: /a\n", "/a/b/c", true,
	2},
    {"R-92 tie", STAR "Disallow: /a\nAllow: /a\n", "/a", true, 3},
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
    {"R-92 first octet", STAR "Disallow: x\n", "/x", true, 0},
    {"R-92 first octet", STAR "Disallow: /b\n", "/a/b", true, 0},
    {"R-93 prefix", STAR "Disallow: /k\n", "/kelp/x?y", false, 2},
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
    {"R-93 dollar inside", STAR "Disallow: /a$b\n", "/a$bc", false, 2},
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
    {"R-94 slash", STAR "Disallow: /a%2fb\n", "/a/b", true, 0},
    {"R-94 slash", STAR "Disallow: /a%2fb\n", "/a%2Fb", false, 2},
    {"R-94 star", STAR "Disallow: /%2a$\n", "/*", false, 2},
    {"R-94 star", STAR "Disallow: /%2A$\n", "/%2A", false, 2},
    {"R-94 star is literal", STAR "Disallow: /%2A$\n", "/x", true, 0},
    {"R-94 dollar is literal", STAR "Disallow: /a%24\n", "/a$b", false, 2},
    {"R-94 dollar is literal", STAR "Disallow: /a%24\n", "/a", true, 0},
    {"R-94 what URLs escape", STAR "Disallow: /a|b {c}\n", "/a%7Cb%20%7Bc%7D",
	false, 2},
    {"R-94 lone percent", STAR "Disallow: /a%zz\n", "/a%25zz", false, 2},
    {"R-95 empty", STAR "Disallow:\nAllow:\n", "/x", true, 0},
    {"R-95 robots.txt", STAR "Disallow: /\n", "/robots.txt", true, 0},
    {"R-95 robots.txt alone", STAR "Disallow: /\n", "/robots.txt/", false, 2},
    {"R-96 CR", "User-agent: *\rDisallow: /x\r", "/x", false, 2},
    {"R-96 CRLF", "User-agent: *\r\nDisallow: /x\r\n", "/x", false, 2},
    {"R-96 mixed", "\n\r\n\rUser-agent: *\nDisallow: /x", "/x", false, 5},
    {"R-96 comment", STAR "Disallow: /x # /y\n", "/x", false, 2},
    {"R-96 comment", STAR "#Disallow: /x\n", "/x", true, 0},
    {"R-96 spaces", " User-agent\t:\t* \n  Disallow :  /x  \n", "/x", false, 2},
    {"R-96 BOM", "\xef\xbb\xbf" STAR "Disallow: /x\n", "/x", false, 2},
    {"R-97 no colon", STAR "Disallow /x\n", "/x", false, 2},
    {"R-97 no colon, tab", STAR "Disallow\t/x\n", "/x", false, 2},
    {"R-97 colon later", STAR "Disallow /x:y\n", "/x:y", false, 2},
    {"R-97 three words", STAR "Disallow /x /y\n", "/x", true, 0},
    {"R-97 useragent", "useragent: *\nDisallow: /x\n", "/x", false, 2},
    {"R-97 user agent", "user agent: *\nDisallow: /x\n", "/x", false, 2},
    {"R-97 disalow", STAR "Disalow: /x\n", "/x", false, 2},
    {"R-97 dissalow", STAR "Dissalow: /x\n", "/x", false, 2},
    {"R-97 dissallow", STAR "Dissallow: /x\n", "/x", false, 2},
    {"R-97 diasllow", STAR "Diasllow: /x\n", "/x", false, 2},
    {"R-97 disallaw", STAR "Disallaw: /x\n", "/x", false, 2},
    {"R-97 whole fields", STAR "Disallowed: /x\n", "/x", true, 0},
    {"R-106 HTML", "<html>\n" STAR "Disallow: /x\n", "/x", false, 3},
};

static void
verdicts_follow_the_rules(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct seen seen = {{0}};
		struct robots *robots = parse(
		    rows[i].body, PROFILE_GOOGLE, &seen);
		struct robots_verdict verdict = robots_verdict(
		    robots, slice_of(rows[i].target));

		if (verdict.is_allowed != rows[i].is_allowed ||
		    verdict.line != rows[i].line)
			fail_msg("%s: '%s' is %s by line %u", rows[i].rule,
			    rows[i].target,
			    verdict.is_allowed ? "allowed" : "denied",
			    verdict.line);
		robots_free(robots);
	}
}

/* strict forgives nothing. */
static void
strict_repairs_nothing(void **state)
{
	static const char *const bodies[] = {STAR "Disallow /x\n",
	    STAR "Disalow: /x\n", "useragent: *\nDisallow: /x\n"};

	(void)state;
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

	(void)state;
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

/* B2: a matcher that tries anything twice would need years. */
static void
nothing_is_tried_twice(void **state)
{
	struct seen seen = {{0}};
	struct robots *robots;
	struct buf body, path;

	(void)state;
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

	(void)state;
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
	/* What decides before the limit is exact. */
	memcpy(path.p, "/b/", 3);
	(void)buf_put_slice(&path, slice_of("/longest"));
	verdict = robots_verdict(robots, buf_text(&path));
	assert_true(verdict.is_allowed && !verdict.is_given_up);
	assert_int_equal(verdict.line, 2);
	robots_free(robots);
	buf_release(&path);
	buf_release(&body);
}

/* E30: what is kept of a file is what holds for us. */
static void
only_our_group_is_kept(void **state)
{
	struct seen seen = {{0}};
	struct robots *robots, *ours;
	struct buf body;

	(void)state;
	buf_init(&body, ROBOTS_MAX_BYTES);
	(void)buf_print(&body, STAR);
	for (unsigned i = 0; body.len < ROBOTS_MAX_BYTES - 100; i++)
		(void)buf_print(&body, "Disallow: /%u\n", i);
	robots = parse(buf_str(&body), PROFILE_GOOGLE, &seen);
	(void)buf_print(&body, "User-agent: freshet\nDisallow: /x\n");
	ours = parse(buf_str(&body), PROFILE_GOOGLE, &seen);
	assert_true(robots_bytes(robots) > body.len);
	assert_true(robots_bytes(robots) < 8 * body.len);
	assert_true(robots_bytes(ours) < 1000);
	robots_free(robots);
	robots_free(ours);
	buf_release(&body);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(verdicts_follow_the_rules),
	    cmocka_unit_test(strict_repairs_nothing),
	    cmocka_unit_test(the_rule_is_kept_as_written),
	    cmocka_unit_test(nothing_is_tried_twice),
	    cmocka_unit_test(stars_cost_little),
	    cmocka_unit_test(only_our_group_is_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
