/* Which document is the parent of a page, and what orphans lose. */
#include "tests/fixtures/fixture.h"

#include <stdio.h>
#include <stdlib.h>

#include "crawler/frontier/frontier_lease.h"
#include "crawler/frontier/frontier_tables.h"
#include "store/document.h"
#include "store/reach.h"
#include "tests/fixtures/frontier_fixture.h"

/* Another document lists a page. */

#define OTHER "o.test"

/* Begin with two sites that list pages; all of them are leased. */
static int64_t
begin(struct setup *setup, const char *listed, const char *by_other)
{
	int64_t other = document_make(
	    setup->world.store, OTHER, "http://" OTHER "/map.xml");

	setup->consumer.lease_s = 5 * DAY_S;
	setup_begin(setup);
	setup_list(setup, listed);
	setup_walk(setup, "some");
	setup_read(setup, other, by_other);
	(void)setup_count(setup);
	return other;
}

/* The page is listed by that document; 0: by none. */
static void
assert_parent(struct setup *setup, const char *url, int64_t document_id)
{
	struct frontier_terms terms = setup_terms(setup, url);

	assert_int_equal(terms.is_listed, document_id != 0);
	if (document_id != 0)
		assert_int_equal(terms.document_id, document_id);
}

/* A document lists these twice, a day apart. */
static void
list_twice(struct setup *setup, int64_t document_id, const char *listed)
{
	for (int i = 0; i < 2; i++) {
		setup->now_s += DAY_S;
		setup_read(setup, document_id, listed);
	}
}

/* A page that only another site lists now belongs to that site, and the
 * other URLs of its old site are leased; after a restart, too. */
static void
test_other_site(void **state)
{
	struct setup *setup = *state;
	int64_t other = begin(setup, "a b", "a:1 c");

	list_twice(setup, setup->map, "b");
	assert_parent(setup, HOST_TEXT "a", 0);
	setup_read(setup, other, "a:2 c");
	assert_parent(setup, HOST_TEXT "a", other);
	setup_restart(setup);
	assert_parent(setup, HOST_TEXT "a", other);
	setup_list(setup, "b d");
	setup_restart(setup);
	assert_non_null(strstr(setup_taken(setup), "d "));
	/* the page is gone when that site does not list it any more */
	list_twice(setup, other, "c");
	assert_parent(setup, HOST_TEXT "a", 0);
}

static void
set_watched(struct setup *setup, const char *host, bool is_watched)
{
	int64_t id = store_site(setup->world.store, slice_of(host));

	if (is_watched)
		setup_watch(setup, id, host, DAY_S);
	else
		store_watch_put(setup->world.store,
		    &(struct watch){.site_id = id, .weight = 1});
	frontier_watch_changed(setup->frontier, id, setup->now_s);
}

/* A site that is taken off the watch list takes nothing from others. */
static void
test_removed_site(void **state)
{
	struct setup *setup = *state;

	(void)begin(setup, "a b", "a c");
	set_watched(setup, OTHER, true);
	set_watched(setup, SETUP_HOST, false);
	setup->now_s += 100 * DAY_S;
	assert_string_equal(setup_taken(setup), "c a ");
	set_watched(setup, OTHER, false);
	setup->now_s += 100 * DAY_S;
	assert_string_equal(setup_taken(setup), "");
}

/* A sitemap becomes an index: its children become the parents of its pages,
 * and their other URLs are leased. */
static void
test_split(void **state)
{
	struct setup *setup = *state;

	for (int is_restarted = 0; is_restarted < 2; is_restarted++) {
		int64_t x, y;

		setup_again(setup);
		(void)begin(setup, "a:1 b:2 e f", "");
		x = setup_document(setup, "x.xml");
		y = setup_document(setup, "y.xml");
		for (int i = 0; i < 2; i++) {
			setup->now_s += DAY_S;
			setup_index(setup, setup->map, "x.xml y.xml");
			setup_read(setup, x, "a:1 b:2");
			setup_read(setup, y, "c d");
			if (is_restarted)
				setup_restart(setup);
		}
		assert_string_equal(setup_taken(setup), "c d ");
		assert_parent(setup, HOST_TEXT "a", x);
		setup->now_s += DAY_S;
		setup_read(setup, x, "a:200 b:2");
		assert_int_equal(setup_terms(setup, HOST_TEXT "a").lastmod_s,
		    DAY_0 + 200 * DAY_S);
		assert_parent(setup, HOST_TEXT "b", x);
		/* pages that no child lists are gone */
		assert_parent(setup, HOST_TEXT "e", 0);
	}
}

/* Documents that nothing leads to are not read, and their pages are not
 * leased. */

#define MAP_XML "map.xml "
#define OLD_XML "old.xml "

/* The site is on the watch list with these targets, and not with the former
 * ones, each a document with a space behind it. */
static void
watch(struct setup *setup, const char *targets, const char *former)
{
	struct store *store = setup->world.store;
	int64_t site_id = store_site(store, slice_of(SETUP_HOST));
	char name[32];
	int len;

	setup_watch(setup, site_id, SETUP_HOST, HOUR_S);
	for (; sscanf(targets, "%31s%n", name, &len) == 1; targets += len)
		reach_root(store, site_id, setup_document(setup, name),
		    ROOT_OF_TARGET, slice_make(NULL, 0));
	for (; sscanf(former, "%31s%n", name, &len) == 1; former += len)
		reach_unroot(store, site_id,
		    &(struct unrooting){
			.document_id = setup_document(setup, name),
			.at_s = setup->now_s});
	assert_int_equal(store_flush(store), DIAG_OK);
	if (setup->frontier != NULL) {
		frontier_watch_changed(setup->frontier, site_id, setup->now_s);
		(void)frontier_sync(setup->frontier, setup->now_s);
	}
}

/* These are the documents that are read within a day, in order; robots.txt is
 * read once. */
static void
assert_read(struct setup *setup, const char *expected)
{
	static const char *const names[] = {
	    "index.xml", "map.xml", "old.xml", "robots.txt", "x.xml", "y.xml"};
	int64_t end_s = setup->now_s + DAY_S + HOUR_S;
	bool were_read[COUNT(names)] = {false};
	struct frontier_document document;

	for (; setup->now_s < end_s; setup->now_s += HOUR_S / 2)
		while (setup_next(setup, &document)) {
			struct document it = document_get(
			    setup->world.store, document.id);

			for (size_t i = 0; i < COUNT(names); i++)
				were_read[i] |= strcmp(
						    it.url + strlen(HOST_TEXT),
						    names[i]) == 0;
			document_release(&it);
			setup_submit(setup,
			    reading_make(setup->world.store, document.id,
				setup->now_s, UNCHANGED, ""));
		}
	buf_clear(&setup->out);
	for (size_t i = 0; i < COUNT(names); i++)
		if (were_read[i])
			(void)buf_print(&setup->out, "%s ", names[i]);
	assert_string_equal(buf_str(&setup->out), expected);
}

static bool
is_off(struct setup *setup, const char *url)
{
	struct frontier_terms terms = setup_terms(setup, url);

	assert_int_equal(terms.is_removed, terms.is_orphan);
	assert_int_equal(terms.is_listed, !terms.is_removed);
	return terms.is_removed;
}

/* Is the URL no page, and listed by no document? */
static bool
is_unknown(struct setup *setup, const char *url)
{
	struct frontier_terms terms;

	return !frontier_page_terms(
	    setup->frontier, slice_of(url), setup->now_s, &terms);
}

/* Begin with two targets; returns the old one. */
static int64_t
begin_old(struct setup *setup)
{
	watch(setup, MAP_XML OLD_XML, "");
	setup_begin(setup);
	return setup_document(setup, "old.xml");
}

static void
test_document(void **state)
{
	struct setup *setup = *state;
	int64_t old = begin_old(setup);

	setup_read(setup, old, "a b");
	assert_string_equal(setup_taken(setup), "a b ");
	setup_list(setup, "b c");
	setup_read(setup, old, "a b d");
	assert_read(setup, MAP_XML OLD_XML "robots.txt ");
	watch(setup, MAP_XML, OLD_XML);
	assert_read(setup, MAP_XML "robots.txt ");
	assert_true(is_off(setup, HOST_TEXT "a"));
	/* the URL never was a page */
	assert_true(is_unknown(setup, HOST_TEXT "d"));
	/* both documents listed the page */
	assert_false(is_off(setup, HOST_TEXT "b"));
	setup->now_s += 90 * DAY_S;
	assert_string_equal(setup_taken(setup), "c b ");
	/* a frontier that is loaded now knows the same */
	setup_restart(setup);
	setup->now_s += 90 * DAY_S;
	assert_read(setup, MAP_XML "robots.txt ");
	assert_true(is_off(setup, HOST_TEXT "a"));
	assert_string_equal(setup_taken(setup), "b c ");
	/* the document is read again, and lists nothing until then */
	watch(setup, MAP_XML OLD_XML, "");
	setup->now_s += 90 * DAY_S;
	assert_true(is_unknown(setup, HOST_TEXT "d"));
	setup_read(setup, old, "a b d");
	assert_false(is_off(setup, HOST_TEXT "a"));
	setup_walk(setup, "4");
	assert_read(setup, MAP_XML OLD_XML "robots.txt ");
}

/* A page is leased, or waits in a ready queue, when its target is removed:
 * its result is accepted, and it is not leased again. */
static void
test_leased(void **state)
{
	struct setup *setup = *state;
	struct frontier_spent spent;
	struct frontier_page page;
	int64_t old = begin_old(setup);

	setup_read(setup, old, "a b");
	setup->consumer.per_host = 1;
	page = setup_page(setup);
	setup_walk(setup, "0");
	watch(setup, MAP_XML, OLD_XML);
	setup_ok(setup, page.token, 200, "x");
	setup_walk(setup, "0");
	assert_true(frontier_next_s(setup->frontier, &setup->consumer,
			setup->now_s, &spent) == FRONTIER_NEVER);
	assert_null(spent.of);
	watch(setup, MAP_XML OLD_XML, "");
	setup_walk(setup, "0");
	setup_read(setup, old, "a b");
	assert_string_equal(setup_taken(setup), "b ");
}

/* Children of an index that is orphaned are orphans, except those that
 * another index lists. */
static void
test_index(void **state)
{
	struct setup *setup = *state;

	watch(setup, MAP_XML "index.xml ", "");
	setup_begin(setup);
	setup_index(setup, setup_document(setup, "index.xml"), "x.xml y.xml");
	setup_index(setup, setup->map, "y.xml");
	assert_read(setup, "index.xml " MAP_XML "robots.txt x.xml y.xml ");
	watch(setup, MAP_XML, "index.xml ");
	assert_read(setup, MAP_XML "robots.txt y.xml ");
	/* the child is missed, and then gone */
	setup_index(setup, setup->map, "");
	assert_read(setup, MAP_XML "robots.txt y.xml ");
	setup_index(setup, setup->map, "");
	assert_read(setup, MAP_XML "robots.txt ");
	setup_index(setup, setup->map, "x.xml");
	assert_read(setup, MAP_XML "robots.txt x.xml ");
}

/* A page moves from one sitemap to another, which is its parent from then
 * on, with its dates; the other sitemap listed it before, or lists it
 * later. */
static void
test_goes_over(void **state)
{
	struct setup *setup = *state;

	for (int is_later = 0; is_later < 2; is_later++) {
		int64_t other;

		setup_again(setup);
		other = setup_document(setup, "map2.xml");
		setup_list(setup, "a:5 b:6");
		setup_read(setup, other, "d:8");
		setup_begin(setup);
		assert_int_equal(setup_fetch_all(setup, "x"), 3);
		setup->now_s += HOUR_S;
		if (is_later == 0)
			setup_read(setup, other, "a:5 d:8");
		for (int i = 0; i < 2; i++) {
			setup->now_s += HOUR_S;
			setup_list(setup, "b:6");
		}
		assert_parent(setup, HOST_TEXT "a", is_later ? 0 : other);
		if (is_later != 0)
			setup_read(setup, other, "a:5 d:8");
		setup->now_s += DAY_S;
		setup_read(setup, other, "a:101 d:8");
		setup_restart(setup);
		setup->now_s += DAY_S;
		setup_read(setup, other, "a:102 d:8");
		assert_parent(setup, HOST_TEXT "a", other);
		assert_int_equal(setup_terms(setup, HOST_TEXT "a").lastmod_s,
		    DAY_0 + 102 * DAY_S);
		assert_int_equal(
		    setup_terms(setup, HOST_TEXT "a").terms.moves, 2);
	}
}

/* The dates of the page are then trusted as those of its new sitemap, not of
 * its old one. */
static void
test_goes_over_with_trust(void **state)
{
	struct frontier_result same = {.url = slice_of(HOST_TEXT "a"),
	    .status = 200,
	    .has_hash = true,
	    .content_hash = slice_of("x")};
	struct setup *setup = *state;
	int64_t other = setup_document(setup, "map2.xml");
	char listed[32];

	setup_list(setup, "a:5 b:6");
	setup_read(setup, other, "d:8");
	setup_begin(setup);
	setup_walk(setup, "3");
	for (int day = 101; day < 120; day++) {
		setup->now_s += DAY_S;
		(void)snprintf(listed, sizeof(listed), "a:%d b:6", day);
		setup_list(setup, listed);
		(void)setup_report(setup, &same);
	}
	assert_true(setup_terms(setup, HOST_TEXT "a").terms.precision <
	    setup_terms(setup, HOST_TEXT "d").terms.precision);
	setup_read(setup, other, "a:119 d:8");
	for (int i = 0; i < 2; i++)
		setup_list(setup, "b:6");
	assert_parent(setup, HOST_TEXT "a", other);
	assert_close(setup_terms(setup, HOST_TEXT "a").terms.precision,
	    setup_terms(setup, HOST_TEXT "d").terms.precision, 1e-9);
}

/* The sitemap that lists the page now may be new: the page does not count
 * for its old sitemap any more, however many sitemaps there are. */
static void
test_goes_over_to_new(void **state)
{
	struct setup *setup = *state;

	for (int others = 0; others < 16; others++) {
		int64_t other;
		char name[64];

		setup_again(setup);
		for (int i = 0; i < others; i++) {
			(void)snprintf(name, sizeof(name), "other%d.xml", i);
			(void)setup_document(setup, name);
		}
		setup_start(setup, "a:5 b:6");
		setup_walk(setup, "2");
		setup->now_s += HOUR_S;
		setup_list(setup, "b:6");
		(void)submit(setup->world.store,
		    reading_make(setup->world.store, setup->map, setup->now_s,
			COMPLETE, "b:6"));
		other = setup_document(setup, "new.xml");
		setup_read(setup, other, "a:5");
		assert_parent(setup, HOST_TEXT "a", other);
		setup->now_s += HOUR_S;
		setup_list(setup, "b:6 c:7");
		assert_non_null(strstr(setup_taken(setup), "c "));
	}
}

/* Count the pages that the frontier takes for listed. */
static int
listed_pages(struct setup *setup, int count)
{
	int listed = 0;
	char url[64];

	for (int i = 0; i < count; i++) {
		(void)snprintf(url, sizeof(url), HOST_TEXT "%04d", i);
		listed += setup_terms(setup, url).is_listed;
	}
	return listed;
}

/* However many pages leave a sitemap at once, none is gone if another
 * sitemap lists it. */
static void
test_many_go_over(void **state)
{
	enum { PAGES = 1500 };
	struct setup *setup = *state;
	struct buf listed;

	setup->rules.has_delay = true;
	buf_init(&listed, SIZE_MAX);
	for (int i = 0; i < PAGES; i++)
		(void)buf_print(&listed, "%04d ", i);
	setup_start(setup, buf_str(&listed));
	assert_int_equal(setup_count(setup), PAGES);
	setup_read(setup, setup_document(setup, "other.xml"), buf_str(&listed));
	for (int i = 0; i < 2; i++) {
		setup->now_s += 60;
		setup_list(setup, "new");
	}
	(void)setup_count(setup);
	assert_int_equal(listed_pages(setup, PAGES), PAGES);
	setup_restart(setup);
	assert_int_equal(listed_pages(setup, PAGES), PAGES);
	buf_release(&listed);
}

UNIT_TESTS(page_parents, setup_test(test_other_site),
    setup_test(test_removed_site), setup_test(test_split),
    setup_test(test_document), setup_test(test_leased), setup_test(test_index),
    setup_test(test_goes_over), setup_test(test_goes_over_with_trust),
    setup_test(test_goes_over_to_new), setup_test(test_many_go_over));
