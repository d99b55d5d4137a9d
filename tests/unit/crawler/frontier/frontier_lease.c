/* Which page a consumer gets, of how many hosts and sites, and when. */
#include "tests/fixtures/fixture.h"

#include <stdio.h>

#include "crawler/frontier/frontier_tables.h"
#include "sched/scheduler_next.h"
#include "store/page.h"
#include "tests/fixtures/frontier_fixture.h"
#include "tests/fixtures/sanitized.h"

/* The result of a lease that is over is not accepted, and the page is leased
 * again. */
static void
test_expiry(void **state)
{
	struct setup *setup = *state;

	setup_start(setup, "a");
	setup_walk(setup, "1");
	assert_true(
	    frontier_due_s(setup->frontier, setup->now_s) <= SETUP_S + 600);
	setup_walk(setup, "+599 0 +1");
	assert_string_equal(
	    setup_done(setup, "1.1", 200, NULL), "expired-lease");
	assert_string_equal(setup_page(setup).token, "1.2");
	assert_string_equal(
	    setup_done(setup, "1.1", 200, NULL), "superseded-lease");
	setup_ok(setup, "1.2", 200, NULL);
}

/* A choice that nobody can use counts against no limit. */

#define EVERY_S 300 /* between two requests: twelve an hour */
#define TIMES 12
#define NO_A "User-agent: *\nDisallow: /a\n"

static void
begin(struct setup *setup, const char *section, bool is_total)
{
	struct watch watch;

	watch = (struct watch)WATCH_DEFAULTS;
	watch.site_id = 1;
	watch.is_watched = true;
	watch.page_least_s = 60;
	setup->rules.pages = setup_filter(setup, section);
	if (is_total)
		setup->options.requests_per_hour = 12;
	else
		watch.requests_per_hour = 12;
	setup_put(setup, &watch);
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
	struct frontier_page page = setup_page(setup);
	char text[32];

	(void)snprintf(text, sizeof(text), "%s%s", HOST_TEXT, name);
	assert_true(slice_is(page.url, text));
	(void)snprintf(text, sizeof(text), "%d", time);
	setup_ok(setup, page.token, 200, text);
	assert_int_equal(setup_count(setup), 0);
	setup->now_s += EVERY_S;
}

/* URLs outside of the wanted sections are never leased.  Each new frontier has
 * to find that out, and one that lives on, after each reading. */
static void
test_sections(void **state)
{
	static const struct {
		bool is_total, lives_on;
	} cases[] = {{false, false}, {true, false}, {false, true}};
	struct setup *setup = *state;
	char listed[32];

	for (size_t i = 0; i < COUNT(cases); i++) {
		setup_again(setup);
		setup_list(setup, "a:1 b/c");
		begin(setup, "below=/b", cases[i].is_total);
		for (int time = 0; time < TIMES; time++) {
			fetch(setup, "b/c", time);
			(void)snprintf(
			    listed, sizeof(listed), "a:%d b/c", time + 2);
			if (cases[i].lives_on)
				setup_list(setup, listed);
			else
				setup_restart(setup);
		}
	}
}

/* The consumer has that filter, rules with spaces between them, from now on. */
static void
consume(struct frontier_consumer *consumer, struct frontier *frontier,
    const char *filter)
{
	struct strings rules = {0};
	struct slice rule;

	frontier_consumer_release(frontier, consumer);
	while (filter != NULL && slice_next(&filter, ' ', &rule))
		strings_add(&rules, rule);
	assert_true(frontier_consumer_filter(consumer, &rules));
	strings_release(&rules);
}

static const char *
taken_by(struct setup *setup, const char *filter)
{
	consume(&setup->consumer, setup->frontier, filter);
	return setup_taken(setup);
}

/* A call with a filter gets what it wants, and others get the rest; what it
 * does not want is looked for once, whether it is a page already or not yet. */
static void
test_call_filter(void **state)
{
	static const struct {
		const char *filter, *taken, *pages;
	} calls[] = {
	    {"include=/a/", "a/1 a/2 ", "a/1 a/2 "},
	    {"include=/a/", "", ""},
	    {"exclude=/b/ depth=0", "e ", "e "},
	    {"include=/b/1 include=/c", "b/1 ", "b/1 "},
	    {"include=/a/", "", ""},
	    {NULL, "d/1 b/2 ", "b/2 d/1 "},
	};
	struct setup *setup = *state;
	uint64_t fills = 0;

	for (int are_pages = 0; are_pages < 2; are_pages++) {
		setup_again(setup);
		setup_start(setup, "a/1 a/2 b/1 b/2 d/1 e");
		if (are_pages) {
			(void)taken_by(setup, NULL);
			setup->now_s += 600; /* the leases are over */
		}
		for (size_t i = 0; i < COUNT(calls); i++) {
			if (i == 1)
				fills = setup->frontier->candidates.fills;
			assert_string_equal(taken_by(setup, calls[i].filter),
			    are_pages ? calls[i].pages : calls[i].taken);
			if (i == 1)
				assert_int_equal(
				    setup->frontier->candidates.fills, fills);
		}
	}
}

/* What was passed over for its date is met again when its date moves, and so is
 * a document that lists something else. */
static void
test_call_dates(void **state)
{
	static const char newer[] = "newer=2024-02-15";
	struct setup *setup = *state;

	setup_start(setup, "a:1 b:60 c:2");
	assert_string_equal(taken_by(setup, newer), "b ");
	assert_string_equal(taken_by(setup, newer), "");
	setup_list(setup, "a:1 b:60 c:2 d:70");
	assert_string_equal(taken_by(setup, newer), "d ");
	assert_string_equal(taken_by(setup, NULL), "c a ");
	setup->now_s += 600;
	assert_string_equal(taken_by(setup, newer), "d b ");
	setup_list(setup, "a:71 b:60 c:2 d:70");
	assert_string_equal(taken_by(setup, newer), "a ");
	assert_string_equal(taken_by(setup, NULL), "c ");
}

/* The same of the filter of a site. */
static void
test_site_dates(void **state)
{
	struct setup *setup = *state;

	setup->rules.pages = setup_filter(setup, "newer=2024-02-15");
	setup_start(setup, "a:1 b:60");
	assert_string_equal(taken_by(setup, NULL), "b ");
	setup_list(setup, "a:70 b:60");
	assert_string_equal(taken_by(setup, NULL), "a ");
	setup->now_s += 600;
	setup_list(setup, "a:1 b:60");
	assert_string_equal(taken_by(setup, NULL), "b ");
	setup_list(setup, "a:71 b:60");
	assert_string_equal(taken_by(setup, NULL), "a ");
}

/* Streams with filters of their own, and one without, that take turns: the work
 * for a page does not grow with the number of pages of the others. */
static double
filters_in_turn(int pages)
{
	static const char *const filters[] = {
	    "include=/a", "include=/b", "include=/c", NULL};
	enum { ROUNDS = 300 };
	struct setup setup;
	struct frontier_page page;
	double cost_s;
	int got = 0;

	setup_open(&setup);
	setup_pages(&setup, "b", pages);
	setup_begin(&setup);
	cost_s = setup_cpu_s();
	for (int i = 0; i < ROUNDS; i++) {
		consume(&setup.consumer, setup.frontier,
		    filters[i % COUNT(filters)]);
		got += setup_take(&setup, &page);
	}
	/* the first two look at everything once */
	cost_s = (setup_cpu_s() - cost_s) / (ROUNDS + 2 * pages);
	assert_int_equal(got, ROUNDS / 2);
	frontier_consumer_release(setup.frontier, &setup.consumer);
	setup_close(&setup);
	return cost_s;
}

/* The URL that is due first is disallowed by robots.txt, whether it is a
 * page already or not yet. */
static void
test_refused(void **state)
{
	struct setup *setup = *state;

	for (int is_page = 0; is_page < 2; is_page++) {
		setup_again(setup);
		if (is_page == 0)
			setup_robots(setup, NO_A);
		setup_list(setup, "a:9 b");
		begin(setup, NULL, true);
		if (is_page != 0) {
			fetch(setup, "a", 0);
			setup_robots(setup, NO_A);
			setup->now_s += EVERY_S; /* robots.txt counts, too */
		}
		for (int time = 0; time < TIMES; time++) {
			fetch(setup, "b", time);
			setup_restart(setup);
		}
	}
}

static void
test_per_host(void **state)
{
	struct setup *setup = *state;

	setup_site(setup, "o.test");
	setup_start(setup, "a:4 b:3 c:2 d:1");
	setup->consumer.per_host = 2;
	setup_walk(setup, "3");
	/* pages that waited for a consumer are leased at once */
	setup_ok(setup, "2.1", 200, NULL);
	setup_walk(setup, "1 +60 0");
	/* and a consumer without that limit gets them */
	setup->consumer.per_host = 0;
	setup_walk(setup, "1");
}

/* Pages that one consumer may not have are leased to the next consumer at
 * once, with all other pages. */
static void
test_full_batch(void **state)
{
	struct setup *setup = *state;

	setup_site(setup, "o.test");
	setup_start(setup, SETUP_LETTERS);
	setup->consumer.per_host = 1;
	setup_walk(setup, "2");
	setup->consumer.per_host = 0;
	setup_walk(setup, "25");
}

/* Add so many sites with a page each. */
static void
add_sites(struct setup *setup, int count)
{
	char host[32];

	for (int i = 0; i < count; i++) {
		(void)snprintf(host, sizeof(host), "s%d.test", i);
		setup_site(setup, host);
	}
}

static void
test_hosts(void **state)
{
	struct setup *setup = *state;
	struct frontier_consumer other = {.lease_s = 60};
	struct frontier_page page;

	add_sites(setup, 20);
	setup_begin(setup);
	setup->consumer.hosts = 3;
	setup_walk(setup, "3");
	assert_true(lease_page(setup->frontier, &other, setup->now_s, &page));
	setup_ok(setup, page.token, 200, NULL);
	setup_walk(setup, "0 +600 3");
	/* the leases of a consumer live on when it leaves, and another
	 * consumer begins without hosts */
	frontier_consumer_release(setup->frontier, &setup->consumer);
	setup_walk(setup, "+60 3");
	assert_int_equal(
	    frontier_release_all(setup->frontier, setup->now_s), 6);
	frontier_consumer_release(setup->frontier, &other);
}

/* The consumer gets one page of the site, and no other. */
static void
check_site(struct setup *setup, const char *host)
{
	struct strings sites = {0};
	struct frontier_page page;

	strings_add(&sites, slice_of(host));
	setup->consumer.sites = &sites;
	page = setup_page(setup);
	assert_true(slice_is(page.host, host));
	setup_walk(setup, "0");
	frontier_consumer_release(setup->frontier, &setup->consumer);
	setup->consumer.sites = NULL;
	strings_release(&sites);
}

/* A consumer gets the pages of one site, also while pages of many other sites
 * are due. */
static void
test_site(void **state)
{
	struct setup *setup = *state;
	char host[32];

	add_sites(setup, 300);
	setup_start(setup, "a b");
	for (int i = 0; i < 300; i += 99) {
		(void)snprintf(host, sizeof(host), "s%d.test", i);
		check_site(setup, host);
	}
	assert_int_equal(setup_count(setup), 300 - 4 + 2);
}

/* No more pages of a host are leased than can be fetched in half of the
 * lease time. */
static void
test_lease_is_short(void **state)
{
	struct setup *setup = *state;

	setup_delay(setup, 1000);
	setup_start(setup, SETUP_LETTERS);
	setup->consumer.lease_s = 20;
	setup_walk(setup, "10");
}

static bool
takes(struct setup *setup, struct frontier_consumer *consumer,
    struct frontier_page *page)
{
	return frontier_lease(setup->frontier, consumer, setup->now_s, page);
}

/* Of a host with a delay one consumer has pages at a time, until all of them
 * are back; over a restart, too.  Only --per-host lets another one have some.
 */
static void
test_one_at_a_time(void **state)
{
	struct frontier_consumer other = {.lease_s = 600};
	struct setup *setup = *state;
	struct frontier_page pages[3], theirs;

	setup_delay(setup, 1000);
	setup_start(setup, SETUP_LETTERS);
	setup->consumer.per_host = 0;
	for (size_t i = 0; i < COUNT(pages); i++) {
		pages[i] = setup_page(setup);
		other.is_spaced = true;
		assert_false(takes(setup, &other, &theirs));
		other.is_spaced = false;
		assert_false(takes(setup, &other, &theirs));
	}
	other.per_host = 4;
	assert_true(takes(setup, &other, &theirs));
	setup_ok(setup, theirs.token, 200, "x");
	other.per_host = 0;
	/* the command after it has leases of its own, if any */
	setup_restart(setup);
	setup->consumer.number = 0;
	setup->now_s += 2;
	for (size_t i = 0; i < COUNT(pages); i++) {
		setup_walk(setup, "0");
		setup_ok(setup, pages[i].token, 200, "x");
	}
	setup->now_s += 2;
	(void)setup_page(setup);
	/* without a delay nobody waits */
	setup->rules.delay_ms = 0;
	setup_restart(setup);
	setup->now_s += 2;
	assert_true(takes(setup, &other, &theirs));
	frontier_consumer_release(setup->frontier, &other);
}

/* How many pages the driver gets until it gets no more. */
static size_t
own_takes(struct setup *setup, struct frontier_consumer *own,
    struct frontier_page *pages, size_t most)
{
	size_t count = 0;

	while (count < most && takes(setup, own, &pages[count]))
		count++;
	return count;
}

/* The driver has two pages of a host with a delay at once, and nobody else has
 * any meanwhile; nor does it wait for the delay, which its queue keeps. */
static void
test_own(void **state)
{
	struct frontier_consumer own = {
	    .lease_s = FRONTIER_LEASE_MAX_S, .is_own = true};
	struct setup *setup = *state;
	struct frontier_page pages[20], theirs;
	const struct host *host;

	setup_delay(setup, 1000);
	setup->options.burst_ms = 600000;
	setup_start(setup, SETUP_LETTERS);
	host = frontier_hosts(setup->frontier)
		   ->items[host_put(
		       frontier_hosts(setup->frontier), slice_of(SETUP_HOST))];
	assert_int_equal(own_takes(setup, &own, pages, 20), 2);
	assert_int_equal(host->owned, 2);
	assert_true(host->lent_until_ms == HOST_NEVER);
	setup->consumer.per_host = 9;
	assert_false(takes(setup, &setup->consumer, &theirs));
	/* each result makes room for the next page */
	for (int i = 0; i < 5; i++) {
		(void)setup_report(setup,
		    &(struct frontier_result){
			.token = slice_of(pages[i % 2].token),
			.status = 200,
			.is_own = true});
		assert_true(takes(setup, &own, &pages[i % 2]));
		assert_false(takes(setup, &own, &theirs));
	}
	/* a kill ends the leases of the process */
	assert_int_equal(store_flush(setup->world.store), DIAG_OK);
	setup_kill(setup);
	own.leased = NULL;
	own.number = 0;
	setup->consumer.per_host = 1;
	setup->now_s += 2;
	assert_true(takes(setup, &setup->consumer, &theirs));
	assert_int_equal(own_takes(setup, &own, pages, 20), 0);
	setup_ok(setup, theirs.token, 200, NULL);
	assert_int_equal(own_takes(setup, &own, pages, 20), 2);
	(void)frontier_release_all(setup->frontier, setup->now_s);
	/* without a delay */
	setup->rules.delay_ms = 0;
	setup_kill(setup);
	own.leased = NULL;
	assert_int_equal(own_takes(setup, &own, pages, 20), 8);
	(void)frontier_release_all(setup->frontier, setup->now_s);
	frontier_consumer_release(setup->frontier, &own);
}

/* With fewer hosts at once than there are, the hosts take turns. */
static void
test_own_turns(void **state)
{
	struct frontier_consumer own = {
	    .lease_s = FRONTIER_LEASE_MAX_S, .is_own = true, .hosts = 2};
	struct setup *setup = *state;
	struct frontier_page pages[9];
	struct strings hosts = {0};
	char host[32];
	size_t out = 0;

	setup_delay(setup, 1000);
	setup->options.burst_ms = 600000;
	add_sites(setup, 4);
	setup_start(setup, SETUP_LETTERS);
	for (int i = 0; i < 7; i++) {
		while (takes(setup, &own, &pages[out])) {
			strings_add(&hosts, pages[out].host);
			out++;
		}
		assert_true(out >= 2 && out <= 4);
		(void)setup_report(setup,
		    &(struct frontier_result){.token = slice_of(pages[0].token),
			.status = 200,
			.is_own = true});
		out--;
		memmove(pages, pages + 1, out * sizeof(pages[0]));
	}
	/* all five hosts had a page by then, although one has many */
	for (int i = 0; i < 4; i++) {
		(void)snprintf(host, sizeof(host), "s%d.test", i);
		assert_true(strings_has(&hosts, slice_of(host)));
	}
	assert_true(strings_has(&hosts, slice_of(SETUP_HOST)));
	strings_release(&hosts);
	(void)frontier_release_all(setup->frontier, setup->now_s);
	frontier_consumer_release(setup->frontier, &own);
}

/* A page that met 503 backs off itself, though the host is held by then. */
static void
test_own_refused(void **state)
{
	struct frontier_consumer own = {
	    .lease_s = FRONTIER_LEASE_MAX_S, .is_own = true};
	struct setup *setup = *state;
	struct frontier_page page;
	struct host_table *hosts;

	setup_start(setup, "a:2 b:1");
	hosts = frontier_hosts(setup->frontier);
	assert_true(takes(setup, &own, &page));
	assert_true(slice_ends(page.url, slice_of("/a")));
	host_hold(hosts, hosts->items[host_put(hosts, slice_of(SETUP_HOST))],
	    HELD_ALL, setup->now_s + 60, setup->now_s, "limited");
	(void)setup_report(setup,
	    &(struct frontier_result){.token = slice_of(page.token),
		.status = 503,
		.retry_after_s = 60,
		.is_own = true});
	assert_int_equal(page_at(setup->frontier, 0)->failures, 1);
	assert_false(takes(setup, &own, &page));
	(void)frontier_release_all(setup->frontier, setup->now_s);
	frontier_consumer_release(setup->frontier, &own);
}

/* Requests to a host count for the frontier of the next command, too. */
static void
test_next_command(void **state)
{
	struct setup *setup = *state;

	setup_delay(setup, 10000);
	setup->options.burst_ms = 50000;
	setup_start(setup, SETUP_LETTERS);
	setup_walk(setup, "5 restart");
	assert_true(setup_count(setup) <= 1);
	setup_walk(setup, "+60 restart some");
}

/* Pages that are past their ceiling, or were. */

/* Set the floor and the ceiling of pages on the watch list. */
static void
put_watch(struct setup *setup, int64_t least_s, int64_t most_s)
{
	struct watch row;

	row = (struct watch)WATCH_DEFAULTS;
	row.site_id = store_site(setup->world.store, slice_of(SETUP_HOST));
	row.page_least_s = least_s;
	row.page_most_s = most_s;
	setup_put(setup, &row);
	watch_release(&row);
}

/* Count the pages that were chosen because of the ceiling and wait in ready
 * queues. */
static int
waiting_late(const struct setup *setup)
{
	int n = 0;

	for (uint32_t i = 0; i < setup->frontier->scheduler->pages.count; i++) {
		const struct sched_page *page = page_at(setup->frontier, i);

		n += (page->owner_flags & PAGE_READY) != 0 &&
		    page->reason == REASON_CEILING;
	}
	return n;
}

/* Six pages at a host that may be asked every half minute, so many times: all
 * that are due are fetched. */
static void
fetch_times(struct setup *setup, int times)
{
	for (int i = 0; i < times; i++, setup->now_s += 30)
		(void)setup_fetch_all(setup, "x");
}

/* Six pages are past their ceiling: one is leased, and the others wait in the
 * ready queue. */
static void
begin_late(struct setup *setup)
{
	struct frontier_page page;

	setup_again(setup);
	setup_delay(setup, 30000);
	setup_list(setup, "a:5 b:5 c:5 d:5 e:5 f:5");
	put_watch(setup, 60, 60);
	setup_begin(setup);
	fetch_times(setup, 30);
	setup->consumer.per_host = 1;
	for (int i = 0; i < 12; i++, setup->now_s += 30)
		(void)setup_take(setup, &page);
	setup->consumer.per_host = 0;
	assert_true(waiting_late(setup) >= 3);
}

/* Lease pages for ten minutes, none because of the ceiling.  Returns how many,
 * and *removed how many that no document lists. */
static int
take_others(struct setup *setup, int *removed)
{
	struct frontier_page page;
	int taken = 0;

	assert_int_equal(waiting_late(setup), 0);
	for (int i = 0; i < 20; i++, setup->now_s += 30)
		while (setup_take(setup, &page)) {
			assert_string_not_equal(page.why, "ceiling");
			*removed += strcmp(page.why, "removed") == 0;
			taken++;
		}
	return taken;
}

/* Pages in ready queues are judged again when the ceiling of their site is
 * raised, or when no document lists them any more: no page is leased for a
 * ceiling that does not hold any more. */
static void
test_judged_again(void **state)
{
	struct setup *setup = *state;
	int removed = 0;

	begin_late(setup);
	put_watch(setup, 60, 0);
	assert_true(take_others(setup, &removed) >= 5);
	assert_int_equal(removed, 0);

	begin_late(setup);
	for (int i = 0; i < 2; i++, setup->now_s++)
		setup_list(setup, "z");
	(void)take_others(setup, &removed);
	assert_in_range(removed, 5, 6);
}

struct told {
	int times;
	struct frontier_round late;
};

static void
note_late(void *arg, struct slice host, const struct frontier_round *late)
{
	struct told *told = arg;

	assert_true(slice_is(host, SETUP_HOST));
	told->times++;
	told->late = *late;
}

/* options.late is called once for a ceiling that cannot be kept, and again
 * when the ceiling changes; never for a ceiling that can be kept. */
static void
test_told(void **state)
{
	static const struct {
		int64_t ceiling_s, told_s;
		int times;
	} cases[] = {{60, 60, 1}, {3600, 60, 1}, {90, 90, 2}};
	struct setup *setup = *state;
	struct told told = {0};

	setup_delay(setup, 30000);
	setup->options.late = note_late;
	setup->options.arg = &told;
	setup_start(setup, "a:5 b:5 c:5 d:5 e:5 f:5");
	for (size_t i = 0; i < COUNT(cases); i++) {
		put_watch(setup, cases[i].ceiling_s, cases[i].ceiling_s);
		fetch_times(setup, 300);
		assert_int_equal(told.times, cases[i].times);
		assert_int_equal(told.late.most_s, cases[i].told_s);
		assert_int_equal(told.late.requests, 6);
	}
}

/* Many sites, documents and pages do not slow down others. */

/* The processor time of so many changes of the watch list, for sites with a
 * page each and with that section, or all. */
static double
change_sites(struct setup *setup, const char *section)
{
	enum { SITES = 1000 };
	struct watch watch;
	double begin_s = setup_cpu_s();
	char text[64];

	setup->rules.pages = setup_filter(setup, section);
	for (int i = 0; i < SITES; i++) {
		(void)snprintf(text, sizeof(text), "s%d.test", i);
		watch = (struct watch)WATCH_DEFAULTS;
		watch.site_id = store_site(setup->world.store, slice_of(text));
		watch.host = slice_dup(slice_of(text));
		watch.is_watched = true;
		for (int times = 0; times < 2; times++) {
			watch.weight = 1 + times;
			setup_put(setup, &watch);
		}
		watch_release(&watch);
	}
	return setup_cpu_s() - begin_s;
}

/* Changing a site of the watch list costs the same beside many pages of
 * other sites. */
static double
watch_beside_pages(int pages)
{
	struct setup setup;
	double cost_s;

	setup_open(&setup);
	setup_pages(&setup, "", pages);
	setup_begin(&setup);
	cost_s = change_sites(&setup, NULL);
	setup_close(&setup);
	return cost_s;
}

/* The same where each site has a page and the sections do not change. */
static double
sections_beside_pages(int pages)
{
	struct setup setup;
	double cost_s;

	setup_open(&setup);
	setup_pages(&setup, "", pages);
	add_sites(&setup, 1000);
	setup_begin(&setup);
	(void)change_sites(&setup, "below=/a");
	cost_s = change_sites(&setup, "below=/a");
	setup_close(&setup);
	return cost_s;
}

/* The same while pages of so many hosts wait in ready queues. */
static double
watch_beside_ready_queues(int hosts)
{
	struct setup setup;
	struct frontier_page page;
	double cost_s;
	char text[64];

	setup_open(&setup);
	setup.rules.has_delay = true;
	setup_pages(&setup, "", 1);
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
	cost_s = change_sites(&setup, NULL);
	assert_int_equal(setup.frontier->ready.turns.count, hosts);
	setup_close(&setup);
	return cost_s;
}

/* A consumer that names many sites costs no more for each than one that names
 * few. */
static double
ask_by_names(int count)
{
	struct strings sites = {0};
	struct setup setup;
	struct frontier_page page;
	double begin_s, cost_s;
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
	cost_s = setup_cpu_s() - begin_s;
	frontier_consumer_release(setup.frontier, &setup.consumer);
	setup.consumer.sites = NULL;
	strings_release(&sites);
	setup_close(&setup);
	return cost_s / count;
}

static void
test_cheap(void **state)
{
	static const struct {
		const char *name;
		double (*run)(int);
		int few, many, many_sanitized;
		double factor;
	} costs[] = {
	    {"watch beside pages", watch_beside_pages, 100, 200000, 20000, 3},
	    {"sections beside pages", sections_beside_pages, 100, 100000, 10000,
		3},
	    {"watch beside ready queues", watch_beside_ready_queues, 100, 12000,
		3000, 3},
	    {"names", ask_by_names, 1000, 20000, 20000, 5},
	    {"filters in turn", filters_in_turn, 1000, 20000, 5000, 3}};

	for (size_t i = 0; i < COUNT(costs); i++)
		setup_cheap(costs[i].name, costs[i].run, costs[i].few,
		    IS_SANITIZED ? costs[i].many_sanitized : costs[i].many,
		    costs[i].factor);
}

UNIT_TESTS(frontier_lease, setup_test(test_expiry), setup_test(test_sections),
    setup_test(test_call_filter), setup_test(test_call_dates),
    setup_test(test_site_dates), setup_test(test_refused),
    setup_test(test_per_host), setup_test(test_full_batch),
    setup_test(test_hosts), setup_test(test_site),
    setup_test(test_lease_is_short), setup_test(test_next_command),
    setup_test(test_one_at_a_time), setup_test(test_own),
    setup_test(test_own_turns), setup_test(test_own_refused),
    setup_test(test_judged_again), setup_test(test_told),
    cmocka_unit_test(test_cheap));
