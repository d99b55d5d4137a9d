/* Which page a consumer gets, of how many hosts and sites, and when. */
#include "tests/fixtures/fixture.h"

#include <stdio.h>

#include "crawler/frontier/frontier_tables.h"
#include "store/page.h"
#include "store/watch.h"
#include "tests/fixtures/frontier_fixture.h"
#include "tests/fixtures/frontier_sites_fixture.h"
#include "tests/fixtures/sanitized.h"

/* The result of a lease that is over is not accepted, and the page is leased
 * again. */
static void
test_expiry(void **state)
{
	struct setup setup;
	struct frontier_page page;

	(void)state;
	setup_open(&setup);
	setup_read(&setup, setup.map, "a");
	setup_begin(&setup);
	assert_true(setup_take(&setup, &page));
	assert_true(
	    frontier_due_s(setup.frontier, setup.now_s) <= SETUP_S + 600);
	setup.now_s += 599;
	assert_false(setup_take(&setup, &page));
	setup.now_s += 1;
	assert_string_equal(
	    setup_done(&setup, "1.1", 200, NULL), "expired-lease");
	assert_true(setup_take(&setup, &page));
	assert_string_equal(page.token, "1.2");
	assert_string_equal(
	    setup_done(&setup, "1.1", 200, NULL), "superseded-lease");
	assert_string_equal(setup_done(&setup, "1.2", 200, NULL), "OK");
	setup_close(&setup);
}

/* A choice that nobody can use counts against no limit. */

#define EVERY_S 300 /* between two requests: twelve an hour */
#define TIMES 12

static void
begin(struct setup *setup, const char *section, bool is_total)
{
	struct watch watch;

	watch_init(&watch);
	watch.site_id = 1;
	watch.is_watched = true;
	watch.page_least_s = 60;
	if (section != NULL)
		strings_add(&watch.sections, slice_of(section));
	if (is_total)
		setup->options.requests_per_hour = 12;
	else
		watch.requests_per_hour = 12;
	store_watch_put(setup->world.store, &watch);
	watch_release(&watch);
	setup->options.burst_ms = 1000;
	/* The request for the sitemap counts no more. */
	setup->now_s += EVERY_S;
	setup_begin(setup);
}

/* The budget allows one page by now, and it is this one; the page has
 * changed. */
static void
fetch(struct setup *setup, const char *name, int time)
{
	struct frontier_page page;
	char text[32];

	assert_true(setup_take(setup, &page));
	(void)snprintf(text, sizeof(text), "%s%s", HOST_TEXT, name);
	assert_true(slice_is(page.url, text));
	(void)snprintf(text, sizeof(text), "%d", time);
	assert_string_equal(setup_done(setup, page.token, 200, text), "OK");
	assert_int_equal(setup_count(setup), 0);
	setup->now_s += EVERY_S;
}

/* URLs outside of the wanted sections are never leased, and each new
 * frontier has to find that out. */
static void
test_sections(void **state)
{
	(void)state;
	for (int is_total = 0; is_total < 2; is_total++) {
		struct setup setup;

		setup_open(&setup);
		setup_read(&setup, setup.map, "a b/c");
		begin(&setup, "/b", is_total != 0);
		for (int time = 0; time < TIMES; time++) {
			fetch(&setup, "b/c", time);
			setup_restart(&setup);
		}
		setup_close(&setup);
	}
}

/* The same for a frontier that lives on, after each reading. */
static void
test_readings(void **state)
{
	struct setup setup;
	char listed[32];

	(void)state;
	setup_open(&setup);
	setup_read(&setup, setup.map, "a:1 b/c");
	begin(&setup, "/b", false);
	for (int time = 0; time < TIMES; time++) {
		fetch(&setup, "b/c", time);
		(void)snprintf(listed, sizeof(listed), "a:%d b/c", time + 2);
		setup_read(&setup, setup.map, listed);
	}
	setup_close(&setup);
}

/* The URL that is due first is disallowed by robots.txt, whether it is a
 * page already or not yet. */
static void
test_refused(void **state)
{
	(void)state;
	for (int is_page = 0; is_page < 2; is_page++) {
		struct setup setup;

		setup_open(&setup);
		if (is_page == 0)
			setup_robots(&setup, "User-agent: *\nDisallow: /a\n");
		setup_read(&setup, setup.map, "a:9 b");
		begin(&setup, NULL, true);
		if (is_page != 0) {
			fetch(&setup, "a", 0);
			setup_robots(&setup, "User-agent: *\nDisallow: /a\n");
			setup.now_s += EVERY_S; /* robots.txt counts, too */
		}
		for (int time = 0; time < TIMES; time++) {
			fetch(&setup, "b", time);
			setup_restart(&setup);
		}
		setup_close(&setup);
	}
}

static void
test_per_host(void **state)
{
	struct setup setup;

	(void)state;
	setup_open(&setup);
	setup_read(&setup, setup.map, "a:4 b:3 c:2 d:1");
	setup_site(&setup, "o.test");
	setup_begin(&setup);
	setup.consumer.per_host = 2;
	assert_int_equal(setup_count(&setup), 3);
	/* pages that waited for a consumer are leased at once */
	assert_string_equal(setup_done(&setup, "2.1", 200, NULL), "OK");
	assert_int_equal(setup_count(&setup), 1);
	setup.now_s += 60;
	assert_int_equal(setup_count(&setup), 0);
	/* and a consumer without that limit gets them */
	setup.consumer.per_host = 0;
	assert_int_equal(setup_count(&setup), 1);
	setup_close(&setup);
}

/* Pages that one consumer may not have are leased to the next consumer at
 * once, with all other pages. */
static void
test_full_batch(void **state)
{
	struct setup setup;

	(void)state;
	setup_open(&setup);
	setup_read(&setup, setup.map, SETUP_LETTERS);
	setup_site(&setup, "o.test");
	setup_begin(&setup);
	setup.consumer.per_host = 1;
	assert_int_equal(setup_count(&setup), 2);
	setup.consumer.per_host = 0;
	assert_int_equal(setup_count(&setup), 25);
	setup_close(&setup);
}

static void
test_hosts(void **state)
{
	struct setup setup;
	struct frontier_consumer other = {.lease_s = 60};
	struct frontier_page page;

	(void)state;
	setup_open(&setup);
	for (int i = 0; i < 20; i++) {
		char host[32];

		(void)snprintf(host, sizeof(host), "s%d.test", i);
		setup_site(&setup, host);
	}
	setup_begin(&setup);
	setup.consumer.hosts = 3;
	assert_int_equal(setup_count(&setup), 3);
	assert_true(lease_page(setup.frontier, &other, setup.now_s, &page));
	assert_string_equal(setup_done(&setup, page.token, 200, NULL), "OK");
	assert_int_equal(setup_count(&setup), 0);
	setup.now_s += 600;
	assert_int_equal(setup_count(&setup), 3);
	/* the leases of a consumer live on when it leaves, and another
	 * consumer begins without hosts */
	frontier_consumer_release(setup.frontier, &setup.consumer);
	setup.now_s += 60;
	assert_int_equal(setup_count(&setup), 3);
	assert_int_equal(frontier_release_all(setup.frontier, setup.now_s), 6);
	frontier_consumer_release(setup.frontier, &other);
	setup_close(&setup);
}

static void
test_site(void **state)
{
	struct strings sites = {0};
	struct setup setup;
	struct frontier_page page;

	(void)state;
	setup_open(&setup);
	setup_read(&setup, setup.map, "a b");
	setup_site(&setup, "o.test");
	setup_begin(&setup);
	strings_add(&sites, slice_of("o.test"));
	setup.consumer.sites = &sites;
	assert_true(setup_take(&setup, &page));
	assert_true(slice_is(page.url, "http://o.test/page"));
	assert_false(setup_take(&setup, &page));
	frontier_consumer_release(setup.frontier, &setup.consumer);
	setup.consumer.sites = NULL;
	strings_release(&sites);
	assert_int_equal(setup_count(&setup), 2);
	setup_close(&setup);
}

/* No more pages of a host are leased than can be fetched in half of the
 * lease time. */
static void
test_lease_is_short(void **state)
{
	struct setup setup;

	(void)state;
	setup_open(&setup);
	setup_read(&setup, setup.map, SETUP_LETTERS);
	setup.rules.has_delay = true;
	setup.rules.delay_ms = 1000;
	setup_begin(&setup);
	setup.consumer.lease_s = 20;
	assert_int_equal(setup_count(&setup), 10);
	setup_close(&setup);
}

/* Of a host with a delay one consumer has pages at a time, until all of them
 * are back; over a restart, too.  Only --per-host lets another one have some.
 */
static void
test_one_at_a_time(void **state)
{
	struct frontier_consumer other = {.lease_s = 600};
	struct setup setup;
	struct frontier_page page, theirs;
	struct buf tokens;

	(void)state;
	setup_open(&setup);
	setup_read(&setup, setup.map, SETUP_LETTERS);
	setup.rules.has_delay = true;
	setup.rules.delay_ms = 1000;
	setup_begin(&setup);
	setup.consumer.per_host = 0;
	buf_init(&tokens, SIZE_MAX);
	for (int i = 0; i < 3; i++) {
		assert_true(setup_take(&setup, &page));
		(void)buf_print(&tokens, "%s\n", page.token);
		for (int spaced = 0; spaced < 2; spaced++) {
			other.is_spaced = spaced != 0;
			assert_false(frontier_lease(
			    setup.frontier, &other, setup.now_s, &theirs));
		}
	}
	other.per_host = 4;
	other.is_spaced = false;
	assert_true(
	    frontier_lease(setup.frontier, &other, setup.now_s, &theirs));
	assert_string_equal(setup_done(&setup, theirs.token, 200, "x"), "OK");
	other.per_host = 0;
	/* the command after it has leases of its own, if any */
	setup_restart(&setup);
	setup.consumer.number = 0;
	setup.now_s += 2;
	assert_false(setup_take(&setup, &page));
	for (struct slice rest = buf_text(&tokens); rest.len > 0;) {
		size_t len = (size_t)((const char *)memchr(
					  rest.p, '\n', rest.len) -
		    rest.p);
		char *token = slice_dup(slice_make(rest.p, len));

		assert_false(setup_take(&setup, &page));
		assert_string_equal(setup_done(&setup, token, 200, "x"), "OK");
		rest = slice_from(rest, len + 1);
		free(token);
	}
	setup.now_s += 2;
	assert_true(setup_take(&setup, &page));
	/* without a delay nobody waits */
	setup.rules.delay_ms = 0;
	setup_restart(&setup);
	setup.now_s += 2;
	assert_true(
	    frontier_lease(setup.frontier, &other, setup.now_s, &theirs));
	frontier_consumer_release(setup.frontier, &other);
	buf_release(&tokens);
	setup_close(&setup);
}

/* Requests to a host count for the frontier of the next command, too. */
static void
test_next_command(void **state)
{
	struct setup setup;

	(void)state;
	setup_open(&setup);
	setup_read(&setup, setup.map, SETUP_LETTERS);
	setup.rules.has_delay = true;
	setup.rules.delay_ms = 10000;
	setup.options.burst_ms = 50000;
	setup_begin(&setup);
	assert_int_equal(setup_count(&setup), 5);
	setup_restart(&setup);
	assert_true(setup_count(&setup) <= 1);
	setup.now_s += 60;
	setup_restart(&setup);
	assert_true(setup_count(&setup) > 0);
	setup_close(&setup);
}

/* Pages that are past their ceiling, or were. */

/* Set the floor and the ceiling of pages on the watch list. */
static void
put_watch(struct setup *setup, int64_t least_s, int64_t most_s)
{
	struct watch row;

	watch_init(&row);
	row.site_id = store_site(setup->world.store, slice_of(SETUP_HOST));
	row.page_least_s = least_s;
	row.page_most_s = most_s;
	store_watch_put(setup->world.store, &row);
	if (setup->frontier != NULL)
		frontier_watch_changed(
		    setup->frontier, row.site_id, setup->now_s);
	watch_release(&row);
}

/* Count the pages that were chosen because of the ceiling and wait in ready
 * queues. */
static int
waiting_late(const struct setup *setup)
{
	int n = 0;

	for (uint32_t i = 0; i < page_count(setup->frontier->pages); i++)
		n += (page_at(setup->frontier->pages, i)->flags & PAGE_READY) !=
			0 &&
		    page_at(setup->frontier->pages, i)->reason ==
			REASON_CEILING;
	return n;
}

/* Six pages are past their ceiling, at a host that may be asked every half
 * minute: one is leased, and the others wait in the ready queue. */
static void
begin_late(struct setup *setup)
{
	struct frontier_page page;

	setup_open(setup);
	setup->rules.has_delay = true;
	setup->rules.delay_ms = 30000;
	setup_read(setup, setup->map, "a:5 b:5 c:5 d:5 e:5 f:5");
	put_watch(setup, 60, 60);
	setup_begin(setup);
	for (int i = 0; i < 30; i++, setup->now_s += 30)
		while (setup_take(setup, &page))
			assert_string_equal(
			    setup_done(setup, page.token, 200, "x"), "OK");
	setup->consumer.per_host = 1;
	for (int i = 0; i < 12; i++, setup->now_s += 30)
		(void)setup_take(setup, &page);
	setup->consumer.per_host = 0;
	assert_true(waiting_late(setup) >= 3);
}

/* Pages in ready queues are judged again when the ceiling of their site is
 * raised, or when no document lists them any more: no page is leased for a
 * ceiling that does not hold any more. */
static void
test_judged_again(void **state)
{
	struct frontier_page page;
	struct setup setup;
	int handed = 0, removed = 0;

	(void)state;
	begin_late(&setup);
	put_watch(&setup, 60, 0);
	assert_int_equal(waiting_late(&setup), 0);
	for (int i = 0; i < 20; i++, setup.now_s += 30)
		while (setup_take(&setup, &page)) {
			assert_string_not_equal(page.why, "ceiling");
			handed++;
		}
	assert_true(handed >= 5);
	setup_close(&setup);

	begin_late(&setup);
	for (int i = 0; i < 2; i++, setup.now_s++)
		setup_read(&setup, setup.map, "z");
	assert_int_equal(waiting_late(&setup), 0);
	for (int i = 0; i < 20; i++, setup.now_s += 30)
		while (setup_take(&setup, &page)) {
			assert_string_not_equal(page.why, "ceiling");
			removed += strcmp(page.why, "removed") == 0;
		}
	assert_in_range(removed, 5, 6);
	setup_close(&setup);
}

struct told {
	int times;
	struct frontier_late late;
};

static void
note_late(void *arg, const struct frontier_late *late)
{
	struct told *told = arg;

	assert_true(slice_is(late->host, SETUP_HOST));
	told->times++;
	told->late = *late;
}

/* options.late is called once for a ceiling that cannot be kept, and again
 * when the ceiling changes; never for a ceiling that can be kept. */
static void
test_told(void **state)
{
	static const int64_t ceilings[] = {60, 3600, 90};
	struct told told = {0};
	struct frontier_page page;
	struct setup setup;

	(void)state;
	setup_open(&setup);
	setup.rules.has_delay = true;
	setup.rules.delay_ms = 30000;
	setup.options.late = note_late;
	setup.options.arg = &told;
	setup_read(&setup, setup.map, "a:5 b:5 c:5 d:5 e:5 f:5");
	setup_begin(&setup);
	for (size_t at = 0; at < COUNT(ceilings); at++) {
		put_watch(&setup, ceilings[at], ceilings[at]);
		for (int i = 0; i < 300; i++, setup.now_s += 30)
			while (setup_take(&setup, &page))
				assert_string_equal(
				    setup_done(&setup, page.token, 200, "x"),
				    "OK");
		assert_int_equal(told.times, at < 2 ? 1 : 2);
		assert_int_equal(told.late.ceiling_s, at < 2 ? 60 : 90);
		assert_int_equal(told.late.pages, 6);
	}
	setup_close(&setup);
}

/* Many sites, documents and pages do not slow down others. */

/* A consumer gets the pages of one site while pages of many other sites are
 * due. */
static void
test_rare_site(void **state)
{
	struct strings sites = {0};
	struct setup setup;
	struct frontier_page page;
	char host[32];

	(void)state;
	setup_open(&setup);
	for (int i = 0; i < 300; i++) {
		(void)snprintf(host, sizeof(host), "s%d.test", i);
		setup_site(&setup, host);
	}
	setup_begin(&setup);
	for (int i = 0; i < 300; i += 99) {
		(void)snprintf(host, sizeof(host), "s%d.test", i);
		strings_add(&sites, slice_of(host));
		setup.consumer.sites = &sites;
		assert_true(setup_take(&setup, &page));
		assert_true(slice_is(page.host, host));
		assert_false(setup_take(&setup, &page));
		frontier_consumer_release(setup.frontier, &setup.consumer);
		setup.consumer.sites = NULL;
		strings_release(&sites);
	}
	assert_int_equal(setup_count(&setup), 300 - 4);
	setup_close(&setup);
}

/* The processor time of so many changes of the watch list, for sites with a
 * page each and with that section, or all. */
static double
change_sites(struct setup *setup, const char *section)
{
	enum { SITES = 1000 };
	struct watch watch;
	double begin_s = setup_cpu_s();
	char text[64];

	for (int i = 0; i < SITES; i++) {
		(void)snprintf(text, sizeof(text), "s%d.test", i);
		watch_init(&watch);
		watch.site_id = store_site(setup->world.store, slice_of(text));
		watch.host = slice_dup(slice_of(text));
		watch.is_watched = true;
		if (section != NULL)
			strings_add(&watch.sections, slice_of(section));
		for (int times = 0; times < 2; times++) {
			watch.weight = 1 + times;
			store_watch_put(setup->world.store, &watch);
			frontier_watch_changed(
			    setup->frontier, watch.site_id, setup->now_s);
		}
		watch_release(&watch);
	}
	return setup_cpu_s() - begin_s;
}

static double
watch_beside(int pages)
{
	struct setup setup;
	double begin_s;
	char text[64];

	setup_open(&setup);
	for (int i = 0; i < pages; i++) {
		(void)snprintf(text, sizeof(text), HOST_TEXT "%d", i);
		(void)store_page_add(
		    setup.world.store, setup.map, slice_of(text));
	}
	setup_begin(&setup);
	begin_s = change_sites(&setup, NULL);
	setup_close(&setup);
	return begin_s;
}

/* Changing a site of the watch list costs the same beside many pages of
 * other sites. */
static void
test_watch_list_beside_pages(void **state)
{
	double few_s, many_s;

	(void)state;
	few_s = watch_beside(100);
	many_s = watch_beside(IS_SANITIZED ? 20000 : 200000);
	print_message("%.0f ms, %.0f ms\n", few_s * 1e3, many_s * 1e3);
	assert_true(many_s < 3 * few_s);
}

/* The same where each site has a page and the sections do not change. */
static double
sections_beside(int pages)
{
	struct setup setup;
	double begin_s;
	char text[64];

	setup_open(&setup);
	for (int i = 0; i < pages; i++) {
		(void)snprintf(text, sizeof(text), HOST_TEXT "%d", i);
		(void)store_page_add(
		    setup.world.store, setup.map, slice_of(text));
	}
	for (int i = 0; i < 1000; i++) {
		(void)snprintf(text, sizeof(text), "s%d.test", i);
		setup_site(&setup, text);
	}
	setup_begin(&setup);
	(void)change_sites(&setup, "/a");
	begin_s = change_sites(&setup, "/a");
	setup_close(&setup);
	return begin_s;
}

static void
test_same_sections_beside_pages(void **state)
{
	double few_s, many_s;

	(void)state;
	few_s = sections_beside(100);
	many_s = sections_beside(IS_SANITIZED ? 10000 : 100000);
	print_message("%.0f ms, %.0f ms\n", few_s * 1e3, many_s * 1e3);
	assert_true(many_s < 3 * few_s);
}

/* The same while pages of so many hosts wait in ready queues */
static double
watch_beside_ready_queues(int hosts)
{
	struct setup setup;
	struct frontier_page page;
	double begin_s;
	char text[64];

	setup_open(&setup);
	setup.rules.has_delay = true;
	(void)store_page_add(
	    setup.world.store, setup.map, slice_of(HOST_TEXT "a"));
	for (int i = 0; i < hosts; i++) {
		(void)snprintf(text, sizeof(text), "http://o%d.test/", i);
		(void)store_page_add(
		    setup.world.store, setup.map, slice_of(text));
	}
	setup_begin(&setup);
	(void)change_sites(&setup, NULL);
	setup.consumer.hosts = 1;
	do {
		(void)setup_take(&setup, &page);
	} while (setup.frontier->ready.turns.count < (size_t)hosts &&
	    setup.now_s++ < SETUP_S + 300);
	assert_int_equal(setup.frontier->ready.turns.count, hosts);
	begin_s = change_sites(&setup, NULL);
	assert_int_equal(setup.frontier->ready.turns.count, hosts);
	setup_close(&setup);
	return begin_s;
}

static void
test_watch_list_beside_ready_queues(void **state)
{
	double few_s, many_s;

	(void)state;
	few_s = watch_beside_ready_queues(100);
	many_s = watch_beside_ready_queues(IS_SANITIZED ? 3000 : 12000);
	print_message("%.0f ms, %.0f ms\n", few_s * 1e3, many_s * 1e3);
	assert_true(many_s < 3 * few_s);
}

/* The processor time, for each site, of a consumer that names so many sites. */
static double
ask_by_names(int count)
{
	struct strings sites = {0};
	struct setup setup;
	struct frontier_page page;
	double begin_s;
	char host[32];

	setup_open(&setup);
	for (int i = 0; i < count; i++) {
		(void)snprintf(host, sizeof(host), "s%d.test", i);
		(void)store_site(setup.world.store, slice_of(host));
		strings_add(&sites, slice_of(host));
	}
	setup_begin(&setup);
	setup.consumer.sites = &sites;
	begin_s = setup_cpu_s();
	for (int i = 0; i < count; i++)
		assert_true(frontier_knows_site(
		    setup.frontier, slice_of(sites.items[i])));
	assert_false(setup_take(&setup, &page));
	begin_s = setup_cpu_s() - begin_s;
	frontier_consumer_release(setup.frontier, &setup.consumer);
	setup.consumer.sites = NULL;
	strings_release(&sites);
	setup_close(&setup);
	return begin_s / count;
}

/* A consumer that names many sites costs no more for each than one that
 * names few. */
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

/* The processor time of asking for pages with a tag that no site has, each
 * time after one of so many sites was changed. */
static double
ask_while_sites_change(int count)
{
	struct strings tags = {0};
	struct setup setup;
	struct frontier_page page;
	double begin_s;
	char host[32];

	setup_open(&setup);
	for (int i = 0; i < count; i++) {
		(void)snprintf(host, sizeof(host), "s%d.test", i);
		(void)store_site(setup.world.store, slice_of(host));
	}
	strings_add(&tags, slice_of("none"));
	setup_begin(&setup);
	setup.consumer.tags = &tags;
	assert_false(setup_take(&setup, &page));
	begin_s = setup_cpu_s();
	for (int i = 1; i <= 500; i++) {
		frontier_watch_changed(setup.frontier, i, setup.now_s);
		assert_false(lease_page(
		    setup.frontier, &setup.consumer, setup.now_s, &page));
	}
	begin_s = setup_cpu_s() - begin_s;
	frontier_consumer_release(setup.frontier, &setup.consumer);
	setup.consumer.tags = NULL;
	strings_release(&tags);
	setup_close(&setup);
	return begin_s;
}

/* After a change of one site, the frontier does not look at all sites again
 * to find those with a tag. */
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

UNIT(frontier_lease)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_expiry),
	    cmocka_unit_test(test_sections),
	    cmocka_unit_test(test_readings),
	    cmocka_unit_test(test_refused),
	    cmocka_unit_test(test_per_host),
	    cmocka_unit_test(test_full_batch),
	    cmocka_unit_test(test_hosts),
	    cmocka_unit_test(test_site),
	    cmocka_unit_test(test_lease_is_short),
	    cmocka_unit_test(test_next_command),
	    cmocka_unit_test(test_one_at_a_time),
	    cmocka_unit_test(test_judged_again),
	    cmocka_unit_test(test_told),
	    cmocka_unit_test(test_rare_site),
	    cmocka_unit_test(test_watch_list_beside_pages),
	    cmocka_unit_test(test_same_sections_beside_pages),
	    cmocka_unit_test(test_watch_list_beside_ready_queues),
	    cmocka_unit_test(test_many_names),
	    cmocka_unit_test(test_tags_while_sites_change),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
