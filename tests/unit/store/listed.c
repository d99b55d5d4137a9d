/* Looking up many URLs at once. */
#include "tests/fixtures/fixture.h"

#include "store/db.h"
#include "store/lookup.h"
#include "tests/fixtures/store_fixture.h"

#define MANY 9000 /* entries: of three blocks */

/* Search to the end; returns how many steps that took. */
static int
search_all(struct listed_search *search, uint32_t block_indexes)
{
	int times = 1;

	while (listed_search_some(search, block_indexes))
		times++;
	return times;
}

static const struct {
	const char *url;
	int document;
	int day; /* -1: none */
} wanted[] = {
    {HOST_TEXT "z", 0, -1},
    {HOST_TEXT "d", 2, 3},
    {HOST_TEXT "c", 1, 7},
    {HOST_TEXT "c", 1, 7},
    {HOST_TEXT "b1", 0, -1},
    {HOST_TEXT "a", 1, -1},
    {HOST_TEXT "e", 0, -1}, /* an index lists it */
    {HOST_TEXT "f", 2, -1}, /* the latest reading lacked the URL */
    {"http://a.test/", 0, -1},
};

static void
test_first_sitemap(void **state)
{
	struct world *world = *state;
	struct store *s = world->store;
	struct listed rows[COUNT(wanted)];
	struct listed_search *search;

	int64_t one = document_make(s, "h.test", HOST_TEXT "1.xml");
	int64_t two = document_make(s, "h.test", HOST_TEXT "2.xml");
	int64_t index = document_make(s, "h.test", HOST_TEXT "i.xml");
	(void)read_at(s, one, 1, COMPLETE, "b a c:7");
	(void)read_at(s, two, 1, COMPLETE, "d:3 c f");
	(void)read_at(s, two, 2, COMPLETE, "d:3 c");
	(void)read_at(s, index, 1, COMPLETE, "a e");
	sql_do(s->db, "UPDATE document SET kind = 'index' WHERE id = 3");
	for (size_t i = 0; i < COUNT(wanted); i++)
		rows[i].url = slice_of(wanted[i].url);
	search = listed_search_new(s, rows, COUNT(wanted), NULL, NULL);
	(void)search_all(search, 1);
	for (size_t i = 0; i < COUNT(wanted); i++) {
		struct date date = date_of_day(wanted[i].day);

		assert_int_equal(rows[i].document_id, wanted[i].document);
		assert_int_equal(
		    rows[i].lastmod.precision != DATE_NONE, wanted[i].day >= 0);
		if (wanted[i].day >= 0)
			assert_int_equal(rows[i].lastmod.epoch_s, date.epoch_s);
	}
	listed_search_free(search);
}

/* A list of MANY names, and a row for each of them, in another order. */
static void
list_many(struct buf *names, struct buf *urls, struct listed *rows)
{
	size_t ends[MANY];

	for (int i = 0; i < MANY; i++) {
		(void)buf_print(names, "n%05d ", i);
		(void)buf_print(
		    urls, HOST_TEXT "n%05d", (int)((i * 7LL) % MANY));
		ends[i] = urls->len;
	}
	for (int i = 0; i < MANY; i++) {
		size_t from = i == 0 ? 0 : ends[i - 1];

		rows[i].url = slice_make(urls->p + from, ends[i] - from);
	}
}

/* Each block is decoded once, also if its row of the block index gives less
 * information. */
static void
test_bites(void **state)
{
	struct world *world = *state;
	static const char *const block_indexes[] = {"SELECT 1",
	    "UPDATE block_index SET bloom = NULL",
	    "UPDATE block_index SET last_url = NULL"};
	static struct listed rows[MANY];
	struct buf names, urls;

	buf_init(&names, SIZE_MAX);
	buf_init(&urls, SIZE_MAX);
	list_many(&names, &urls, rows);
	int64_t one = document_make(world->store, "h.test", HOST_TEXT "1.xml");
	(void)read_at(world->store, one, 1, COMPLETE, buf_str(&names));
	for (size_t i = 0; i < COUNT(block_indexes); i++) {
		struct listed_search *search;

		sql_do(world->store->db, block_indexes[i]);
		search = listed_search_new(
		    world->store, rows, MANY, NULL, NULL);
		assert_int_equal(rows[0].document_id, 0);
		assert_in_range(search_all(search, 1), 3, 4);
		for (size_t at = 0; at < MANY; at++)
			assert_int_equal(rows[at].document_id, one);
		listed_search_free(search);
	}
	buf_release(&urls);
	buf_release(&names);
}

/* A search notices a reading that is stored while the search runs. */
static void
test_holds(void **state)
{
	struct world *world = *state;
	struct store *s = world->store;
	struct listed row = {.url = slice_of(HOST_TEXT "a")};
	struct listed_search *search;

	int64_t one = document_make(s, "h.test", HOST_TEXT "1.xml");
	(void)read_at(s, one, 1, COMPLETE, "b c");
	search = listed_search_new(s, &row, 1, NULL, NULL);
	(void)search_all(search, 1);
	assert_true(listed_search_holds(search));
	(void)read_at(s, one, 2, UNCHANGED, NULL);
	assert_true(listed_search_holds(search));
	(void)read_at(s, one, 3, COMPLETE, "a b c");
	assert_false(listed_search_holds(search));
	assert_int_equal(row.document_id, 0);
	listed_search_free(search);
	listed_find(s, &row);
	assert_int_equal(row.document_id, one);

	/* a damaged block must not look as if the URL were absent */
	sql_do(s->db, "DELETE FROM segment");
	listed_find(s, &row);
	assert_int_equal(row.document_id, 0);
	assert_int_equal(store_failed(s), DIAG_STORE_DAMAGED);
}

UNIT_TESTS(listed, world_test(test_first_sitemap), world_test(test_bites),
    world_test(test_holds));
