/* The host queue in virtual time: order, politeness, limits. */
#include "tests/fixtures/fixture.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "sched/host_queue.h"
#include "sched/host_table.h"
#include "tests/fixtures/sanitized.h"

/* queue_test(test): a test that leaves its queue in *state, to be freed. */
#define queue_test(test) \
	cmocka_unit_test_setup_teardown(test, queue_before, queue_after)

/* The hosts of the queue of this test, and the delay of new ones. */
static struct host_table *table;
static int64_t new_delay_ms;

static int
queue_before(void **state)
{
	*state = NULL;
	table = host_table_new(NULL, NULL, 0);
	new_delay_ms = HOST_DELAY_MS;
	return 0;
}

static int
queue_after(void **state)
{
	host_queue_free(*state);
	host_table_free(table);
	return 0;
}

static uint32_t
number_of(const char *name)
{
	size_t count = table->count;
	uint32_t number = host_put(table, slice_of(name));

	if (number == count)
		table->items[number]->delay_ms = new_delay_ms;
	return number;
}

static void
set_delay(struct host_queue *host_queue, uint32_t number, int64_t delay_ms)
{
	table->items[number]->delay_ms = delay_ms;
	host_queue_update(host_queue, number);
}

static struct host_queue *
make(void **state, int64_t delay_ms, uint32_t max_in_flight)
{
	struct host_queue_options options = host_queue_options_default;

	new_delay_ms = delay_ms;
	options.max_in_flight = max_in_flight;
	*state = host_queue_new(&options, table);
	return *state;
}

static void
add(struct host_queue *host_queue, uint64_t id, const char *host, int class,
    int64_t newest_s)
{
	struct host_queue_item item = {.id = id,
	    .host = number_of(host),
	    .class = (uint8_t) class,
	    .newest_s = newest_s};

	host_queue_add(host_queue, &item);
}

/* take(host_queue, now_ms): the id that was taken; 0: no host may be asked. */
static uint64_t
take(struct host_queue *host_queue, int64_t now_ms)
{
	uint64_t id;

	return host_queue_take(host_queue, now_ms, &id) ? id : 0;
}

static void
done(struct host_queue *host_queue, const char *host, int64_t sent_ms)
{
	host_queue_done(host_queue, number_of(host), sent_ms);
}

/* The time of a request is rounded up to a whole millisecond. */
static void
test_no_delay(void **state)
{
	struct host_queue *host_queue = make(state, 0, 10);

	add(host_queue, 1, "a", CLASS_CHILD, 0);
	add(host_queue, 2, "a", CLASS_CHILD, 0);
	assert_int_equal(take(host_queue, 5), 1);
	assert_int_equal(host_queue_wait_ms(host_queue, 5), -1);
	done(host_queue, "a", 6);
	assert_int_equal(host_queue_wait_ms(host_queue, 5), 0);
	assert_int_equal(take(host_queue, 5), 2);
}

/* Pages and documents of a host take turns while both wait, each after one
 * delay; whatever is alone does not wait for the other kind. */
static void
test_pages(void **state)
{
	static const struct {
		int64_t at_ms;
		uint64_t id;
	} taken[] = {
	    {0, 11}, {1000, 1}, {2000, 12}, {3000, 2}, {4000, 13}, {5000, 14}};
	struct host_queue *host_queue = make(state, 1000, 10);

	for (uint64_t i = 1; i <= 4; i++)
		add(host_queue, 10 + i, "a", CLASS_PAGE, INT64_MIN);
	add(host_queue, 2, "a", CLASS_CHILD, 0);
	add(host_queue, 1, "a", CLASS_ROBOTS, 0);
	assert_int_equal(
	    table->items[number_of("a")]->waiting[HOST_DOCUMENTS], 6);
	for (size_t i = 0; i < COUNT(taken); i++) {
		if (i > 0)
			assert_int_equal(
			    take(host_queue, taken[i].at_ms - 1), 0);
		assert_int_equal(take(host_queue, taken[i].at_ms), taken[i].id);
		/* one at a time */
		assert_int_equal(take(host_queue, taken[i].at_ms + 5000), 0);
		done(host_queue, "a", taken[i].at_ms);
	}
	assert_int_equal(host_queue_hosts(host_queue), 0);
	/* a document that comes late has the next turn */
	add(host_queue, 15, "a", CLASS_PAGE, INT64_MIN);
	add(host_queue, 16, "a", CLASS_PAGE, INT64_MIN);
	add(host_queue, 3, "a", CLASS_LACKING, 0);
	assert_int_equal(take(host_queue, 6000), 3);
	done(host_queue, "a", 6000);
	assert_int_equal(take(host_queue, 7000), 15);
}

/* A request of a fetcher becomes known while the host waits. */
static void
test_noted(void **state)
{
	struct host_queue *host_queue = make(state, 1000, 10);
	uint32_t number = number_of("a");

	add(host_queue, 1, "a", CLASS_CHILD, 0);
	add(host_queue, 2, "b", CLASS_CHILD, 0);
	host_note(table->items[number], 5000);
	assert_int_equal(take(host_queue, 5500), 2);
	assert_int_equal(take(host_queue, 5500), 0);
	assert_int_equal(host_queue_wait_ms(host_queue, 5500), 500);
	assert_int_equal(take(host_queue, 6000), 1);
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
	struct host_queue *host_queue = make(state, 0, 10);

	for (size_t i = 0; i < COUNT(items); i++)
		add(host_queue, items[i].id, "a", items[i].class,
		    items[i].newest_s);
	for (size_t i = 0; i < COUNT(expected); i++) {
		assert_int_equal(take(host_queue, 0), expected[i]);
		done(host_queue, "a", 0);
	}
	assert_int_equal(take(host_queue, 0), 0);
	assert_int_equal(host_queue_wait_ms(host_queue, 0), -1);
}

/* One request at a time, the next one a delay after the last was sent. */
static void
test_delay(void **state)
{
	struct host_queue *host_queue = make(state, 1000, 10);

	add(host_queue, 1, "a", CLASS_SEED, 0);
	add(host_queue, 2, "a", CLASS_SEED, 0);
	assert_int_equal(take(host_queue, 5), 1);
	assert_int_equal(take(host_queue, 5000), 0);
	assert_int_equal(host_queue_wait_ms(host_queue, 5000), -1);
	done(host_queue, "a", 40);
	assert_int_equal(host_queue_wait_ms(host_queue, 100), 940);
	assert_int_equal(take(host_queue, 1039), 0);
	assert_int_equal(take(host_queue, 1040), 2);
}

/* HOSTILE N19: growing pauses, with a ceiling for any number of tries. */
static void
test_backoff(void **state)
{
	static const struct {
		unsigned tries;
		int64_t wait_ms;
	} rows[] = {{0, 500}, {1, 1000}, {2, 2000}, {6, 32000}, {7, 60000},
	    {23, 60000}, {100, 60000}};

	for (size_t i = 0; i < COUNT(rows); i++)
		assert_int_equal(
		    host_backoff_ms(rows[i].tries), rows[i].wait_ms);
}

static void
test_set_delay(void **state)
{
	struct host_queue *host_queue = make(state, 1000, 10);
	uint32_t host = number_of("a");

	for (uint64_t id = 1; id <= 3; id++)
		add(host_queue, id, "a", CLASS_SEED, 0);
	assert_int_equal(take(host_queue, 0), 1);
	set_delay(host_queue, host, 0);
	done(host_queue, "a", 0);
	assert_int_equal(take(host_queue, 1), 2);
	set_delay(host_queue, host, 5000);
	done(host_queue, "a", 1);
	assert_int_equal(take(host_queue, 5000), 0);
	assert_int_equal(take(host_queue, 5001), 3);
}

/* A Retry-After holds its host and no other. */
static void
test_hold(void **state)
{
	struct host_queue *host_queue = make(state, 0, 10);

	add(host_queue, 1, "a", CLASS_SEED, 0);
	add(host_queue, 2, "b", CLASS_SEED, 0);
	host_queue_hold(host_queue, number_of("a"), 7000);
	assert_int_equal(take(host_queue, 0), 2);
	assert_int_equal(take(host_queue, 6999), 0);
	assert_int_equal(take(host_queue, 7000), 1);
}

/* A host that is set aside does not count as in flight, and no delay follows
 * until it is brought back. */
static void
test_out_of_flight(void **state)
{
	struct host_queue *host_queue = make(state, 1000, 1);
	uint32_t a = number_of("a");

	add(host_queue, 1, "a", CLASS_SEED, 0);
	add(host_queue, 2, "a", CLASS_SEED, 0);
	add(host_queue, 3, "b", CLASS_SEED, 0);
	assert_int_equal(take(host_queue, 0), 1);
	assert_int_equal(take(host_queue, 0), 0);
	host_queue_set_aside(host_queue, a);
	assert_int_equal(host_queue_hosts(host_queue), 2);
	assert_int_equal(take(host_queue, 0), 3);
	done(host_queue, "b", 0);
	assert_int_equal(take(host_queue, 90000), 0);
	host_queue_bring_back(host_queue, a, 90000);
	done(host_queue, "a", 90000);
	assert_int_equal(take(host_queue, 90999), 0);
	assert_int_equal(take(host_queue, 91000), 2);
	host_queue_set_aside(host_queue, a);
	assert_int_equal(host_queue_hosts(host_queue), 0);
	/* it comes back without a request: the delay counts from the request
	 * before */
	/* Somebody else asks the host meanwhile: the item waits. */
	host_note(table->items[a], 91200);
	assert_false(host_queue_bring_back(host_queue, a, 91500));
	assert_int_equal(host_queue_hosts(host_queue), 0);
	add(host_queue, 3, "a", CLASS_SEED, 0);
	assert_int_equal(take(host_queue, 92199), 0);
	assert_int_equal(take(host_queue, 92200), 3);
	host_queue_set_aside(host_queue, a);
	assert_true(host_queue_bring_back(host_queue, a, 92500));
	host_queue_return(host_queue, a);
	add(host_queue, 4, "a", CLASS_SEED, 0);
	assert_int_equal(take(host_queue, 92500), 4);
}

/* A host that is set aside does not count at its address. */
static void
test_out_of_flight_address(void **state)
{
	static const uint8_t bytes[4] = {93, 184, 216, 34};
	struct addr addr = addr_from_v4(bytes);
	struct host_queue *host_queue = make(state, 0, 100);
	char name[16];

	for (uint64_t i = 0; i < 33; i++) {
		(void)snprintf(name, sizeof(name), "h%u", (unsigned)i);
		host_queue_set_address(host_queue, number_of(name), &addr);
		add(host_queue, i + 1, name, CLASS_SEED, 0);
	}
	for (uint64_t i = 0; i < 32; i++)
		assert_int_equal(take(host_queue, 0), i + 1);
	assert_int_equal(take(host_queue, 5000), 0);
	host_queue_set_aside(host_queue, number_of("h0"));
	assert_int_equal(take(host_queue, 5000), 33);
	/* a host whose address was forgotten is judged by the address to which
	 * it connects */
	host_queue_bring_back(host_queue, number_of("h0"), 5000);
	assert_false(
	    host_queue_admit(host_queue, number_of("h0"), &addr, 5000));
}

/* Hosts take turns: the one that has been ready for longest is next. */
static void
test_fairness(void **state)
{
	struct host_queue *host_queue = make(state, 10, 1);
	static const uint64_t expected[] = {1, 11, 21, 2, 12, 22, 3, 13, 23};
	const char *hosts[] = {"a", "b", "c"};

	for (uint64_t k = 0; k < 3; k++)
		for (size_t h = 0; h < 3; h++)
			add(host_queue, h * 10 + k + 1, hosts[h], CLASS_CHILD,
			    -(int64_t)k);
	for (size_t i = 0; i < 9; i++) {
		int64_t now_ms = (int64_t)i * 10;
		uint64_t id = take(host_queue, now_ms);

		assert_int_equal(id, expected[i]);
		assert_int_equal(take(host_queue, now_ms), 0);
		done(host_queue, hosts[id / 10], now_ms);
	}
}

/* HOSTILE T10: a request that was not sent does not count at its address,
 * wherever it was noted, and whatever other hosts sent since. */
static void
test_unsent(void **state)
{
	struct host_queue_options options = host_queue_options_default;
	struct host_queue *host_queue;
	const uint8_t bytes[4] = {93, 184, 216, 34};
	const uint8_t elsewhere[4] = {93, 184, 216, 35};
	struct addr addr = addr_from_v4(bytes);
	struct addr other = addr_from_v4(elsewhere);
	uint32_t a, b;

	new_delay_ms = 0;
	options.address_per_second = 2;
	*state = host_queue = host_queue_new(&options, table);
	a = number_of("a");
	b = number_of("b");
	host_queue_set_address(host_queue, a, &addr);
	host_queue_set_address(host_queue, b, &addr);
	add(host_queue, 2, "b", CLASS_SEED, 0);
	/* a waits for something else, and is asked about again and again */
	for (int64_t now_ms = 0; now_ms < 100; now_ms += 10) {
		add(host_queue, 1, "a", CLASS_SEED, 0);
		assert_int_equal(take(host_queue, now_ms),
		    now_ms == 0 ? 2 : 1); /* b has waited for longer */
		if (now_ms > 0)
			host_queue_return(host_queue, a);
	}
	done(host_queue, "b", 0);
	/* one request of b; one of two that are left is returned late */
	add(host_queue, 3, "b", CLASS_SEED, 0);
	assert_int_equal(take(host_queue, 100), 1);
	assert_int_equal(take(host_queue, 100), 0);
	host_queue_return(host_queue, a);
	assert_int_equal(take(host_queue, 110), 3);
	done(host_queue, "b", 110);
	/* noted at one address, sent to another one */
	add(host_queue, 4, "a", CLASS_SEED, 0);
	assert_int_equal(take(host_queue, 1000), 4);
	assert_true(host_queue_admit(host_queue, a, &other, 1000));
	add(host_queue, 5, "b", CLASS_SEED, 0);
	assert_int_equal(take(host_queue, 1000), 5);
	host_queue_return(host_queue, b);
	host_queue_return(host_queue, a);
}

static void
test_total(void **state)
{
	struct host_queue *host_queue = make(state, 0, 2);

	add(host_queue, 1, "a", CLASS_SEED, 0);
	add(host_queue, 2, "b", CLASS_SEED, 0);
	add(host_queue, 3, "c", CLASS_SEED, 0);
	assert_int_equal(take(host_queue, 0), 1);
	assert_int_equal(take(host_queue, 0), 2);
	assert_int_equal(take(host_queue, 0), 0);
	assert_int_equal(host_queue_hosts(host_queue), 3);
	done(host_queue, "a", 0);
	assert_int_equal(host_queue_hosts(host_queue), 2);
	assert_int_equal(take(host_queue, 0), 3);
	done(host_queue, "b", 0);
	done(host_queue, "c", 0);
	assert_int_equal(host_queue_hosts(host_queue), 0);
}

static void
test_drain(void **state)
{
	struct host_queue *host_queue = make(state, 0, 10);
	uint32_t host = number_of("a");
	uint64_t id;

	add(host_queue, 1, "a", CLASS_SEED, 0);
	add(host_queue, 2, "a", CLASS_SEED, 0);
	add(host_queue, 3, "b", CLASS_SEED, 0);
	add(host_queue, 4, "a", CLASS_PAGE, 0);
	assert_true(host_queue_drain(host_queue, host, true, &id));
	assert_int_equal(id, 4);
	assert_false(host_queue_drain(host_queue, host, true, &id));
	assert_true(host_queue_drain(host_queue, host, false, &id));
	assert_true(host_queue_drain(host_queue, host, false, &id));
	assert_false(host_queue_drain(host_queue, host, false, &id));
	assert_int_equal(take(host_queue, 0), 3);
	assert_int_equal(take(host_queue, 0), 0);
}

/* A forgotten host gives its number to another host.  A host is not forgotten
 * while anything of it counts; its address is forgotten a second later. */
static void
test_forget(void **state)
{
	struct host_queue *host_queue = make(state, 1000, 10);
	struct addr addr;
	uint32_t host = number_of("a");

	assert_true(addr_parse(&addr, slice_of("93.184.216.34")));
	set_delay(host_queue, host, 5000);
	add(host_queue, 1, "a", CLASS_CHILD, 0);
	assert_false(host_queue_forget(host_queue, host, 0));
	assert_int_equal(take(host_queue, 0), 1);
	host_queue_set_address(host_queue, host, &addr);
	assert_false(host_queue_forget(host_queue, host, 0));
	done(host_queue, "a", 0);
	assert_false(host_queue_forget(host_queue, host, 4999));
	assert_true(host_queue_forget(host_queue, host, 5000));
	assert_int_equal(number_of("b"), host);
	assert_int_equal(table->items[host]->delay_ms, 1000);
	assert_true(slice_is(slice_of(names_text(&table->names, host)), "b"));
	add(host_queue, 2, "b", CLASS_CHILD, 0);
	assert_int_equal(take(host_queue, 5000), 2);
	host_queue_set_address(host_queue, host, &addr);
	host_queue_tidy(host_queue, 10000);
	done(host_queue, "b", 5000);
	add(host_queue, 3, "a", CLASS_CHILD, 0);
	assert_int_equal(take(host_queue, 6000), 3);
	host_queue_tidy(host_queue, 10000);
}

/* Hosts and addresses come and go many times. */
static void
test_forget_many(void **state)
{
	struct host_queue *host_queue = make(state, 1000, 10);
	char name[32];

	for (uint32_t i = 0; i < 100000; i++) {
		const uint8_t bytes[4] = {
		    93, (uint8_t)(i >> 16), (uint8_t)(i >> 8), (uint8_t)i};
		struct addr addr = addr_from_v4(bytes);
		int64_t now_ms = 2000 * (int64_t)i;
		uint32_t host;

		(void)snprintf(name, sizeof(name), "h%u.example", i);
		host = number_of(name);
		assert_int_equal(host, 0);
		add(host_queue, i + 1, name, CLASS_CHILD, 0);
		assert_int_equal(take(host_queue, now_ms), i + 1);
		assert_true(host_queue_admit(host_queue, host, &addr, now_ms));
		done(host_queue, name, now_ms);
		assert_true(host_queue_forget(host_queue, host, now_ms + 1000));
		host_queue_tidy(host_queue, now_ms + 1000);
		assert_int_equal(host_queue_hosts(host_queue), 0);
	}
}

/* 100,000 hosts, in virtual time. */

#define HOSTS 100000
#define EACH 3
#define LONGEST_MS 1024 /* the longest duration of an answer */
#define WINDOW 32 /* requests to an address in a second, and at once */

struct plan {
	int64_t delay_ms;
	uint32_t max_in_flight;
	/* shared by the hosts in turn; 0: no address is known */
	uint32_t addresses;
	/* the address becomes known when a request is about to be sent */
	bool is_admitted;
};

struct world {
	const struct plan *plan;
	struct host_queue *host_queue;
	int64_t now_ms;
	uint32_t in_flight;
	unsigned seed;
	/* Lists of hosts whose answers end at that time, modulo LONGEST_MS. */
	uint32_t *ends; /* the first host + 1 */
	uint32_t *next; /* by host */
	int64_t *last_ms; /* by host: -1: never asked */
	unsigned *taken; /* by host */
	uint64_t taken_all;
	int64_t (*sent_ms)[WINDOW]; /* by address: the last ones */
	uint32_t *sent; /* by address: how many ever */
	uint32_t *at_once; /* by address */
};

static struct addr
address_of(uint32_t number)
{
	const uint8_t bytes[4] = {93, (uint8_t)(number >> 16),
	    (uint8_t)(number >> 8), (uint8_t)number};

	return addr_from_v4(bytes);
}

static void
world_open(struct world *world, const struct plan *plan)
{
	struct host_queue_options options = host_queue_options_default;
	uint32_t addresses = plan->addresses == 0 ? 1 : plan->addresses;

	table = host_table_new(NULL, NULL, 0);
	new_delay_ms = plan->delay_ms;
	options.max_in_flight = plan->max_in_flight;
	*world = (struct world){.plan = plan,
	    .host_queue = host_queue_new(&options, table),
	    .seed = 7,
	    .ends = mem_zero(LONGEST_MS * sizeof(*world->ends)),
	    .next = mem_zero(HOSTS * sizeof(*world->next)),
	    .last_ms = mem_zero(HOSTS * sizeof(*world->last_ms)),
	    .taken = mem_zero(HOSTS * sizeof(*world->taken)),
	    .sent_ms = mem_zero(addresses * sizeof(*world->sent_ms)),
	    .sent = mem_zero(addresses * sizeof(*world->sent)),
	    .at_once = mem_zero(addresses * sizeof(*world->at_once))};
	for (uint32_t i = 0; i < HOSTS; i++) {
		char name[32];
		struct addr addr = address_of(i % addresses);
		uint32_t host;

		(void)snprintf(name, sizeof(name), "h%u.example", i);
		host = number_of(name);
		assert_int_equal(host, i);
		world->last_ms[i] = -1;
		if (plan->addresses > 0 && !plan->is_admitted)
			host_queue_set_address(world->host_queue, i, &addr);
	}
	for (uint64_t k = 0; k < EACH; k++)
		for (uint32_t i = 0; i < HOSTS; i++)
			host_queue_add(world->host_queue,
			    &(struct host_queue_item){
				.id = i * EACH + k, .host = i, .class = 2});
}

static void
world_close(struct world *world)
{
	host_queue_free(world->host_queue);
	host_table_free(table);
	free(world->ends);
	free(world->next);
	free(world->last_ms);
	free(world->taken);
	free(world->sent_ms);
	free(world->sent);
	free(world->at_once);
}

/* sent(world, host): a request is sent now; check that it is polite. */
static void
sent(struct world *world, uint32_t host)
{
	const struct plan *plan = world->plan;
	int64_t *last_ms = &world->last_ms[host];
	int64_t end_ms = world->now_ms + 1 +
	    rand_r(&world->seed) % (LONGEST_MS - 1);

	assert_true(*last_ms < 0 || world->now_ms >= *last_ms + plan->delay_ms);
	*last_ms = world->now_ms;
	world->next[host] = world->ends[end_ms % LONGEST_MS];
	world->ends[end_ms % LONGEST_MS] = host + 1;
	if (plan->addresses > 0) {
		uint32_t a = host % plan->addresses;
		int64_t *slot = &world->sent_ms[a][world->sent[a] % WINDOW];

		assert_true(
		    world->sent[a] < WINDOW || world->now_ms >= *slot + 1000);
		*slot = world->now_ms;
		world->sent[a]++;
		assert_true(++world->at_once[a] <= WINDOW);
	}
	assert_true(++world->in_flight <= plan->max_in_flight);
}

/* take_counted(world): make one request, if a host may be asked now. */
static bool
take_counted(struct world *world)
{
	struct addr addr;
	uint64_t id;
	uint32_t host;

	if (!host_queue_take(world->host_queue, world->now_ms, &id))
		return false;
	host = (uint32_t)(id / EACH);
	assert_int_equal(id % EACH, world->taken[host]);
	if (world->plan->is_admitted) {
		addr = address_of(host % world->plan->addresses);
		if (!host_queue_admit(
			world->host_queue, host, &addr, world->now_ms)) {
			/* The address is known from now on, so this happens
			 * once for each host. */
			assert_int_equal(world->taken[host], 0);
			host_queue_return(world->host_queue, host);
			host_queue_add(world->host_queue,
			    &(struct host_queue_item){
				.id = id, .host = host, .class = 1});
			return true;
		}
	}
	world->taken[host]++;
	world->taken_all++;
	sent(world, host);
	return true;
}

/* end(world): end the answers whose time has come. */
static void
end(struct world *world)
{
	uint32_t *first = &world->ends[world->now_ms % LONGEST_MS];

	while (*first != 0) {
		uint32_t host = *first - 1;

		*first = world->next[host];
		world->in_flight--;
		if (world->plan->addresses > 0)
			world->at_once[host % world->plan->addresses]--;
		host_queue_done(world->host_queue, host, world->last_ms[host]);
	}
}

/* step(world): go to the next time at which something happens; if the host
 * queue named that time, a host may be asked then. */
static void
step(struct world *world)
{
	int64_t wait_ms = host_queue_wait_ms(world->host_queue, world->now_ms);
	int64_t until_ms = world->now_ms + wait_ms;

	assert_true(wait_ms != 0);
	do
		world->now_ms++;
	while (world->now_ms != until_ms &&
	    world->ends[world->now_ms % LONGEST_MS] == 0);
	if (world->now_ms == until_ms)
		assert_true(take_counted(world));
	else
		assert_true(wait_ms < 0 || world->now_ms < until_ms);
	end(world);
}

/* finish(world, unfair): run to the end; no host gets ahead of another by more
 * than `unfair` requests. */
static void
finish(struct world *world, unsigned unfair)
{
	unsigned most = 0, least = 0;

	for (;;) {
		while (take_counted(world))
			;
		if (world->taken_all == (uint64_t)HOSTS * EACH)
			break;
		step(world);
		/* The check goes through all hosts, so it is made only now and
		 * then. */
		if (unfair > 0 && world->now_ms % 4000 == 0) {
			most = 0;
			least = EACH;
			for (uint32_t i = 0; i < HOSTS; i++) {
				unsigned n = world->taken[i];

				most = n > most ? n : most;
				least = n < least ? n : least;
			}
			assert_true(most - least <= unfair);
		}
	}
	for (uint32_t i = 0; i < HOSTS; i++)
		assert_int_equal(world->taken[i], EACH);
}

static void
test_plans(void **state)
{
	static const struct {
		const char *what;
		struct plan plan;
		unsigned unfair; /* finish() */
		int64_t least_ms, most_ms; /* until the end */
	} cases[] = {
	    /* A thousand answers at a time take half a second each, so 300,000
	     * take about 150 seconds. */
	    {"a thousand at once, without delays: who waited longest is next",
		{.max_in_flight = 1000}, 1, 100000, 180000},
	    {"no limit: each is asked exactly when its delay is over",
		{.delay_ms = 2000, .max_in_flight = HOSTS}, 0,
		(EACH - 1) * 2000, (EACH - 1) * 2000},
	    /* HOSTILE T10: 300 requests to each address end in about the tenth
	     * second, although only 32 may be in flight, for up to a second
	     * each. */
	    {"100 hosts to an address: 32 a second, by turns",
		{.delay_ms = 1000, .max_in_flight = HOSTS, .addresses = 1000},
		2, 9000, 14000},
	    /* Requests above the limits are returned, once for each host. */
	    {"an address becomes known only before its request is sent",
		{.delay_ms = 1000,
		    .max_in_flight = HOSTS,
		    .addresses = 1000,
		    .is_admitted = true},
		2, 9000, 14000},
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct world world;

		print_message("%s\n", cases[i].what);
		world_open(&world, &cases[i].plan);
		finish(&world, cases[i].unfair);
		assert_in_range(
		    world.now_ms, cases[i].least_ms, cases[i].most_ms);
		world_close(&world);
	}
}

/* The cost of a request grows with the logarithm of the hosts, even if all of
 * them are behind one busy address, which is asked for a million times. */
#define TIMES_ASKED (IS_SANITIZED ? 100000 : 1000000)

static void
test_behind_one(void **state)
{
	static const struct plan plan = {
	    .delay_ms = 0, .max_in_flight = HOSTS, .addresses = 1};
	struct world world;
	uint64_t id;

	world_open(&world, &plan);
	for (int i = 0; i < WINDOW; i++)
		assert_true(take_counted(&world));
	for (int64_t i = 0; i < TIMES_ASKED; i++)
		assert_false(host_queue_take(world.host_queue, 5000 + i, &id));
	assert_int_equal(host_queue_wait_ms(world.host_queue, 5000), -1);
	world_close(&world);
}

UNIT_TESTS(host_queue, queue_test(test_no_delay), queue_test(test_noted),
    queue_test(test_pages), queue_test(test_order), queue_test(test_delay),
    cmocka_unit_test(test_backoff), queue_test(test_set_delay),
    queue_test(test_hold), queue_test(test_out_of_flight),
    queue_test(test_out_of_flight_address), queue_test(test_fairness),
    queue_test(test_unsent), queue_test(test_total), queue_test(test_drain),
    queue_test(test_forget), queue_test(test_forget_many),
    cmocka_unit_test(test_plans), cmocka_unit_test(test_behind_one));
