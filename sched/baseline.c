/* The order of pages that baselines share. */
#include "baseline.h"

void
baseline_init(struct baseline *baseline, const struct sim_setup *setup)
{
	*baseline = (struct baseline){.setup = *setup};
}

void
baseline_release(struct baseline *baseline)
{
	ranking_release(&baseline->order);
}

bool
baseline_next(struct baseline *baseline, struct sim_request *request)
{
	const struct ranking_item *first = ranking_first(&baseline->order);

	if (first == NULL)
		return false;
	*request = (struct sim_request){.number = first->number};
	return true;
}

bool
baseline_returned(const struct baseline *baseline, const struct sim_move *move)
{
	return !move->is_document && move->kind != SIM_GONE &&
	    !ranking_has(&baseline->order, move->number);
}
