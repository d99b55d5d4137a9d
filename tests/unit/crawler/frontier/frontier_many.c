/* The frontier: many sites, documents and pages do not hide or slow down
 * others. */
#include "tests/fixtures/fixture.h"

#include <stdio.h>
#include <time.h>

#include "crawler/frontier/frontier_tables.h"
#include "store/outcome.h"
#include "store/page.h"
#include "store/site.h"
#include "store/watch.h"
#include "tests/fixtures/frontier_sites_fixture.h"

/* Of this process: others may have the machine. */
static double
cpu_s(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* The pages of one site, while those of many others are due, too. */
static void
test_rare_site(void **state)
{
	struct strings sites = {0};
	struct office office;
	struct frontier_page page;
	char host[32];

	(void)state;
	office_open(&office);
	for (int i = 0; i < 300; i++) {
		(void)snprintf(host, sizeof(host), "s%d.test", i);
		office_site(&office, host);
	}
	office_begin(&office);
	for (int i = 0; i < 300; i += 99) {
		(void)snprintf(host, sizeof(host), "s%d.test", i);
		strings_add(&sites, slice_of(host));
		office.consumer.sites = &sites;
		assert_true(office_take(&office, &page));
		assert_true(slice_is(page.host, host));
		assert_false(office_take(&office, &page));
		frontier_consumer_release(office.frontier, &office.consumer);
		office.consumer.sites = NULL;
		strings_release(&sites);
	}
	assert_int_equal(office_count(&office), 300 - 4);
	office_close(&office);
}

/* CPU of the next page of each of so many documents, some times over, once
 * they were gone through. */
static double
in_turn(int documents)
{
	enum { ENTRIES = 600, TIMES = 10 };
	struct office office;
	struct buf listed;
	double begin_s = 0;
	char text[64];

	office_open(&office);
	buf_init(&listed, SIZE_MAX);
	for (int i = 0; i < documents; i++) {
		(void)snprintf(text, sizeof(text), HOST_TEXT "m%d.xml", i);
		buf_clear(&listed);
		for (int k = 0; k < ENTRIES; k++)
			(void)buf_print(&listed, "%04d/%d ", k, i);
		office_read(&office,
		    document_make(office.world.store, OFFICE_HOST, text),
		    buf_str(&listed));
	}
	buf_release(&listed);
	office_begin(&office);
	for (int times = 0; times <= TIMES; times++) {
		if (times == 1)
			begin_s = cpu_s();
		for (uint32_t i = 0;
		     i < document_count(office.frontier->documents); i++)
			if (document_at(office.frontier->documents, i)
				->listed == ENTRIES)
				assert_true(
				    promotion_next(&office.frontier->promotion,
					i) != NONE);
	}
	begin_s = cpu_s() - begin_s;
	office_close(&office);
	return begin_s / documents;
}

/* More documents than sixty-four cost each page no more. */
static void
test_documents_in_turn(void **state)
{
	double few_s, many_s;

	(void)state;
	few_s = in_turn(40);
	many_s = in_turn(120);
	print_message("%.0f us, %.0f us\n", few_s * 1e6, many_s * 1e6);
	assert_true(many_s < 3 * few_s);
}

/* However many they are, one is not gone through for each page of it. */
static void
test_very_many_in_turn(void **state)
{
	enum { DOCUMENTS = 2500, TIMES = 10 };
	struct office office;
	char text[64];

	(void)state;
	office_open(&office);
	for (int i = 0; i < DOCUMENTS; i++) {
		(void)snprintf(text, sizeof(text), HOST_TEXT "m%d.xml", i);
		int64_t id = document_make(
		    office.world.store, OFFICE_HOST, text);

		(void)snprintf(text, sizeof(text),
		    "a%d b%d c%d d%d e%d f%d g%d h%d i%d j%d", i, i, i, i, i, i,
		    i, i, i, i);
		(void)submit(office.world.store,
		    reading_make(
			office.world.store, id, office.now_s, COMPLETE, text));
	}
	office_begin(&office);
	for (int times = 0; times < TIMES; times++)
		for (uint32_t i = 0;
		     i < document_count(office.frontier->documents); i++)
			if (document_at(office.frontier->documents, i)
				->listed == TIMES)
				assert_true(
				    promotion_next(&office.frontier->promotion,
					i) != NONE);
	assert_int_equal(page_count(office.frontier->pages), DOCUMENTS * TIMES);
	assert_int_equal(office.frontier->candidates.fills, DOCUMENTS);
	/* of what is promoted as a whole nothing is kept */
	assert_int_equal(office.frontier->candidates.count, 0);
	office_close(&office);
}

/* CPU of so many changes of the watch list, of sites with a page each, which
 * want that section or all. */
static double
change_sites(struct office *office, const char *section)
{
	enum { SITES = 1000 };
	struct watch watch;
	double begin_s = cpu_s();
	char text[64];

	for (int i = 0; i < SITES; i++) {
		(void)snprintf(text, sizeof(text), "s%d.test", i);
		watch_init(&watch);
		watch.site_id = store_site(office->world.store, slice_of(text));
		watch.host = slice_dup(slice_of(text));
		watch.is_watched = true;
		if (section != NULL)
			strings_add(&watch.sections, slice_of(section));
		for (int times = 0; times < 2; times++) {
			watch.weight = 1 + times;
			store_watch_put(office->world.store, &watch);
			frontier_watch_changed(
			    office->frontier, watch.site_id, office->now_s);
		}
		watch_release(&watch);
	}
	return cpu_s() - begin_s;
}

static double
watch_beside(int pages)
{
	struct office office;
	double begin_s;
	char text[64];

	office_open(&office);
	for (int i = 0; i < pages; i++) {
		(void)snprintf(text, sizeof(text), HOST_TEXT "%d", i);
		(void)store_page_add(
		    office.world.store, office.map, slice_of(text));
	}
	office_begin(&office);
	begin_s = change_sites(&office, NULL);
	office_close(&office);
	return begin_s;
}

/* A site on the watch list costs the same beside many pages of others. */
static void
test_watch_list_beside_pages(void **state)
{
	double few_s, many_s;

	(void)state;
	few_s = watch_beside(100);
	many_s = watch_beside(200000);
	print_message("%.0f ms, %.0f ms\n", few_s * 1e3, many_s * 1e3);
	assert_true(many_s < 3 * few_s);
}

/* The same, where each has a page, and wants the same section as before. */
static double
sections_beside(int pages)
{
	struct office office;
	double begin_s;
	char text[64];

	office_open(&office);
	for (int i = 0; i < pages; i++) {
		(void)snprintf(text, sizeof(text), HOST_TEXT "%d", i);
		(void)store_page_add(
		    office.world.store, office.map, slice_of(text));
	}
	for (int i = 0; i < 1000; i++) {
		(void)snprintf(text, sizeof(text), "s%d.test", i);
		office_site(&office, text);
	}
	office_begin(&office);
	(void)change_sites(&office, "/a");
	begin_s = change_sites(&office, "/a");
	office_close(&office);
	return begin_s;
}

static void
test_same_sections_beside_pages(void **state)
{
	double few_s, many_s;

	(void)state;
	few_s = sections_beside(100);
	many_s = sections_beside(100000);
	print_message("%.0f ms, %.0f ms\n", few_s * 1e3, many_s * 1e3);
	assert_true(many_s < 3 * few_s);
}

/* The same, while pages of so many hosts wait for somebody who may have them.
 */
static double
watch_beside_shelves(int hosts)
{
	struct office office;
	struct frontier_page page;
	double begin_s;
	char text[64];

	office_open(&office);
	office.rules.has_delay = true;
	(void)store_page_add(
	    office.world.store, office.map, slice_of(HOST_TEXT "a"));
	for (int i = 0; i < hosts; i++) {
		(void)snprintf(text, sizeof(text), "http://o%d.test/", i);
		(void)store_page_add(
		    office.world.store, office.map, slice_of(text));
	}
	office_begin(&office);
	(void)change_sites(&office, NULL);
	office.consumer.hosts = 1;
	do {
		(void)office_take(&office, &page);
	} while (office.frontier->ready.turns.count < (size_t)hosts &&
	    office.now_s++ < OFFICE_S + 300);
	assert_int_equal(office.frontier->ready.turns.count, hosts);
	begin_s = change_sites(&office, NULL);
	assert_int_equal(office.frontier->ready.turns.count, hosts);
	office_close(&office);
	return begin_s;
}

static void
test_watch_list_beside_shelves(void **state)
{
	double few_s, many_s;

	(void)state;
	few_s = watch_beside_shelves(100);
	many_s = watch_beside_shelves(12000);
	print_message("%.0f ms, %.0f ms\n", few_s * 1e3, many_s * 1e3);
	assert_true(many_s < 3 * few_s);
}

/* CPU of asking for pages of each of so many sites by name, for each. */
static double
ask_by_names(int count)
{
	struct strings sites = {0};
	struct office office;
	struct frontier_page page;
	double begin_s;
	char host[32];

	office_open(&office);
	for (int i = 0; i < count; i++) {
		(void)snprintf(host, sizeof(host), "s%d.test", i);
		(void)store_site(office.world.store, slice_of(host));
		strings_add(&sites, slice_of(host));
	}
	office_begin(&office);
	office.consumer.sites = &sites;
	begin_s = cpu_s();
	for (int i = 0; i < count; i++)
		assert_true(frontier_knows_site(
		    office.frontier, slice_of(sites.items[i])));
	assert_false(office_take(&office, &page));
	begin_s = cpu_s() - begin_s;
	frontier_consumer_release(office.frontier, &office.consumer);
	office.consumer.sites = NULL;
	strings_release(&sites);
	office_close(&office);
	return begin_s / count;
}

/* Each of many names costs what one of a few does. */
static void
test_many_names(void **state)
{
	double few_s, many_s;

	(void)state;
	few_s = ask_by_names(1000);
	many_s = ask_by_names(20000);
	print_message("%.2f us, %.2f us\n", few_s * 1e6, many_s * 1e6);
	assert_true(many_s < 5 * few_s);
}

/* CPU of asking for pages of sites with a tag that none has, each time after
 * one of so many sites became another. */
static double
ask_while_sites_change(int count)
{
	struct strings tags = {0};
	struct office office;
	struct frontier_page page;
	double begin_s;
	char host[32];

	office_open(&office);
	for (int i = 0; i < count; i++) {
		(void)snprintf(host, sizeof(host), "s%d.test", i);
		(void)store_site(office.world.store, slice_of(host));
	}
	strings_add(&tags, slice_of("none"));
	office_begin(&office);
	office.consumer.tags = &tags;
	assert_false(office_take(&office, &page));
	begin_s = cpu_s();
	for (int i = 1; i <= 500; i++) {
		frontier_watch_changed(office.frontier, i, office.now_s);
		assert_false(frontier_lease(
		    office.frontier, &office.consumer, office.now_s, &page));
	}
	begin_s = cpu_s() - begin_s;
	frontier_consumer_release(office.frontier, &office.consumer);
	office.consumer.tags = NULL;
	strings_release(&tags);
	office_close(&office);
	return begin_s;
}

/* Which sites have the tag is not sought among all of them again. */
static void
test_tags_while_sites_change(void **state)
{
	double few_s, many_s;

	(void)state;
	few_s = ask_while_sites_change(600);
	many_s = ask_while_sites_change(60000);
	print_message("%.1f ms, %.1f ms\n", few_s * 1e3, many_s * 1e3);
	assert_true(many_s < 5 * few_s);
}

/* How many of the pages are thought to be listed. */
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

/* However many a sitemap has no more that another one had all along: none of
 * them is gone. */
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

static bool
note_kind(void *arg, const struct outcome_row *row)
{
	enum page_outcome *kind = arg;

	*kind = row->kind;
	return true;
}

/* 304 to a page that nobody ever had: nothing was learned of change. */
static void
test_not_modified_since_never(void **state)
{
	enum page_outcome kind = PAGE_OUTCOMES;
	struct office office;
	struct frontier_page page;
	struct frontier_terms before, after;

	(void)state;
	office_open(&office);
	office_read(&office, office.map, "a");
	office_begin(&office);
	assert_true(office_take(&office, &page));
	assert_true(frontier_page_terms(
	    office.frontier, slice_of(HOST_TEXT "a"), office.now_s, &before));
	assert_string_equal(office_done(&office, page.token, 304, NULL), "OK");
	assert_true(frontier_page_terms(
	    office.frontier, slice_of(HOST_TEXT "a"), office.now_s, &after));
	store_each_outcome(office.world.store, 0, note_kind, &kind);
	assert_int_equal(kind, PAGE_FETCHED);
	assert_close(after.terms.precision, before.terms.precision, 1e-12);
	office_close(&office);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_rare_site),
	    cmocka_unit_test(test_documents_in_turn),
	    cmocka_unit_test(test_very_many_in_turn),
	    cmocka_unit_test(test_watch_list_beside_pages),
	    cmocka_unit_test(test_same_sections_beside_pages),
	    cmocka_unit_test(test_watch_list_beside_shelves),
	    cmocka_unit_test(test_many_names),
	    cmocka_unit_test(test_tags_while_sites_change),
	    cmocka_unit_test(test_many_go_over),
	    cmocka_unit_test(test_not_modified_since_never),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
