/* The scheduler as a policy of the simulator. */
#include "sched/policies.h"

#include <stdlib.h>

#include "base/mem.h"
#include "sched/scheduler.h"
#include "sched/scheduler_show.h"
#include "sched/scheduler_tell.h"

struct ours {
	const struct history *history;
	struct scheduler *scheduler;
	uint32_t *pages; /* owned: the scheduler's number + 1 of each */
	uint32_t *theirs; /* owned: and back */
	size_t theirs_cap;
};

static void *
ours_new(const struct sim_setup *setup)
{
	const struct history *history = setup->history;
	struct scheduler_options options = scheduler_options_default();
	struct ours *ours = mem_zero(sizeof(*ours));
	struct scheduler_host host = {0};
	bool *is_index = mem_zero(history->document_count + 1);

	for (size_t i = 0; i < history->document_count; i++)
		if (history->documents[i].parent != HISTORY_NONE)
			is_index[history->documents[i].parent] = true;
	options.tick_s = setup->tick_s;
	options.reads_documents = setup->reads_documents;
	ours->history = history;
	ours->scheduler = scheduler_new(&options);
	ours->pages = mem_zero((history->page_count + 1) * sizeof(uint32_t));
	(void)scheduler_add_host(ours->scheduler, &host);
	for (size_t i = 0; i < history->site_count; i++) {
		struct scheduler_site site = scheduler_site_default();

		site.page_floor_s = site.page_ceiling_s = 0;
		site.reading_floor_s = site.reading_ceiling_s = 0;
		(void)scheduler_add_site(ours->scheduler, &site);
	}
	for (size_t i = 0; i < history->document_count; i++) {
		struct scheduler_document document = {
		    .site = history->documents[i].site,
		    .parent = history->documents[i].parent,
		    .is_index = is_index[i]};

		(void)scheduler_add_document(
		    ours->scheduler, &document, history->begin_s);
	}
	free(is_index);
	return ours;
}

struct scheduler *
policy_ours_scheduler(void *arg)
{
	struct ours *ours = arg;

	return ours->scheduler;
}

static void
ours_free(void *arg)
{
	struct ours *ours = arg;

	if (ours == NULL)
		return;
	scheduler_free(ours->scheduler);
	free(ours->pages);
	free(ours->theirs);
	free(ours);
}

static void
ours_page(void *arg, int64_t now_s, uint32_t number, bool is_fetched)
{
	struct ours *ours = arg;
	struct scheduler_page page = {
	    .document = ours->history->pages[number].document,
	    .weight = ours->history->pages[number].weight,
	    .lastmod_s = SCHEDULER_NO_DATE,
	    .fetched_s = is_fetched ? now_s : SCHEDULER_NEVER};
	uint32_t mine = scheduler_add_page(ours->scheduler, &page, now_s);

	ours->pages[number] = mine + 1;
	ours->theirs = mem_grow(
	    ours->theirs, &ours->theirs_cap, mine + 1, sizeof(*ours->theirs));
	ours->theirs[mine] = number;
}

static void
ours_reading(void *arg, int64_t now_s, const struct sim_reading *reading)
{
	struct ours *ours = arg;
	struct scheduler_reading told = {.now_s = now_s,
	    .listed = reading->listed,
	    .dated = reading->dated,
	    .cost = reading->cost,
	    .is_failed = reading->is_failed};

	for (size_t i = 0; i < reading->move_count; i++) {
		told.added += reading->moves[i].kind == SIM_NEW;
		told.removed += reading->moves[i].kind == SIM_GONE;
		told.moved += reading->moves[i].kind == SIM_MOVED;
	}
	scheduler_reading(ours->scheduler, reading->document, &told);
	for (size_t i = 0; i < reading->move_count; i++) {
		const struct sim_move *move = &reading->moves[i];
		struct scheduler_signal signal = {.kind = move->kind == SIM_NEW
			? SIGNAL_NEW
			: move->kind == SIM_MOVED ? SIGNAL_MOVED
						  : SIGNAL_REMOVED,
		    .lastmod_s = move->lastmod_s,
		    .is_day = move->is_day};

		if (move->is_document) {
			scheduler_child_signal(
			    ours->scheduler, move->number, &signal);
			continue;
		}
		scheduler_page_signal(
		    ours->scheduler, ours->pages[move->number] - 1, &signal);
	}
}

static void
ours_outcome(void *arg, int64_t now_s, uint32_t page, enum sim_outcome outcome)
{
	static const enum scheduler_outcome_kind kinds[] = {
	    [SIM_CHANGED] = OUTCOME_CHANGED,
	    [SIM_SAME] = OUTCOME_SAME,
	    [SIM_DEAD] = OUTCOME_GONE,
	    [SIM_FAILED] = OUTCOME_FAILED};
	struct ours *ours = arg;

	scheduler_outcome(ours->scheduler, ours->pages[page] - 1,
	    &(struct scheduler_outcome){
		.now_s = now_s, .kind = kinds[outcome]});
}

static bool
ours_next(void *arg, int64_t now_s, struct sim_request *request)
{
	struct ours *ours = arg;
	struct scheduler_choice choice;

	if (!scheduler_next(ours->scheduler, now_s, &choice))
		return false;
	request->is_document = choice.kind == SCHEDULER_DOCUMENT;
	request->number = request->is_document ? choice.number
					       : ours->theirs[choice.number];
	return true;
}

static bool
ours_honesty(void *arg, uint32_t document, double *precision, double *recall)
{
	struct ours *ours = arg;
	struct scheduler_terms terms;

	scheduler_explain_document(
	    ours->scheduler, document, INT64_MIN, &terms);
	*precision = terms.precision;
	*recall = terms.is_gated ? 0 : terms.recall;
	return true;
}

const struct sim_policy policy_ours = {.name = "ours",
    .text = "learns whom to believe and what a request is worth",
    .reads = true,
    .new = ours_new,
    .free = ours_free,
    .page = ours_page,
    .reading = ours_reading,
    .outcome = ours_outcome,
    .next = ours_next,
    .honesty = ours_honesty};
