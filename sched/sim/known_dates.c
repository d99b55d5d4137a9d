/* Publication after publication: what moved, and what had changed. */
#include "sched/sim/known_dates.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/mem.h"
#include "sched/sim/history.h"
#include "sched/sim/sim_state.h"

/* A page now, and at the last publication of its document. */
struct dated_page {
	uint64_t text, old_text;
	bool is_there, was_there;
	bool is_noted; /* something happened to it since then */
	uint32_t next; /* the next one noted of its document */
};

struct date_count {
	const struct history *history;
	struct sim_state state;
	struct dated_page *pages;
	uint32_t *first_noted; /* by document */
	struct known_dates *dates;
};

static void
note(struct date_count *count, const struct history_event *event)
{
	struct dated_page *page = &count->pages[event->subject];
	uint32_t *first =
	    &count->first_noted[count->history->pages[event->subject].document];

	if (!page->is_noted) {
		page->is_noted = true;
		page->old_text = page->text;
		page->was_there = page->is_there;
		page->next = *first;
		*first = event->subject;
	}
	page->is_there = event->kind != HISTORY_ENDS;
	if (page->is_there)
		page->text = event->text;
}

static bool
has_changed(const struct dated_page *page)
{
	return page->is_noted && page->was_there && page->is_there &&
	    page->text != page->old_text;
}

/* What moved is known only once it is read, but what was listed before only
 * until then: so the changes are counted first. */
static void
publish(struct date_count *count, const struct history_event *event)
{
	struct known_dates *dates = &count->dates[event->subject];
	uint32_t *first = &count->first_noted[event->subject];
	struct sim_reading reading;

	sim_state_pass(&count->state, event->t_s);
	for (uint32_t i = *first; i != HISTORY_NONE; i = count->pages[i].next)
		dates->changed += has_changed(&count->pages[i]) &&
		    count->state.pages[i].seen.is_listed &&
		    count->state.pages[i].shown.is_listed;
	sim_state_read(&count->state, event->t_s, event->subject, &reading);
	for (size_t i = 0; i < reading.move_count; i++) {
		const struct sim_move *move = &reading.moves[i];
		const struct dated_page *page = &count->pages[move->number];

		if (move->is_document || move->kind != SIM_MOVED)
			continue;
		dates->moved += page->is_there &&
		    page->text != KNOWN_DATES_NO_TEXT &&
		    (!page->is_noted || page->was_there);
		dates->both += has_changed(page);
	}
	while (*first != HISTORY_NONE) {
		count->pages[*first].is_noted = false;
		*first = count->pages[*first].next;
	}
}

struct known_dates *
known_dates_make(const struct history *history)
{
	struct date_count count = {.history = history,
	    .pages = mem_zero((history->page_count + 1) * sizeof(*count.pages)),
	    .first_noted = mem_alloc(
		(history->document_count + 1) * sizeof(*count.first_noted)),
	    .dates = mem_zero(
		(history->document_count + 1) * sizeof(*count.dates))};

	sim_state_init(&count.state, history);
	for (size_t i = 0; i < history->document_count; i++)
		count.first_noted[i] = HISTORY_NONE;
	for (size_t i = 0; i < history->event_count; i++) {
		const struct history_event *event = &history->events[i];

		switch ((enum history_kind)event->kind) {
		case HISTORY_EXISTS:
		case HISTORY_CHANGES:
		case HISTORY_ENDS:
			note(&count, event);
			break;
		case HISTORY_PUBLISHED:
			publish(&count, event);
			break;
		case HISTORY_BYTES:
		case HISTORY_ADDED:
		case HISTORY_REMOVED:
		case HISTORY_CLAIMS:
		case HISTORY_CLAIMS_ALL:
		case HISTORY_CHILD_CLAIMS:
		case HISTORY_WITHDRAWN:
			break;
		}
	}
	sim_state_release(&count.state);
	free(count.pages);
	free(count.first_noted);
	return count.dates;
}

double
known_dates_precision(const struct known_dates *dates)
{
	return dates->moved > 0 ? (double)dates->both / (double)dates->moved
				: -1;
}

double
known_dates_recall(const struct known_dates *dates)
{
	return dates->changed > 0 ? (double)dates->both / (double)dates->changed
				  : -1;
}
