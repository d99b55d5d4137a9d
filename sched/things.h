/* Numbers of what waits for its turn, in one range: of each sixteen one is a
 * document that may be read, one a document whose pages may be taken up, and
 * fourteen are pages. */
#ifndef FRESHET_THINGS_H
#define FRESHET_THINGS_H

#include <stdbool.h>
#include <stdint.h>

enum thing_kind { THING_READING, THING_LISTED, THING_PAGE };

static inline uint32_t
thing_of(enum thing_kind kind, uint32_t number)
{
	uint32_t place = number % 14;

	if (kind == THING_READING)
		return number * 16;
	if (kind == THING_LISTED)
		return number * 16 + 8;
	return number / 14 * 16 + place + 1 + (place >= 7);
}

static inline enum thing_kind
thing_kind(uint32_t thing)
{
	return thing % 16 == 0 ? THING_READING
	    : thing % 16 == 8  ? THING_LISTED
			       : THING_PAGE;
}

static inline uint32_t
thing_number(uint32_t thing)
{
	uint32_t place = thing % 16;

	if (place == 0 || place == 8)
		return thing / 16;
	return thing / 16 * 14 + place - 1 - (place > 8);
}

struct scheduler;

/* thing_is_waiting(scheduler, thing): its turn may come at any time. */
bool thing_is_waiting(const struct scheduler *, uint32_t thing);

/*
 * thing_leave(scheduler, thing, node): it is neither in the calendar nor
 * waiting.  After that:
 * thing_wait(scheduler, thing, node, value): it waits for its turn.
 * thing_look_at(scheduler, thing, due_s): not before it is looked at then.
 */
void thing_leave(struct scheduler *, uint32_t thing, uint32_t node);
void thing_wait(
    struct scheduler *, uint32_t thing, uint32_t node, double value);
/* thing_take_waiting(scheduler, thing): the one that has waited longest since
 * it was looked at; it may have left since. */
bool thing_take_waiting(struct scheduler *, uint32_t *thing);
void thing_look_at(struct scheduler *, uint32_t thing, int64_t due_s);

/* thing_settle(scheduler, thing): page_settle, source_settle or
 * source_settle_listed. */
void thing_settle(struct scheduler *, uint32_t thing);

#endif
