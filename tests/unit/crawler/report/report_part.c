/* URLs in several documents, in bounded memory. */
#include "tests/fixtures/fixture.h"

#include <stdio.h>

#include "crawler/report/report_part.h"

static void
add(struct report_urls *urls, unsigned n, uint32_t document)
{
	char url[64];

	(void)snprintf(url, sizeof(url), "https://www.example.org/%u", n);
	report_urls_add(urls, slice_of(url), document);
}

static void
test_pairs(void **state)
{
	struct report_urls *urls = report_urls_new(1);
	const struct report_pair *pair;

	for (unsigned i = 0; i < 1000; i++)
		add(urls, i, 3);
	assert_null(report_urls_pair(urls, 0));
	/* read once more: nothing new */
	for (unsigned i = 0; i < 1000; i++)
		add(urls, i, 3);
	assert_null(report_urls_pair(urls, 0));
	for (unsigned i = 990; i < 2000; i++)
		add(urls, i, 0);
	pair = report_urls_pair(urls, 0);
	assert_non_null(pair);
	assert_int_equal(pair->documents[0], 0);
	assert_int_equal(pair->documents[1], 3);
	assert_int_equal(pair->count, 10);
	assert_int_equal(pair->sample_count, REPORT_PAIR_SAMPLES);
	assert_string_equal(pair->samples[0], "https://www.example.org/990");
	assert_null(report_urls_pair(urls, 1));
	report_urls_free(urls);
}

/* With and without a slash at the end: one page, in one document or in two. */
static void
test_slash(void **state)
{
	struct report_urls *urls = report_urls_new(1);
	const struct report_pair *pair;

	report_urls_add(urls, slice_of("https://www.example.org/a"), 3);
	report_urls_add(urls, slice_of("https://www.example.org/"), 3);
	report_urls_add(urls, slice_of("https://www.example.org/a-b/"), 3);
	assert_null(report_urls_pair(urls, 0));
	report_urls_add(urls, slice_of("https://www.example.org/a/"), 3);
	report_urls_add(urls, slice_of("https://www.example.org/a-b"), 5);
	report_urls_add(urls, slice_of("https://www.example.org/a"), 6);
	for (size_t i = 0; i < 3; i++) {
		pair = report_urls_pair(urls, i);
		assert_non_null(pair);
		assert_int_equal(pair->slashes[0] != pair->slashes[1], i < 2);
		assert_int_equal(pair->documents[0], 3);
		assert_int_equal(pair->documents[1], 3 + i + (i > 0));
		assert_int_equal(pair->count, 1);
	}
	assert_null(report_urls_pair(urls, 3));
	report_urls_free(urls);
}

/* More than the table takes: what is found in a part of them stands for all. */
static void
test_many(void **state)
{
	enum { MANY = 2000000 };
	struct report_urls *urls = report_urls_new(7);
	const struct report_pair *pair;

	for (unsigned i = 0; i < MANY; i++)
		add(urls, i, 1);
	for (unsigned i = 0; i < MANY; i++)
		add(urls, i, 2);
	pair = report_urls_pair(urls, 0);
	assert_non_null(pair);
	assert_in_range(pair->count, MANY / 100 * 95, MANY / 100 * 105);
	report_urls_free(urls);
}

UNIT(report_part)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_pairs),
	    cmocka_unit_test(test_slash),
	    cmocka_unit_test(test_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
