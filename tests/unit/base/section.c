/* Sections of URLs, and pages that are ignored. */
#include "base/section.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/page_filter.h"
#include "tests/fixtures/fixture.h"

#define HOST "https://a.example"

static const char *const paths[] = {
    "products: /p /shop/ /products", " sale :/shop/sale", "a.b-C_1: /x%20y"};
static const char *const patterns[] = {"exclude=/tag/",
    "exclude=*?page=", "exclude=*&sort=", "exclude=/*.pdf$",
    "exclude=*%3Cb%3E"};

static struct section_rules *
rules_of(unsigned depth)
{
	return section_rules_new(depth, paths, COUNT(paths),
	    page_filter_new(
		(struct page_filter_texts){patterns, COUNT(patterns)},
		(struct page_filter_texts){0}, false));
}

/* A URL ends where its slice does, so the copy has no byte more. */
static void
assert_section(
    const struct section_rules *rules, const char *url, const char *section)
{
	size_t len = strlen(url);
	char *copy = mem_alloc(len + (len == 0));
	struct slice found;

	memcpy(copy, url, len);
	found = section_of(rules, slice_make(copy, len));
	if (!slice_is(found, section))
		fail_msg("%s: %.*s", url, (int)found.len, found.p);
	free(copy);
}

static void
sections_by_depth(void **state)
{
	static const struct {
		const char *url, *one, *two, *most;
	} rows[] = {
	    {HOST "/", "/", "/", "/"},
	    {HOST, "/", "/", "/"},
	    {"", "/", "/", "/"},
	    {HOST "/x", "/", "/", "/"},
	    {HOST "/blog/", "/blog", "/blog", "/blog"},
	    {HOST "/blog/x", "/blog", "/blog", "/blog"},
	    {HOST "/blog/2026/x", "/blog", "/blog/2026", "/blog/2026"},
	    {HOST "/blog/2026/", "/blog", "/blog/2026", "/blog/2026"},
	    {HOST "/a/b/c/d/e/f/g/h/i/j/k", "/a", "/a/b", "/a/b/c/d/e/f/g/h/i"},
	    {HOST ":8443/a/b/c", "/a", "/a/b", "/a/b"},
	    /* a query has no folders */
	    {HOST "/a/b?c=/d/", "/a", "/a", "/a"},
	    {HOST "/a?b=/c/", "/", "/", "/"},
	    {HOST "/a/b/?c/", "/a", "/a/b", "/a/b"},
	    /* an empty folder ends a section */
	    {HOST "//a/b/c", "/", "/", "/"},
	    {HOST "/a//b/c", "/a", "/a", "/a"},
	    {HOST "/a/b//c/d", "/a", "/a/b", "/a/b"},
	    {HOST "/..;/%2e%2e/%00/x", "/..;", "/..;/%2e%2e",
		"/..;/%2e%2e/%00"},
	    {HOST "/(others)/x/y", "/(others)", "/(others)/x", "/(others)/x"},
	};
	struct section_rules *two = section_rules_new(2, NULL, 0, NULL);
	struct section_rules *most = section_rules_new(
	    SECTION_MOST_DEPTH, NULL, 0, NULL);

	for (size_t i = 0; i < COUNT(rows); i++) {
		assert_section(NULL, rows[i].url, rows[i].one);
		assert_section(two, rows[i].url, rows[i].two);
		assert_section(most, rows[i].url, rows[i].most);
	}
	section_rules_free(two);
	section_rules_free(most);
	section_rules_free(NULL);
}

/* A folder of 100,000 bytes is a section as any other. */
static void
long_folders(void **state)
{
	struct section_rules *rules = rules_of(2);
	size_t len = 100000;
	char *url = mem_alloc(len + 1);

	memset(url, 'a', len);
	memcpy(url, HOST "/", sizeof(HOST "/") - 1);
	url[len - 3] = '/';
	assert_int_equal(section_of(rules, slice_make(url, len)).len,
	    len - 3 - (sizeof(HOST) - 1));
	assert_false(section_is_ignored(rules, slice_make(url, len)));
	section_rules_free(rules);
	free(url);
}

static void
sections_with_names(void **state)
{
	static const struct {
		const char *url, *section;
	} rows[] = {
	    {HOST "/p", "products"},
	    {HOST "/p/", "products"},
	    {HOST "/p?x", "products"},
	    {HOST "/p/1/2", "products"},
	    {HOST "/shop", "products"},
	    {HOST "/shop/x", "products"},
	    /* the longest path decides */
	    {HOST "/shop/sale", "sale"},
	    {HOST "/shop/sale/x", "sale"},
	    {HOST "/shop/sales/x", "products"},
	    {HOST "/x%20y/", "a.b-C_1"},
	    /* whole folders */
	    {HOST "/page/x", "/page"},
	    {HOST "/P/x", "/P"},
	    {HOST "/blog/p/x", "/blog/p"},
	    {HOST "/?/p/", "/"},
	};
	struct section_rules *rules = rules_of(2);

	for (size_t i = 0; i < COUNT(rows); i++)
		assert_section(rules, rows[i].url, rows[i].section);
	assert_true(section_may_be(rules, slice_of("products")));
	assert_true(section_may_be(rules, slice_of("/a/b")));
	assert_true(section_may_be(NULL, slice_of("/a")));
	assert_false(section_may_be(NULL, slice_of("/a/b")));
	assert_false(section_may_be(rules, slice_of("/a/b/c")));
	assert_false(section_may_be(rules, slice_of("product")));
	assert_false(section_may_be(rules, slice_of("")));
	assert_false(section_may_be(NULL, slice_of("products")));
	section_rules_free(rules);
}

static void
ignored_pages(void **state)
{
	static const struct {
		const char *url;
		bool is_ignored;
	} rows[] = {
	    {HOST "/tag/x", true},
	    {HOST "/tag/", true},
	    {HOST "/tag", false},
	    {HOST "/blog/tag/x", false},
	    {HOST "/blog?page=2", true},
	    {HOST "/blog?x=1&page=2", false},
	    {HOST "/blog?x=1&sort=up", true},
	    {HOST "/a.pdf", true},
	    {HOST "/a.pdf?x", false},
	    {HOST "/a%3Cb%3E", true},
	    {HOST "/", false},
	    {HOST, false},
	    {"", false},
	};
	struct section_rules *rules = rules_of(1);
	struct section_rules *none = section_rules_new(2, NULL, 0, NULL);

	assert_true(section_ignores(rules));
	assert_false(section_ignores(none));
	assert_false(section_ignores(NULL));
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct slice url = slice_of(rows[i].url);

		if (section_is_ignored(rules, url) != rows[i].is_ignored)
			fail_msg("%s", rows[i].url);
		assert_false(section_is_ignored(none, url));
		assert_false(section_is_ignored(NULL, url));
	}
	section_rules_free(rules);
	section_rules_free(none);
}

static void
forms(void **state)
{
	static const struct {
		const char *text;
		bool is_paths, is_pattern;
	} rows[] = {
	    {"products: /p /shop", true, false},
	    {"products:/p", true, false},
	    {"p:/a\t/b ", true, false},
	    {"products", false, false},
	    {"products:", false, false},
	    {"products: p", false, false},
	    {"products: /", false, false},
	    {"products: //x", false, false},
	    {"products: /p*", false, false},
	    {"products: /p?x", false, false},
	    {"products: /\xc3\xa9", false, false},
	    {"pro ducts: /p", false, false},
	    {"/p: /p", false, false},
	    {"(p): /p", false, false},
	    {": /p", false, false},
	    {"a\x1b[2J: /p", false, false},
	    {"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa: /p", false, false},
	    {"/tag/", false, true},
	    {"*?page=", false, true},
	    {"/*.pdf$", false, true},
	    {"/a#b", false, false},
	    {"?page=", false, false},
	    {"tag", false, false},
	    {"", false, false},
	    {"/\n/a", false, false},
	    /* these match every page */
	    {"/", false, false},
	    {"*", false, false},
	    {"/*", false, false},
	    {"/**", false, false},
	    {"*$", false, false},
	};

	char rule[128];

	for (size_t i = 0; i < COUNT(rows); i++) {
		if (section_is_paths(rows[i].text) != rows[i].is_paths)
			fail_msg("paths: %s", rows[i].text);
		(void)snprintf(rule, sizeof(rule), "exclude=%s", rows[i].text);
		if (page_filter_check(rule) != rows[i].is_pattern)
			fail_msg("pattern: %s", rows[i].text);
	}
	assert_false(section_is_name(slice_make("a\0b", 3)));
}

UNIT(section)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(sections_by_depth),
	    cmocka_unit_test(long_folders),
	    cmocka_unit_test(sections_with_names),
	    cmocka_unit_test(ignored_pages),
	    cmocka_unit_test(forms),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
