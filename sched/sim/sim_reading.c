/* A reading against the one before. */
#include "base/mem.h"
#include "sched/sim/sim_state.h"

static void
add_move(struct sim_state *state, const struct sim_move *move)
{
	state->moves = mem_grow(state->moves, &state->move_cap,
	    state->move_count + 1, sizeof(*move));
	state->moves[state->move_count++] = *move;
}

/* compare(seen, shown, move): set the kind and the date; false: the same. */
static bool
compare(const struct sim_claim *seen, const struct sim_claim *shown,
    struct sim_move *move)
{
	move->lastmod_s = shown->lastmod_s;
	move->is_day = shown->is_day;
	if (seen->is_listed != shown->is_listed) {
		move->kind = shown->is_listed ? SIM_NEW : SIM_GONE;
		return true;
	}
	move->kind = SIM_MOVED;
	return shown->is_listed &&
	    (seen->lastmod_s != shown->lastmod_s ||
		seen->is_day != shown->is_day);
}

static void
look(struct sim_state *state, uint32_t number, const struct sim_claim *shown)
{
	struct sim_page *page = &state->pages[number];
	struct sim_move move = {.number = number};

	if (compare(&page->seen, shown, &move))
		add_move(state, &move);
	page->seen = *shown;
}

/* Every date may have moved: always-now, or its end. */
static void
look_at_all(struct sim_state *state, const struct sim_document *document,
    int64_t now_s, bool is_now)
{
	for (uint32_t i = document->pages_from; i < document->pages_to; i++) {
		uint32_t number = state->by_document[i];
		struct sim_claim shown = state->pages[number].shown;
		if (is_now && shown.is_listed) {
			shown.lastmod_s = now_s;
			shown.is_day = false;
		}
		look(state, number, &shown);
	}
}

static void
look_at_children(struct sim_state *state, const struct sim_document *index)
{
	uint32_t next = index->first_child;

	while (next != HISTORY_NONE) {
		struct sim_document *child = &state->documents[next];
		struct sim_move move = {.number = next, .is_document = true};
		if (compare(&child->seen, &child->shown, &move))
			add_move(state, &move);
		child->seen = child->shown;
		next = child->next_child;
	}
}

void
sim_state_read(struct sim_state *state, int64_t now_s, uint32_t number,
    struct sim_reading *reading)
{
	struct sim_document *document = &state->documents[number];
	const struct history_document *truth = &state->history
						    ->documents[number];
	bool is_now = history_dates(truth, now_s)->dating == DATING_NOW;

	state->move_count = 0;
	*reading = (struct sim_reading){.document = number,
	    .is_failed = document->is_withdrawn,
	    .cost = truth->cost};
	if (document->is_withdrawn)
		return;
	if (is_now || document->was_now)
		look_at_all(state, document, now_s, is_now);
	document->was_now = is_now;
	while (document->first_dirty != HISTORY_NONE) {
		uint32_t page = document->first_dirty;
		document->first_dirty = state->pages[page].next_dirty;
		state->pages[page].is_dirty = false;
		if (!is_now)
			look(state, page, &state->pages[page].shown);
	}
	look_at_children(state, document);
	for (size_t i = 0; i < state->move_count; i++)
		document->moves += state->moves[i].kind == SIM_MOVED;
	reading->listed = document->listed;
	reading->dated = is_now ? document->listed : document->dated;
	reading->moves = state->moves;
	reading->move_count = state->move_count;
}
