/* The changes of each page are counted first, then stored at their places. */
#include "tests/sim/sim_truth.h"

#include <stdlib.h>

#include "base/mem.h"
#include "tests/sim/history.h"

/* What a fetch of a page would return, during the walk through the history. */
enum { NEVER, ALIVE, DEAD };

struct truth_walk {
	uint8_t *life; /* owned; of each page */
	uint64_t *text; /* owned; of each page */
};

static bool
is_other(struct truth_walk *walk, const struct history_event *event)
{
	uint8_t was = walk->life[event->subject];
	uint64_t old = walk->text[event->subject];

	switch ((enum history_kind)event->kind) {
	case HISTORY_EXISTS:
	case HISTORY_CHANGES:
		walk->life[event->subject] = ALIVE;
		walk->text[event->subject] = event->text;
		return was == DEAD || (was == ALIVE && old != event->text);
	case HISTORY_ENDS:
		walk->life[event->subject] = DEAD;
		return was == ALIVE;
	case HISTORY_BYTES:
	case HISTORY_ADDED:
	case HISTORY_REMOVED:
	case HISTORY_CLAIMS:
	case HISTORY_CLAIMS_ALL:
	case HISTORY_CHILD_CLAIMS:
	case HISTORY_PUBLISHED:
	case HISTORY_WITHDRAWN:
	case HISTORY_HINTS:
		break;
	}
	return false;
}

/* walk_through(history, are_removals, at, changes_s): count the changes of each
 * page in at[page], or store them from at[page]. */
static void
walk_through(const struct history *history, bool are_removals, size_t *at,
    int64_t *changes_s)
{
	struct truth_walk walk = {mem_zero(history->page_count + 1),
	    mem_zero((history->page_count + 1) * sizeof(uint64_t))};

	for (size_t i = 0; i < history->event_count; i++) {
		const struct history_event *event = &history->events[i];
		if (event->t_s >= history->end_s)
			break;
		if (are_removals ? event->kind != HISTORY_REMOVED
				 : !is_other(&walk, event))
			continue;
		if (event->t_s <= history->begin_s)
			continue;
		if (changes_s != NULL)
			changes_s[at[event->subject]] = event->t_s;
		at[event->subject]++;
	}
	free(walk.life);
	free(walk.text);
}

static void
init(struct sim_truth *truth, const struct history *history, bool are_removals)
{
	size_t count = 0;
	size_t *at = mem_zero((history->page_count + 1) * sizeof(*at));

	walk_through(history, are_removals, at, NULL);
	truth->first = mem_alloc((history->page_count + 1) * sizeof(*at));
	for (size_t i = 0; i < history->page_count; i++) {
		truth->first[i] = count;
		count += at[i];
		at[i] = truth->first[i];
	}
	truth->first[history->page_count] = count;
	truth->changes_s = mem_alloc((count + 1) * sizeof(int64_t));
	walk_through(history, are_removals, at, truth->changes_s);
	free(at);
}

void
sim_truth_init(struct sim_truth *truth, const struct history *history)
{
	init(truth, history, false);
}

void
sim_truth_removals(struct sim_truth *truth, const struct history *history)
{
	init(truth, history, true);
}

void
sim_truth_release(struct sim_truth *truth)
{
	free(truth->first);
	free(truth->changes_s);
	*truth = (struct sim_truth){0};
}
