/*
 * Do false moves of dates follow changes: do they come most to the pages that
 * change most, or to all pages alike (scheduling.md, "Trust")?  Plain
 * numbers; zeroed: nothing is known.
 */
#ifndef FRESHET_FOLLOW_H
#define FRESHET_FOLLOW_H

#include <stdbool.h>

struct follow {
	double pages; /* that are listed */
	double moves, pairs; /* of all pages, and pairs of moves of one page */
};

/* follow_move(follow, before): a page moved that had moved `before` times. */
void follow_move(struct follow *, unsigned before);

/* follow_share(follow): from 0, all pages move alike, to 1, they move as
 * they change.  (T15) */
double follow_share(const struct follow *);

/* follow_is_sound(follow): could this module have made these numbers? */
bool follow_is_sound(const struct follow *);

#endif
