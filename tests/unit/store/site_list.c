/* What a site lists, each URL once and in order, window by window. */
#include "tests/fixtures/fixture.h"

#include <stdio.h>
#include <string.h>

#include "store/site.h"
#include "store/site_list.h"
#include "store/site_walk.h"
#include "tests/fixtures/store_fixture.h"

#define HOST "h.test"
#define DOCUMENTS 36 /* with so many entries each there are two windows */
#define ENTRIES 9000
#define STEP 6000 /* from one to the next */

static int64_t
make(struct store *store, unsigned number)
{
	char url[64];

	(void)snprintf(url, sizeof(url), HOST_TEXT "%u.xml", number);
	return document_make(store, HOST, url);
}

static void
read_as(struct store *store, unsigned number, int64_t at_s,
    enum document_kind kind, const char *listed)
{
	struct reading *reading = reading_make(
	    store, make(store, number), at_s, COMPLETE, listed);

	reading->content.kind = kind;
	(void)submit(store, reading);
}

/* list_text(store, out): of each URL its name, "!" before a missed one, "?"
 * before a refused one, and the document that it comes from. */
static const char *
list_text(struct store *store, struct buf *out)
{
	struct site_list *list = site_list_new(
	    store, store_site(store, slice_of(HOST)));
	struct entry entry;
	int64_t id;

	buf_clear(out);
	while (site_list_next(list, &id, &entry)) {
		(void)buf_print(out, "%s%s%s", out->len > 0 ? " " : "",
		    entry.missed > 0 ? "!" : "",
		    entry.verdict == VERDICT_ACCEPTED ? "" : "?");
		put_name(out, entry.url);
		(void)buf_print(out, "/%d", (int)id);
	}
	assert_false(site_list_next(list, &id, &entry));
	site_list_free(list);
	return buf_str(out);
}

/* The document that says best how the site lists a URL is the one. */
static void
test_ranks(void **state)
{
	struct world world;
	struct store *s;
	struct buf out;

	(void)state;
	buf_init(&out, SIZE_MAX);
	world_open(&world);
	s = world.store;
	assert_string_equal(list_text(s, &out), "");
	read_as(s, 1, 1, KIND_URLSET, "a ?b c d ?e");
	assert_string_equal(list_text(s, &out), "a/1 ?b/1 c/1 d/1 ?e/1");
	read_as(s, 2, 2, KIND_URLSET, "a b ?c f ?e g");
	assert_string_equal(list_text(s, &out), "a/1 b/2 c/1 d/1 ?e/1 f/2 g/2");
	/* missed where nobody else lists it */
	read_as(s, 1, 3, KIND_URLSET, "g");
	assert_string_equal(
	    list_text(s, &out), "a/2 b/2 ?c/2 !d/1 ?e/2 f/2 g/1");
	/* children of an index are no pages, but what it misses was one */
	read_as(s, 2, 4, KIND_INDEX, "h i");
	assert_string_equal(
	    list_text(s, &out), "!a/1 !?b/1 !c/1 !d/1 !?e/1 !f/2 g/1");
	read_as(s, 2, 5, KIND_INDEX, "h i");
	assert_string_equal(
	    list_text(s, &out), "!a/1 !?b/1 !c/1 !d/1 !?e/1 g/1");
	world_close(&world);
	buf_release(&out);
}

/* Each document has entries of the one before. */
static void
fill_many(struct store *store, unsigned documents)
{
	struct buf listed;

	buf_init(&listed, SIZE_MAX);
	for (unsigned i = 0; i < documents; i++) {
		buf_clear(&listed);
		for (unsigned k = 0; k < ENTRIES; k++)
			(void)buf_print(&listed, "p%06u ", i * STEP + k);
		read_as(store, i, 1 + i, KIND_URLSET, buf_str(&listed));
	}
	buf_release(&listed);
}

/* More than one window has. */
static void
test_windows(void **state)
{
	struct world world;
	struct site_list *list;
	struct entry entry;
	unsigned count = 0;
	char url[64];
	int64_t id;

	(void)state;
	world_open(&world);
	fill_many(world.store, DOCUMENTS);
	list = site_list_new(
	    world.store, store_site(world.store, slice_of(HOST)));
	for (; site_list_next(list, &id, &entry); count++) {
		(void)snprintf(url, sizeof(url), HOST_TEXT "p%06u", count);
		if (!slice_is(entry.url, url))
			fail_msg("%.*s at %u", (int)entry.url.len, entry.url.p,
			    count);
	}
	assert_int_equal(count, (DOCUMENTS - 1) * STEP + ENTRIES);
	site_list_free(list);
	world_close(&world);
}

struct heard {
	uint64_t entries, windows;
};

/* hear_walk(store, entries): no entry comes twice, and none of a window is
 * below what an earlier one had. */
static struct heard
hear_walk(struct store *store, uint64_t entries)
{
	struct site_walk *walk = site_walk_new(
	    store, store_site(store, slice_of(HOST)), entries);
	char highest[64] = "", above[64] = "";
	struct heard heard = {0};
	struct entry entry;
	int64_t id;

	for (; site_walk_window(walk); heard.windows++) {
		char last[64] = "";
		int64_t last_id = 0;

		(void)snprintf(highest, sizeof(highest), "%s", above);
		for (; site_walk_next(walk, &id, &entry); heard.entries++) {
			assert_true(
			    slice_order(entry.url, slice_of(highest)) >= 0);
			if (id == last_id)
				assert_true(
				    slice_order(entry.url, slice_of(last)) > 0);
			last_id = id;
			(void)snprintf(last, sizeof(last), "%.*s",
			    (int)entry.url.len, entry.url.p);
			if (strcmp(last, above) > 0)
				(void)snprintf(
				    above, sizeof(above), "%s", last);
		}
	}
	assert_false(site_walk_next(walk, &id, &entry));
	site_walk_free(walk);
	return heard;
}

/* Windows of any size: all entries, those that two documents have twice. */
static void
test_walk(void **state)
{
	static const uint64_t sizes[] = {1, 100, 5000, 20000, 100000};
	struct world world;
	struct heard heard;

	(void)state;
	world_open(&world);
	assert_int_equal(hear_walk(world.store, 10).windows, 0);
	fill_many(world.store, 6);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		heard = hear_walk(world.store, sizes[i]);
		assert_int_equal(heard.entries, 6 * ENTRIES);
		assert_true(heard.windows >= 1);
		assert_true(sizes[i] > 20000 || heard.windows > 2);
	}
	assert_int_equal(heard.windows, 1);
	world_close(&world);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_ranks),
	    cmocka_unit_test(test_windows),
	    cmocka_unit_test(test_walk),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
