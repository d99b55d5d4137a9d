/* The frontier: which document a page is one of, when another lists it. */
#include "tests/fixtures/fixture.h"

#include <stdio.h>

#include "store/document.h"
#include "store/proof.h"
#include "store/site.h"
#include "store/watch.h"
#include "tests/fixtures/frontier_sites_fixture.h"

#define OTHER "o.test"

static struct frontier_terms
terms_of(struct office *office, const char *url)
{
	struct frontier_terms terms;

	assert_true(frontier_page_terms(
	    office->frontier, slice_of(url), office->now_s, &terms));
	return terms;
}

/* Two sites that list a page, all of them are handed out. */
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

/* A page that only another site lists now is one of that, and what its own one
 * lists besides is handed out, to a program that begins then, too. */
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
	assert_false(terms_of(&office, HOST_TEXT "a").is_listed);
	office_read(&office, other, "a:2 c");
	assert_true(terms_of(&office, HOST_TEXT "a").is_listed);
	assert_int_equal(terms_of(&office, HOST_TEXT "a").document_id, other);
	office_restart(&office);
	assert_int_equal(terms_of(&office, HOST_TEXT "a").document_id, other);
	office_read(&office, office.map, "b d");
	office_restart(&office);
	assert_non_null(strstr(office_taken(&office, &out), "d "));
	/* and is gone when that one has lost it */
	for (int i = 0; i < 2; i++) {
		office.now_s += DAY_S;
		office_read(&office, other, "c");
	}
	assert_false(terms_of(&office, HOST_TEXT "a").is_listed);
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

/* It is an index now. */
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

/* A sitemap becomes an index: its children are heard of its pages, and what
 * they list besides is handed out. */
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
	    terms_of(&office, HOST_TEXT "a").document_id, children[0]);
	office.now_s += DAY_S;
	office_read(&office, children[0], "a:200 b:2");
	assert_int_equal(terms_of(&office, HOST_TEXT "a").lastmod_s,
	    DAY_0 + 200 * (int64_t)DAY_S);
	assert_true(terms_of(&office, HOST_TEXT "b").is_listed);
	/* what none of them lists is gone */
	assert_false(terms_of(&office, HOST_TEXT "e").is_listed);
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

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_other_site),
	    cmocka_unit_test(test_removed_site),
	    cmocka_unit_test(test_split),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
