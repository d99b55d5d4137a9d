/* What waits for its turn: a heap of units by the time they may be asked;
 * among equal times who came first is first. */
#ifndef FRESHET_UNITS_H
#define FRESHET_UNITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zeroed: in no heap.  Lies in what it stands for, which must not move. */
struct unit {
	int64_t ready_ms;
	uint64_t turn;
	uint32_t place; /* in its heap, plus one; 0: in none */
	bool is_address; /* what it lies in */
};

/* Zeroed: empty. */
struct units {
	struct unit **items; /* owned; the units are not */
	size_t count, cap;
};

/* units_put(units, unit): into the heap, or, in it already, to where its time
 * and turn belong now. */
void units_put(struct units *, struct unit *);

/* units_remove(units, unit): nothing happens when it is in no heap. */
void units_remove(struct units *, struct unit *);

/* units_first(units): the one to be asked next, or NULL. */
struct unit *units_first(const struct units *);

void units_release(struct units *);

#endif
