/* Numbers of what waits for its turn, in one range: of each sixteen one is a
 * document that may be read, one a document whose pages may be taken up, and
 * fourteen are pages. */
#ifndef FRESHET_THINGS_H
#define FRESHET_THINGS_H

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

static inline uint32_t
item_number(uint32_t item)
{
	uint32_t place = item % 16;

	if (place == 0 || place == 8)
		return item / 16;
	return item / 16 * 14 + place - 1 - (place > 8);
}

struct scheduler;

/* item_is_waiting(scheduler, thing): its turn may come at any time. */
bool item_is_waiting(const struct scheduler *, uint32_t item);

/*
 * item_remove(scheduler, thing, node): it is neither in the calendar nor
 * waiting.  After that:
 * item_wait(scheduler, thing, node, value): it waits for its turn.
 * item_evaluate_at(scheduler, thing, due_s): not before it is looked at then.
 */
void item_remove(struct scheduler *, uint32_t item, uint32_t node);
void item_wait(struct scheduler *, uint32_t item, uint32_t node, double value);
/* item_take_waiting(scheduler, thing): the one that has waited longest since
 * it was looked at; it may have left since. */
bool item_take_waiting(struct scheduler *, uint32_t *item);
void item_evaluate_at(struct scheduler *, uint32_t item, int64_t due_s);

/* item_reschedule(scheduler, thing): page_reschedule, source_reschedule or
 * source_reschedule_listed. */
void item_reschedule(struct scheduler *, uint32_t item);

#endif
