/* Which pages and sitemaps are wanted. */
#include "base/page_filter.h"

#include <stdlib.h>

#include "base/civil.h"
#include "base/strings.h"
#include "base/w3cdate.h"
#include "tests/fixtures/fixture.h"

#define HOST "https://a.example"
#define NOW_S INT64_C(1800000000)

static struct page_filter *
filter_made(const char *strong, const char *weak, bool of_sitemaps)
{
	struct strings lists[2] = {{0}};
	struct page_filter_texts texts[2];
	struct page_filter *filter;
	struct slice word;

	for (size_t i = 0; i < 2; i++) {
		const char *text = i == 0 ? strong : weak;

		while (slice_next(&text, ' ', &word))
			strings_add(&lists[i], word);
		for (size_t k = 0; k < lists[i].count; k++)
			assert_true(page_filter_check(lists[i].items[k]));
		texts[i] = (struct page_filter_texts){
		    (const char *const *)lists[i].items, lists[i].count};
	}
	filter = page_filter_new(texts[0], texts[1], of_sitemaps);
	strings_release(&lists[0]);
	strings_release(&lists[1]);
	return filter;
}

/* The filter of "KEY=VALUE KEY=VALUE". */
static struct page_filter *
filter_of(const char *text, bool of_sitemaps)
{
	return filter_made(text, "", of_sitemaps);
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
	    /* what robots.txt says of a URL is judged elsewhere */
	    {"purpose=ai-train", HOST "/a", NULL},
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
		assert_int_equal(
		    page_filter_wants(filter, subject.url, NULL, 0, 0),
		    rows[i].by == NULL);
		page_filter_free(filter);
	}
	assert_null(
	    page_filter_refuses(NULL, &(struct page_filter_subject){0}));
	assert_true(page_filter_wants(NULL, slice_of(""), NULL, 0, 0));
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
	assert_null(filter_of("", false));
}

/* A weak rule counts if no strong one has its key. */
static void
weak_rules(void **state)
{
	static const struct {
		const char *strong, *weak, *url, *by;
		bool is_weak;
	} rows[] = {
	    {"", "include=/a/", HOST "/b", "/a/", true},
	    {"include=/b", "include=/a/", HOST "/a/", "/b", false},
	    {"below=/b", "include=/a/", HOST "/a/", "/b", false},
	    {"include=/b", "exclude=*c depth=0", HOST "/b/c", "*c", true},
	    {"include=/b exclude=*d", "exclude=*c depth=0", HOST "/b/c", "0",
		true},
	    {"depth=2", "depth=0", HOST "/b/c", NULL, false},
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct page_filter *filter = filter_made(
		    rows[i].strong, rows[i].weak, false);
		const struct page_filter_rule *rule = page_filter_refuses(
		    filter,
		    &(struct page_filter_subject){
			.url = slice_of(rows[i].url)});

		assert_int_equal(rule == NULL, rows[i].by == NULL);
		if (rule != NULL) {
			assert_string_equal(rule->value, rows[i].by);
			assert_int_equal(rule->is_weak, rows[i].is_weak);
		}
		page_filter_free(filter);
	}
}

/* The time that URLs take is bounded, and such a page is wanted. */
static void
too_expensive(void **state)
{
	static const char rule[] = "exclude=/*a*a*a*a*a*a*a*a*a*a*b";
	const char *const rules[] = {
	    rule, rule, rule, rule, rule, rule, rule, rule};
	size_t len = 200000;
	char *url = mem_alloc(len);
	struct page_filter *filter = page_filter_new(
	    (struct page_filter_texts){rules, COUNT(rules)},
	    (struct page_filter_texts){0}, false);

	memset(url, 'a', len);
	memcpy(url, HOST "/", sizeof(HOST "/") - 1);
	assert_true(
	    page_filter_wants(filter, slice_make(url, len), NULL, 0, 0));
	page_filter_free(filter);
	free(url);
}

static void
forms(void **state)
{
	static const char *const good[] = {"below=/blog", "below=/",
	    "include=/blog", "sitemap-exclude=*.gz$", "exclude=/$",
	    "include=/a=b", "newer=30d", "newer=2026-11-01",
	    "sitemap-newer=2026-11-01T00:00:00+01:00", "depth=0",
	    "sitemap-depth=999"};
	static const char *const bad[] = {"", "=", "include", "includes=/a",
	    "below=blog", "below=/a b", "below=", "exclude=blog", "include=/*",
	    "exclude=*$", "exclude=/a#b", "newer=2026-11", "newer=30",
	    "newer=d", "newer=-1d", "newer=30days", "newer=100000d",
	    "newer=99999999999999999999d", "newer=", "depth=1000", "depth=-1",
	    "depth=", "depth=18446744073709551617"};

	for (size_t i = 0; i < COUNT(good); i++)
		if (!page_filter_check(good[i]))
			fail_msg("%s", good[i]);
	for (size_t i = 0; i < COUNT(bad); i++)
		if (page_filter_check(bad[i]))
			fail_msg("%s", bad[i]);
	assert_int_equal(page_filter_key("depth=1"), FILTER_DEPTH);
}

UNIT(page_filter)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(by_url),
	    cmocka_unit_test(by_date),
	    cmocka_unit_test(of_sitemaps),
	    cmocka_unit_test(weak_rules),
	    cmocka_unit_test(too_expensive),
	    cmocka_unit_test(forms),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
