/* The frontier with 100,000 hosts, in virtual time: what it promises, checked
 * against what is too simple to be wrong. */
#include "tests/fixtures/fixture.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "sched/host_queue.h"

#define HOSTS 100000
#define EACH 3
#define LONGEST_MS 1024 /* of an answer */
#define WINDOW 32 /* requests to an address in a second, and at once */

struct plan {
	int64_t delay_ms;
	uint32_t max_in_flight;
	uint32_t addresses; /* that hosts share in turn; 0: none is known */
	bool is_admitted; /* learnt when a request is about to be sent */
};

struct world {
	const struct plan *plan;
	struct host_queue *host_queue;
	int64_t now_ms;
	uint32_t in_flight;
	unsigned seed;
	/* Hosts whose answers end at that time, modulo LONGEST_MS: lists. */
	uint32_t *ends; /* the first host + 1 */
	uint32_t *next; /* by host */
	int64_t *last_ms; /* by host: -1: never asked */
	unsigned *taken; /* by host */
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
	struct host_queue_options options = host_queue_options_default();
	uint32_t addresses = plan->addresses == 0 ? 1 : plan->addresses;

	options.delay_ms = plan->delay_ms;
	options.max_in_flight = plan->max_in_flight;
	*world = (struct world){.plan = plan,
	    .host_queue = host_queue_new(&options),
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
		host = host_queue_host(world->host_queue, slice_of(name));
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
	free(world->ends);
	free(world->next);
	free(world->last_ms);
	free(world->taken);
	free(world->sent_ms);
	free(world->sent);
	free(world->at_once);
}

/* sent(world, host): the request goes out now: was it polite? */
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

/* take(world): one request, if there may be one now. */
static bool
take(struct world *world)
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
			/* Where it belongs is known now: not again. */
			assert_int_equal(world->taken[host], 0);
			host_queue_return(world->host_queue, host);
			host_queue_add(world->host_queue,
			    &(struct host_queue_item){
				.id = id, .host = host, .class = 1});
			return true;
		}
	}
	world->taken[host]++;
	sent(world, host);
	return true;
}

/* end(world): the answers that end now. */
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

/* step(world): to the next moment at which something happens; where that is
 * the frontier's own, somebody may be asked then. */
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
		assert_true(take(world));
	else
		assert_true(wait_ms < 0 || world->now_ms < until_ms);
	end(world);
}

/* finish(world, unfair): to the end; nobody gets ahead of anybody else by more
 * than `unfair` requests. */
static void
finish(struct world *world, unsigned unfair)
{
	unsigned most = 0, least = 0;

	while (host_queue_queued(world->host_queue) > 0) {
		while (take(world))
			;
		if (host_queue_queued(world->host_queue) == 0)
			break;
		step(world);
		/* Looked at now and then: it is all hosts. */
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

/* A thousand at once, and no delay: the one that waits longest is next. */
static void
test_turns(void **state)
{
	static const struct plan plan = {.max_in_flight = 1000};
	struct world world;

	(void)state;
	world_open(&world, &plan);
	finish(&world, 1);
	/* A thousand answers of half a second each: so many seconds, and the
	 * last answers. */
	assert_in_range(world.now_ms, 100000, 180000);
	world_close(&world);
}

/* All at once: each host is asked exactly when its delay is over. */
static void
test_exact(void **state)
{
	static const struct plan plan = {
	    .delay_ms = 2000, .max_in_flight = HOSTS};
	struct world world;

	(void)state;
	world_open(&world, &plan);
	finish(&world, 0);
	assert_int_equal(world.now_ms, (EACH - 1) * 2000);
	world_close(&world);
}

/* HOSTILE T10: 100 hosts to an address: 32 a second, by turns. */
static void
test_addresses(void **state)
{
	static const struct plan plan = {
	    .delay_ms = 1000, .max_in_flight = HOSTS, .addresses = 1000};
	struct world world;

	(void)state;
	world_open(&world, &plan);
	finish(&world, 2);
	/* 300 requests to each: not before the tenth second, and not much
	 * later, though 32 at once with up to a second each hold them up. */
	assert_in_range(world.now_ms, 9000, 14000);
	world_close(&world);
}

/* The same where the address is learnt when the request is about to go out:
 * what is over the limits goes back, once for each host. */
static void
test_admitted(void **state)
{
	static const struct plan plan = {.delay_ms = 1000,
	    .max_in_flight = HOSTS,
	    .addresses = 1000,
	    .is_admitted = true};
	struct world world;

	(void)state;
	world_open(&world, &plan);
	finish(&world, 2);
	assert_in_range(world.now_ms, 9000, 14000);
	world_close(&world);
}

/* What a request costs grows with the logarithm of the hosts: with all of
 * them behind one busy address, and a million looks at it. */
static void
test_behind_one(void **state)
{
	static const struct plan plan = {
	    .delay_ms = 0, .max_in_flight = HOSTS, .addresses = 1};
	struct world world;
	uint64_t id;

	(void)state;
	world_open(&world, &plan);
	for (int i = 0; i < WINDOW; i++)
		assert_true(take(&world));
	for (int64_t i = 0; i < 1000000; i++)
		assert_false(host_queue_take(world.host_queue, 5000 + i, &id));
	assert_int_equal(host_queue_wait_ms(world.host_queue, 5000), -1);
	world_close(&world);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_turns),
	    cmocka_unit_test(test_exact), cmocka_unit_test(test_addresses),
	    cmocka_unit_test(test_admitted), cmocka_unit_test(test_behind_one)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
