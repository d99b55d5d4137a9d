/*
 * Whether false moves of dates follow changes: whether they come most to the
 * pages that change most, or to all alike (docs/scheduling.md, "Trust").  Plain
 * numbers: zeroed is "nothing is known".
 */
#ifndef FRESHET_FOLLOW_H
#define FRESHET_FOLLOW_H

#include <stdbool.h>

struct follow {
	double pages; /* that are listed */
	double moves, pairs; /* of each page, and pairs of these */
};

/* follow_move(follow, before): a page moved that had moved so often. */
void follow_move(struct follow *, unsigned before);

/* follow_share(follow): 0, not at all, to 1, as changes do.  (T15) */
double follow_share(const struct follow *);

/* follow_is_sound(follow): is it one that this file made? */
bool follow_is_sound(const struct follow *);

#endif
