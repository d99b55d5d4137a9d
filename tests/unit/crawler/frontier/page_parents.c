/* Which document is the parent of a page, and what orphans lose. */
#include "tests/fixtures/fixture.h"

#include <stdio.h>
#include <stdlib.h>

#include "crawler/frontier/frontier_lease.h"
#include "crawler/frontier/frontier_tables.h"
#include "store/document.h"
#include "store/link.h"
#include "store/reach.h"
#include "store/watch.h"
#include "tests/fixtures/frontier_fixture.h"
#include "tests/fixtures/frontier_sites_fixture.h"

/* Another document lists a page. */

#define OTHER "o.test"

/* Begin with two sites that list pages; all of them are leased. */
static int64_t
begin(struct setup *setup, const char *listed, const char *by_other)
{
	int64_t other;

	setup_open(setup);
	setup->consumer.lease_s = 5 * DAY_S;
	other = document_make(
	    setup->world.store, OTHER, "http://" OTHER "/map.xml");
	setup_begin(setup);
	setup_read(setup, setup->map, listed);
	assert_true(setup_count(setup) > 0);
	setup_read(setup, other, by_other);
	(void)setup_count(setup);
	return other;
}

/* A page that only another site lists now belongs to that site, and the
 * other URLs of its old site are leased; after a restart, too. */
static void
test_other_site(void **state)
{
	struct setup setup;
	struct buf out;
	int64_t other;

	(void)state;
	buf_init(&out, SIZE_MAX);
	other = begin(&setup, "a b", "a:1 c");
	for (int i = 0; i < 2; i++) {
		setup.now_s += DAY_S;
		setup_read(&setup, setup.map, "b");
	}
	assert_false(setup_terms(&setup, HOST_TEXT "a").is_listed);
	setup_read(&setup, other, "a:2 c");
	assert_true(setup_terms(&setup, HOST_TEXT "a").is_listed);
	assert_int_equal(setup_terms(&setup, HOST_TEXT "a").document_id, other);
	setup_restart(&setup);
	assert_int_equal(setup_terms(&setup, HOST_TEXT "a").document_id, other);
	setup_read(&setup, setup.map, "b d");
	setup_restart(&setup);
	assert_non_null(strstr(setup_taken(&setup, &out), "d "));
	/* the page is gone when that site does not list it any more */
	for (int i = 0; i < 2; i++) {
		setup.now_s += DAY_S;
		setup_read(&setup, other, "c");
	}
	assert_false(setup_terms(&setup, HOST_TEXT "a").is_listed);
	buf_release(&out);
	setup_close(&setup);
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
	struct setup setup;
	struct buf out;

	(void)state;
	buf_init(&out, SIZE_MAX);
	(void)begin(&setup, "a b", "a c");
	set_watched(&setup, OTHER, true);
	set_watched(&setup, SETUP_HOST, false);
	setup.now_s += 100 * (int64_t)DAY_S;
	assert_string_equal(setup_taken(&setup, &out), "c a ");
	set_watched(&setup, OTHER, false);
	setup.now_s += 100 * (int64_t)DAY_S;
	assert_string_equal(setup_taken(&setup, &out), "");
	buf_release(&out);
	setup_close(&setup);
}

/* Commit a reading that makes the document an index. */
static void
split(struct setup *setup, const int64_t *children)
{
	struct store *store = setup->world.store;
	struct reading *reading = reading_make(
	    store, setup->map, setup->now_s, COMPLETE, "x.xml y.xml");

	reading->content.kind = KIND_INDEX;
	store_links_begin(store, setup->map);
	for (int i = 0; i < 2; i++)
		store_link(store, setup->map, children[i], &(struct date){0});
	(void)submit(store, reading);
	(void)frontier_sync(setup->frontier, setup->now_s);
}

/* A sitemap becomes an index: its children become the parents of its pages,
 * and their other URLs are leased. */
static void
check_split(bool is_restarted)
{
	struct setup setup;
	struct buf out;
	int64_t children[2];

	buf_init(&out, SIZE_MAX);
	(void)begin(&setup, "a:1 b:2 e f", "");
	children[0] = document_make(
	    setup.world.store, SETUP_HOST, HOST_TEXT "x.xml");
	children[1] = document_make(
	    setup.world.store, SETUP_HOST, HOST_TEXT "y.xml");
	for (int i = 0; i < 2; i++) {
		setup.now_s += DAY_S;
		split(&setup, children);
		setup_read(&setup, children[0], "a:1 b:2");
		setup_read(&setup, children[1], "c d");
		if (is_restarted)
			setup_restart(&setup);
	}
	assert_string_equal(setup_taken(&setup, &out), "c d ");
	assert_int_equal(
	    setup_terms(&setup, HOST_TEXT "a").document_id, children[0]);
	setup.now_s += DAY_S;
	setup_read(&setup, children[0], "a:200 b:2");
	assert_int_equal(setup_terms(&setup, HOST_TEXT "a").lastmod_s,
	    DAY_0 + 200 * (int64_t)DAY_S);
	assert_true(setup_terms(&setup, HOST_TEXT "b").is_listed);
	/* pages that no child lists are gone */
	assert_false(setup_terms(&setup, HOST_TEXT "e").is_listed);
	buf_release(&out);
	setup_close(&setup);
}

static void
test_split(void **state)
{
	(void)state;
	check_split(false);
	check_split(true);
}

/* Documents that nothing leads to are not read, and their pages are not
 * leased. */

#define OLD_MAP HOST_TEXT "old.xml"

static void
root(struct setup *setup, struct slice target)
{
	struct store *store = setup->world.store;
	char *url = slice_dup(target);

	reach_root(store, store_site(store, slice_of(SETUP_HOST)),
	    document_make(store, SETUP_HOST, url), ROOT_OF_TARGET,
	    slice_make(NULL, 0));
	free(url);
}

static void
unroot(struct setup *setup, struct slice target)
{
	struct store *store = setup->world.store;
	int64_t site_id = store_site(store, slice_of(SETUP_HOST));

	reach_unroot(store, site_id,
	    &(struct unrooting){
		.document_id = store_document_id(store, site_id, target),
		.at_s = setup->now_s});
}

/* Call fn for each of the texts, which end with a space each. */
static void
each(struct setup *setup, const char *texts,
    void (*fn)(struct setup *, struct slice))
{
	for (const char *end; (end = strchr(texts, ' ')) != NULL;
	     texts = end + 1)
		fn(setup, slice_make(texts, (size_t)(end - texts)));
}

/* Put the site on the watch list with these targets, and remove the former
 * ones. */
static void
watch(struct setup *setup, const char *targets, const char *former)
{
	struct watch row;

	watch_init(&row);
	row.site_id = store_site(setup->world.store, slice_of(SETUP_HOST));
	row.every_least_s = row.every_most_s = HOUR_S;
	store_watch_put(setup->world.store, &row);
	watch_release(&row);
	each(setup, targets, root);
	each(setup, former, unroot);
	assert_int_equal(store_flush(setup->world.store), DIAG_OK);
	if (setup->frontier != NULL) {
		frontier_watch_changed(setup->frontier, 1, setup->now_s);
		(void)frontier_sync(setup->frontier, setup->now_s);
	}
}

/* The names of the documents that are read within a day, in order;
 * robots.txt is read once. */
static const char *
read_in_a_day(struct setup *setup, struct buf *out)
{
	static const char *const names[] = {
	    "index.xml", "map.xml", "old.xml", "robots.txt", "x.xml", "y.xml"};
	int64_t end_s = setup->now_s + DAY_S + HOUR_S;
	bool were_read[6] = {false};
	struct frontier_document document;

	for (; setup->now_s < end_s; setup->now_s += HOUR_S / 2)
		while (frontier_next_document(
		    setup->frontier, setup->now_s, &document)) {
			struct document it = document_get(
			    setup->world.store, document.id);

			for (size_t i = 0; i < 6; i++)
				were_read[i] |= strcmp(
						    it.url + strlen(HOST_TEXT),
						    names[i]) == 0;
			document_release(&it);
			(void)submit(setup->world.store,
			    reading_make(setup->world.store, document.id,
				setup->now_s, UNCHANGED, ""));
			(void)frontier_sync(setup->frontier, setup->now_s);
		}
	buf_clear(out);
	for (size_t i = 0; i < 6; i++)
		if (were_read[i])
			(void)buf_print(out, "%s ", names[i]);
	return buf_str(out);
}

static bool
is_off(struct setup *setup, const char *url)
{
	struct frontier_terms terms;

	assert_true(frontier_page_terms(
	    setup->frontier, slice_of(url), setup->now_s, &terms));
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

static void
setup_begin_old(struct setup *setup, int64_t *old)
{
	setup_open(setup);
	*old = document_make(setup->world.store, SETUP_HOST, OLD_MAP);
	watch(setup, SETUP_MAP " " OLD_MAP " ", "");
	setup_begin(setup);
}

static void
test_document(void **state)
{
	struct setup setup;
	struct buf out;
	int64_t old;

	(void)state;
	buf_init(&out, SIZE_MAX);
	setup_begin_old(&setup, &old);
	setup_read(&setup, old, "a b");
	assert_string_equal(setup_taken(&setup, &out), "a b ");
	setup_read(&setup, setup.map, "b c");
	setup_read(&setup, old, "a b d");
	assert_string_equal(
	    read_in_a_day(&setup, &out), "map.xml old.xml robots.txt ");
	watch(&setup, SETUP_MAP " ", OLD_MAP " ");
	assert_string_equal(read_in_a_day(&setup, &out), "map.xml robots.txt ");
	assert_true(is_off(&setup, HOST_TEXT "a"));
	/* the URL never was a page */
	assert_true(is_unknown(&setup, HOST_TEXT "d"));
	/* both documents listed the page */
	assert_false(is_off(&setup, HOST_TEXT "b"));
	setup.now_s += 90 * DAY_S;
	assert_string_equal(setup_taken(&setup, &out), "c b ");
	/* a frontier that is loaded now knows the same */
	setup_restart(&setup);
	setup.now_s += 90 * DAY_S;
	assert_string_equal(read_in_a_day(&setup, &out), "map.xml robots.txt ");
	assert_true(is_off(&setup, HOST_TEXT "a"));
	assert_string_equal(setup_taken(&setup, &out), "b c ");
	/* the document is read again, and lists nothing until then */
	watch(&setup, SETUP_MAP " " OLD_MAP " ", "");
	setup.now_s += 90 * DAY_S;
	assert_true(is_unknown(&setup, HOST_TEXT "d"));
	setup_read(&setup, old, "a b d");
	assert_false(is_off(&setup, HOST_TEXT "a"));
	assert_int_equal(setup_count(&setup), 4);
	assert_string_equal(
	    read_in_a_day(&setup, &out), "map.xml old.xml robots.txt ");
	buf_release(&out);
	setup_close(&setup);
}

/* A page is leased, or waits in a ready queue, when its target is removed:
 * its result is accepted, and it is not leased again. */
static void
test_leased(void **state)
{
	struct setup setup;
	struct frontier_page page;
	struct frontier_spent spent;
	char token[64];
	struct buf out;
	int64_t old;

	(void)state;
	buf_init(&out, SIZE_MAX);
	setup_begin_old(&setup, &old);
	setup_read(&setup, old, "a b");
	setup.consumer.per_host = 1;
	assert_true(setup_take(&setup, &page));
	(void)snprintf(token, sizeof(token), "%s", page.token);
	assert_false(setup_take(&setup, &page));
	watch(&setup, SETUP_MAP " ", OLD_MAP " ");
	assert_string_equal(setup_done(&setup, token, 200, "x"), "OK");
	assert_string_equal(setup_taken(&setup, &out), "");
	assert_true(frontier_next_s(setup.frontier, &setup.consumer,
			setup.now_s, &spent) == FRONTIER_NEVER);
	assert_null(spent.of);
	watch(&setup, SETUP_MAP " " OLD_MAP " ", "");
	assert_string_equal(setup_taken(&setup, &out), "");
	setup_read(&setup, old, "a b");
	assert_string_equal(setup_taken(&setup, &out), "b ");
	buf_release(&out);
	setup_close(&setup);
}

/* Commit a complete reading of an index; NULL ends the children. */
static void
lists(struct setup *setup, const char *index, const char *const *children)
{
	struct store *store = setup->world.store;
	int64_t id = document_make(store, SETUP_HOST, index);
	struct reading *reading;
	struct buf listed, url;

	buf_init(&listed, SIZE_MAX);
	buf_init(&url, SIZE_MAX);
	for (size_t i = 0; children[i] != NULL; i++)
		(void)buf_print(
		    &listed, "%s%s", i == 0 ? "" : " ", children[i]);
	reading = reading_make(
	    store, id, setup->now_s, COMPLETE, buf_str(&listed));
	reading->content.kind = KIND_INDEX;
	store_links_begin(store, id);
	for (size_t i = 0; children[i] != NULL; i++) {
		buf_clear(&url);
		(void)buf_print(&url, HOST_TEXT "%s", children[i]);
		store_link(store, id,
		    document_make(store, SETUP_HOST, buf_str(&url)),
		    &(struct date){0});
	}
	(void)submit(store, reading);
	(void)frontier_sync(setup->frontier, setup->now_s);
	buf_release(&listed);
	buf_release(&url);
}

/* Children of an index that is orphaned are orphans, except those that
 * another index lists. */
static void
test_index(void **state)
{
	struct setup setup;
	struct buf out;

	(void)state;
	buf_init(&out, SIZE_MAX);
	setup_open(&setup);
	watch(&setup, SETUP_MAP " " HOST_TEXT "index.xml ", "");
	setup_begin(&setup);
	lists(&setup, HOST_TEXT "index.xml",
	    (const char *const[]){"x.xml", "y.xml", NULL});
	lists(&setup, SETUP_MAP, (const char *const[]){"y.xml", NULL});
	assert_string_equal(read_in_a_day(&setup, &out),
	    "index.xml map.xml robots.txt x.xml y.xml ");
	watch(&setup, SETUP_MAP " ", HOST_TEXT "index.xml ");
	assert_string_equal(
	    read_in_a_day(&setup, &out), "map.xml robots.txt y.xml ");
	/* the child is missed, and then gone */
	lists(&setup, SETUP_MAP, (const char *const[]){NULL});
	assert_string_equal(
	    read_in_a_day(&setup, &out), "map.xml robots.txt y.xml ");
	lists(&setup, SETUP_MAP, (const char *const[]){NULL});
	assert_string_equal(read_in_a_day(&setup, &out), "map.xml robots.txt ");
	lists(&setup, SETUP_MAP, (const char *const[]){"x.xml", NULL});
	assert_string_equal(
	    read_in_a_day(&setup, &out), "map.xml robots.txt x.xml ");
	buf_release(&out);
	setup_close(&setup);
}

/* The dates that the document gives for the page are applied. */
static void
apply_dates(struct setup *setup, int64_t other)
{
	for (int i = 0; i < 2; i++) {
		setup->now_s += DAY_S;
		setup_read(setup, other, i == 0 ? "a:101 d:8" : "a:102 d:8");
		if (i == 0)
			setup_restart(setup);
	}
	assert_true(setup_terms(setup, HOST_TEXT "a").is_listed);
	assert_int_equal(setup_terms(setup, HOST_TEXT "a").document_id, other);
	assert_int_equal(
	    setup_terms(setup, HOST_TEXT "a").lastmod_s, DAY_0 + 102 * DAY_S);
	assert_int_equal(setup_terms(setup, HOST_TEXT "a").terms.moves, 2);
}

/* A page moves from one sitemap to another, which is its parent from then
 * on; the other sitemap listed it before, or lists it later. */
static void
test_goes_over(void **state)
{
	static const char *const tokens[] = {"1.1", "2.1", "3.1"};

	(void)state;
	for (int is_later = 0; is_later < 2; is_later++) {
		struct setup setup;
		int64_t other;

		setup_open(&setup);
		other = document_make(
		    setup.world.store, SETUP_HOST, HOST_TEXT "map2.xml");
		setup_read(&setup, setup.map, "a:5 b:6");
		setup_read(&setup, other, "d:8");
		setup_begin(&setup);
		assert_int_equal(setup_count(&setup), 3);
		for (int i = 0; i < 3; i++)
			assert_string_equal(
			    setup_done(&setup, tokens[i], 200, "x"), "OK");
		setup.now_s += HOUR_S;
		if (is_later == 0)
			setup_read(&setup, other, "a:5 d:8");
		for (int i = 0; i < 2; i++) {
			setup.now_s += HOUR_S;
			setup_read(&setup, setup.map, "b:6");
		}
		assert_true(setup_terms(&setup, HOST_TEXT "a").is_listed ==
		    (is_later == 0));
		if (is_later != 0)
			setup_read(&setup, other, "a:5 d:8");
		apply_dates(&setup, other);
		setup_close(&setup);
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
	struct frontier_answer answer;
	struct setup setup;
	char listed[32];
	int64_t other;

	(void)state;
	setup_open(&setup);
	other = document_make(
	    setup.world.store, SETUP_HOST, HOST_TEXT "map2.xml");
	setup_read(&setup, setup.map, "a:5 b:6");
	setup_read(&setup, other, "d:8");
	setup_begin(&setup);
	assert_int_equal(setup_count(&setup), 3);
	for (int day = 101; day < 120; day++) {
		setup.now_s += DAY_S;
		(void)snprintf(listed, sizeof(listed), "a:%d b:6", day);
		setup_read(&setup, setup.map, listed);
		assert_int_equal(
		    frontier_done(setup.frontier, &same, setup.now_s, &answer),
		    FRONTIER_OK);
	}
	assert_true(setup_terms(&setup, HOST_TEXT "a").terms.precision <
	    setup_terms(&setup, HOST_TEXT "d").terms.precision);
	setup_read(&setup, other, "a:119 d:8");
	for (int i = 0; i < 2; i++)
		setup_read(&setup, setup.map, "b:6");
	assert_int_equal(setup_terms(&setup, HOST_TEXT "a").document_id, other);
	assert_close(setup_terms(&setup, HOST_TEXT "a").terms.precision,
	    setup_terms(&setup, HOST_TEXT "d").terms.precision, 1e-9);
	setup_close(&setup);
}

/* The sitemap that lists the page now may be new: the page does not count
 * for its old sitemap any more, however many sitemaps there are. */
static void
test_goes_over_to_new(void **state)
{
	(void)state;
	for (int others = 0; others < 16; others++) {
		struct setup setup;
		struct buf out;
		int64_t other = 0;
		char url[64];

		buf_init(&out, SIZE_MAX);
		setup_open(&setup);
		for (int i = 0; i < others; i++) {
			(void)snprintf(
			    url, sizeof(url), HOST_TEXT "other%d.xml", i);
			(void)document_make(setup.world.store, SETUP_HOST, url);
		}
		setup_read(&setup, setup.map, "a:5 b:6");
		setup_begin(&setup);
		assert_int_equal(setup_count(&setup), 2);
		setup.now_s += HOUR_S;
		setup_read(&setup, setup.map, "b:6");
		(void)submit(setup.world.store,
		    reading_make(setup.world.store, setup.map, setup.now_s,
			COMPLETE, "b:6"));
		other = document_make(
		    setup.world.store, SETUP_HOST, HOST_TEXT "new.xml");
		setup_read(&setup, other, "a:5");
		assert_int_equal(
		    setup_terms(&setup, HOST_TEXT "a").document_id, other);
		setup.now_s += HOUR_S;
		setup_read(&setup, setup.map, "b:6 c:7");
		assert_true(strstr(setup_taken(&setup, &out), "c ") != NULL);
		buf_release(&out);
		setup_close(&setup);
	}
}

/* Count the pages that the frontier takes for listed. */
static int
listed_pages(struct setup *setup, int count)
{
	struct frontier_terms terms;
	int listed = 0;
	char url[64];

	for (int i = 0; i < count; i++) {
		(void)snprintf(url, sizeof(url), HOST_TEXT "%04d", i);
		assert_true(frontier_page_terms(
		    setup->frontier, slice_of(url), setup->now_s, &terms));
		listed += terms.is_listed;
	}
	return listed;
}

/* However many pages leave a sitemap at once, none is gone if another
 * sitemap lists it. */
static void
test_many_go_over(void **state)
{
	enum { PAGES = 1500 };
	struct setup setup;
	struct buf listed;
	int64_t other;

	(void)state;
	setup_open(&setup);
	setup.rules.has_delay = true;
	other = document_make(
	    setup.world.store, SETUP_HOST, HOST_TEXT "other.xml");
	buf_init(&listed, SIZE_MAX);
	for (int i = 0; i < PAGES; i++)
		(void)buf_print(&listed, "%04d ", i);
	setup_read(&setup, setup.map, buf_str(&listed));
	setup_begin(&setup);
	assert_int_equal(setup_count(&setup), PAGES);
	setup_read(&setup, other, buf_str(&listed));
	for (int i = 0; i < 2; i++) {
		setup.now_s += 60;
		setup_read(&setup, setup.map, "new");
	}
	(void)setup_count(&setup);
	assert_int_equal(listed_pages(&setup, PAGES), PAGES);
	setup_restart(&setup);
	assert_int_equal(listed_pages(&setup, PAGES), PAGES);
	buf_release(&listed);
	setup_close(&setup);
}

UNIT(page_parents)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_other_site),
	    cmocka_unit_test(test_removed_site),
	    cmocka_unit_test(test_split),
	    cmocka_unit_test(test_document),
	    cmocka_unit_test(test_leased),
	    cmocka_unit_test(test_index),
	    cmocka_unit_test(test_goes_over),
	    cmocka_unit_test(test_goes_over_with_trust),
	    cmocka_unit_test(test_goes_over_to_new),
	    cmocka_unit_test(test_many_go_over),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
