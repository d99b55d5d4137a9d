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
begin(struct office *office, const char *listed, const char *by_other)
{
	int64_t other;

	office_open(office);
	office->consumer.lease_s = 5 * DAY_S;
	other = document_make(
	    office->world.store, OTHER, "http://" OTHER "/map.xml");
	office_begin(office);
	office_read(office, office->map, listed);
	assert_true(office_count(office) > 0);
	office_read(office, other, by_other);
	(void)office_count(office);
	return other;
}

/* A page that only another site lists now belongs to that site, and the
 * other URLs of its old site are leased; after a restart, too. */
static void
test_other_site(void **state)
{
	struct office office;
	struct buf out;
	int64_t other;

	(void)state;
	buf_init(&out, SIZE_MAX);
	other = begin(&office, "a b", "a:1 c");
	for (int i = 0; i < 2; i++) {
		office.now_s += DAY_S;
		office_read(&office, office.map, "b");
	}
	assert_false(office_terms(&office, HOST_TEXT "a").is_listed);
	office_read(&office, other, "a:2 c");
	assert_true(office_terms(&office, HOST_TEXT "a").is_listed);
	assert_int_equal(
	    office_terms(&office, HOST_TEXT "a").document_id, other);
	office_restart(&office);
	assert_int_equal(
	    office_terms(&office, HOST_TEXT "a").document_id, other);
	office_read(&office, office.map, "b d");
	office_restart(&office);
	assert_non_null(strstr(office_taken(&office, &out), "d "));
	/* the page is gone when that site does not list it any more */
	for (int i = 0; i < 2; i++) {
		office.now_s += DAY_S;
		office_read(&office, other, "c");
	}
	assert_false(office_terms(&office, HOST_TEXT "a").is_listed);
	buf_release(&out);
	office_close(&office);
}

static void
set_watched(struct office *office, const char *host, bool is_watched)
{
	int64_t id = store_site(office->world.store, slice_of(host));

	if (is_watched)
		office_watch(office, id, host, DAY_S);
	else
		store_watch_put(office->world.store,
		    &(struct watch){.site_id = id, .weight = 1});
	frontier_watch_changed(office->frontier, id, office->now_s);
}

/* A site that is taken off the watch list takes nothing from others. */
static void
test_removed_site(void **state)
{
	struct office office;
	struct buf out;

	(void)state;
	buf_init(&out, SIZE_MAX);
	(void)begin(&office, "a b", "a c");
	set_watched(&office, OTHER, true);
	set_watched(&office, OFFICE_HOST, false);
	office.now_s += 100 * (int64_t)DAY_S;
	assert_string_equal(office_taken(&office, &out), "c a ");
	set_watched(&office, OTHER, false);
	office.now_s += 100 * (int64_t)DAY_S;
	assert_string_equal(office_taken(&office, &out), "");
	buf_release(&out);
	office_close(&office);
}

/* Commit a reading that makes the document an index. */
static void
split(struct office *office, const int64_t *children)
{
	struct store *store = office->world.store;
	struct reading *reading = reading_make(
	    store, office->map, office->now_s, COMPLETE, "x.xml y.xml");

	reading->content.kind = KIND_INDEX;
	store_links_begin(store, office->map);
	for (int i = 0; i < 2; i++)
		store_link(store, office->map, children[i], &(struct date){0});
	(void)submit(store, reading);
	(void)frontier_sync(office->frontier, office->now_s);
}

/* A sitemap becomes an index: its children become the parents of its pages,
 * and their other URLs are leased. */
static void
check_split(bool is_restarted)
{
	struct office office;
	struct buf out;
	int64_t children[2];

	buf_init(&out, SIZE_MAX);
	(void)begin(&office, "a:1 b:2 e f", "");
	children[0] = document_make(
	    office.world.store, OFFICE_HOST, HOST_TEXT "x.xml");
	children[1] = document_make(
	    office.world.store, OFFICE_HOST, HOST_TEXT "y.xml");
	for (int i = 0; i < 2; i++) {
		office.now_s += DAY_S;
		split(&office, children);
		office_read(&office, children[0], "a:1 b:2");
		office_read(&office, children[1], "c d");
		if (is_restarted)
			office_restart(&office);
	}
	assert_string_equal(office_taken(&office, &out), "c d ");
	assert_int_equal(
	    office_terms(&office, HOST_TEXT "a").document_id, children[0]);
	office.now_s += DAY_S;
	office_read(&office, children[0], "a:200 b:2");
	assert_int_equal(office_terms(&office, HOST_TEXT "a").lastmod_s,
	    DAY_0 + 200 * (int64_t)DAY_S);
	assert_true(office_terms(&office, HOST_TEXT "b").is_listed);
	/* pages that no child lists are gone */
	assert_false(office_terms(&office, HOST_TEXT "e").is_listed);
	buf_release(&out);
	office_close(&office);
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
root(struct office *office, struct slice target)
{
	struct store *store = office->world.store;
	char *url = slice_dup(target);

	reach_root(store, store_site(store, slice_of(OFFICE_HOST)),
	    document_make(store, OFFICE_HOST, url), ROOT_OF_TARGET,
	    slice_make(NULL, 0));
	free(url);
}

static void
unroot(struct office *office, struct slice target)
{
	struct store *store = office->world.store;
	int64_t site_id = store_site(store, slice_of(OFFICE_HOST));

	reach_unroot(store, site_id,
	    &(struct unrooting){
		.document_id = store_document_id(store, site_id, target),
		.at_s = office->now_s});
}

/* Call fn for each of the texts, which end with a space each. */
static void
each(struct office *office, const char *texts,
    void (*fn)(struct office *, struct slice))
{
	for (const char *end; (end = strchr(texts, ' ')) != NULL;
	     texts = end + 1)
		fn(office, slice_make(texts, (size_t)(end - texts)));
}

/* Put the site on the watch list with these targets, and remove the former
 * ones. */
static void
watch(struct office *office, const char *targets, const char *former)
{
	struct watch row;

	watch_init(&row);
	row.site_id = store_site(office->world.store, slice_of(OFFICE_HOST));
	row.every_least_s = row.every_most_s = HOUR_S;
	store_watch_put(office->world.store, &row);
	watch_release(&row);
	each(office, targets, root);
	each(office, former, unroot);
	assert_int_equal(store_flush(office->world.store), DIAG_OK);
	if (office->frontier != NULL) {
		frontier_watch_changed(office->frontier, 1, office->now_s);
		(void)frontier_sync(office->frontier, office->now_s);
	}
}

/* The names of the documents that are read within a day, in order;
 * robots.txt is read once. */
static const char *
read_in_a_day(struct office *office, struct buf *out)
{
	static const char *const names[] = {
	    "index.xml", "map.xml", "old.xml", "robots.txt", "x.xml", "y.xml"};
	int64_t end_s = office->now_s + DAY_S + HOUR_S;
	bool were_read[6] = {false};
	struct frontier_document document;

	for (; office->now_s < end_s; office->now_s += HOUR_S / 2)
		while (frontier_next_document(
		    office->frontier, office->now_s, &document)) {
			struct document it = document_get(
			    office->world.store, document.id);

			for (size_t i = 0; i < 6; i++)
				were_read[i] |= strcmp(
						    it.url + strlen(HOST_TEXT),
						    names[i]) == 0;
			document_release(&it);
			(void)submit(office->world.store,
			    reading_make(office->world.store, document.id,
				office->now_s, UNCHANGED, ""));
			(void)frontier_sync(office->frontier, office->now_s);
		}
	buf_clear(out);
	for (size_t i = 0; i < 6; i++)
		if (were_read[i])
			(void)buf_print(out, "%s ", names[i]);
	return buf_str(out);
}

static bool
is_off(struct office *office, const char *url)
{
	struct frontier_terms terms;

	assert_true(frontier_page_terms(
	    office->frontier, slice_of(url), office->now_s, &terms));
	assert_int_equal(terms.is_removed, terms.is_orphan);
	assert_int_equal(terms.is_listed, !terms.is_removed);
	return terms.is_removed;
}

/* Is the URL no page, and listed by no document? */
static bool
is_unknown(struct office *office, const char *url)
{
	struct frontier_terms terms;

	return !frontier_page_terms(
	    office->frontier, slice_of(url), office->now_s, &terms);
}

static void
office_begin_old(struct office *office, int64_t *old)
{
	office_open(office);
	*old = document_make(office->world.store, OFFICE_HOST, OLD_MAP);
	watch(office, OFFICE_MAP " " OLD_MAP " ", "");
	office_begin(office);
}

static void
test_document(void **state)
{
	struct office office;
	struct buf out;
	int64_t old;

	(void)state;
	buf_init(&out, SIZE_MAX);
	office_begin_old(&office, &old);
	office_read(&office, old, "a b");
	assert_string_equal(office_taken(&office, &out), "a b ");
	office_read(&office, office.map, "b c");
	office_read(&office, old, "a b d");
	assert_string_equal(
	    read_in_a_day(&office, &out), "map.xml old.xml robots.txt ");
	watch(&office, OFFICE_MAP " ", OLD_MAP " ");
	assert_string_equal(
	    read_in_a_day(&office, &out), "map.xml robots.txt ");
	assert_true(is_off(&office, HOST_TEXT "a"));
	/* the URL never was a page */
	assert_true(is_unknown(&office, HOST_TEXT "d"));
	/* both documents listed the page */
	assert_false(is_off(&office, HOST_TEXT "b"));
	office.now_s += 90 * DAY_S;
	assert_string_equal(office_taken(&office, &out), "c b ");
	/* a frontier that is loaded now knows the same */
	office_restart(&office);
	office.now_s += 90 * DAY_S;
	assert_string_equal(
	    read_in_a_day(&office, &out), "map.xml robots.txt ");
	assert_true(is_off(&office, HOST_TEXT "a"));
	assert_string_equal(office_taken(&office, &out), "b c ");
	/* the document is read again, and lists nothing until then */
	watch(&office, OFFICE_MAP " " OLD_MAP " ", "");
	office.now_s += 90 * DAY_S;
	assert_true(is_unknown(&office, HOST_TEXT "d"));
	office_read(&office, old, "a b d");
	assert_false(is_off(&office, HOST_TEXT "a"));
	assert_int_equal(office_count(&office), 4);
	assert_string_equal(
	    read_in_a_day(&office, &out), "map.xml old.xml robots.txt ");
	buf_release(&out);
	office_close(&office);
}

/* A page is leased, or waits in a ready queue, when its target is removed:
 * its result is accepted, and it is not leased again. */
static void
test_leased(void **state)
{
	struct office office;
	struct frontier_page page;
	struct frontier_spent spent;
	char token[64];
	struct buf out;
	int64_t old;

	(void)state;
	buf_init(&out, SIZE_MAX);
	office_begin_old(&office, &old);
	office_read(&office, old, "a b");
	office.consumer.per_host = 1;
	assert_true(office_take(&office, &page));
	(void)snprintf(token, sizeof(token), "%s", page.token);
	assert_false(office_take(&office, &page));
	watch(&office, OFFICE_MAP " ", OLD_MAP " ");
	assert_string_equal(office_done(&office, token, 200, "x"), "OK");
	assert_string_equal(office_taken(&office, &out), "");
	assert_true(frontier_next_s(office.frontier, &office.consumer,
			office.now_s, &spent) == FRONTIER_NEVER);
	assert_null(spent.of);
	watch(&office, OFFICE_MAP " " OLD_MAP " ", "");
	assert_string_equal(office_taken(&office, &out), "");
	office_read(&office, old, "a b");
	assert_string_equal(office_taken(&office, &out), "b ");
	buf_release(&out);
	office_close(&office);
}

/* Commit a complete reading of an index; NULL ends the children. */
static void
lists(struct office *office, const char *index, const char *const *children)
{
	struct store *store = office->world.store;
	int64_t id = document_make(store, OFFICE_HOST, index);
	struct reading *reading;
	struct buf listed, url;

	buf_init(&listed, SIZE_MAX);
	buf_init(&url, SIZE_MAX);
	for (size_t i = 0; children[i] != NULL; i++)
		(void)buf_print(
		    &listed, "%s%s", i == 0 ? "" : " ", children[i]);
	reading = reading_make(
	    store, id, office->now_s, COMPLETE, buf_str(&listed));
	reading->content.kind = KIND_INDEX;
	store_links_begin(store, id);
	for (size_t i = 0; children[i] != NULL; i++) {
		buf_clear(&url);
		(void)buf_print(&url, HOST_TEXT "%s", children[i]);
		store_link(store, id,
		    document_make(store, OFFICE_HOST, buf_str(&url)),
		    &(struct date){0});
	}
	(void)submit(store, reading);
	(void)frontier_sync(office->frontier, office->now_s);
	buf_release(&listed);
	buf_release(&url);
}

/* Children of an index that is orphaned are orphans, except those that
 * another index lists. */
static void
test_index(void **state)
{
	struct office office;
	struct buf out;

	(void)state;
	buf_init(&out, SIZE_MAX);
	office_open(&office);
	watch(&office, OFFICE_MAP " " HOST_TEXT "index.xml ", "");
	office_begin(&office);
	lists(&office, HOST_TEXT "index.xml",
	    (const char *const[]){"x.xml", "y.xml", NULL});
	lists(&office, OFFICE_MAP, (const char *const[]){"y.xml", NULL});
	assert_string_equal(read_in_a_day(&office, &out),
	    "index.xml map.xml robots.txt x.xml y.xml ");
	watch(&office, OFFICE_MAP " ", HOST_TEXT "index.xml ");
	assert_string_equal(
	    read_in_a_day(&office, &out), "map.xml robots.txt y.xml ");
	/* the child is missed, and then gone */
	lists(&office, OFFICE_MAP, (const char *const[]){NULL});
	assert_string_equal(
	    read_in_a_day(&office, &out), "map.xml robots.txt y.xml ");
	lists(&office, OFFICE_MAP, (const char *const[]){NULL});
	assert_string_equal(
	    read_in_a_day(&office, &out), "map.xml robots.txt ");
	lists(&office, OFFICE_MAP, (const char *const[]){"x.xml", NULL});
	assert_string_equal(
	    read_in_a_day(&office, &out), "map.xml robots.txt x.xml ");
	buf_release(&out);
	office_close(&office);
}

/* The dates that the document gives for the page are applied. */
static void
hear_of(struct office *office, int64_t other)
{
	for (int i = 0; i < 2; i++) {
		office->now_s += DAY_S;
		office_read(office, other, i == 0 ? "a:101 d:8" : "a:102 d:8");
		if (i == 0)
			office_restart(office);
	}
	assert_true(office_terms(office, HOST_TEXT "a").is_listed);
	assert_int_equal(
	    office_terms(office, HOST_TEXT "a").document_id, other);
	assert_int_equal(
	    office_terms(office, HOST_TEXT "a").lastmod_s, DAY_0 + 102 * DAY_S);
	assert_int_equal(office_terms(office, HOST_TEXT "a").terms.moves, 2);
}

/* A page moves from one sitemap to another, which is its parent from then
 * on; the other sitemap listed it before, or lists it later. */
static void
test_goes_over(void **state)
{
	static const char *const tokens[] = {"1.1", "2.1", "3.1"};

	(void)state;
	for (int is_later = 0; is_later < 2; is_later++) {
		struct office office;
		int64_t other;

		office_open(&office);
		other = document_make(
		    office.world.store, OFFICE_HOST, HOST_TEXT "map2.xml");
		office_read(&office, office.map, "a:5 b:6");
		office_read(&office, other, "d:8");
		office_begin(&office);
		assert_int_equal(office_count(&office), 3);
		for (int i = 0; i < 3; i++)
			assert_string_equal(
			    office_done(&office, tokens[i], 200, "x"), "OK");
		office.now_s += HOUR_S;
		if (is_later == 0)
			office_read(&office, other, "a:5 d:8");
		for (int i = 0; i < 2; i++) {
			office.now_s += HOUR_S;
			office_read(&office, office.map, "b:6");
		}
		assert_true(office_terms(&office, HOST_TEXT "a").is_listed ==
		    (is_later == 0));
		if (is_later != 0)
			office_read(&office, other, "a:5 d:8");
		hear_of(&office, other);
		office_close(&office);
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
	struct office office;
	char listed[32];
	int64_t other;

	(void)state;
	office_open(&office);
	other = document_make(
	    office.world.store, OFFICE_HOST, HOST_TEXT "map2.xml");
	office_read(&office, office.map, "a:5 b:6");
	office_read(&office, other, "d:8");
	office_begin(&office);
	assert_int_equal(office_count(&office), 3);
	for (int day = 101; day < 120; day++) {
		office.now_s += DAY_S;
		(void)snprintf(listed, sizeof(listed), "a:%d b:6", day);
		office_read(&office, office.map, listed);
		assert_int_equal(frontier_done(office.frontier, &same,
				     office.now_s, &answer),
		    FRONTIER_OK);
	}
	assert_true(office_terms(&office, HOST_TEXT "a").terms.precision <
	    office_terms(&office, HOST_TEXT "d").terms.precision);
	office_read(&office, other, "a:119 d:8");
	for (int i = 0; i < 2; i++)
		office_read(&office, office.map, "b:6");
	assert_int_equal(
	    office_terms(&office, HOST_TEXT "a").document_id, other);
	assert_close(office_terms(&office, HOST_TEXT "a").terms.precision,
	    office_terms(&office, HOST_TEXT "d").terms.precision, 1e-9);
	office_close(&office);
}

/* The sitemap that lists the page now may be new: the page does not count
 * for its old sitemap any more, however many sitemaps there are. */
static void
test_goes_over_to_new(void **state)
{
	(void)state;
	for (int others = 0; others < 16; others++) {
		struct office office;
		struct buf out;
		int64_t other = 0;
		char url[64];

		buf_init(&out, SIZE_MAX);
		office_open(&office);
		for (int i = 0; i < others; i++) {
			(void)snprintf(
			    url, sizeof(url), HOST_TEXT "other%d.xml", i);
			(void)document_make(
			    office.world.store, OFFICE_HOST, url);
		}
		office_read(&office, office.map, "a:5 b:6");
		office_begin(&office);
		assert_int_equal(office_count(&office), 2);
		office.now_s += HOUR_S;
		office_read(&office, office.map, "b:6");
		(void)submit(office.world.store,
		    reading_make(office.world.store, office.map, office.now_s,
			COMPLETE, "b:6"));
		other = document_make(
		    office.world.store, OFFICE_HOST, HOST_TEXT "new.xml");
		office_read(&office, other, "a:5");
		assert_int_equal(
		    office_terms(&office, HOST_TEXT "a").document_id, other);
		office.now_s += HOUR_S;
		office_read(&office, office.map, "b:6 c:7");
		assert_true(strstr(office_taken(&office, &out), "c ") != NULL);
		buf_release(&out);
		office_close(&office);
	}
}

/* Count the pages that the frontier takes for listed. */
static int
listed_pages(struct office *office, int count)
{
	struct frontier_terms terms;
	int listed = 0;
	char url[64];

	for (int i = 0; i < count; i++) {
		(void)snprintf(url, sizeof(url), HOST_TEXT "%04d", i);
		assert_true(frontier_page_terms(
		    office->frontier, slice_of(url), office->now_s, &terms));
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
	struct office office;
	struct buf listed;
	int64_t other;

	(void)state;
	office_open(&office);
	office.rules.has_delay = true;
	other = document_make(
	    office.world.store, OFFICE_HOST, HOST_TEXT "other.xml");
	buf_init(&listed, SIZE_MAX);
	for (int i = 0; i < PAGES; i++)
		(void)buf_print(&listed, "%04d ", i);
	office_read(&office, office.map, buf_str(&listed));
	office_begin(&office);
	assert_int_equal(office_count(&office), PAGES);
	office_read(&office, other, buf_str(&listed));
	for (int i = 0; i < 2; i++) {
		office.now_s += 60;
		office_read(&office, office.map, "new");
	}
	(void)office_count(&office);
	assert_int_equal(listed_pages(&office, PAGES), PAGES);
	office_restart(&office);
	assert_int_equal(listed_pages(&office, PAGES), PAGES);
	buf_release(&listed);
	office_close(&office);
}

int
main(void)
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
