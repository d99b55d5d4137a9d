/* A frontier of a few sites says of them what a frontier of all says. */
#include "tests/fixtures/fixture.h"

#include <string.h>

#include "crawler/frontier/frontier_only.h"
#include "crawler/frontier/frontier_tables.h"
#include "store/document.h"
#include "store/link.h"
#include "tests/fixtures/frontier_sites_fixture.h"

#define OTHER "other.test"
#define LISTED "http://h.test/a"

#define STRANGE "http://other.test/page"

/* What a frontier says of a page and a document, as numbers. */
struct said {
	double numbers[24];
};

static struct said
said_of(const struct frontier_terms *is)
{
	const struct scheduler_terms *terms = &is->terms;

	return (struct said){{(double)is->document_id, (double)is->site_id,
	    is->is_page, is->is_watched, is->is_listed, is->is_wanted,
	    is->is_leased, (double)is->lease_until_s, (double)is->fetched_s,
	    (double)is->delay_ms, is->host_leases, is->robots, terms->value,
	    terms->price, terms->weight, terms->changes_per_day, terms->alpha,
	    terms->gamma, terms->q, terms->moves, terms->precision,
	    terms->checks, (double)terms->due_s, (double)is->most_s}};
}

static struct said
of_page(struct office *office, const char *url)
{
	struct frontier_terms terms;

	assert_true(frontier_page_terms(
	    office->frontier, slice_of(url), office->now_s, &terms));
	return said_of(&terms);
}

static struct said
of_document(struct office *office, int64_t id)
{
	struct frontier_terms terms;

	assert_true(frontier_document_terms(
	    office->frontier, id, office->now_s, &terms));
	return said_of(&terms);
}

static void
assert_same(struct said one, struct said other)
{
	for (size_t i = 0; i < sizeof(one.numbers) / sizeof(double); i++)
		if (memcmp(&one.numbers[i], &other.numbers[i],
			sizeof(double)) != 0)
			fail_msg("number %zu is %g, not %g", i,
			    other.numbers[i], one.numbers[i]);
}

/* Make a new frontier of these sites, with is_shown. */
static void
begin(struct office *office, const struct frontier_only *only)
{
	frontier_free(office->frontier);
	office->options.is_shown = true;
	office->options.only = only;
	office->frontier = frontier_new(&office->options, office->now_s);
}

/* An index of the other site lists sitemaps of the office; their pages are
 * leased, fetched and changed, and one is leased in the end. */
static int64_t
live(struct office *office)
{
	struct store *store = office->world.store;
	int64_t index = document_make(store, OTHER, "http://other.test/i.xml");
	struct reading *reading;

	office_watch(office, 1, OFFICE_HOST, DAY_S);
	office_read(office, office->map, "a:5 b:6 c:7");
	office_begin(office);
	reading = reading_make(
	    store, index, office->now_s, COMPLETE, "map.xml:5");
	reading->content.kind = KIND_INDEX;
	store_links_begin(store, index);
	store_link(store, index, office->map, &(struct date){0});
	(void)submit(store, reading);
	(void)frontier_sync(office->frontier, office->now_s);
	for (int day = 0; day < 6; day++) {
		struct frontier_page page;

		office->now_s += DAY_S;
		office_read(office, office->map,
		    day % 2 == 0 ? "a:5 b:99 c:7" : "a:50 b:6 c:7");
		while (office_take(office, &page))
			if (day < 5)
				(void)office_done(office, page.token, 200,
				    day % 2 == 0 ? "01" : "02");
	}
	office_commit(office);
	return index;
}

static void
test_same(void **state)
{
	struct office office;
	struct frontier_only only = {0};
	struct said page, strange, map, parent;
	struct store *store;
	int64_t index;

	(void)state;
	office_open(&office);
	office_site(&office, OTHER);
	office_site(&office, "third.test");
	index = live(&office);
	store = office.world.store;

	begin(&office, NULL);
	assert_int_equal(site_count(office.frontier->sites), 3);
	page = of_page(&office, LISTED);
	map = of_document(&office, office.map);
	strange = of_page(&office, STRANGE);
	parent = of_document(&office, index);
	assert_true(page.numbers[6] != 0); /* the page is leased */

	/* the site of the index that lists the document is loaded, too */
	frontier_only_url(&only, store, slice_of(LISTED));
	begin(&office, &only);
	assert_int_equal(site_count(office.frontier->sites), 2);
	assert_same(page, of_page(&office, LISTED));
	assert_same(map, of_document(&office, office.map));
	assert_same(parent, of_document(&office, index));
	frontier_only_release(&only);

	frontier_only_host(&only, store, slice_of(OTHER));
	frontier_only_host(&only, store, slice_of("nowhere.test"));
	begin(&office, &only);
	assert_int_equal(site_count(office.frontier->sites), 1);
	assert_same(strange, of_page(&office, STRANGE));
	frontier_only_release(&only);
	office_close(&office);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
