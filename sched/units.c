/* A heap of units that know their places in it. */
#include "sched/units.h"

#include <stdlib.h>

#include "base/mem.h"

static void
place(struct units *units, size_t at, struct unit *unit)
{
	units->items[at] = unit;
	unit->place = (uint32_t)at + 1;
}

static bool
is_before(const struct unit *a, const struct unit *b)
{
	if (a->ready_ms != b->ready_ms)
		return a->ready_ms < b->ready_ms;
	return a->turn < b->turn;
}

static void
sift_up(struct units *units, struct unit *unit)
{
	size_t at = unit->place - 1;

	while (at > 0 && is_before(unit, units->items[(at - 1) / 2])) {
		place(units, at, units->items[(at - 1) / 2]);
		at = (at - 1) / 2;
	}
	place(units, at, unit);
}

static void
sift_down(struct units *units, struct unit *unit)
{
	size_t at = unit->place - 1;

	for (;;) {
		size_t child = 2 * at + 1;

		if (child >= units->count)
			break;
		if (child + 1 < units->count &&
		    is_before(units->items[child + 1], units->items[child]))
			child++;
		if (!is_before(units->items[child], unit))
			break;
		place(units, at, units->items[child]);
		at = child;
	}
	place(units, at, unit);
}

void
units_put(struct units *units, struct unit *unit)
{
	if (unit->place == 0) {
		mem_limit(units->count, UINT32_MAX - 1);
		units->items = mem_grow(units->items, &units->cap,
		    units->count + 1, sizeof(struct unit *));
		place(units, units->count++, unit);
	}
	sift_up(units, unit);
	sift_down(units, unit);
}

void
units_remove(struct units *units, struct unit *unit)
{
	size_t at = unit->place;
	struct unit *last;

	if (at == 0)
		return;
	last = units->items[--units->count];
	unit->place = 0;
	if (last == unit)
		return;
	place(units, at - 1, last);
	sift_up(units, last);
	sift_down(units, last);
}

struct unit *
units_first(const struct units *units)
{
	return units->count == 0 ? NULL : units->items[0];
}

void
units_release(struct units *units)
{
	free(units->items);
	*units = (struct units){0};
}
