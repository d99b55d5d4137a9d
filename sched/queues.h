/*
 * The queues of a scheduler: where items wait.
 *
 * An item is what the scheduler chooses between.  One range of numbers holds
 * three kinds: of each sixteen numbers, one is a document that may be read, one
 * a document of which one more page may be taken up, and fourteen are pages.
 *
 * An item is in one place at a time: in the calendar, until its next
 * evaluation; at a node of the limiter, where it waits for its turn; or in
 * neither, while it is out or nobody wants it.
 *
 * Four words say why an item goes out:
 *
 *	level	An item that is worth the level of its node (limiter.h) competes
 *		by its value.  A page that is worth less waits at the node for
 *		later, and goes out only when nothing else may.
 *	ceiling	The longest time between two requests for an item, whatever it
 *		is worth.  A site has one for its pages and one for its
 *		documents.
 *	overdue	The ceiling of the item has passed, so the item enters the FIFO
 *		`overdue`.  It still competes by its value.
 *	forced	The item was taken from that FIFO, so it is due whatever it is
 *		worth.  Its value is forced_value(), which is above all other
 *		values.
 *
 * scheduler_next.c takes items from the FIFO at three rates.  All overdue
 * readings are forced at once when clients ask for documents apart from pages.
 * Otherwise each request that is made for its value earns a share of a request
 * (CEILINGS_SHARE) for an overdue item, so that ceilings cannot use up a
 * budget.  When no item may be sent for its value, overdue items get the
 * requests that remain in the budget of all hosts.
 */
#ifndef FRESHET_QUEUES_H
#define FRESHET_QUEUES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/fifo.h"
#include "sched/heap.h"

/* The clock of a scheduler: callers give the time, and scheduler.c sets it. */
struct sched_clock {
	int64_t now_s; /* INT64_MIN: the clock has not begun */
	int64_t first_s; /* when the clock began */
};

/* days_after(clock, t_s): the days since t_s; 0 when t_s lies in the
 * future. */
static inline double
days_after(const struct sched_clock *clock, int64_t t_s)
{
	/* The difference of any two times fits into a double. */
	return t_s < clock->now_s ? ((double)clock->now_s - (double)t_s) / 86400
				  : 0;
}

/* The kinds of items that clients may ask for apart; they wait at one node, or
 * at two (asks_apart). */
enum { NODE_PAGES, NODE_READINGS, NODE_KINDS };

enum item_kind { ITEM_READING, ITEM_LISTED, ITEM_PAGE };

static inline uint32_t
item_of(enum item_kind kind, uint32_t number)
{
	uint32_t place = number % 14;

	if (kind == ITEM_READING)
		return number * 16;
	if (kind == ITEM_LISTED)
		return number * 16 + 8;
	return number / 14 * 16 + place + 1 + (place >= 7);
}

static inline enum item_kind
item_kind(uint32_t item)
{
	return item % 16 == 0 ? ITEM_READING
	    : item % 16 == 8  ? ITEM_LISTED
			      : ITEM_PAGE;
}

/* item_number(item): the number of the page or document. */
static inline uint32_t
item_number(uint32_t item)
{
	uint32_t place = item % 16;

	if (place == 0 || place == 8)
		return item / 16;
	return item / 16 * 14 + place - 1 - (place > 8);
}

/* Flags of an item, beside those of a page. */
enum item_flag {
	ITEM_OUT = 1, /* chosen; its outcome has not come */
	/* a change was found that no date announced; the next reading decides
	 * whether it was announced late */
	ITEM_RETRO = 16,
	ITEM_OVERDUE = 32, /* in the FIFO of items past their ceilings */
	ITEM_FORCED = 64, /* taken from that FIFO: the item is due */
	ITEM_WAITING = 128, /* in the FIFO of items to be evaluated again */
};

/* Is that value of an item forced_value()?  A float can hold such values. */
#define IS_FORCED(value) ((value) > 1e14)

struct sched_queues {
	const struct sched_clock *clock; /* borrowed */
	struct positions positions; /* of items */
	/* the calendar: items by the time of their next evaluation, in seconds
	 * after the clock began, of which a float is exact for some
	 * years */
	struct later calendar;
	struct limiter *limiter; /* owned */
	/* Items that came to wait, in the order of their last evaluations; an
	 * item may have left since. */
	struct fifo waiting;
	struct fifo overdue[NODE_KINDS]; /* items past their ceilings */
};

/* queues_is_waiting(queues, item): the item waits for its turn, which may come
 * at any time. */
static inline bool
queues_is_waiting(const struct sched_queues *queues, uint32_t item)
{
	return (positions_get(&queues->positions, item) & POSITIONS_QUEUED) !=
	    0;
}

/* queues_remove(queues, item, node): take the item out of the calendar, or
 * from the node where it waits.  queues_wait and queues_evaluate_at need that
 * first. */
void queues_remove(struct sched_queues *, uint32_t item, uint32_t node);

/* queues_wait(queues, item, node, value, flags): let the item wait at the node.
 * Its flags say from then on that it is in the FIFO `waiting`; whoever takes it
 * from there clears that.
 * queues_note_overdue(queues, item, is_overdue, flags): put the item into the
 * FIFO `overdue`, unless it is or was there; or it is forced no longer. */
void queues_wait(struct sched_queues *, uint32_t item, uint32_t node,
    double value, uint8_t *flags);
void queues_note_overdue(
    struct sched_queues *, uint32_t item, bool is_overdue, uint8_t *flags);

/*
 * queues_evaluate_at(queues, item, due_s): put the item into the calendar; its
 * next evaluation is at due_s.  queues_take_due(queues, items, max): take up to
 * max items that are due, the first ones first; returns how many.
 * queues_due_s(queues, item): when the item is due; SCHEDULER_NEVER: it is not
 * in the calendar. queues_next_s(queues): when the first item is due.
 */
void queues_evaluate_at(struct sched_queues *, uint32_t item, int64_t due_s);
size_t queues_take_due(struct sched_queues *, uint32_t *items, size_t max);
int64_t queues_due_s(const struct sched_queues *, uint32_t item);
int64_t queues_next_s(const struct sched_queues *);

/* queues_take_overdue(queues, kinds, item): take the first overdue item of
 * these kinds, a mask of 1 << NODE_PAGES and 1 << NODE_READINGS; readings come
 * before pages.  Returns false when there is none. */
bool queues_take_overdue(struct sched_queues *, unsigned kinds, uint32_t *item);

/* forced_value(queues, kind, due_s): the value of an item that is due
 * whatever it is worth; kind is NODE_READINGS or NODE_PAGES.  Readings come
 * before pages, and the item that has been due for longest comes first, so that
 * none starves when there are more than a budget has room for. */
double forced_value(const struct sched_queues *, int kind, int64_t due_s);

#endif
