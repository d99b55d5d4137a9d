/* Hosts that are left alone, and for how long. */
#include "tests/fixtures/fixture.h"

#include <stdio.h>

#include "store/hold.h"
#include "tests/fixtures/store_fixture.h"

#define HOST slice_of("a.test")
#define DAY 86400

static void
put_hold(void *arg, struct slice host, const struct hold_times *times)
{
	(void)buf_print(arg, "%.*s=%d,%d,%u ", (int)host.len, host.p,
	    (int)times->all_s, (int)times->pages_s, (unsigned)times->limited);
}

static void
test_hold(void **state)
{
	struct world *world = *state;
	struct store *s = world->store;
	struct buf *out = &world->out;
	int64_t wait_s;

	store_hold(s, slice_of("b.test"), (struct hold_times){100, 0, 0, 0});
	(void)store_limited(s, HOST, 90, 50, &wait_s);
	store_hold(s, slice_of("a.test"), (struct hold_times){200, 250, 0, 0});
	store_hold(s, slice_of("c.test"), (struct hold_times){300, 0, 0, 0});
	store_hold(s, slice_of("d.test"), (struct hold_times){0, 300, 0, 0});
	store_hold(s, slice_of("b.test"), (struct hold_times){150, 0, 0, 0});
	store_hold(s, slice_of("c.test"), (struct hold_times){0, 0, 0, 0});
	assert_int_equal(store_flush(s), DIAG_OK);
	world_reopen(world);
	store_each_hold(world->store, put_hold, out);
	assert_string_equal(
	    buf_str(out), "a.test=200,250,1 b.test=150,0,0 d.test=0,300,0 ");
	assert_int_equal(store_hold_get(world->store, HOST, 0).pages_s, 250);
	assert_int_equal(
	    store_hold_get(world->store, slice_of("c.test"), 0).all_s, 0);
}

/* a minute, doubled to six hours, longer by up to a quarter but never
 * longer than that; Retry-After holds as it is, until it has not helped. */
static void
test_how_long(void **state)
{
	static const struct {
		uint32_t count;
		int64_t retry_after_s, least_s, most_s;
	} rows[] = {{1, -1, 60, 75}, {2, -1, 120, 150}, {3, -1, 240, 300},
	    {9, -1, 15360, 19200}, {10, -1, 21600, 21600},
	    {11, -1, 21600, 21600}, {1000, -1, 21600, 21600}, {1, 0, 0, 0},
	    {2, 5, 5, 5}, {3, 5, 60, 75}, {4, 0, 120, 150}, {3, 600, 600, 600},
	    {1, 7 * DAY, DAY, DAY}, {1000, 7 * DAY, DAY, DAY},
	    {1000, 5, 21600, 21600}};
	char name[16];
	int longer = 0;

	for (size_t i = 0; i < COUNT(rows); i++)
		for (int host = 0; host < 50; host++) {
			(void)snprintf(name, sizeof(name), "h%d.test", host);
			assert_in_range(
			    hold_limited_s(slice_of(name), rows[i].count,
				rows[i].retry_after_s),
			    rows[i].least_s, rows[i].most_s);
		}
	/* hosts of one server do not come back together */
	for (int host = 0; host < 50; host++) {
		(void)snprintf(name, sizeof(name), "h%d.test", host);
		longer += hold_limited_s(slice_of(name), 3, -1) > 270;
	}
	assert_in_range(longer, 10, 40);
}

/* A row of answers, over restarts, and what ends it. */
static void
test_in_a_row(void **state)
{
	struct world *world = *state;
	static const struct {
		int64_t after_s; /* the hold before, when this answer comes */
		int64_t retry_after_s;
		bool is_answered; /* another answer came before it */
		uint32_t count;
		int64_t least_s, most_s;
	} rows[] = {{0, -1, false, 1, 60, 75}, {0, -1, false, 2, 120, 150},
	    /* was asked for before the hold began */
	    {-100, -1, false, 2, 100, 100}, {-100, 30, false, 2, 100, 100},
	    {-100, 300, false, 2, 300, 300}, {5, -1, false, 3, 240, 300},
	    {7, -1, true, 1, 60, 75}, {0, 20, false, 2, 20, 20},
	    {0, 20, false, 3, 60, 75},
	    /* six hours later nobody remembers */
	    {HOLD_MOST_S, 20, false, 4, 120, 150},
	    {HOLD_MOST_S + 1, 20, false, 1, 20, 20}};
	struct hold_times times;
	int64_t now_s = 1000, until_s = 1000, wait_s;
	bool is_longer;

	for (size_t i = 0; i < COUNT(rows); i++) {
		now_s = until_s + rows[i].after_s;
		if (rows[i].is_answered)
			store_answered(world->store, HOST);
		is_longer = store_limited(
		    world->store, HOST, now_s, rows[i].retry_after_s, &wait_s);
		assert_int_equal(is_longer, wait_s > rows[i].retry_after_s);
		assert_in_range(wait_s, rows[i].least_s, rows[i].most_s);
		until_s = now_s + wait_s;
		assert_int_equal(store_flush(world->store), DIAG_OK);
		world_reopen(world);
		times = store_hold_get(world->store, HOST, now_s);
		assert_int_equal(times.limited, rows[i].count);
		assert_int_equal(times.all_s, until_s);
		assert_int_equal(times.left_s, wait_s);
		times = store_hold_get(world->store, HOST, until_s);
		assert_int_equal(times.left_s, 0);
	}
	/* the operator's hold stays, and hides nothing */
	store_hold(
	    world->store, HOST, (struct hold_times){now_s + DAY, 0, 0, 0});
	store_answered(world->store, HOST);
	(void)store_limited(world->store, HOST, now_s, -1, &wait_s);
	assert_int_equal(wait_s, DAY);
	assert_int_equal(store_hold_get(world->store, HOST, now_s).limited, 1);
	/* the clock was wrong by years */
	times = (struct hold_times){.all_s = now_s + 3 * HOLD_END_MOST_S};
	store_hold(world->store, HOST, times);
	times = store_hold_get(world->store, HOST, now_s);
	assert_int_equal(times.left_s, 0);
}

/* What a host wants of requests outlives the process. */
static void
test_signing(void **state)
{
	struct world *world = *state;
	struct host_signing is = store_signing_get(world->store, HOST);

	assert_int_equal(is.form, 0);
	store_signing(world->store, HOST, (struct host_signing){1, -1001});
	is = store_signing_get(world->store, HOST);
	assert_int_equal(is.at_s, -1001);
	store_signing(world->store, HOST, (struct host_signing){2, 1002});
	assert_int_equal(store_flush(world->store), DIAG_OK);
	world_reopen(world);
	is = store_signing_get(world->store, HOST);
	assert_int_equal(is.form, 2);
	assert_int_equal(is.at_s, 1002);
	is = store_signing_get(world->store, slice_of("other.test"));
	assert_int_equal(is.form, 0);
}

UNIT_TESTS(hold, world_test(test_signing), world_test(test_hold),
    cmocka_unit_test(test_how_long), world_test(test_in_a_row));
