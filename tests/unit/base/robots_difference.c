/* base/robots_difference.c: what came and went between two texts. */
#include "tests/fixtures/fixture.h"

#include "base/mem.h"
#include "base/robots_difference.h"

static void
put(void *arg, const struct robots_change *change)
{
	struct buf *out = arg;

	(void)buf_put_char(out, change->is_new ? '+' : '-');
	robots_change_print(out, change, 2);
	(void)buf_put_char(out, '\n');
}

static const struct {
	const char *before, *after;
	const char *changes;
	uint64_t came, went;
	bool is_of_sitemaps;
} cases[] = {
    {"", "", "", 0, 0, true},
    {"User-agent: *\nDisallow: /a\n", "User-agent: *\nDisallow: /a\n", "", 0, 0,
	true},
    /* comments, blank space, line ends, the order of rules, the case of names,
     * a byte order mark, and typos that are repaired say nothing */
    {"User-agent: *\nDisallow: /a\nAllow: /b",
	"\xef\xbb\xbf# new\r\n\r\nUSER-AGENT : * # all\r\nallow: "
	"/b\rdisalow:/a",
	"", 0, 0, true},
    {"User-agent: *\nDisallow: /a\n",
	"User-agent: *\nDisallow: /a\nDisallow: /labs/\n",
	"+Disallow: /labs/ for *\n", 1, 0, false},
    {"User-agent: *\nDisallow: /a\nAllow: /a/b\n",
	"User-agent: *\nDisallow: /\n",
	"+Disallow: / for *\n-Allow: /a/b for *\n-Disallow: /a for *\n", 1, 2,
	false},
    /* an agent that joins a group */
    {"User-agent: *\nDisallow: /a\n",
	"User-agent: *\nUser-agent: GPTBot/1.0\nDisallow: /a\n",
	"+Disallow: /a for GPTBot\n", 1, 0, false},
    /* a rule for many agents is told once */
    {"", "User-agent: a\nUser-agent: b\nUser-agent: c\nDisallow: /\n",
	"+Disallow: / for a, b and 1 further\n", 1, 0, false},
    /* the same group in two pieces, tokens in another case */
    {"User-agent: a\nDisallow: /x\nDisallow: /y\n",
	"User-agent: A\nDisallow: /y\n\nUser-agent: a\nDisallow: /x\n", "", 0,
	0, true},
    /* an agent without rules may fetch all */
    {"User-agent: *\nDisallow: /\n",
	"User-agent: *\nDisallow: /\nUser-agent: x\nDisallow:\n",
	"+User-agent: x\n", 1, 0, false},
    {"User-agent: x\n", "User-agent: x\nDisallow:\n", "", 0, 0, true},
    /* rules before any agent belong to nobody */
    {"Disallow: /\n", "Disallow: /x\n", "", 0, 0, true},
    {"User-agent: *\nCrawl-delay: 2\n", "User-agent: *\nCrawl-delay: 10\n",
	"+Crawl-delay: 10 for *\n-Crawl-delay: 2 for *\n", 1, 1, false},
    {"User-agent: *\nContent-Signal: search=yes\n",
	"User-agent: *\ncontent-signal: ai-train=no\nContent-Usage: /a "
	"train-ai=n\n",
	"+Content-Signal: ai-train=no for *\n"
	"+Content-Usage: /a train-ai=n for *\n"
	"-Content-Signal: search=yes for *\n",
	2, 1, false},
    {"Sitemap: http://a.test/1.xml\n", "Sitemap: http://a.test/2.xml\n",
	"+Sitemap: http://a.test/2.xml\n-Sitemap: http://a.test/1.xml\n", 1, 1,
	true},
    {"", "Host: a.test\nnonsense\n", "+Host: a.test\n+nonsense:\n", 2, 0,
	false},
    {"Host: a.test\n", "Host : a.test\nx\n", "+x:\n", 1, 0, false},
};

static void
test_cases(void **state)
{
	struct buf *out = *state;

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct slice before = slice_of(cases[i].before);
		struct slice after = slice_of(cases[i].after);
		struct robots_difference difference = robots_compare(
		    before, after, put, out);

		assert_row(cases[i].after, out, cases[i].changes);
		assert_int_equal(difference.came, cases[i].came);
		assert_int_equal(difference.went, cases[i].went);
		assert_int_equal(
		    difference.is_of_sitemaps, cases[i].is_of_sitemaps);
		assert_int_equal(
		    difference.is_different, cases[i].came + cases[i].went > 0);
		assert_false(difference.is_cut);
		/* the other way round, all that came went */
		difference = robots_compare(after, before, NULL, NULL);
		assert_int_equal(difference.came, cases[i].went);
		assert_int_equal(difference.went, cases[i].came);
	}
}

/* Agents times rules are no more than a limit. */
static void
test_limit(void **state)
{
	struct robots_difference difference;
	struct buf *text = *state;

	for (int i = 0; i < 1000; i++)
		(void)buf_print(text, "User-agent: a%c%c%c\n", 'a' + i / 100,
		    'a' + i / 10 % 10, 'a' + i % 10);
	for (int i = 0; i < 1000; i++)
		(void)buf_print(text, "Disallow: /%d\n", i);
	difference = robots_compare(
	    slice_make(NULL, 0), buf_text(text), NULL, NULL);
	assert_true(difference.is_cut);
	assert_true(difference.is_different);
	assert_false(difference.is_of_sitemaps);
	difference = robots_compare(buf_text(text), buf_text(text), NULL, NULL);
	assert_false(difference.is_different);
}

/* A long value is cut. */
static void
test_long(void **state)
{
	struct buf text, out;

	buf_init(&text, SIZE_MAX);
	buf_init(&out, SIZE_MAX);
	(void)buf_print(&text, "User-agent: *\nDisallow: /%0300d\n", 0);
	(void)robots_compare(slice_make(NULL, 0), buf_text(&text), put, &out);
	assert_int_equal(
	    out.len, strlen("+Disallow: ") + 200 + strlen("... for *\n"));
	buf_release(&text);
	buf_release(&out);
}

UNIT(robots_difference)
{
	const struct CMUnitTest tests[] = {
	    text_test(test_cases),
	    text_test(test_limit),
	    cmocka_unit_test(test_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
