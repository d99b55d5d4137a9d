/* Round robin: the page whose last fetch is longest ago.  All pages equally
 * often, whatever they are (SCHEDULING section 2, "uniform"). */
#include <stdlib.h>

#include "base/mem.h"
#include "sched/baseline.h"
#include "sched/policies.h"

struct fifo {
	struct baseline baseline;
	double turn; /* of the next page that goes to the end */
};

static void *
fifo_new(const struct sim_setup *setup)
{
	struct fifo *fifo = mem_zero(sizeof(*fifo));

	baseline_init(&fifo->baseline, setup);
	return fifo;
}

static void
fifo_free(void *arg)
{
	struct fifo *fifo = arg;

	baseline_release(&fifo->baseline);
	free(fifo);
}

static void
queue_last(struct fifo *fifo, uint32_t page)
{
	ranking_put(&fifo->baseline.order, page, fifo->turn++);
}

static void
fifo_page(void *arg, int64_t now_s, uint32_t page, bool is_fetched)
{
	struct fifo *fifo = arg;

	(void)now_s;
	(void)is_fetched;
	queue_last(fifo, page);
}

static void
fifo_reading(void *arg, int64_t now_s, const struct sim_reading *reading)
{
	struct fifo *fifo = arg;

	(void)now_s;
	for (size_t i = 0; i < reading->move_count; i++)
		if (baseline_returned(&fifo->baseline, &reading->moves[i]))
			queue_last(fifo, reading->moves[i].number);
}

static void
fifo_outcome(void *arg, int64_t now_s, uint32_t page, enum sim_outcome outcome)
{
	struct fifo *fifo = arg;

	(void)now_s;
	if (outcome == SIM_DEAD)
		ranking_remove(&fifo->baseline.order, page);
	else
		queue_last(fifo, page);
}

static bool
fifo_next(void *arg, int64_t now_s, struct sim_request *request)
{
	struct fifo *fifo = arg;

	(void)now_s;
	return baseline_next(&fifo->baseline, request);
}

const struct sim_policy policy_fifo = {
    .name = "fifo",
    .text = "round robin: whichever page was fetched longest ago",
    .knows = SIM_KNOWS_NOTHING,
    .new = fifo_new,
    .free = fifo_free,
    .page = fifo_page,
    .reading = fifo_reading,
    .outcome = fifo_outcome,
    .next = fifo_next,
};
