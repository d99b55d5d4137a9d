/* Policies that use no knowledge: pages in turn, and pages drawn by lot. */
#include <stdlib.h>

#include "base/mem.h"
#include "sched/sim/baseline.h"
#include "sched/sim/policies.h"
#include "sched/sim/random.h"

/* Puts pages that were never fetched before all others. */
#define NEVER_FETCHED -1e12

struct fifo_policy {
	struct baseline baseline;
	struct random random;
	double turn; /* of the next page that goes to the end */
};

static void *
fifo_new(const struct sim_setup *setup)
{
	struct fifo_policy *fifo = mem_zero(sizeof(*fifo));

	baseline_init(&fifo->baseline, setup);
	random_init(&fifo->random, setup->seed, 1);
	return fifo;
}

static void
fifo_free(void *arg)
{
	struct fifo_policy *fifo = arg;

	baseline_release(&fifo->baseline);
	free(fifo);
}

static void
queue_last(struct fifo_policy *fifo, uint32_t page)
{
	ranking_put(&fifo->baseline.order, page, fifo->turn++);
}

static void
fifo_page(void *arg, int64_t now_s, uint32_t page, bool is_fetched)
{
	struct fifo_policy *fifo = arg;

	(void)now_s;
	if (is_fetched)
		queue_last(fifo, page);
	else
		ranking_put(
		    &fifo->baseline.order, page, NEVER_FETCHED + fifo->turn++);
}

static void
fifo_reading(void *arg, int64_t now_s, const struct sim_reading *reading)
{
	struct fifo_policy *fifo = arg;

	(void)now_s;
	for (size_t i = 0; i < reading->move_count; i++)
		if (baseline_returned(&fifo->baseline, &reading->moves[i]))
			queue_last(fifo, reading->moves[i].number);
}

static void
fifo_outcome(void *arg, int64_t now_s, uint32_t page, enum sim_outcome outcome)
{
	struct fifo_policy *fifo = arg;

	if (outcome == SIM_FAILED)
		baseline_hold(&fifo->baseline, now_s, page);
	else if (outcome == SIM_DEAD)
		ranking_remove(&fifo->baseline.order, page);
	else
		queue_last(fifo, page);
}

static void
wake_all(struct fifo_policy *fifo, int64_t now_s)
{
	while (baseline_wake(&fifo->baseline, now_s) != HISTORY_NONE)
		continue;
}

static bool
fifo_next(void *arg, int64_t now_s, struct sim_request *request)
{
	struct fifo_policy *fifo = arg;

	wake_all(fifo, now_s);
	return baseline_next(&fifo->baseline, request);
}

static bool
random_page(void *arg, int64_t now_s, struct sim_request *request)
{
	struct fifo_policy *fifo = arg;
	const struct ranking *order = &fifo->baseline.order;
	uint32_t at;

	wake_all(fifo, now_s);
	if (order->count == 0)
		return false;
	at = random_below(&fifo->random, (uint32_t)order->count);
	*request = (struct sim_request){.number = order->items[at].number};
	return true;
}

#define WITHOUT_REGARD                                                      \
	.knows = SIM_KNOWS_NOTHING, .ignores_dates = true, .new = fifo_new, \
	.free = fifo_free, .page = fifo_page, .reading = fifo_reading,      \
	.outcome = fifo_outcome

const struct sim_policy policy_fifo = {
    WITHOUT_REGARD,
    .name = "fifo",
    .text = "round robin: whichever page was fetched longest ago",
    .next = fifo_next,
};

const struct sim_policy policy_random = {
    WITHOUT_REGARD,
    .name = "random",
    .text = "any page, by lot",
    .next = random_page,
};
