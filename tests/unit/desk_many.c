/* The desk: many sites, documents and pages do not hide or slow down others. */
#include "tests/unit/fixture.h"

#include <stdio.h>
#include <time.h>

#include "crawler/desk_listed.h"
#include "store/outcome.h"
#include "store/page.h"
#include "store/site.h"
#include "store/watch.h"
#include "tests/desk_sites_fixture.h"

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
	struct desk_page page;
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
		office.taker.sites = &sites;
		assert_true(office_take(&office, &page));
		assert_true(slice_is(page.host, host));
		assert_false(office_take(&office, &page));
		desk_taker_release(office.desk, &office.taker);
		office.taker.sites = NULL;
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
		for (uint32_t i = 0; i < office.desk->document_count; i++)
			if (office.desk->documents[i].listed == ENTRIES)
				assert_true(
				    listed_take(office.desk, i) != NONE);
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

/* CPU of so many changes of the watch list beside so many pages. */
static double
watch_beside(int pages)
{
	enum { SITES = 1000 };
	struct office office;
	struct watch watch;
	double begin_s;
	char text[64];

	office_open(&office);
	for (int i = 0; i < pages; i++) {
		(void)snprintf(text, sizeof(text), HOST_TEXT "%d", i);
		(void)store_page_add(
		    office.world.store, office.map, slice_of(text));
	}
	office_begin(&office);
	begin_s = cpu_s();
	for (int i = 0; i < SITES; i++) {
		(void)snprintf(text, sizeof(text), "s%d.test", i);
		watch_init(&watch);
		watch.site_id = store_site(office.world.store, slice_of(text));
		watch.host = slice_dup(slice_of(text));
		watch.is_watched = true;
		for (int times = 0; times < 2; times++) {
			store_watch_put(office.world.store, &watch);
			desk_watch_changed(
			    office.desk, watch.site_id, office.now_s);
		}
		watch_release(&watch);
	}
	begin_s = cpu_s() - begin_s;
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
	struct desk_page page;
	struct desk_terms before, after;

	(void)state;
	office_open(&office);
	office_read(&office, office.map, "a");
	office_begin(&office);
	assert_true(office_take(&office, &page));
	assert_true(desk_page_terms(
	    office.desk, slice_of(HOST_TEXT "a"), office.now_s, &before));
	assert_string_equal(office_done(&office, page.token, 304, NULL), "OK");
	assert_true(desk_page_terms(
	    office.desk, slice_of(HOST_TEXT "a"), office.now_s, &after));
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
	    cmocka_unit_test(test_watch_list_beside_pages),
	    cmocka_unit_test(test_not_modified_since_never),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
