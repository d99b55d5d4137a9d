/* The candidate cache remembers what comes next of many documents, within
 * bounds. */
#include "tests/fixtures/fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "crawler/frontier/candidate_cache.h"

/* Fill a queue with the pages FIRST/0, FIRST/1 and so on, the last of which
 * is taken first. */
static void
fill_line(struct candidate_queue *line, const char *first, int count)
{
	char text[64];

	for (int i = 0; i < count; i++) {
		struct date lastmod = {.epoch_s = -i,
		    .precision = i % 2 == 1 ? DATE_MINUTE : DATE_DAY};
		struct candidate_page *page;

		(void)snprintf(text, sizeof(text), "%s/%d", first, i);
		page = candidate_page_new(slice_of(text), &lastmod, i);
		page->next = line->first;
		line->first = page;
	}
}

/* Put the row of a document that lists so many pages, all alike. */
static void
put(struct candidate_cache *rows, uint32_t document, int count)
{
	struct candidate_row row = {.document = document,
	    .room = (uint32_t)candidate_cache_room(rows, document),
	    .is_one = true};

	fill_line(&row.queues[0], "http://h.test/a-folder", count);
	candidate_cache_put(rows, &row);
	assert_true(rows->bytes <= CANDIDATE_BYTES_MAX);
}

static void
assert_next(struct candidate_cache *rows, uint32_t document, int line,
    const char *url, int number)
{
	struct candidate_page *page = candidate_cache_take(
	    rows, document, line);

	assert_non_null(page);
	assert_int_equal(page->url_len, strlen(url));
	assert_memory_equal(page->url, url, page->url_len);
	assert_int_equal(page->lastmod.epoch_s, -number);
	assert_int_equal(page->lastmod.precision, DATE_DAY + number % 2);
	assert_int_equal(page->first_seen_s, number);
	free(page);
}

/* A row has a queue for each order, or one queue for both. */
static void
test_lines(void **state)
{
	struct candidate_cache rows = {0};
	struct candidate_row row = {.document = 0, .room = 1000};

	assert_null(candidate_cache_take(&rows, 0, 0));
	fill_line(&row.queues[0], "a", 3);
	fill_line(&row.queues[1], "b", 2);
	candidate_cache_put(&rows, &row);
	assert_next(&rows, 0, 0, "a/2", 2);
	assert_next(&rows, 0, 1, "b/1", 1);
	assert_next(&rows, 0, 1, "b/0", 0);
	assert_null(candidate_cache_take(&rows, 0, 1));
	assert_next(&rows, 0, 0, "a/1", 1);
	row = (struct candidate_row){
	    .document = 0, .room = 1000, .is_one = true};
	fill_line(&row.queues[0], "c", 2);
	candidate_cache_put(&rows, &row);
	assert_next(&rows, 0, 1, "c/1", 1);
	assert_next(&rows, 0, 0, "c/0", 0);
	assert_null(candidate_cache_take(&rows, 0, 0));
	assert_int_equal(rows.bytes, 0);
	candidate_cache_forget(&rows, 0);
	candidate_cache_forget(&rows, 0);
	assert_int_equal(rows.count, 0);
	candidate_cache_release(&rows);
}

/* When memory is short, older rows lose their last candidates and keep those
 * that are taken next. */
static void
test_bytes(void **state)
{
	enum { DOCUMENTS = 20000, PAGES = 1000, KEPT = 10 };
	struct candidate_cache rows = {0};
	char url[64];

	for (uint32_t i = 0; i < DOCUMENTS; i++)
		put(&rows, i, PAGES);
	for (uint32_t i = 0; i < DOCUMENTS; i++)
		for (int k = 1; k <= KEPT; k++) {
			(void)snprintf(url, sizeof(url),
			    "http://h.test/a-folder/%d", PAGES - k);
			assert_next(&rows, i, 0, url, PAGES - k);
		}
	candidate_cache_release(&rows);
}

/* A document that is asked for again and again gets more room each time, and
 * the others keep what they have. */
static void
test_few_of_many(void **state)
{
	enum { DOCUMENTS = 20000 };
	struct candidate_cache rows = {0};
	size_t before;

	for (uint32_t i = 0; i < DOCUMENTS; i++)
		put(&rows, i, 8);
	before = candidate_cache_room(&rows, DOCUMENTS);
	assert_true(before < 1000);
	for (int times = 0; times < 5; times++)
		put(&rows, 7, 1000);
	assert_true(candidate_cache_room(&rows, 7) >= 30 * before);
	assert_int_equal(candidate_cache_room(&rows, DOCUMENTS), before);
	for (uint32_t i = 0; i < 100; i++)
		if (i != 7)
			assert_next(&rows, i, 0, "http://h.test/a-folder/7", 7);
	candidate_cache_release(&rows);
}

/* When there are too many documents, some are forgotten; not the oldest
 * ones, since their turn is next. */
static void
test_documents(void **state)
{
	struct candidate_cache rows = {0};
	struct candidate_page *page;
	uint32_t kept = 0;

	for (int times = 0; times < 2; times++) {
		kept = 0;
		for (uint32_t i = 0; i < CANDIDATE_DOCUMENTS_MAX * 5 / 4; i++) {
			page = candidate_cache_take(&rows, i, 0);
			if (page == NULL)
				put(&rows, i, 4);
			kept += page != NULL;
			free(page);
		}
		assert_int_equal(rows.count, CANDIDATE_DOCUMENTS_MAX);
	}
	assert_true(kept > CANDIDATE_DOCUMENTS_MAX / 2);
	candidate_cache_release(&rows);
}

UNIT_TESTS(candidate_cache, cmocka_unit_test(test_lines),
    cmocka_unit_test(test_bytes), cmocka_unit_test(test_few_of_many),
    cmocka_unit_test(test_documents));
