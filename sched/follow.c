/* Whether false moves follow changes: (T15) of scheduling.md. */
#include "sched/follow.h"

#include <math.h>

/* If they do the rates of moves vary at least by the half of what the rates of
 * changes are taken to vary. */
#define VARIES 0.5
#define MOVES_MAX 1e12
#define PAIRS_MAX 1e15

void
follow_move(struct follow *f, unsigned before)
{
	f->moves = fmin(f->moves + 1, MOVES_MAX);
	f->pairs = fmin(f->pairs + 2.0 * before, PAIRS_MAX);
}

double
follow_share(const struct follow *f)
{
	double pages = fmax(f->pages, 1);
	double mean = f->moves / pages;
	double varies = f->pairs / pages / (mean * mean) - 1;

	if (!(varies > 0))
		return 0;
	return fmin(varies / VARIES, 1);
}

bool
follow_is_sound(const struct follow *f)
{
	return f->pages >= 0 && f->pages <= MOVES_MAX && f->moves >= 0 &&
	    f->moves <= MOVES_MAX && f->pairs >= 0 && f->pairs <= PAIRS_MAX;
}
