/* A frontier of a few sites says of them what a frontier of all says. */
#include "tests/fixtures/fixture.h"

#include <string.h>

#include "crawler/frontier/frontier.h"
#include "crawler/frontier/frontier_tables.h"
#include "store/site.h"
#include "tests/fixtures/frontier_fixture.h"

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
	    is->is_page, is->is_watched, is->is_listed, is->refused_by != NULL,
	    is->is_leased, (double)is->lease_until_s, (double)is->fetched_s,
	    (double)is->delay_ms, is->host_leases, is->robots, terms->value,
	    terms->price, terms->weight, terms->changes_per_day, terms->alpha,
	    terms->gamma, terms->q, terms->moves, terms->precision,
	    terms->checks, (double)terms->due_s, (double)is->most_s}};
}

static struct said
of_page(struct setup *setup, const char *url)
{
	struct frontier_terms terms = setup_terms(setup, url);

	return said_of(&terms);
}

static struct said
of_document(struct setup *setup, int64_t id)
{
	struct frontier_terms terms;

	assert_true(
	    frontier_document_terms(setup->frontier, id, setup->now_s, &terms));
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
begin(struct setup *setup, const struct frontier_only *only)
{
	frontier_free(setup->frontier);
	setup->options.is_shown = true;
	setup->options.only = only;
	setup->frontier = frontier_new(&setup->options, setup->now_s);
}

/* An index of the other site lists sitemaps of the setup; their pages are
 * leased, fetched and changed, and one is leased in the end. */
static int64_t
live(struct setup *setup)
{
	int64_t index = document_make(
	    setup->world.store, OTHER, "http://other.test/i.xml");

	setup_watch(setup, 1, SETUP_HOST, DAY_S);
	setup_list(setup, "a:5 b:6 c:7");
	setup_begin(setup);
	setup_index(setup, index, "map.xml:5");
	for (int day = 0; day < 6; day++) {
		struct frontier_page page;

		setup->now_s += DAY_S;
		setup_list(
		    setup, day % 2 == 0 ? "a:5 b:99 c:7" : "a:50 b:6 c:7");
		while (setup_take(setup, &page))
			if (day < 5)
				(void)setup_done(setup, page.token, 200,
				    day % 2 == 0 ? "01" : "02");
	}
	setup_commit(setup);
	return index;
}

static void
test_same(void **state)
{
	struct setup *setup = *state;
	struct frontier_only only = {0};
	struct said page, strange, map, parent;
	struct store *store;
	int64_t index;

	setup_site(setup, OTHER);
	setup_site(setup, "third.test");
	index = live(setup);
	store = setup->world.store;

	begin(setup, NULL);
	assert_int_equal(setup->frontier->scheduler->sites.count, 3);
	page = of_page(setup, LISTED);
	map = of_document(setup, setup->map);
	strange = of_page(setup, STRANGE);
	parent = of_document(setup, index);
	assert_true(page.numbers[6] != 0); /* the page is leased */

	/* the site of the index that lists the document is loaded, too */
	frontier_only_url(&only, store, slice_of(LISTED));
	begin(setup, &only);
	assert_int_equal(setup->frontier->scheduler->sites.count, 2);
	assert_same(page, of_page(setup, LISTED));
	assert_same(map, of_document(setup, setup->map));
	assert_same(parent, of_document(setup, index));
	frontier_only_release(&only);

	frontier_only_add(&only, store_site_find(store, slice_of(OTHER)));
	frontier_only_add(
	    &only, store_site_find(store, slice_of("nowhere.test")));
	begin(setup, &only);
	assert_int_equal(setup->frontier->scheduler->sites.count, 1);
	assert_same(strange, of_page(setup, STRANGE));
	frontier_only_release(&only);
}

UNIT_TESTS(frontier_only, setup_test(test_same));
