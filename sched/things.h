/* Numbers of what waits for its turn, in one range: of each sixteen one is a
 * document that may be read, one a document whose pages may be taken up, and
 * fourteen are pages. */
#ifndef FRESHET_THINGS_H
#define FRESHET_THINGS_H

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

#endif
