/*
 * Items: what waits for its turn.  One range of numbers holds three kinds: of
 * each sixteen numbers, one is a document that may be read, one a document of
 * which one more page may be taken up, and fourteen are pages.
 */
#ifndef FRESHET_ITEMS_H
#define FRESHET_ITEMS_H

#include <stdbool.h>
#include <stdint.h>

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

struct scheduler;

/* item_is_waiting(scheduler, item): the item waits for its turn, which may come
 * at any time. */
bool item_is_waiting(const struct scheduler *, uint32_t item);

/* item_remove(scheduler, item, node): take the item out of the calendar, or
 * from the node where it waits.  item_wait and item_evaluate_at need that
 * first. */
void item_remove(struct scheduler *, uint32_t item, uint32_t node);

/* item_wait(scheduler, item, node, value): let the item wait at the node. */
void item_wait(struct scheduler *, uint32_t item, uint32_t node, double value);

/* item_evaluate_at(scheduler, item, due_s): put the item into the calendar; its
 * next evaluation is at due_s. */
void item_evaluate_at(struct scheduler *, uint32_t item, int64_t due_s);

/* item_take_waiting(scheduler, item): take the item whose last evaluation is
 * the oldest among those that came to wait; it may have left since.  Returns
 * false when there is none. */
bool item_take_waiting(struct scheduler *, uint32_t *item);

/*
 * forced_value(scheduler, kind, due_s): the value of an item that is due
 * whatever it is worth; kind is NODE_READINGS or NODE_PAGES.  Readings come
 * before pages, and the item that has been due for longest comes first, so that
 * none starves when there are more than a budget has room for.
 */
double forced_value(const struct scheduler *, int kind, int64_t due_s);

#endif
