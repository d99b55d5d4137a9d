/* The list of a site's URLs, each once and in order, and the walk over its
 * entries, window by window. */
#include "tests/fixtures/fixture.h"

#include <stdio.h>
#include <string.h>

#include "store/site.h"
#include "store/site_list.h"
#include "tests/fixtures/store_fixture.h"

#define HOST "h.test"
#define DOCUMENTS 36 /* their entries need two windows */
#define ENTRIES 9000 /* of a document */
#define STEP 6000 /* how many of them the next document does not have */

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

/* Write the list as text: for each URL its name, with "!" before a missed one
 * and "?" before a refused one, and the document of its entry. */
static const char *
list_text(struct store *store, struct buf *out)
{
	struct site_list *list = site_list_new(store,
	    store_site(store, slice_of(HOST)), slice_of(""), SITE_LIST_ALL);
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

/* The entry comes from a document that lists the URL and is allowed to, if
 * there is one. */
static void
test_ranks(void **state)
{
	struct world *world = *state;
	struct store *s = world->store;
	struct buf *out = &world->out;

	assert_string_equal(list_text(s, out), "");
	read_as(s, 1, 1, KIND_URLSET, "a ?b c d ?e");
	assert_string_equal(list_text(s, out), "a/1 ?b/1 c/1 d/1 ?e/1");
	read_as(s, 2, 2, KIND_URLSET, "a b ?c f ?e g");
	assert_string_equal(list_text(s, out), "a/1 b/2 c/1 d/1 ?e/1 f/2 g/2");
	/* d is missed, since no other document lists it */
	read_as(s, 1, 3, KIND_URLSET, "g");
	assert_string_equal(
	    list_text(s, out), "a/2 b/2 ?c/2 !d/1 ?e/2 f/2 g/1");
	/* the children of an index are no pages, but its missed entries were */
	read_as(s, 2, 4, KIND_INDEX, "h i");
	assert_string_equal(
	    list_text(s, out), "!a/1 !?b/1 !c/1 !d/1 !?e/1 !f/2 g/1");
	read_as(s, 2, 5, KIND_INDEX, "h i");
	assert_string_equal(
	    list_text(s, out), "!a/1 !?b/1 !c/1 !d/1 !?e/1 g/1");
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

/* A site with more entries than one window holds. */
static void
test_windows(void **state)
{
	struct world *world = *state;
	struct site_list *list;
	struct entry entry;
	unsigned count = 0;
	char url[64];
	int64_t id;

	fill_many(world->store, DOCUMENTS);
	list = site_list_new(world->store,
	    store_site(world->store, slice_of(HOST)), slice_of(""),
	    SITE_LIST_ALL);
	for (; site_list_next(list, &id, &entry); count++) {
		(void)snprintf(url, sizeof(url), HOST_TEXT "p%06u", count);
		if (!slice_is(entry.url, url))
			fail_msg("%.*s at %u", (int)entry.url.len, entry.url.p,
			    count);
	}
	assert_int_equal(count, (DOCUMENTS - 1) * STEP + ENTRIES);
	site_list_free(list);
}

struct walk_counts {
	uint64_t entries, windows;
};

/* Walk over the site with windows of `entries` entries: no document passes an
 * entry twice, and no window has a URL below those of earlier windows. */
static struct walk_counts
count_walk(struct store *store, uint64_t entries)
{
	struct site_walk *walk = site_walk_new(
	    store, store_site(store, slice_of(HOST)), entries, false);
	char highest[64] = "", above[64] = "";
	struct walk_counts counts = {0};
	struct entry entry;
	int64_t id;

	for (; site_walk_window(walk); counts.windows++) {
		char last[64] = "";
		int64_t last_id = 0;

		(void)snprintf(highest, sizeof(highest), "%s", above);
		for (; site_walk_next(walk, &id, &entry); counts.entries++) {
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
	return counts;
}

/* Windows of any size give all entries, also of URLs that two documents list.
 */
static void
test_walk(void **state)
{
	struct world *world = *state;
	static const uint64_t sizes[] = {1, 100, 5000, 20000, 100000};
	struct walk_counts counts;

	assert_int_equal(count_walk(world->store, 10).windows, 0);
	fill_many(world->store, 6);
	for (size_t i = 0; i < COUNT(sizes); i++) {
		counts = count_walk(world->store, sizes[i]);
		assert_int_equal(counts.entries, 6 * ENTRIES);
		assert_true(counts.windows >= 1);
		assert_true(sizes[i] > 20000 || counts.windows > 2);
	}
	assert_int_equal(counts.windows, 1);
}

UNIT_TESTS(site_list, world_test(test_ranks), world_test(test_windows),
    world_test(test_walk));
