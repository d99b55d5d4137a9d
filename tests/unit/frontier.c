/* The frontier in virtual time: order, politeness, limits. */
#include "sched/frontier.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "sched/politeness.h"

static struct frontier *
make(int64_t delay_ms, uint32_t max_in_flight)
{
	struct frontier_options options = frontier_options_default();

	options.delay_ms = delay_ms;
	options.max_in_flight = max_in_flight;
	return frontier_new(&options);
}

static void
add(struct frontier *frontier, uint64_t id, const char *host, int class,
    int64_t newest_s)
{
	struct frontier_item item = {.id = id,
	    .host = frontier_host(frontier, slice_of(host)),
	    .class = (uint8_t) class,
	    .newest_s = newest_s};

	frontier_add(frontier, &item);
}

/* take(frontier, now_ms): the id taken, 0 when nothing may be. */
static uint64_t
take(struct frontier *frontier, int64_t now_ms)
{
	uint64_t id;

	return frontier_take(frontier, now_ms, &id) ? id : 0;
}

static void
done(struct frontier *frontier, const char *host, int64_t sent_ms)
{
	frontier_done(
	    frontier, frontier_host(frontier, slice_of(host)), sent_ms);
}

/* When an answer began is rounded up to a whole millisecond. */
static void
test_no_delay(void **state)
{
	struct frontier *frontier = make(0, 10);

	(void)state;
	add(frontier, 1, "a", CLASS_CHILD, 0);
	add(frontier, 2, "a", CLASS_CHILD, 0);
	assert_int_equal(take(frontier, 5), 1);
	assert_int_equal(frontier_wait_ms(frontier, 5), -1);
	done(frontier, "a", 6);
	assert_int_equal(frontier_wait_ms(frontier, 5), 0);
	assert_int_equal(take(frontier, 5), 2);
	frontier_free(frontier);
}

/* DESIGN 5.3: robots.txt, then seeds, then children newest first, those
 * without a date last, in order of arrival. */
static void
test_order(void **state)
{
	static const struct {
		uint64_t id;
		int class;
		int64_t newest_s;
	} items[] = {{1, CLASS_CHILD, INT64_MIN}, {2, CLASS_CHILD, 100},
	    {3, CLASS_CHILD, 300}, {4, CLASS_SEED, INT64_MIN},
	    {5, CLASS_CHILD, 200}, {6, CLASS_ROBOTS, INT64_MIN},
	    {7, CLASS_CHILD, INT64_MIN}, {8, CLASS_CHILD, 300}};
	static const uint64_t expected[] = {6, 4, 3, 8, 5, 2, 1, 7};
	struct frontier *frontier = make(0, 10);

	(void)state;
	for (size_t i = 0; i < sizeof(items) / sizeof(items[0]); i++)
		add(frontier, items[i].id, "a", items[i].class,
		    items[i].newest_s);
	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
		assert_int_equal(take(frontier, 0), expected[i]);
		done(frontier, "a", 0);
	}
	assert_int_equal(take(frontier, 0), 0);
	assert_int_equal(frontier_wait_ms(frontier, 0), -1);
	frontier_free(frontier);
}

/* One request at a time, the next one a delay after the last was sent. */
static void
test_delay(void **state)
{
	struct frontier *frontier = make(1000, 10);

	(void)state;
	add(frontier, 1, "a", CLASS_SEED, 0);
	add(frontier, 2, "a", CLASS_SEED, 0);
	assert_int_equal(take(frontier, 5), 1);
	assert_int_equal(take(frontier, 5000), 0);
	assert_int_equal(frontier_wait_ms(frontier, 5000), -1);
	done(frontier, "a", 40);
	assert_int_equal(frontier_wait_ms(frontier, 100), 940);
	assert_int_equal(take(frontier, 1039), 0);
	assert_int_equal(take(frontier, 1040), 2);
	frontier_free(frontier);
}

static void
test_set_delay(void **state)
{
	struct frontier *frontier = make(1000, 10);
	uint32_t host = frontier_host(frontier, slice_of("a"));

	(void)state;
	for (uint64_t id = 1; id <= 3; id++)
		add(frontier, id, "a", CLASS_SEED, 0);
	assert_int_equal(take(frontier, 0), 1);
	frontier_set_delay(frontier, host, 0);
	done(frontier, "a", 0);
	assert_int_equal(take(frontier, 1), 2);
	frontier_set_delay(frontier, host, 5000);
	done(frontier, "a", 1);
	assert_int_equal(take(frontier, 5000), 0);
	assert_int_equal(take(frontier, 5001), 3);
	frontier_free(frontier);
}

/* A Retry-After holds the host and nobody else. */
static void
test_hold(void **state)
{
	struct frontier *frontier = make(0, 10);

	(void)state;
	add(frontier, 1, "a", CLASS_SEED, 0);
	add(frontier, 2, "b", CLASS_SEED, 0);
	frontier_hold(frontier, frontier_host(frontier, slice_of("a")), 7000);
	assert_int_equal(take(frontier, 0), 2);
	assert_int_equal(take(frontier, 6999), 0);
	assert_int_equal(take(frontier, 7000), 1);
	frontier_free(frontier);
}

/* What waits for something else is nobody's place, and no delay follows from
 * it until it is brought back. */
static void
test_aside(void **state)
{
	struct frontier *frontier = make(1000, 1);
	uint32_t a = frontier_host(frontier, slice_of("a"));

	(void)state;
	add(frontier, 1, "a", CLASS_SEED, 0);
	add(frontier, 2, "a", CLASS_SEED, 0);
	add(frontier, 3, "b", CLASS_SEED, 0);
	assert_int_equal(take(frontier, 0), 1);
	assert_int_equal(take(frontier, 0), 0);
	frontier_set_aside(frontier, a);
	assert_int_equal(frontier_in_flight(frontier), 0);
	assert_int_equal(frontier_hosts(frontier), 2);
	assert_int_equal(take(frontier, 0), 3);
	done(frontier, "b", 0);
	assert_int_equal(take(frontier, 90000), 0);
	frontier_bring_back(frontier, a, 90000);
	assert_int_equal(frontier_in_flight(frontier), 1);
	done(frontier, "a", 90000);
	assert_int_equal(take(frontier, 90999), 0);
	assert_int_equal(take(frontier, 91000), 2);
	frontier_set_aside(frontier, a);
	assert_int_equal(frontier_hosts(frontier), 0);
	/* and back without having been asked: the delay is that of before */
	frontier_bring_back(frontier, a, 91500);
	frontier_return(frontier, a);
	add(frontier, 4, "a", CLASS_SEED, 0);
	assert_int_equal(take(frontier, 91500), 4);
	frontier_free(frontier);
}

/* A host that is aside is not counted where its address was. */
static void
test_aside_address(void **state)
{
	static const uint8_t bytes[4] = {93, 184, 216, 34};
	struct addr addr = addr_from_v4(bytes);
	struct frontier *frontier = make(0, 100);
	char name[16];

	(void)state;
	for (uint64_t i = 0; i < 33; i++) {
		(void)snprintf(name, sizeof(name), "h%u", (unsigned)i);
		frontier_set_address(
		    frontier, frontier_host(frontier, slice_of(name)), &addr);
		add(frontier, i + 1, name, CLASS_SEED, 0);
	}
	for (uint64_t i = 0; i < 32; i++)
		assert_int_equal(take(frontier, 0), i + 1);
	assert_int_equal(take(frontier, 5000), 0);
	frontier_set_aside(frontier, frontier_host(frontier, slice_of("h0")));
	assert_int_equal(take(frontier, 5000), 33);
	/* whose address has to be found anew is judged where it connects */
	frontier_bring_back(
	    frontier, frontier_host(frontier, slice_of("h0")), 5000);
	assert_false(frontier_admit(
	    frontier, frontier_host(frontier, slice_of("h0")), &addr, 5000));
	frontier_free(frontier);
}

/* Hosts take turns: the one that has been ready for longest is next. */
static void
test_fairness(void **state)
{
	struct frontier *frontier = make(10, 1);
	static const uint64_t expected[] = {1, 11, 21, 2, 12, 22, 3, 13, 23};
	const char *hosts[] = {"a", "b", "c"};

	(void)state;
	for (uint64_t k = 0; k < 3; k++)
		for (size_t h = 0; h < 3; h++)
			add(frontier, h * 10 + k + 1, hosts[h], CLASS_CHILD,
			    -(int64_t)k);
	for (size_t i = 0; i < 9; i++) {
		int64_t now_ms = (int64_t)i * 10;
		uint64_t id = take(frontier, now_ms);

		assert_int_equal(id, expected[i]);
		assert_int_equal(take(frontier, now_ms), 0);
		done(frontier, hosts[id / 10], now_ms);
	}
	frontier_free(frontier);
}

/* HOSTILE T10: names that share an address share its limits. */
static void
test_address(void **state)
{
	struct frontier_options options = frontier_options_default();
	struct frontier *frontier;
	const uint8_t bytes[4] = {93, 184, 216, 34};
	struct addr addr = addr_from_v4(bytes);
	char name[16];
	int64_t now_ms;
	unsigned taken = 0;

	(void)state;
	options.address_in_flight = 2;
	options.address_per_second = 3;
	frontier = frontier_new(&options);
	for (uint64_t id = 1; id <= 6; id++) {
		name[0] = (char)('a' + (int)id);
		name[1] = '\0';
		add(frontier, id, name, CLASS_SEED, 0);
		frontier_set_address(
		    frontier, frontier_host(frontier, slice_of(name)), &addr);
	}
	assert_int_not_equal(take(frontier, 0), 0);
	assert_int_not_equal(take(frontier, 0), 0);
	assert_int_equal(take(frontier, 0), 0); /* two in flight */
	done(frontier, "b", 0);
	done(frontier, "c", 0);
	for (now_ms = 0; now_ms < 1000; now_ms += 10)
		taken += take(frontier, now_ms) != 0;
	assert_int_equal(taken, 1); /* the third of this second */
	assert_int_not_equal(take(frontier, 1000), 0);
	frontier_free(frontier);
}

static void
test_total(void **state)
{
	struct frontier *frontier = make(0, 2);

	(void)state;
	add(frontier, 1, "a", CLASS_SEED, 0);
	add(frontier, 2, "b", CLASS_SEED, 0);
	add(frontier, 3, "c", CLASS_SEED, 0);
	assert_int_equal(take(frontier, 0), 1);
	assert_int_equal(take(frontier, 0), 2);
	assert_int_equal(take(frontier, 0), 0);
	assert_int_equal(frontier_in_flight(frontier), 2);
	assert_int_equal(frontier_hosts(frontier), 3);
	done(frontier, "a", 0);
	assert_int_equal(frontier_hosts(frontier), 2);
	assert_int_equal(take(frontier, 0), 3);
	assert_int_equal(frontier_queued(frontier), 0);
	done(frontier, "b", 0);
	done(frontier, "c", 0);
	assert_int_equal(frontier_hosts(frontier), 0);
	frontier_free(frontier);
}

static void
test_drain(void **state)
{
	struct frontier *frontier = make(0, 10);
	uint32_t host = frontier_host(frontier, slice_of("a"));
	uint64_t id;

	(void)state;
	add(frontier, 1, "a", CLASS_SEED, 0);
	add(frontier, 2, "a", CLASS_SEED, 0);
	add(frontier, 3, "b", CLASS_SEED, 0);
	assert_true(frontier_drain(frontier, host, &id));
	assert_true(frontier_drain(frontier, host, &id));
	assert_false(frontier_drain(frontier, host, &id));
	assert_int_equal(take(frontier, 0), 3);
	assert_int_equal(take(frontier, 0), 0);
	frontier_free(frontier);
}

/*
 * Against a model that is too simple to be wrong: 500 hosts, random delays
 * and durations; no two requests to a host closer than its delay, nothing
 * lost, nothing twice.
 */
static void
test_many(void **state)
{
	enum { HOSTS = 500, EACH = 8 };
	struct frontier *frontier = make(70, 64);
	static int64_t last[HOSTS], ends[HOSTS];
	static bool seen[HOSTS * EACH + 1];
	unsigned seed = 7;
	unsigned taken = 0;
	char name[16];

	(void)state;
	for (unsigned h = 0; h < HOSTS; h++) {
		last[h] = -1000;
		ends[h] = -1;
		for (unsigned k = 0; k < EACH; k++) {
			(void)snprintf(name, sizeof(name), "h%u", h);
			add(frontier, h * EACH + k + 1, name, CLASS_CHILD,
			    (int64_t)(rand_r(&seed) % 100));
		}
	}
	for (int64_t now = 0; taken < HOSTS * EACH && now < 100000; now++) {
		uint64_t id;

		for (uint32_t h = 0; h < HOSTS; h++)
			if (ends[h] == now) {
				frontier_done(frontier, h, last[h]);
				ends[h] = -1;
			}
		while ((id = take(frontier, now)) != 0) {
			size_t h = (size_t)(id - 1) / EACH;

			assert_false(seen[id]);
			seen[id] = true;
			assert_true(now - last[h] >= 70);
			assert_true(ends[h] == -1);
			last[h] = now;
			ends[h] = now + 1 + rand_r(&seed) % 100;
			taken++;
		}
	}
	assert_int_equal(taken, HOSTS * EACH);
	frontier_free(frontier);
}

/* A host that is forgotten is another one, with its number; not while anything
 * of it counts; and its address goes after the second that counts. */
static void
test_forget(void **state)
{
	struct frontier *frontier = make(1000, 10);
	struct addr addr;
	uint32_t host = frontier_host(frontier, slice_of("a"));

	(void)state;
	assert_true(addr_parse(&addr, slice_of("93.184.216.34")));
	frontier_set_delay(frontier, host, 5000);
	add(frontier, 1, "a", CLASS_CHILD, 0);
	assert_false(frontier_forget(frontier, host, 0));
	assert_int_equal(take(frontier, 0), 1);
	frontier_set_address(frontier, host, &addr);
	assert_false(frontier_forget(frontier, host, 0));
	done(frontier, "a", 0);
	assert_false(frontier_forget(frontier, host, 4999));
	assert_true(frontier_forget(frontier, host, 5000));
	assert_int_equal(frontier_host(frontier, slice_of("b")), host);
	assert_int_equal(frontier_delay(frontier, host), 1000);
	assert_true(slice_is(frontier_name(frontier, host), "b"));
	add(frontier, 2, "b", CLASS_CHILD, 0);
	assert_int_equal(take(frontier, 5000), 2);
	frontier_set_address(frontier, host, &addr);
	frontier_tidy(frontier, 10000);
	done(frontier, "b", 5000);
	add(frontier, 3, "a", CLASS_CHILD, 0);
	assert_int_equal(take(frontier, 6000), 3);
	frontier_tidy(frontier, 10000);
	frontier_free(frontier);
}

/* Hosts and addresses that come and go for ever. */
static void
test_forget_many(void **state)
{
	struct frontier *frontier = make(1000, 10);
	char name[32];

	(void)state;
	for (uint32_t i = 0; i < 100000; i++) {
		const uint8_t bytes[4] = {
		    93, (uint8_t)(i >> 16), (uint8_t)(i >> 8), (uint8_t)i};
		struct addr addr = addr_from_v4(bytes);
		int64_t now_ms = 2000 * (int64_t)i;
		uint32_t host;

		(void)snprintf(name, sizeof(name), "h%u.example", i);
		host = frontier_host(frontier, slice_of(name));
		assert_int_equal(host, 0);
		add(frontier, i + 1, name, CLASS_CHILD, 0);
		assert_int_equal(take(frontier, now_ms), i + 1);
		assert_true(frontier_admit(frontier, host, &addr, now_ms));
		done(frontier, name, now_ms);
		assert_true(frontier_forget(frontier, host, now_ms + 1000));
		frontier_tidy(frontier, now_ms + 1000);
		assert_int_equal(frontier_hosts(frontier), 0);
	}
	frontier_free(frontier);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_order),
	    cmocka_unit_test(test_no_delay), cmocka_unit_test(test_delay),
	    cmocka_unit_test(test_set_delay), cmocka_unit_test(test_hold),
	    cmocka_unit_test(test_aside), cmocka_unit_test(test_aside_address),
	    cmocka_unit_test(test_fairness), cmocka_unit_test(test_address),
	    cmocka_unit_test(test_total), cmocka_unit_test(test_drain),
	    cmocka_unit_test(test_many), cmocka_unit_test(test_forget),
	    cmocka_unit_test(test_forget_many)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
