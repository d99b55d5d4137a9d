/* Pages in turn: a policy that uses no knowledge. */
#include <stdlib.h>

#include "base/mem.h"
#include "tests/sim/baseline.h"
#include "tests/sim/policies.h"

/* Puts pages that were never fetched before all others. */
#define NEVER_FETCHED -1e12

struct fifo_policy {
	struct baseline baseline;
	double turn; /* of the next page that goes to the end */
};

static void *
fifo_new(const struct sim_setup *setup)
{
	struct fifo_policy *fifo = mem_zero(sizeof(*fifo));

	baseline_init(&fifo->baseline, setup);
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

static bool
fifo_next(void *arg, int64_t now_s, struct sim_request *request)
{
	struct fifo_policy *fifo = arg;

	while (baseline_wake(&fifo->baseline, now_s) != HISTORY_NONE)
		continue;
	return baseline_next(&fifo->baseline, request);
}

const struct sim_policy policy_fifo = {
    .name = "fifo",
    .text = "round robin: whichever page was fetched longest ago",
    .ignores_dates = true,
    .knows = SIM_KNOWS_NOTHING,
    .new = fifo_new,
    .free = fifo_free,
    .page = fifo_page,
    .reading = fifo_reading,
    .outcome = fifo_outcome,
    .next = fifo_next,
};
