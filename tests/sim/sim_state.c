/* Events are applied one after the other; each changes what a fetch or a
 * reading would return. */
#include "tests/sim/sim_state.h"

#include <stdlib.h>

#include "base/mem.h"

enum { DAY_S = 86400 };

double
sim_days(const struct sim_state *state, int64_t t_s)
{
	return (double)(t_s - state->history->begin_s) / DAY_S;
}

/* Update the sums after a page has changed. */
static void
settle(struct sim_state *state, uint32_t number, int64_t now_s)
{
	struct sim_page *page = &state->pages[number];
	double weight = state->history->pages[number].weight;
	double now = sim_days(state, now_s);
	bool is_counted = page->shown.is_listed;
	bool is_stale = is_counted &&
	    !(page->held_life == page->life &&
		(page->life != LIFE_ALIVE || page->held_text == page->text));

	if (page->is_stale && !is_stale)
		day_sums_stale(
		    &state->sums, page->class, now, -weight, page->since);
	if (is_counted != page->is_counted)
		day_sums_list(&state->sums, page->class, now,
		    is_counted ? weight : -weight);
	if (is_stale && !page->is_stale) {
		page->since = now > 0 ? now : 0;
		day_sums_stale(
		    &state->sums, page->class, now, weight, page->since);
	}
	page->is_counted = is_counted;
	page->is_stale = is_stale;
}

/* From now on a document shows what was said of a page. */
static void
show(struct sim_state *state, uint32_t number, int64_t now_s)
{
	struct sim_page *page = &state->pages[number];
	struct sim_document *document =
	    &state->documents[state->history->pages[number].document];
	struct sim_claim old = page->shown;

	page->shown = page->said;
	document->listed += page->shown.is_listed;
	document->listed -= old.is_listed;
	document->dated += page->shown.lastmod_s != HISTORY_NO_DATE;
	document->dated -= old.lastmod_s != HISTORY_NO_DATE;
	if (!page->is_dirty) {
		page->is_dirty = true;
		page->next_dirty = document->first_dirty;
		document->first_dirty = number;
	}
	settle(state, number, now_s);
}

/* A document says something new of a page, which shows at once or with the
 * next publication. */
static void
say(struct sim_state *state, uint32_t number, int64_t now_s)
{
	struct sim_page *page = &state->pages[number];
	uint32_t owner = state->history->pages[number].document;
	struct sim_document *document = &state->documents[owner];

	if (!page->said.is_listed)
		page->said.lastmod_s = HISTORY_NO_DATE;
	if (state->history->documents[owner].shows_at_once) {
		show(state, number, now_s);
	} else if (!page->is_pending) {
		page->is_pending = true;
		page->next_pending = document->first_pending;
		document->first_pending = number;
	}
}

static void
publish(struct sim_state *state, uint32_t number, int64_t now_s)
{
	struct sim_document *document = &state->documents[number];

	document->is_withdrawn = false;
	while (document->first_pending != HISTORY_NONE) {
		uint32_t page = document->first_pending;
		document->first_pending = state->pages[page].next_pending;
		state->pages[page].is_pending = false;
		show(state, page, now_s);
	}
}

static void
claim_all(struct sim_state *state, const struct history_event *event)
{
	const struct sim_document *document = &state->documents[event->subject];

	for (uint32_t i = document->pages_from; i < document->pages_to; i++) {
		struct sim_page *page = &state->pages[state->by_document[i]];
		if (!page->said.is_listed)
			continue;
		page->said.lastmod_s = event->lastmod_s;
		page->said.is_day = event->is_day &&
		    event->lastmod_s != HISTORY_NO_DATE;
		say(state, state->by_document[i], event->t_s);
	}
}

static void
list(struct sim_state *state, const struct history_event *event)
{
	struct sim_page *page = &state->pages[event->subject];

	if (event->kind == HISTORY_CLAIMS) {
		page->said.lastmod_s = event->lastmod_s;
		page->said.is_day = event->is_day &&
		    event->lastmod_s != HISTORY_NO_DATE;
	} else {
		page->said = (struct sim_claim){.lastmod_s = HISTORY_NO_DATE,
		    .is_listed = event->kind == HISTORY_ADDED};
	}
	say(state, event->subject, event->t_s);
}

static void
live(struct sim_state *state, const struct history_event *event)
{
	struct sim_page *page = &state->pages[event->subject];

	if (event->kind == HISTORY_ENDS) {
		page->life = LIFE_DEAD;
	} else {
		page->life = LIFE_ALIVE;
		page->text = event->text;
	}
	settle(state, event->subject, event->t_s);
}

static void
happen(struct sim_state *state, const struct history_event *event)
{
	switch ((enum history_kind)event->kind) {
	case HISTORY_EXISTS:
	case HISTORY_CHANGES:
	case HISTORY_ENDS:
		live(state, event);
		break;
	case HISTORY_BYTES:
		break;
	case HISTORY_ADDED:
	case HISTORY_REMOVED:
	case HISTORY_CLAIMS:
		list(state, event);
		break;
	case HISTORY_CLAIMS_ALL:
		claim_all(state, event);
		break;
	case HISTORY_CHILD_CLAIMS:
		state->documents[event->subject].shown = (struct sim_claim){
		    event->lastmod_s, event->is_day, true};
		break;
	case HISTORY_PUBLISHED:
		publish(state, event->subject, event->t_s);
		break;
	case HISTORY_WITHDRAWN:
		state->documents[event->subject].is_withdrawn = true;
		break;
	case HISTORY_HINTS:
		if (state->on_hint != NULL &&
		    state->pages[event->subject].is_known)
			state->on_hint(state->arg, event->t_s, event->subject);
		break;
	}
}

void
sim_state_pass(struct sim_state *state, int64_t now_s)
{
	const struct history *history = state->history;

	while (state->next_event < history->event_count &&
	    history->events[state->next_event].t_s <= now_s)
		happen(state, &history->events[state->next_event++]);
}

enum sim_outcome
sim_state_fetch(struct sim_state *state, int64_t now_s, uint32_t number)
{
	struct sim_page *page = &state->pages[number];
	uint8_t held = page->held_life;
	bool is_same = held == page->life && page->held_text == page->text;

	page->held_life = page->life;
	page->held_text = page->text;
	settle(state, number, now_s);
	if (page->life != LIFE_ALIVE)
		return SIM_DEAD;
	return is_same ? SIM_SAME : SIM_CHANGED;
}

/* Pages by document, in order of their numbers. */
static void
sort_pages(struct sim_state *state)
{
	const struct history *history = state->history;
	uint32_t at = 0;

	for (size_t i = 0; i < history->page_count; i++)
		state->documents[history->pages[i].document].pages_to++;
	for (size_t i = 0; i < history->document_count; i++) {
		uint32_t count = state->documents[i].pages_to;
		state->documents[i].pages_from = at;
		state->documents[i].pages_to = at;
		at += count;
	}
	state->by_document = mem_alloc(
	    (history->page_count + 1) * sizeof(uint32_t));
	for (size_t i = 0; i < history->page_count; i++) {
		uint32_t document = history->pages[i].document;
		state->by_document[state->documents[document].pages_to++] =
		    (uint32_t)i;
	}
}

static void
init_documents(struct sim_state *state)
{
	const struct history *history = state->history;

	for (size_t i = 0; i < history->document_count; i++) {
		struct sim_document *document = &state->documents[i];
		document->shown.lastmod_s = HISTORY_NO_DATE;
		document->seen.lastmod_s = HISTORY_NO_DATE;
		document->first_pending = HISTORY_NONE;
		document->first_dirty = HISTORY_NONE;
		document->first_child = HISTORY_NONE;
		document->class = history->sites[history->documents[i].site]
				      .class;
	}
	for (size_t i = history->document_count; i-- > 0;) {
		uint32_t parent = history->documents[i].parent;
		if (parent == HISTORY_NONE)
			continue;
		state->documents[i].next_child = state->documents[parent]
						     .first_child;
		state->documents[parent].first_child = (uint32_t)i;
	}
}

void
sim_state_init(struct sim_state *state, const struct history *history)
{
	*state = (struct sim_state){.history = history};
	state->pages = mem_zero(
	    (history->page_count + 1) * sizeof(*state->pages));
	state->documents = mem_zero(
	    (history->document_count + 1) * sizeof(*state->documents));
	sim_truth_init(&state->truth, history);
	day_sums_init(&state->sums, history->class_count,
	    (double)(history->end_s - history->begin_s) / DAY_S);
	init_documents(state);
	sort_pages(state);
	for (size_t i = 0; i < history->page_count; i++) {
		struct sim_page *page = &state->pages[i];
		page->said.lastmod_s = HISTORY_NO_DATE;
		page->shown.lastmod_s = HISTORY_NO_DATE;
		page->seen.lastmod_s = HISTORY_NO_DATE;
		page->class = state->documents[history->pages[i].document]
				  .class;
		page->next_delay = state->truth.first[i];
		page->life = LIFE_DEAD;
	}
}

void
sim_state_release(struct sim_state *state)
{
	sim_truth_release(&state->truth);
	day_sums_release(&state->sums);
	free(state->pages);
	free(state->documents);
	free(state->by_document);
	free(state->moves);
	*state = (struct sim_state){0};
}

/* A reading, compared with the reading before. */

static void
add_move(struct sim_state *state, const struct sim_move *move)
{
	state->moves = mem_grow(state->moves, &state->move_cap,
	    state->move_count + 1, sizeof(*move));
	state->moves[state->move_count++] = *move;
}

/* compare(seen, shown, move): set the kind and the date of the move; false:
 * nothing has changed. */
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
compare_page(
    struct sim_state *state, uint32_t number, const struct sim_claim *shown)
{
	struct sim_page *page = &state->pages[number];
	struct sim_move move = {.number = number};

	if (compare(&page->seen, shown, &move))
		add_move(state, &move);
	page->seen = *shown;
}

/* Compare all pages, because every date may have moved: the document gives the
 * time of the reading as every date, or has ended that. */
static void
compare_all(struct sim_state *state, const struct sim_document *document,
    int64_t now_s, bool is_now)
{
	for (uint32_t i = document->pages_from; i < document->pages_to; i++) {
		uint32_t number = state->by_document[i];
		struct sim_claim shown = state->pages[number].shown;
		if (is_now && shown.is_listed) {
			shown.lastmod_s = now_s;
			shown.is_day = false;
		}
		compare_page(state, number, &shown);
	}
}

static void
compare_children(struct sim_state *state, const struct sim_document *index)
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
		compare_all(state, document, now_s, is_now);
	document->was_now = is_now;
	while (document->first_dirty != HISTORY_NONE) {
		uint32_t page = document->first_dirty;
		document->first_dirty = state->pages[page].next_dirty;
		state->pages[page].is_dirty = false;
		if (!is_now)
			compare_page(state, page, &state->pages[page].shown);
	}
	compare_children(state, document);
	for (size_t i = 0; i < state->move_count; i++)
		document->moves += state->moves[i].kind == SIM_MOVED;
	reading->listed = document->listed;
	reading->dated = is_now ? document->listed : document->dated;
	reading->moves = state->moves;
	reading->move_count = state->move_count;
}
