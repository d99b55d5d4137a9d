/* A million random operations on the rate limiter beside a plain search: the
 * best is the best of those that may be sent, and no limit is ever exceeded. */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "sched/budget.h"
#include "sched/limiter.h"
#include "sched/positions.h"
#include "tests/fixtures/fixture.h"

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
	size_t before; /* of these: before its limit was changed */
	int64_t hold_ms[LIMITER_HOLDS];
};

struct model {
	struct positions positions;
	struct limiter *limiter;
	struct plain_node nodes[NODES];
	uint32_t at[NUMBERS]; /* its node; 0: nowhere */
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

	/* Tags and the root bear more than hosts do. */
	return (struct limiter_limit){
	    .gap_ms = (int64_t)below(model, node > TAGS ? 4000 : 20),
	    .per_hour = rates[below(model, 4)] * (node > TAGS ? 1 : 20),
	    .burst_ms = (int64_t)below(model, 5000)};
}

/* Without rivals each kind holds everything. */
static bool
is_held(const struct plain_node *node, int64_t now_ms)
{
	for (int kind = 0; kind < LIMITER_HOLDS; kind++)
		if (node->hold_ms[kind] > now_ms)
			return true;
	return false;
}

/* may(model, number): by the plain rules, with all its parents. */
static bool
may(struct model *model, uint32_t number)
{
	for (;;) {
		struct plain_node *node = &model->nodes[number];
		int64_t last_ms = node->sent_ms[(node->sent - 1) % SENT];

		if (is_held(node, model->now_ms) ||
		    budget_ready_ms(&node->budget, model->now_ms) >
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

/* best(model, top): the highest value of what is there or below it and may be
 * sent; -1: nothing may. */
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

/* note(model, number): a request; do the latest ones keep the limits? */
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

/* Where the best is looked for: everywhere, or below some node. */
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

/* step_wait(model): nothing may be sent before the wait is over. */
static void
step_wait(struct model *model)
{
	uint32_t top = some_top(model);
	int64_t wait_ms = limiter_wait_ms(model->limiter, model->now_ms, top);
	struct limiter_choice choice;

	assert_true((wait_ms < 0) == (limiter_count(model->limiter, top) == 0));
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
		/* at tags too, seldom */
		model->at[number] = 1 + (uint32_t)below(model, NODES - 1);
		model->count++;
	}
	model->value[number] = (float)below(model, 50);
	limiter_put(model->limiter,
	    &(struct limiter_choice){.node = model->at[number],
		.number = number,
		.value = model->value[number]});
}

/* limit_again(model, number): the windows that are looked at begin anew. */
static void
limit_again(struct model *model, uint32_t number)
{
	struct plain_node *node = &model->nodes[number];

	node->limit = some_limit(model, number);
	/* it has to know what time it is */
	(void)limiter_wait_ms(model->limiter, model->now_ms, LIMITER_ROOT);
	budget_change(&node->budget, model->now_ms, node->limit.per_hour,
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
	enum limiter_hold_kind kind = (enum limiter_hold_kind)below(
	    model, LIMITER_HOLDS);

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
		for (int kind = 0; kind < LIMITER_HOLDS; kind++)
			node->hold_ms[kind] = INT64_MIN;
		budget_init(
		    &node->budget, node->limit.per_hour, node->limit.burst_ms);
		node->parent = n > TAGS ? n % (TAGS + 1) : 0;
		if (n == 0) {
			model->limiter = limiter_new(&node->limit);
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

	(void)state;
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
		assert_int_equal(
		    limiter_count(model->limiter, LIMITER_ROOT), model->count);
	}
	assert_true(sent > OPERATIONS / 100);
	limiter_free(model->limiter);
	positions_release(&model->positions);
	free(model);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_model),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
