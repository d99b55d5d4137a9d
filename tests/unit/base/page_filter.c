/* Which pages and sitemaps are wanted. */
#include "base/page_filter.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/civil.h"
#include "base/w3cdate.h"
#include "tests/fixtures/fixture.h"

#define HOST "https://a.example"
#define NOW_S INT64_C(1800000000)

/* The filter of "KEY=VALUE KEY=VALUE". */
static struct page_filter *
filter_of(const char *text, bool of_sitemaps)
{
	struct page_filter_rule rules[8];
	char values[8][64];
	size_t count = 0;
	struct slice word;

	while (slice_next(&text, ' ', &word)) {
		size_t len = 0;

		while (word.p[len] != '=')
			len++;
		(void)snprintf(values[count], sizeof(values[count]), "%.*s",
		    (int)(word.len - len - 1), word.p + len + 1);
		rules[count] = (struct page_filter_rule){
		    .key = page_filter_key(slice_make(word.p, len)),
		    .value = values[count],
		    .source = "the test"};
		assert_true(rules[count].key < FILTER_KEYS);
		assert_true(page_filter_check(rules[count].key, values[count]));
		count++;
	}
	return page_filter_new(rules, count, of_sitemaps);
}

static void
by_url(void **state)
{
	static const struct {
		const char *rules, *url, *by; /* NULL: it is wanted */
	} rows[] = {
	    {"include=/blog/", HOST "/blog/x", NULL},
	    {"include=/blog/", HOST "/blog", "/blog/"},
	    {"include=/blog/ include=/shop", HOST "/shopping", NULL},
	    {"include=*.html$", HOST "/a/b.html", NULL},
	    {"include=*.html$", HOST "/a/b.html?x", "*.html$"},
	    {"exclude=/tag/ exclude=*?page=", HOST "/tag/x", "/tag/"},
	    {"exclude=/tag/ exclude=*?page=", HOST "/b?page=2", "*?page="},
	    {"exclude=/tag/", HOST "/blog/tag/", NULL},
	    {"exclude=/tag/", HOST, NULL},
	    {"exclude=/$", HOST, "/$"},
	    {"exclude=/$", HOST "/a", NULL},
	    /* what is excluded is out, however long the pattern that includes
	     * it is */
	    {"include=/blog/long/ exclude=*x", HOST "/blog/long/x", "*x"},
	    {"include=/blog/ exclude=/blog/a", HOST "/shop/", "/blog/"},
	    {"include=/blog/ exclude=/blog/a", HOST "/blog/b", NULL},
	    /* a path ends where a folder or a file does */
	    {"below=/blog", HOST "/blog", NULL},
	    {"below=/blog", HOST "/blog?x", NULL},
	    {"below=/blog/", HOST "/blog/x/y", NULL},
	    {"below=/blog/", HOST "/blog", NULL},
	    {"below=/blog", HOST "/blogs", "/blog"},
	    {"below=/blog", HOST "/x/blog/", "/blog"},
	    {"below=/", HOST "/x", NULL},
	    {"below=/blog include=/shop/", HOST "/shop/x", NULL},
	    {"below=/blog include=/shop/", HOST "/", "/blog"},
	    {"depth=0", HOST "/a", NULL},
	    {"depth=0", HOST, NULL},
	    {"depth=0", HOST "/a/", "0"},
	    {"depth=1", HOST "/a/b?c=/d/e/", NULL},
	    {"depth=1", HOST ":8080/a/b/c", "1"},
	    {"depth=1 include=/a/", HOST "/a/b/c", "1"},
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct page_filter *filter = filter_of(rows[i].rules, false);
		struct page_filter_subject subject = {
		    .url = slice_of(rows[i].url)};
		const struct page_filter_rule *rule = page_filter_refuses(
		    filter, &subject);
		const char *by = rule == NULL ? "" : rule->value;

		if (strcmp(by, rows[i].by == NULL ? "" : rows[i].by) != 0)
			fail_msg("%s %s: %s", rows[i].rules, rows[i].url, by);
		assert_int_equal(page_filter_passes(filter, subject.url),
		    rows[i].by == NULL);
		page_filter_free(filter);
	}
	assert_null(
	    page_filter_refuses(NULL, &(struct page_filter_subject){0}));
	assert_true(page_filter_passes(NULL, slice_of("")));
	page_filter_free(NULL);
}

static void
by_date(void **state)
{
	static const struct {
		const char *rules, *lastmod; /* NULL: none */
		int64_t first_seen_s;
		bool is_wanted;
	} rows[] = {
	    /* NOW_S is 2027-01-15T08:00:00Z */
	    {"newer=2026-11-01", "2026-11-01", 0, true},
	    {"newer=2026-11-01", "2026-10-31", 0, false},
	    {"newer=2026-11-01T12:00Z", "2026-11-01", 0, true},
	    {"newer=2026-11-01T12:00Z", "2026-11-01T11:59Z", 0, false},
	    {"newer=30d", "2026-12-16T08:00:00Z", 0, true},
	    {"newer=30d", "2026-12-16T07:59:59Z", 0, false},
	    {"newer=30d", "2026-12-16", 0, true},
	    {"newer=1w", "2027-01-08", 0, true},
	    {"newer=1w", "2027-01-07", 0, false},
	    {"newer=2h", "2027-01-15T05:59:00Z", 0, false},
	    {"newer=1y", "2026-01-15", 0, true},
	    {"newer=1y", "2026-01-14", 0, false},
	    {"newer=0d", "2027-01-15T08:00:00Z", 0, true},
	    /* without a date, or with one that is no day, when it came counts
	     */
	    {"newer=30d", NULL, NOW_S - 31 * DAY_S, false},
	    {"newer=30d", NULL, NOW_S - 29 * DAY_S, true},
	    {"newer=30d", "2027-01", NOW_S - 31 * DAY_S, false},
	    {"newer=30d", "2026-01-01", NOW_S, false},
	    {"newer=30d", NULL, 0, true},
	    {"newer=30d newer=7d", "2027-01-01", 0, false},
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct page_filter *filter = filter_of(rows[i].rules, false);
		struct page_filter_subject subject = {
		    .url = slice_of(HOST "/x"),
		    .first_seen_s = rows[i].first_seen_s,
		    .now_s = NOW_S};
		struct date date;

		if (rows[i].lastmod != NULL) {
			assert_true(
			    date_read(&date, slice_of(rows[i].lastmod)));
			subject.lastmod = &date;
		}
		if ((page_filter_refuses(filter, &subject) == NULL) !=
		    rows[i].is_wanted)
			fail_msg("%zu: %s", i, rows[i].rules);
		page_filter_free(filter);
	}
}

static void
of_sitemaps(void **state)
{
	static const char rules[] =
	    "include=/a sitemap-exclude=*old sitemap-depth=1";
	struct page_filter *filter = filter_of(rules, true);
	struct page_filter_subject subject = {
	    .url = slice_of(HOST "/x/y/z.xml"), .indexes = 1};

	assert_null(page_filter_refuses(filter, &subject));
	subject.indexes = 2;
	assert_int_equal(
	    page_filter_refuses(filter, &subject)->key, FILTER_SITEMAP_DEPTH);
	subject = (struct page_filter_subject){
	    .url = slice_of(HOST "/old.xml")};
	assert_int_equal(
	    page_filter_refuses(filter, &subject)->key, FILTER_SITEMAP_EXCLUDE);
	page_filter_free(filter);
	/* rules of the other kind make no filter */
	assert_null(filter_of("include=/a", true));
	assert_null(filter_of("sitemap-newer=1d", false));
	assert_null(page_filter_new(NULL, 0, false));
}

/* The time that URLs take is bounded, and such a page is wanted. */
static void
too_expensive(void **state)
{
	size_t len = 200000;
	char *url = mem_alloc(len);
	struct page_filter_rule rules[8];
	struct page_filter *filter;

	memset(url, 'a', len);
	memcpy(url, HOST "/", sizeof(HOST "/") - 1);
	for (size_t i = 0; i < COUNT(rules); i++)
		rules[i] = (struct page_filter_rule){
		    FILTER_EXCLUDE, "/*a*a*a*a*a*a*a*a*a*a*b", NULL};
	filter = page_filter_new(rules, COUNT(rules), false);
	assert_true(page_filter_passes(filter, slice_make(url, len)));
	page_filter_free(filter);
	free(url);
}

static void
forms(void **state)
{
	static const struct {
		enum page_filter_key key;
		const char *value;
		bool is_good;
	} rows[] = {
	    {FILTER_BELOW, "/blog", true},
	    {FILTER_BELOW, "/", true},
	    {FILTER_BELOW, "blog", false},
	    {FILTER_BELOW, "/a b", false},
	    {FILTER_BELOW, "", false},
	    {FILTER_INCLUDE, "/blog", true},
	    {FILTER_SITEMAP_EXCLUDE, "*.gz$", true},
	    {FILTER_EXCLUDE, "blog", false},
	    {FILTER_INCLUDE, "/*", false},
	    {FILTER_NEWER, "30d", true},
	    {FILTER_NEWER, "2026-11-01", true},
	    {FILTER_SITEMAP_NEWER, "2026-11-01T00:00:00+01:00", true},
	    {FILTER_NEWER, "2026-11", false},
	    {FILTER_NEWER, "30", false},
	    {FILTER_NEWER, "d", false},
	    {FILTER_NEWER, "-1d", false},
	    {FILTER_NEWER, "30days", false},
	    {FILTER_NEWER, "100000d", false},
	    {FILTER_NEWER, "99999999999999999999d", false},
	    {FILTER_DEPTH, "0", true},
	    {FILTER_SITEMAP_DEPTH, "999", true},
	    {FILTER_DEPTH, "1000", false},
	    {FILTER_DEPTH, "-1", false},
	    {FILTER_DEPTH, "", false},
	    {FILTER_DEPTH, "18446744073709551617", false},
	};

	for (size_t i = 0; i < COUNT(rows); i++)
		if (page_filter_check(rows[i].key, rows[i].value) !=
		    rows[i].is_good)
			fail_msg("%s", rows[i].value);
	for (unsigned key = 0; key < FILTER_KEYS; key++)
		assert_int_equal(
		    page_filter_key(slice_of(page_filter_keys[key])), key);
	assert_int_equal(page_filter_key(slice_of("includes")), FILTER_KEYS);
}

UNIT(page_filter)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(by_url),
	    cmocka_unit_test(by_date),
	    cmocka_unit_test(of_sitemaps),
	    cmocka_unit_test(too_expensive),
	    cmocka_unit_test(forms),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
