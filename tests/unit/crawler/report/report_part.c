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
	struct report_urls urls = {.key = 1};
	const struct report_pair *pair;

	for (unsigned i = 0; i < 1000; i++)
		add(&urls, i, 3);
	assert_int_equal(urls.count, 0);
	/* read once more: nothing new */
	for (unsigned i = 0; i < 1000; i++)
		add(&urls, i, 3);
	assert_int_equal(urls.count, 0);
	for (unsigned i = 990; i < 2000; i++)
		add(&urls, i, 0);
	pair = &urls.pairs[0];
	assert_int_equal(pair->documents[0], 0);
	assert_int_equal(pair->documents[1], 3);
	assert_int_equal(pair->count, 10);
	assert_int_equal(pair->sample_count, REPORT_PAIR_SAMPLES);
	assert_string_equal(pair->samples[0], "https://www.example.org/990");
	assert_int_equal(urls.count, 1);
	report_urls_release(&urls);
}

/* With and without a slash at the end: one page, in one document or in two. */
static void
test_slash(void **state)
{
	struct report_urls urls = {.key = 1};
	const struct report_pair *pair;

	report_urls_add(&urls, slice_of("https://www.example.org/a"), 3);
	report_urls_add(&urls, slice_of("https://www.example.org/"), 3);
	report_urls_add(&urls, slice_of("https://www.example.org/a-b/"), 3);
	assert_int_equal(urls.count, 0);
	report_urls_add(&urls, slice_of("https://www.example.org/a/"), 3);
	report_urls_add(&urls, slice_of("https://www.example.org/a-b"), 5);
	report_urls_add(&urls, slice_of("https://www.example.org/a"), 6);
	for (size_t i = 0; i < 3; i++) {
		pair = &urls.pairs[i];
		assert_int_equal(pair->slashes[0] != pair->slashes[1], i < 2);
		assert_int_equal(pair->documents[0], 3);
		assert_int_equal(pair->documents[1], 3 + i + (i > 0));
		assert_int_equal(pair->count, 1);
	}
	assert_int_equal(urls.count, 3);
	report_urls_release(&urls);
}

/* More than are remembered: the first ones are. */
static void
test_many(void **state)
{
	enum { MANY = 2000000, MORE = 100 };
	struct report_urls urls = {.key = 7};

	for (uint32_t document = 1; document <= 2; document++)
		for (unsigned i = 0; i < MANY + MORE; i++)
			add(&urls, i, document);
	assert_int_equal(urls.count, 1);
	assert_int_equal(urls.pairs[0].count, MANY);
	report_urls_release(&urls);
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
