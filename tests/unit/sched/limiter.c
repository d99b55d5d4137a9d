/* The rate limiter: order, limits at each level, holds, twins, clocks that
 * jump; and a million random operations compared with a plain search. */
#include "tests/fixtures/fixture.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "sched/budget.h"
#include "sched/heap.h"
#include "sched/limiter.h"

static const struct limiter_limit FREE = {0};

struct scene {
	struct positions positions;
	struct limiter *limiter;
};

/* Two hosts.  Items of the first side of the first host have numbers from 0,
 * those of its second side from 100; those of the other host from 200 and
 * 300. */
enum { FAIR_FIRST, FAIR_SECOND, FAIR_SIDES };

struct twins {
	struct scene scene;
	uint32_t sides[FAIR_SIDES];
	uint32_t hosts[2][FAIR_SIDES];
};

/* scene_test(test): a test whose *state is a scene that has not begun. */
#define scene_test(test) \
	cmocka_unit_test_setup_teardown(test, scene_before, scene_after)

static int
scene_before(void **state)
{
	/* the twins begin with their scene */
	*state = mem_zero(sizeof(struct twins));
	return 0;
}

static int
scene_after(void **state)
{
	struct scene *scene = *state;

	limiter_free(scene->limiter);
	free(scene->positions.items);
	free(scene);
	return 0;
}

/* node(scene, parent, gap_ms): make a node with a limit of its own. */
static uint32_t
node(struct scene *scene, uint32_t parent, int64_t gap_ms)
{
	uint32_t limit = limiter_limit(
	    scene->limiter, &(struct limiter_limit){.gap_ms = gap_ms});

	return limiter_node(scene->limiter, parent, limit, &scene->positions);
}

static void
put(struct scene *scene, uint32_t at, uint32_t number, float value)
{
	limiter_put(scene->limiter,
	    &(struct limiter_choice){
		.node = at, .number = number, .value = value});
}

/* sent(scene, now_ms): send the best item at now_ms and return its number; -1:
 * there was none. */
static long
sent(struct scene *scene, int64_t now_ms)
{
	struct limiter_choice choice;

	if (!limiter_best(scene->limiter, now_ms, LIMITER_ROOT, &choice))
		return -1;
	assert_int_equal(
	    limiter_wait_ms(scene->limiter, now_ms, LIMITER_ROOT), 0);
	limiter_send(scene->limiter, now_ms, &choice);
	return (long)choice.number;
}

static void
test_order(void **state)
{
	struct scene *scene = *state;
	uint32_t tag, a, b;

	scene->limiter = limiter_new(&FREE, 0);
	assert_int_equal(sent(scene, 0), -1);
	assert_int_equal(limiter_wait_ms(scene->limiter, 0, LIMITER_ROOT), -1);
	tag = node(scene, LIMITER_ROOT, 0);
	a = node(scene, tag, 1000);
	b = node(scene, LIMITER_ROOT, 2000);
	put(scene, a, 1, 1);
	put(scene, a, 2, 5);
	put(scene, a, 3, 2);
	put(scene, b, 4, 4);
	put(scene, b, 5, 3);
	put(scene, tag, 6, NAN);
	put(scene, a, 1, 2.5F); /* worth more now */
	assert_int_equal(sent(scene, 0), 2);
	assert_int_equal(sent(scene, 0), 4);
	assert_int_equal(sent(scene, 0), 6);
	assert_int_equal(sent(scene, 0), -1);
	assert_int_equal(
	    limiter_wait_ms(scene->limiter, 0, LIMITER_ROOT), 1000);
	assert_int_equal(sent(scene, 999), -1);
	assert_int_equal(sent(scene, 1000), 1);
	assert_int_equal(
	    limiter_wait_ms(scene->limiter, 1500, LIMITER_ROOT), 500);
	limiter_remove(scene->limiter, b, 5);
	assert_int_equal(
	    positions_get(&scene->positions, 5), POSITIONS_NOWHERE);
	assert_int_equal(
	    limiter_wait_ms(scene->limiter, 1500, LIMITER_ROOT), 500);
	assert_int_equal(sent(scene, 2000), 3);
	assert_int_equal(
	    limiter_wait_ms(scene->limiter, 2000, LIMITER_ROOT), -1);
}

/* Many hosts at one address; each of two tags has some of them. */
static void
test_shared_limit(void **state)
{
	struct scene *scene = *state;
	uint32_t address, tags[2], at[2], hosts[6];
	int64_t last_ms = -1000;
	unsigned n = 0;

	scene->limiter = limiter_new(&FREE, 0);
	address = limiter_limit(
	    scene->limiter, &(struct limiter_limit){.gap_ms = 250});
	for (int t = 0; t < 2; t++) {
		tags[t] = node(scene, LIMITER_ROOT, 0);
		at[t] = limiter_node(scene->limiter, tags[t], address, NULL);
	}
	for (uint32_t h = 0; h < 6; h++) {
		hosts[h] = node(scene, at[h % 2], 1000);
		for (uint32_t i = 0; i < 3; i++)
			put(scene, hosts[h], h * 3 + i, (float)h);
	}
	for (int64_t now_ms = 0; now_ms < 10000; now_ms += 10) {
		if (sent(scene, now_ms) < 0)
			continue;
		assert_true(now_ms - last_ms >= 250);
		last_ms = now_ms;
		n++;
	}
	assert_int_equal(n, 18);
	put(scene, hosts[0], 50, 1);
	limiter_hold(scene->limiter, at[1], HELD_ALL, 20000);
	assert_int_equal(sent(scene, 19999), -1);
	assert_int_equal(sent(scene, 20000), 50);
	/* there were 18 turns at intervals of 250 ms, and no turn was lost */
	assert_true(last_ms <= 17 * 250 + 2000);
}

/* Two kinds of items of the same hosts: an item that waits in one tree takes
 * no turn in the other, but a request of one kind counts for both. */
static void
test_two_trees(void **state)
{
	struct scene *scene = *state;
	struct limiter_choice choice;
	uint32_t tops[2], host[2], limit;

	scene->limiter = limiter_new(&FREE, 0);
	limit = limiter_limit(
	    scene->limiter, &(struct limiter_limit){.gap_ms = 1000});
	for (uint32_t t = 0; t < 2; t++) {
		tops[t] = node(scene, LIMITER_ROOT, 0);
		host[t] = limiter_node(
		    scene->limiter, tops[t], limit, &scene->positions);
		for (uint32_t i = 0; i < 3; i++)
			put(scene, host[t], t * 3 + i, (float)(1 + t));
	}
	for (int64_t now_ms = 0; now_ms < 3000; now_ms += 1000) {
		uint32_t t = now_ms == 1000;

		assert_true(
		    limiter_best(scene->limiter, now_ms, tops[t], &choice));
		assert_int_equal(choice.node, host[t]);
		limiter_send(scene->limiter, now_ms, &choice);
		for (t = 0; t < 2; t++) {
			assert_false(limiter_best(
			    scene->limiter, now_ms + 999, tops[t], &choice));
			assert_int_equal(limiter_wait_ms(scene->limiter,
					     now_ms + 999, tops[t]),
			    1);
		}
	}
	limiter_hold(scene->limiter, LIMITER_ROOT, HELD_ALL, 9000);
	assert_int_equal(limiter_wait_ms(scene->limiter, 8000, tops[1]), 1000);
	assert_false(limiter_best(scene->limiter, 8999, tops[1], &choice));
	assert_true(limiter_best(scene->limiter, 9000, tops[1], &choice));
}

/* Costs, and limits that change. */
static void
test_charge(void **state)
{
	struct scene *scene = *state;
	uint32_t limit, host;

	scene->limiter = limiter_new(
	    &(struct limiter_limit){.per_hour = 3600}, 0);
	limit = limiter_limit(
	    scene->limiter, &(struct limiter_limit){.gap_ms = 5000});
	host = limiter_node(
	    scene->limiter, LIMITER_ROOT, limit, &scene->positions);
	for (uint32_t i = 1; i < 9; i++)
		put(scene, host, i, (float)i);
	assert_int_equal(sent(scene, 0), 8);
	assert_int_equal(
	    limiter_wait_ms(scene->limiter, 0, LIMITER_ROOT), 5000);
	limiter_set_limit(scene->limiter, limit, &FREE);
	assert_int_equal(
	    limiter_wait_ms(scene->limiter, 0, LIMITER_ROOT), 1000);
	assert_int_equal(sent(scene, 1000), 7);
	/* that was a reading that cost as much as three pages */
	limiter_spend(scene->limiter, 1000, host, 2);
	assert_int_equal(sent(scene, 3999), -1);
	assert_int_equal(sent(scene, 4000), 6);
	/* nearly all of that request was not made after all */
	assert_int_equal(
	    limiter_wait_ms(scene->limiter, 4000, LIMITER_ROOT), 1000);
	limiter_spend(scene->limiter, 4000, host, -0.9);
	assert_int_equal(
	    limiter_wait_ms(scene->limiter, 4000, LIMITER_ROOT), 100);
	limiter_set_limit(
	    scene->limiter, 0, &(struct limiter_limit){.gap_ms = 10});
	assert_int_equal(sent(scene, 4009), -1);
	assert_int_equal(sent(scene, 4010), 5);
}

/* A time before the present is ignored: it neither blocks a host nor lets two
 * requests come closer than its delay. */
static void
test_clock(void **state)
{
	struct scene *scene = *state;
	uint32_t host;

	scene->limiter = limiter_new(
	    &(struct limiter_limit){.per_hour = 7200}, 0);
	host = node(scene, LIMITER_ROOT, 1000);
	for (uint32_t i = 1; i < 4; i++)
		put(scene, host, i, (float)i);
	assert_int_equal(sent(scene, 5000), 3);
	assert_int_equal(sent(scene, 77), -1);
	assert_int_equal(sent(scene, INT64_MIN), -1);
	assert_int_equal(sent(scene, 5999), -1);
	assert_int_equal(sent(scene, 6000), 2);
	assert_int_equal(sent(scene, 7000), 1);
}

/* Which of two twins goes first. */

#define MANY 50

static void
pair(struct twins *twins, const uint32_t above[],
    const struct limiter_limit *what, uint32_t nodes[])
{
	uint32_t limit = limiter_limit(twins->scene.limiter, what);
	uint32_t parents[] = {above[0], above[1]};

	for (int side = 0; side < FAIR_SIDES; side++)
		nodes[side] = limiter_node(twins->scene.limiter, parents[side],
		    limit, &twins->scene.positions);
	limiter_pair(twins->scene.limiter, nodes[0], nodes[1]);
}

static void
twins_begin(struct twins *twins, const struct limiter_limit *limit)
{
	uint32_t root[] = {LIMITER_ROOT, LIMITER_ROOT};

	limiter_free(twins->scene.limiter);
	free(twins->scene.positions.items);
	*twins = (struct twins){0};
	twins->scene.limiter = limiter_new(&(struct limiter_limit){0}, 0);
	pair(twins, root, &(struct limiter_limit){0}, twins->sides);
	for (int host = 0; host < 2; host++)
		pair(twins, twins->sides, limit, twins->hosts[host]);
}

/* put_twin(twins, number, value): the item waits at the node that follows from
 * its number. */
static void
put_twin(struct twins *twins, uint32_t number, float value)
{
	limiter_put(twins->scene.limiter,
	    &(struct limiter_choice){
		.node = twins->hosts[number / 200][number / 100 % 2],
		.number = number,
		.value = value});
}

/* asked(twins, side, now_s): the item that was sent for that side; -1:
 * none. */
static long
asked(struct twins *twins, int side, int64_t now_s)
{
	struct limiter_choice choice;

	if (!limiter_best(twins->scene.limiter, now_s * 1000,
		twins->sides[side], &choice))
		return -1;
	limiter_send(twins->scene.limiter, now_s * 1000, &choice);
	return (long)choice.number;
}

static int64_t
wait_s(struct twins *twins, int side, int64_t now_s)
{
	return limiter_wait_ms(
		   twins->scene.limiter, now_s * 1000, twins->sides[side]) /
	    1000;
}

static const struct limiter_limit GAP = {.gap_ms = 300000};

/* The more valuable item goes first, whichever its side; but the second side
 * does not go twice in a row. */
static void
test_worth(void **state)
{
	struct twins *twins = *state;

	twins_begin(twins, &GAP);
	put_twin(twins, 1, 5);
	put_twin(twins, 2, 5);
	put_twin(twins, 3, 1);
	put_twin(twins, 101, 4);
	put_twin(twins, 102, 9);
	/* a side does not yield to a side that never asked */
	assert_int_equal(asked(twins, 1, 0), 102);
	assert_int_equal(asked(twins, 0, 300), 1);
	assert_int_equal(asked(twins, 1, 600), -1);
	assert_int_equal(asked(twins, 0, 600), 2);
	/* now the item of the other side is worth more */
	assert_int_equal(wait_s(twins, 0, 700), 200);
	assert_int_equal(asked(twins, 0, 900), -1);
	assert_int_equal(wait_s(twins, 0, 900), 2);
	assert_int_equal(wait_s(twins, 1, 900), 0);
	assert_int_equal(asked(twins, 1, 900), 101);
	put_twin(twins, 103, 9);
	assert_int_equal(asked(twins, 1, 1200), -1);
	assert_int_equal(asked(twins, 0, 1200), 3);
	assert_int_equal(asked(twins, 1, 1500), 103);
}

/* A side yields for two seconds to a side that does not ask, and not again
 * before that side asks. */
static void
test_patience(void **state)
{
	struct twins *twins = *state;

	twins_begin(twins, &GAP);
	for (uint32_t i = 0; i < MANY; i++)
		put_twin(twins, i, 1);
	put_twin(twins, 101, 9);
	put_twin(twins, 201, 1);
	put_twin(twins, 301, 0.5F);
	assert_int_equal(asked(twins, 1, 0), 101);
	put_twin(twins, 102, 9);
	/* meanwhile the other host is served */
	assert_int_equal(asked(twins, 0, 0), 201);
	assert_int_equal(asked(twins, 1, 0), -1);
	assert_true(asked(twins, 0, 300) >= 0);
	assert_int_equal(asked(twins, 0, 600), -1);
	assert_int_equal(asked(twins, 0, 601), -1);
	assert_true(asked(twins, 0, 602) >= 0);
	assert_true(asked(twins, 0, 902) >= 0);
	assert_int_equal(asked(twins, 1, 903), 301);
	assert_int_equal(asked(twins, 0, 1202), -1);
	/* the item that it yielded to went away */
	limiter_remove(twins->scene.limiter, twins->hosts[0][1], 102);
	assert_true(asked(twins, 0, 1202) >= 0);
}

/* A question when the limit allows a request begins no time of yielding. */
static void
test_question(void **state)
{
	struct twins *twins = *state;

	twins_begin(twins, &GAP);
	for (uint32_t i = 0; i < MANY; i++)
		put_twin(twins, i, 1);
	put_twin(twins, 101, 9);
	assert_int_equal(asked(twins, 1, 0), 101);
	put_twin(twins, 102, 9);
	assert_true(asked(twins, 0, 300) >= 0);
	assert_true(limiter_ready_ms(twins->scene.limiter, 600000,
			twins->hosts[0][0]) <= 600000);
	assert_int_equal(asked(twins, 0, 650), -1);
	assert_true(asked(twins, 0, 652) >= 0);
}

/* While the limit has room for both, neither side yields. */
static void
test_room(void **state)
{
	struct twins *twins = *state;
	static const struct limiter_limit limit = {
	    .per_hour = 360, .burst_ms = 50000};

	twins_begin(twins, &limit);
	for (uint32_t i = 0; i < MANY; i++)
		put_twin(twins, i, 1);
	put_twin(twins, 101, 9);
	assert_int_equal(asked(twins, 1, 0), 101);
	put_twin(twins, 102, 9);
	for (int i = 0; i < 3; i++)
		assert_true(asked(twins, 0, 0) >= 0);
	/* that was the last of five */
	assert_int_equal(asked(twins, 0, 0), -1);
	assert_int_equal(asked(twins, 1, 0), 102);
	assert_int_equal(asked(twins, 1, 0), -1);
}

/* The first side is held, and the second goes on: it does not yield to a side
 * that may not be asked. */
static void
hold_first(struct twins *twins, enum held_kind kind)
{
	uint32_t host;

	twins_begin(twins, &GAP);
	host = twins->hosts[0][1];
	put_twin(twins, 1, 9);
	put_twin(twins, 2, 9);
	put_twin(twins, 101, 1);
	put_twin(twins, 102, 1);
	put_twin(twins, 201, 1);
	assert_int_equal(asked(twins, 0, 0), 1);
	limiter_hold(twins->scene.limiter, host, kind, 1000000);
	assert_int_equal(
	    limiter_held_ms(twins->scene.limiter, host, kind), 1000000);
	assert_int_equal(
	    limiter_held_ms(twins->scene.limiter, host, HELD_ALL), INT64_MIN);
	assert_int_equal(asked(twins, 0, 300), 201);
	assert_int_equal(wait_s(twins, 0, 300), 700);
	assert_int_equal(wait_s(twins, 1, 300), 0);
	assert_int_equal(asked(twins, 1, 300), 101);
	assert_int_equal(asked(twins, 1, 600), 102);
	put_twin(twins, 103, 1);
	assert_int_equal(asked(twins, 0, 999), -1);
	/* the hold is over: the more valuable item goes first again */
	assert_int_equal(asked(twins, 1, 1000), -1);
	assert_int_equal(asked(twins, 0, 1000), 2);
	put_twin(twins, 3, 9);
	limiter_hold(twins->scene.limiter, host, kind, 3000000);
	assert_int_equal(asked(twins, 1, 2000), 103);
	assert_int_equal(wait_s(twins, 0, 2000), 1000);
	limiter_hold(twins->scene.limiter, host, kind, INT64_MIN);
	assert_int_equal(wait_s(twins, 0, 2000), 300);
	limiter_hold(twins->scene.limiter, host, HELD_ALL, 3500000);
	put_twin(twins, 104, 1);
	assert_int_equal(wait_s(twins, 1, 2000), 1500);
}

static void
test_hold(void **state)
{
	hold_first(*state, HELD_PAGES);
	hold_first(*state, HELD_PAUSE);
}

/* A million random operations, compared with a plain search. */

enum {
	NODES = 25, /* the root, 4 tags, 20 hosts */
	TAGS = 4,
	NUMBERS = 150,
	OPERATIONS = 1000000,
	SENT = 512, /* times kept for each node */
};

struct plain_node {
	uint32_t parent;
	struct limiter_limit limit;
	struct budget budget;
	int64_t sent_ms[SENT]; /* the latest, at sent % SENT */
	size_t sent;
	size_t before; /* of these, sent before the limit was changed */
	int64_t hold_ms[HELD_ALL_KINDS];
};

struct model {
	struct positions positions;
	struct limiter *limiter;
	struct plain_node nodes[NODES];
	uint32_t at[NUMBERS]; /* the node of each item; 0: it is nowhere */
	float value[NUMBERS];
	uint64_t seed;
	int64_t now_ms;
	size_t count;
};

static uint64_t
below(struct model *model, uint64_t n)
{
	model->seed = model->seed * 6364136223846793005U + 1442695040888963407U;
	return (model->seed >> 33) % n;
}

static struct limiter_limit
some_limit(struct model *model, uint32_t node)
{
	static const double rates[] = {0, 0, 600, 3600};

	/* Tags and the root allow more than hosts do. */
	return (struct limiter_limit){
	    .gap_ms = (int64_t)below(model, node > TAGS ? 4000 : 20),
	    .per_hour = rates[below(model, 4)] * (node > TAGS ? 1 : 20),
	    .burst_ms = (int64_t)below(model, 5000)};
}

/* A node without a twin obeys all kinds of holds. */
static bool
is_held(const struct plain_node *node, int64_t now_ms)
{
	for (int kind = 0; kind < HELD_ALL_KINDS; kind++)
		if (node->hold_ms[kind] > now_ms)
			return true;
	return false;
}

/* may(model, number): do the plain rules allow a request at the node and all
 * its parents? */
static bool
may(struct model *model, uint32_t number)
{
	for (;;) {
		struct plain_node *node = &model->nodes[number];
		int64_t last_ms = node->sent_ms[(node->sent - 1) % SENT];

		if (is_held(node, model->now_ms) ||
		    budget_ready_ms(&node->budget, model->now_ms, 1) >
			model->now_ms ||
		    (node->sent > 0 &&
			last_ms + node->limit.gap_ms > model->now_ms))
			return false;
		if (number == LIMITER_ROOT)
			return true;
		number = node->parent;
	}
}

static bool
is_below(const struct model *model, uint32_t number, uint32_t top)
{
	while (number != top && number != LIMITER_ROOT)
		number = model->nodes[number].parent;
	return number == top;
}

/* best(model, top): the highest value of an item at the node or below that may
 * be sent; -1: none may. */
static float
best(struct model *model, uint32_t top)
{
	bool allowed[NODES];
	float highest = -1;

	for (uint32_t n = 0; n < NODES; n++)
		allowed[n] = is_below(model, n, top) && may(model, n);
	for (uint32_t i = 0; i < NUMBERS; i++)
		if (model->at[i] != 0 && allowed[model->at[i]] &&
		    model->value[i] > highest)
			highest = model->value[i];
	return highest;
}

/* note(model, number): note a request, and check that the latest ones keep the
 * limits. */
static void
note(struct model *model, uint32_t number)
{
	struct plain_node *node = &model->nodes[number];
	double per_ms = node->limit.per_hour / 3600000;

	budget_spend(&node->budget, model->now_ms, 1);
	node->sent_ms[node->sent++ % SENT] = model->now_ms;
	for (size_t back = 1; back < SENT && back < node->sent; back++) {
		int64_t since_ms = model->now_ms -
		    node->sent_ms[(node->sent - 1 - back) % SENT];

		assert_true(since_ms >= node->limit.gap_ms * (int64_t)back);
		if (per_ms > 0 && back + node->before < node->sent)
			assert_true((double)back + 1 <= per_ms *
				    (double)(since_ms + node->limit.burst_ms +
					1) +
				1.001);
	}
	if (number != LIMITER_ROOT)
		note(model, node->parent);
}

static void
forget(struct model *model, uint32_t number)
{
	model->at[number] = 0;
	model->count--;
}

/* A node below which the best item is searched: the root, or any other. */
static uint32_t
some_top(struct model *model)
{
	return below(model, 2) == 0 ? LIMITER_ROOT
				    : (uint32_t)below(model, NODES);
}

static void
step_send(struct model *model)
{
	struct limiter_choice choice;
	uint32_t top = some_top(model);
	float highest = best(model, top);

	if (!limiter_best(model->limiter, model->now_ms, top, &choice)) {
		assert_true(highest < 0);
		assert_true(
		    limiter_wait_ms(model->limiter, model->now_ms, top) != 0);
		return;
	}
	assert_true(choice.value == highest);
	assert_true(model->value[choice.number] == highest);
	assert_int_equal(model->at[choice.number], choice.node);
	limiter_send(model->limiter, model->now_ms, &choice);
	note(model, choice.node);
	forget(model, choice.number);
}

/* is_empty(model, top): does no item wait at the node or below it? */
static bool
is_empty(const struct model *model, uint32_t top)
{
	for (uint32_t i = 0; i < NUMBERS; i++)
		if (model->at[i] != 0 && is_below(model, model->at[i], top))
			return false;
	return true;
}

/* step_wait(model): nothing may be sent before the wait is over. */
static void
step_wait(struct model *model)
{
	uint32_t top = some_top(model);
	int64_t wait_ms = limiter_wait_ms(model->limiter, model->now_ms, top);
	struct limiter_choice choice;

	assert_true((wait_ms < 0) == is_empty(model, top));
	if (wait_ms < 1)
		return;
	model->now_ms += wait_ms - 1;
	assert_false(limiter_best(model->limiter, model->now_ms, top, &choice));
	model->now_ms++;
	assert_true(limiter_best(model->limiter, model->now_ms, top, &choice));
}

static void
step_put(struct model *model)
{
	uint32_t number = (uint32_t)below(model, NUMBERS);

	if (model->at[number] == 0) {
		/* rarely at a tag */
		model->at[number] = 1 + (uint32_t)below(model, NODES - 1);
		model->count++;
	}
	model->value[number] = (float)below(model, 50);
	limiter_put(model->limiter,
	    &(struct limiter_choice){.node = model->at[number],
		.number = number,
		.value = model->value[number]});
}

/* limit_again(model, number): change the limit of a node; the checks of its
 * requests begin anew. */
static void
limit_again(struct model *model, uint32_t number)
{
	struct plain_node *node = &model->nodes[number];

	node->limit = some_limit(model, number);
	/* this call tells the limiter the time */
	(void)limiter_wait_ms(model->limiter, model->now_ms, LIMITER_ROOT);
	budget_set(&node->budget, model->now_ms, node->limit.per_hour,
	    node->limit.burst_ms);
	/* The root's limit is 0, and each node has its own. */
	limiter_set_limit(model->limiter, number, &node->limit);
	if (node->sent > 0)
		node->sent_ms[0] = node->sent_ms[(node->sent - 1) % SENT];
	node->sent = node->sent > 0;
	node->before = node->sent;
}

static void
step_change(struct model *model)
{
	uint32_t number = (uint32_t)below(model, NODES);
	struct plain_node *node = &model->nodes[number];
	int64_t until_ms = model->now_ms + (int64_t)below(model, 5000);
	enum held_kind kind = (enum held_kind)below(model, HELD_ALL_KINDS);

	switch (below(model, 3)) {
	case 0:
		if (until_ms > node->hold_ms[kind])
			node->hold_ms[kind] = until_ms;
		limiter_hold(model->limiter, number, kind, until_ms);
		break;
	case 1:
		if (number <= TAGS)
			break;
		node->parent = (uint32_t)below(model, TAGS + 1);
		limiter_move(model->limiter, number, node->parent);
		break;
	default:
		limit_again(model, number);
	}
}

static void
model_begin(struct model *model)
{
	model->seed = 17;
	for (uint32_t n = 0; n < NODES; n++) {
		struct plain_node *node = &model->nodes[n];
		uint32_t limit = 0;

		node->limit = some_limit(model, n);
		for (int kind = 0; kind < HELD_ALL_KINDS; kind++)
			node->hold_ms[kind] = INT64_MIN;
		budget_set(&node->budget, 0, node->limit.per_hour,
		    node->limit.burst_ms);
		node->parent = n > TAGS ? n % (TAGS + 1) : 0;
		if (n == 0) {
			model->limiter = limiter_new(&node->limit, 0);
			continue;
		}
		limit = limiter_limit(model->limiter, &node->limit);
		assert_int_equal(limiter_node(model->limiter, node->parent,
				     limit, &model->positions),
		    n);
	}
}

static void
test_model(void **state)
{
	struct model *model = mem_zero(sizeof(*model));
	unsigned sent = 0;

	model_begin(model);
	for (int i = 0; i < OPERATIONS; i++) {
		uint64_t what = below(model, 100);
		uint32_t number = (uint32_t)below(model, NUMBERS);
		size_t before = model->count;

		if (what < 40) {
			step_put(model);
		} else if (what < 70) {
			step_send(model);
			sent += model->count < before;
		} else if (what < 75 && model->at[number] != 0) {
			limiter_remove(
			    model->limiter, model->at[number], number);
			forget(model, number);
		} else if (what < 80) {
			step_wait(model);
		} else if (what < 99) {
			model->now_ms += (int64_t)below(model, 300);
		} else if (what == 99 && below(model, 20) == 0) {
			step_change(model);
		}
		assert_true((positions_get(&model->positions, number) ==
				POSITIONS_NOWHERE) == (model->at[number] == 0));
	}
	assert_true(sent > OPERATIONS / 100);
	limiter_free(model->limiter);
	free(model->positions.items);
	free(model);
}

UNIT_TESTS(limiter, scene_test(test_order), scene_test(test_shared_limit),
    scene_test(test_two_trees), scene_test(test_charge), scene_test(test_clock),
    scene_test(test_worth), scene_test(test_patience),
    scene_test(test_question), scene_test(test_room), scene_test(test_hold),
    cmocka_unit_test(test_model));
