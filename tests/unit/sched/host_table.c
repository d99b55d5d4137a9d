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
	host_unasked(place.table, place.host);
	place_waits(&place, HOST_PAGES, 0, HOST_FREE);
	host_asks(place.table, place.host, place.now_ms);
	host_note(place.host, place.now_ms - 200);
	host_unasked(place.table, place.host);
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
	/* while the driver fetches pages of the host, others get none */
	place.host->owned = 1;
	host_asks(place.table, place.host, place.now_ms);
	host_answered(place.table, place.host, place.now_ms);
	place_waits(&place, HOST_DOCUMENTS, 1000, HOST_DELAY);
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

/* Others that ask the host of a place, too: what they were asked for. */
struct fake_others {
	struct host_others is; /* first */
	int asked, back;
	bool may_ask;
};

static bool
others_have(void *arg, struct slice host)
{
	(void)arg;
	return slice_is(host, "shared.test");
}

static void
others_asked(void *arg, struct slice host, int64_t delay_ms)
{
	struct fake_others *others = arg;

	(void)host;
	assert_true(delay_ms == DELAY_MS || delay_ms == -1);
	if (delay_ms < 0)
		others->back++;
	else
		others->asked++;
}

static bool
others_let(void *arg)
{
	return ((const struct fake_others *)arg)->may_ask;
}

/* A place whose host is shared; a document waits for it. */
static void
place_share(struct place *place, struct fake_others *others)
{
	place_open(place);
	*others = (struct fake_others){.is = {.has = others_have,

					   .ask = others_asked,
					   .may_ask = others_let,
					   .arg = others},
	    .may_ask = true};
	place->table->others = &others->is;
	place->host = place->table->items[host_put(
	    place->table, slice_of("shared.test"))];
	place->host->waiting[HOST_DOCUMENTS] = 1;
	assert_true(place->host->is_shared);
}

static const struct slice shared = {.p = "shared.test", .len = 11};

/* So many times were asked for, and so many came back. */
static void
others_count(const struct fake_others *others, int asked, int back)
{
	assert_int_equal(others->asked, asked);
	assert_int_equal(others->back, back);
}

/* A host that others ask, too, is asked at its time alone, and by one side. */
static void
test_reserved(void **state)
{
	struct fake_others others;
	struct place place;

	(void)state;
	place_share(&place, &others);
	place_waits(&place, HOST_DOCUMENTS, 0, HOST_FREE);
	assert_false(host_reserve(place.table, place.host, HOST_DOCUMENTS));
	others_count(&others, 1, 0);
	for (int side = 0; side < HOST_SIDES; side++)
		place_waits(&place, side, 0, HOST_BUSY);
	assert_false(host_reserve(place.table, place.host, HOST_PAGES));
	/* in vain, and once more after a second */
	host_reserved(place.table, shared, -1);
	place.now_ms += 999;
	place_waits(&place, HOST_DOCUMENTS, 0, HOST_BUSY);
	assert_false(host_reserve(place.table, place.host, HOST_DOCUMENTS));
	others_count(&others, 1, 1);
	place.now_ms += 1;
	assert_false(host_reserve(place.table, place.host, HOST_DOCUMENTS));
	others_count(&others, 2, 1);
	host_reserved(place.table, shared, 700);
	place_waits(&place, HOST_DOCUMENTS, 0, HOST_BUSY);
	assert_false(host_reserve(place.table, place.host, HOST_DOCUMENTS));
	/* too late: another time, and what is held is not given back */
	place.now_ms += 700 + 201;
	assert_false(host_reserve(place.table, place.host, HOST_DOCUMENTS));
	others_count(&others, 3, 1);
	host_reserved(place.table, shared, 0);
	place.now_ms += 200;
	assert_true(host_reserve(place.table, place.host, HOST_DOCUMENTS));
	host_asks(place.table, place.host, place.now_ms);
	assert_false(host_reserve(place.table, place.host, HOST_PAGES));
	assert_true(host_may_send(place.table, place.host));
	/* not when the process may ask nobody, nor very late */
	others.may_ask = false;
	assert_false(host_may_send(place.table, place.host));
	others.may_ask = true;
	place.now_ms += 30000;
	assert_false(host_may_send(place.table, place.host));
	host_unasked(place.table, place.host);
	others_count(&others, 3, 2);
	host_table_free(place.table);
	others_count(&others, 3, 2);
}

/* What was reserved may be lost, or be of no use. */
static void
test_lost(void **state)
{
	struct fake_others others;
	struct place place;

	(void)state;
	place_share(&place, &others);
	assert_false(host_reserve(place.table, place.host, HOST_DOCUMENTS));
	host_reserved(place.table, shared, 0);
	assert_true(host_reserve(place.table, place.host, HOST_DOCUMENTS));
	host_asks(place.table, place.host, place.now_ms);
	host_tidy(place.table, true);
	assert_false(host_may_send(place.table, place.host));
	host_answered(place.table, place.host, place.now_ms);
	others_count(&others, 1, 1);
	/* nobody waits for the host when the answer comes */
	place.now_ms += DELAY_MS;
	assert_false(host_reserve(place.table, place.host, HOST_DOCUMENTS));
	place.host->waiting[HOST_DOCUMENTS] = 0;
	host_reserved(place.table, shared, 0);
	others_count(&others, 2, 2);
	/* nobody comes at its time */
	place.host->waiting[HOST_DOCUMENTS] = 1;
	assert_false(host_reserve(place.table, place.host, HOST_DOCUMENTS));
	host_reserved(place.table, shared, 0);
	host_tidy(place.table, false);
	others_count(&others, 3, 2);
	place.now_ms += 2000;
	host_tidy(place.table, false);
	others_count(&others, 3, 3);
	/* a host that is not known any more, and the end of the table */
	host_reserved(place.table, slice_of("b.test"), 0);
	others_count(&others, 3, 3);
	assert_false(host_reserve(place.table, place.host, HOST_DOCUMENTS));
	host_table_free(place.table);
	others_count(&others, 4, 4);
}

/* Pages are lent at a time that is reserved, until they come back, or until
 * their fetcher must have asked for them. */
static void
test_reserved_pages(void **state)
{
	struct fake_others others;
	struct place place;

	(void)state;
	place_share(&place, &others);
	for (int round = 0; round < 2; round++) {
		place.host->waiting[HOST_PAGES] = 1;
		place.now_ms += 2 * DELAY_MS;
		assert_false(host_reserve(place.table, place.host, HOST_PAGES));
		assert_true(place.table->soon_ms > place.now_ms);
		assert_int_equal(place.host->turn, HOST_PAGES);
		host_reserved(place.table, shared, 0);
		assert_true(host_reserve(place.table, place.host, HOST_PAGES));
		place.host->leases = 1;
		host_lend(place.table, place.host, true, false);
		/* another page for the same fetcher, but no document */
		assert_true(host_reserve(place.table, place.host, HOST_PAGES));
		place.now_ms += 59000;
		place_waits(&place, HOST_DOCUMENTS, 0, HOST_BUSY);
		host_tidy(place.table, false);
		others_count(&others, round + 1, round);
		if (round == 0) {
			place.host->leases = 0;
			host_returned(place.table, place.host);
		} else {
			place.now_ms += 1001;
			host_tidy(place.table, false);
		}
		others_count(&others, round + 1, round + 1);
	}
	/* another process has lent pages that are still out */
	host_lend(place.table, place.host, false, true);
	others_count(&others, 3, 2);
	host_reserved(place.table, shared, 0);
	assert_int_equal(place.host->reserved, RESERVED_USED);
	host_table_free(place.table);
	others_count(&others, 3, 2);
}

/* Others begin to want a host: it is theirs when what was under way is over. */
static void
test_shared(void **state)
{
	struct fake_others others;
	struct place place;
	struct host *host;

	(void)state;
	place_share(&place, &others);
	host = place.table->items[host_put(place.table, slice_of("a.test"))];
	assert_false(host->is_shared);
	assert_true(host_reserve(place.table, host, HOST_DOCUMENTS));
	host_asks(place.table, host, place.now_ms);
	host_share(place.table, slice_of("a.test"));
	others_count(&others, 0, 0);
	assert_true(host_may_send(place.table, host));
	host_answered(place.table, host, place.now_ms);
	others_count(&others, 0, 1);
	assert_false(host_reserve(place.table, host, HOST_DOCUMENTS));
	others_count(&others, 1, 1);
	/* told again; and nothing is under way at a host that is new */
	host_share(place.table, slice_of("a.test"));
	others_count(&others, 1, 1);
	host_share(place.table, slice_of("new.test"));
	others_count(&others, 1, 2);
	host_table_free(place.table);
}

UNIT_TESTS(host_table, cmocka_unit_test(test_delay_of),
    cmocka_unit_test(test_delay), cmocka_unit_test(test_turns),
    cmocka_unit_test(test_lent), cmocka_unit_test(test_held),
    cmocka_unit_test(test_recalled), cmocka_unit_test(test_reserved),
    cmocka_unit_test(test_lost), cmocka_unit_test(test_reserved_pages),
    cmocka_unit_test(test_shared));
