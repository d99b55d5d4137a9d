/* crawler/parse/return_links.c: which pages link back (SPEC R-112). */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "crawler/parse/return_links.h"
#include "store/segment/reading.h"
#include "tests/fixtures/fixture.h"

#define KEY 1
#define LINKS 4

/* "page>alternate>alternate"; line n is that of the n-th alternate. */
struct listing {
	const char *pages[LINKS];
};

static struct alternates
new_alternates(uint64_t key)
{
	struct alternates alternates = {.hash_key = key};

	buf_init(&alternates.urls, ALTERNATES_TEXT_MAX);
	buf_init(&alternates.near, ALTERNATES_TEXT_MAX);
	return alternates;
}

static void
free_alternates(struct alternates *alternates)
{
	buf_release(&alternates->urls);
	buf_release(&alternates->near);
	free(alternates->pages);
	free(alternates->links);
}

/* judge(): the findings of one document are appended to *out, its links to
 * content. */
static void
judge(const struct listing *listing, struct buf *out, struct content *content)
{
	struct alternates alternates = new_alternates(KEY);
	uint32_t line = 0;

	for (size_t i = 0; i < LINKS && listing->pages[i] != NULL; i++) {
		struct slice rest = slice_of(listing->pages[i]);

		for (size_t n; rest.len > 0; rest = slice_from(rest, n)) {
			bool is_page = rest.p == listing->pages[i];

			for (n = 0; n < rest.len && rest.p[n] != '>'; n++)
				continue;
			if (is_page)
				alternates_page(
				    &alternates, slice_make(rest.p, n));
			else
				alternates_link(&alternates,
				    slice_make(rest.p, n), ++line,
				    rest.p[0] != 'x');
			n += n < rest.len;
		}
	}
	content_init(content);
	alternates_judge(&alternates, &content->findings, &content->alternates);
	const struct finding *finding = findings_get(
	    &content->findings, DIAG_HREFLANG_NO_RETURN);
	for (unsigned i = 0; finding != NULL && i < finding->sample_count; i++)
		(void)buf_print(out, "%u:%s ", finding->samples[i].line,
		    finding->samples[i].text);
	free_alternates(&alternates);
}

static void
on_broken(void *arg, uint32_t document, uint32_t line, struct slice url)
{
	(void)buf_print(
	    arg, "%u/%u:%.*s ", document, line, (int)url.len, url.p);
}

static struct return_links
new_links(struct buf *out)
{
	struct return_links links = {
	    .hash_key = KEY, .broken = on_broken, .arg = out};

	buf_init(&links.texts, RETURN_TEXT_MAX);
	return links;
}

static void
free_links(struct return_links *links)
{
	free(links->links);
	buf_release(&links->texts);
}

static void
test_document(void **state)
{
	static const struct {
		struct listing listing;
		const char *findings;
	} cases[] = {
	    {{{"a>a>b", "b>a>b"}}, ""},
	    {{{"a>a>b", "b>b"}}, "2:b "},
	    {{{"a>b"}}, ""},
	    {{{"a>b", "b"}}, "1:b "},
	    {{{"b>a", "a>c", "c>b"}}, "1:a 2:c 3:b "},
	    {{{"a>b", "b>c", "b>a"}}, ""},
	    {{{"a>b>b", "b"}}, "1:b 2:b "},
	    {{{"a"}}, ""},
	    {{{NULL}}, ""},
	};
	struct content content;
	struct buf *out = *state;

	for (size_t i = 0; i < COUNT(cases); i++) {
		buf_clear(out);
		judge(&cases[i].listing, out, &content);
		assert_string_equal(buf_str(out), cases[i].findings);
		content_release(&content);
	}
}

static void
test_site(void **state)
{
	static const struct {
		struct listing documents[2];
		const char *listed; /* one letter each; x is of another host */
		const char *broken;
		const char *unlisted;
	} cases[] = {
	    {{{{"a>a>b"}}, {{"b>a>b"}}}, "ab", "", ""},
	    {{{{"a>a>b"}}, {{"b>b"}}}, "ab", "0/2:b ", ""},
	    {{{{"a>a>b"}}, {{"b"}}}, "aabb", "0/2:b ", ""},
	    {{{{"a>a>b"}}, {{"c"}}}, "ac", "", "0/2:b "},
	    /* A link inside one document does not count for the site. */
	    {{{{"a>b", "b"}}, {{"c>a"}}}, "abc", "1/1:a 0/1:b ", ""},
	    {{{{"a>b", "b"}}, {{"b>a"}}}, "ab", "", ""},
	    /* A page in two documents has the links of both. */
	    {{{{"a>b"}}, {{"b>a", "a>b"}}}, "ab", "", ""},
	    /* An alternate is named once, however many pages link to it. */
	    {{{{"a>c", "b>c"}}, {{"d>c"}}}, "abd", "", "0/1:c "},
	    {{{{"a>x"}}, {{"b"}}}, "ab", "", ""},
	    {{{{"a>x>c"}}, {{"b"}}}, "ab", "", "0/2:c "},
	    {{{{"a"}}, {{"b"}}}, "ab", "", ""},
	};
	struct content content;
	struct buf *out = *state;

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct return_links links = new_links(out);

		for (uint32_t d = 0; d < 2; d++) {
			judge(&cases[i].documents[d], out, &content);
			return_links_add(
			    &links, d, buf_text(&content.alternates));
			content_release(&content);
		}
		buf_clear(out);
		for (const char *p = cases[i].listed; *p != '\0'; p++)
			return_links_see(&links, slice_make(p, 1));
		assert_string_equal(buf_str(out), cases[i].broken);
		buf_clear(out);
		return_links_unlisted(&links, on_broken);
		assert_string_equal(buf_str(out), cases[i].unlisted);
		free_links(&links);
	}
}

/* One document with too many links makes it impossible to judge the others. */
static void
test_too_many(void **state)
{
	struct return_links links;
	struct alternates alternates = new_alternates(KEY);
	struct content content;
	struct buf *out = *state;

	content_init(&content);
	alternates_page(&alternates, slice_of("a"));
	alternates_page(&alternates, slice_of("b"));
	for (uint32_t i = 0; i <= ALTERNATES_MAX; i++)
		alternates_link(&alternates, slice_of("a"), i, true);
	alternates_judge(&alternates, &content.findings, &content.alternates);
	assert_int_equal(content.findings.count, 0);
	assert_int_equal(content.alternates.len, 1);
	links = new_links(out);
	return_links_add(&links, 0, buf_text(&content.alternates));
	return_links_add(&links, 1, slice_make("aaaaaaaabbbbbbbbcccc", 20));
	return_links_see(&links, slice_of("a"));
	assert_int_equal(out->len, 0);
	free_links(&links);
	free_alternates(&alternates);
	content_release(&content);
}

/* The same links under another key are other bytes. */
static void
test_keys(void **state)
{
	struct content contents[2];

	for (unsigned i = 0; i < 2; i++) {
		struct alternates alternates = new_alternates(KEY + i);

		content_init(&contents[i]);
		alternates_page(&alternates, slice_of("a"));
		alternates_link(&alternates, slice_of("b"), 1, true);
		alternates_judge(&alternates, &contents[i].findings,
		    &contents[i].alternates);
		free_alternates(&alternates);
	}
	for (size_t at = 0; at < 16; at += 8)
		assert_memory_not_equal(contents[0].alternates.p + at,
		    contents[1].alternates.p + at, 8);
	content_release(&contents[0]);
	content_release(&contents[1]);
}

/* Links whose text has no room are reported without it. */
static void
test_no_room_for_text(void **state)
{
	struct alternates alternates = new_alternates(KEY);
	struct return_links links;
	struct content content;
	struct buf *out = *state;
	char url[1000];

	memset(url, 'u', sizeof(url));
	content_init(&content);
	alternates_page(&alternates, slice_of("a"));
	for (uint32_t i = 0; i < 300; i++) {
		(void)snprintf(url, 4, "%03u", (unsigned)i);
		url[3] = 'u';
		alternates_link(
		    &alternates, slice_make(url, sizeof(url)), i, true);
	}
	alternates_judge(&alternates, &content.findings, &content.alternates);
	links = new_links(out);
	return_links_add(&links, 0, buf_text(&content.alternates));
	return_links_see(&links, slice_of("a"));
	return_links_unlisted(&links, on_broken);
	/* 256 KiB have room for 261 texts of 1,004 bytes */
	assert_in_range(out->len, 261 * sizeof(url), 262 * sizeof(url) + 3000);
	free_links(&links);
	free_alternates(&alternates);
	content_release(&content);
}

/* The same URL is seen a million times, and as many links name it. */
static void
test_repeats(void **state)
{
	struct return_links links;
	struct alternates alternates = new_alternates(KEY);
	struct content content;
	struct buf *out = *state;
	clock_t begin = clock();
	clock_t made;

	content_init(&content);
	for (uint32_t i = 0; i < 100000; i++) {
		char page[16];

		(void)snprintf(page, sizeof(page), "%u", (unsigned)i);
		alternates_page(&alternates, slice_of(page));
		alternates_link(&alternates, slice_of("a"), i, true);
	}
	alternates_judge(&alternates, &content.findings, &content.alternates);
	links = new_links(out);
	return_links_add(&links, 0, buf_text(&content.alternates));
	made = clock();
	for (uint32_t i = 0; i < 100000; i++)
		return_links_see(&links, slice_of("a"));
	/* To look at all links each time would take hundreds of times as long
	 * as to make them. */
	assert_true(clock() - made < 20 * (made - begin) + CLOCKS_PER_SEC / 10);
	free_links(&links);
	free_alternates(&alternates);
	content_release(&content);
}

UNIT(return_links)
{
	const struct CMUnitTest tests[] = {
	    text_test(test_document),
	    text_test(test_site),
	    text_test(test_too_many),
	    cmocka_unit_test(test_keys),
	    text_test(test_no_room_for_text),
	    text_test(test_repeats),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
