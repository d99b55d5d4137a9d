/* When a host may be asked, by whom, and why not. */
#include "tests/fixtures/fixture.h"

#include "sched/host_table.h"

/* One delay for all that is asked of a host, by its name. */
static void
test_delay_of(void **state)
{
	static const struct {
		const char *host;
		int64_t set_ms; /* by the rules; -1: not at all */
		uint32_t crawl_delay_ms;
		int64_t delay_ms;
	} rows[] = {{"a.example", -1, 0, 1000}, {"a.example", -1, 500, 1000},
	    {"a.example", -1, 5000, 5000}, {"a.example", 0, 0, 0},
	    {"a.example", 0, 5000, 5000}, {"a.example", 300, 0, 300},
	    {"localhost", -1, 0, 0}, {"a.localhost", -1, 0, 0},
	    {"127.0.0.1", -1, 0, 0}, {"127.9.9.9", -1, 2000, 2000},
	    {"127.0.0.1", 300, 0, 300}, {"[::1]", -1, 0, 0},
	    {"127.a.example", -1, 0, 1000}, {"10.0.0.1", -1, 0, 1000},
	    {"localhost.example", -1, 0, 1000}};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct site_rules rules = {.has_delay = rows[i].set_ms >= 0,
		    .delay_ms = rows[i].set_ms};

		assert_int_equal(host_delay_ms(&rules, slice_of(rows[i].host),
				     rows[i].crawl_delay_ms),
		    rows[i].delay_ms);
	}
}

#define DELAY_MS 1000

/* A host of a table whose clock stands at *now_ms. */
struct place {
	struct host_table *table;
	struct host *host;
	int64_t now_ms;
};

static int64_t
place_clock(void *arg)
{
	return ((const struct place *)arg)->now_ms;
}

static void
place_open(struct place *place)
{
	*place = (struct place){.now_ms = 100000};
	place->table = host_table_new(NULL, NULL, 0);
	host_table_set_clock(place->table, place_clock, place);
	uint32_t number = host_put(place->table, slice_of("a.test"));

	place->host = place->table->items[number];
	assert_int_equal(place->host->delay_ms, DELAY_MS);
}

/* That side has to wait for so long, for that reason. */
static void
place_waits(struct place *place, enum host_side side, int64_t wait_ms,
    enum host_why expected)
{
	enum host_why why;
	int64_t ready_ms = host_ready_ms(place->table, place->host, side, &why);

	assert_int_equal(why, expected);
	if (expected == HOST_FREE)
		assert_true(ready_ms <= place->now_ms);
	else if (expected != HOST_BUSY)
		assert_int_equal(ready_ms - place->now_ms, wait_ms);
}

static void
test_delay(void **state)
{
	struct place place;

	(void)state;
	place_open(&place);
	for (int side = 0; side < HOST_SIDES; side++)
		place_waits(&place, side, 0, HOST_FREE);
	/* a request of freshet: nobody knows when it ends, and the delay counts
	 * from the beginning of the answer */
	host_asks(place.table, place.host, place.now_ms);
	place_waits(&place, HOST_PAGES, 0, HOST_BUSY);
	place.now_ms += 300;
	host_answered(place.table, place.host, place.now_ms - 100);
	for (int side = 0; side < HOST_SIDES; side++)
		place_waits(&place, side, 900, HOST_DELAY);
	place.now_ms += 900;
	for (int side = 0; side < HOST_SIDES; side++)
		place_waits(&place, side, 0, HOST_FREE);
	/* a request that was not sent leaves no trace; one that somebody else
	 * sent meanwhile does */
	host_asks(place.table, place.host, place.now_ms);
	host_unasked(place.host);
	place_waits(&place, HOST_PAGES, 0, HOST_FREE);
	host_asks(place.table, place.host, place.now_ms);
	host_note(place.host, place.now_ms - 200);
	host_unasked(place.host);
	place_waits(&place, HOST_DOCUMENTS, 800, HOST_DELAY);
	host_table_free(place.table);
}

/* While both sides have something to ask for, each waits for two delays after
 * its own request, and for one after the other's. */
static void
test_turns(void **state)
{
	struct place place;

	(void)state;
	place_open(&place);
	place.host->waiting[HOST_PAGES] = 1;
	place.host->waiting[HOST_DOCUMENTS] = 1;
	/* nobody has come for the page for a while */
	host_asks(place.table, place.host, place.now_ms);
	host_answered(place.table, place.host, place.now_ms);
	place_waits(&place, HOST_DOCUMENTS, 1000, HOST_DELAY);
	place.now_ms += 1000;
	place.table->streamed_ms = place.now_ms;
	host_asks(place.table, place.host, place.now_ms);
	host_answered(place.table, place.host, place.now_ms);
	place_waits(&place, HOST_DOCUMENTS, 2000, HOST_TURN);
	place_waits(&place, HOST_PAGES, 1000, HOST_DELAY);
	place.now_ms += 1000;
	host_lend(place.table, place.host, true, false);
	place_waits(&place, HOST_PAGES, 2000, HOST_TURN);
	place_waits(&place, HOST_DOCUMENTS, 1000, HOST_DELAY);
	/* a side that does not come has its turn for one delay only */
	place.now_ms += 2000;
	place_waits(&place, HOST_PAGES, 0, HOST_FREE);
	/* an answer that took long does not use up the turn of the page */
	host_asks(place.table, place.host, place.now_ms);
	place.now_ms += 5000;
	place.table->streamed_ms = place.now_ms;
	host_answered(place.table, place.host, place.now_ms - 4900);
	place_waits(&place, HOST_PAGES, 0, HOST_FREE);
	place_waits(&place, HOST_DOCUMENTS, 1000, HOST_TURN);
	host_table_free(place.table);
}

/* A fetcher that has pages asks for them when it likes. */
static void
test_lent(void **state)
{
	struct place place;

	(void)state;
	place_open(&place);
	place.host->leases = 3;
	host_lend(place.table, place.host, true, true);
	place_waits(&place, HOST_DOCUMENTS, 62000, HOST_LENT);
	place_waits(&place, HOST_PAGES, 1000, HOST_DELAY);
	place.now_ms += 400;
	place.host->leases = 0;
	host_returned(place.table, place.host);
	place_waits(&place, HOST_DOCUMENTS, 600, HOST_DELAY);
	host_table_free(place.table);
}

/* A hold stops both sides; a hold of pages does not stop sitemaps. */
static void
test_held(void **state)
{
	struct place place;

	(void)state;
	place_open(&place);
	host_hold(place.table, place.host, HELD_PAGES, 5060, 5000, "order");
	place_waits(&place, HOST_DOCUMENTS, 0, HOST_FREE);
	host_hold(place.table, place.host, HELD_ALL, 5060, 5000, "order");
	for (int side = 0; side < HOST_SIDES; side++)
		place_waits(&place, side, 60000, HOST_HELD);
	host_hold(place.table, place.host, HELD_ALL, 0, 5000, "order");
	for (int side = 0; side < HOST_SIDES; side++)
		place_waits(&place, side, 0, HOST_FREE);
	host_table_free(place.table);
}

/* What another process asked counts, with the delay that it had to keep; and
 * the times that are known stay where they are when a clock is set. */
static void
test_recalled(void **state)
{
	struct place place;

	(void)state;
	place_open(&place);
	host_recall(place.table, place.host, 0, 5000, 0);
	place_waits(&place, HOST_PAGES, 0, HOST_FREE);
	/* it may have been asked at the end of that second */
	host_recall(place.table, place.host, 4998, 5000, 0);
	place_waits(&place, HOST_PAGES, 0, HOST_FREE);
	host_recall(place.table, place.host, 4999, 5000, 7000);
	place_waits(&place, HOST_PAGES, 1000, HOST_DELAY);
	place_waits(&place, HOST_DOCUMENTS, 7000, HOST_LENT);
	host_table_free(place.table);

	place_open(&place);
	place.table->clock_ms = NULL;
	place.table->now_s = 5000;
	host_note(place.host, 5000000 - 300);
	host_table_set_clock(place.table, place_clock, &place);
	place_waits(&place, HOST_PAGES, 700, HOST_DELAY);
	host_table_free(place.table);
}

UNIT_TESTS(host_table, cmocka_unit_test(test_delay_of),
    cmocka_unit_test(test_delay), cmocka_unit_test(test_turns),
    cmocka_unit_test(test_lent), cmocka_unit_test(test_held),
    cmocka_unit_test(test_recalled));
