/* What is nearest to a mistyped word. */
#include "base/nearest.h"

/* Longer words are never near: nobody mistypes one of that length. */
#define NEAREST_MAX 40

static unsigned
least(unsigned a, unsigned b, unsigned c)
{
	unsigned ab = a < b ? a : b;

	return ab < c ? ab : c;
}

/* distance(a, b): letters to insert, delete, change, or swap with the next
 * (optimal string alignment). */
static unsigned
distance(struct slice a, struct slice b)
{
	unsigned rows[3][NEAREST_MAX + 1];
	unsigned *before = rows[0];
	unsigned *last = rows[1];
	unsigned *now = rows[2];

	for (size_t j = 0; j <= b.len; j++)
		last[j] = (unsigned)j;
	for (size_t i = 1; i <= a.len; i++) {
		unsigned *free_row = before;

		now[0] = (unsigned)i;
		for (size_t j = 1; j <= b.len; j++) {
			unsigned cost = a.p[i - 1] != b.p[j - 1];

			now[j] = least(
			    last[j] + 1, now[j - 1] + 1, last[j - 1] + cost);
			if (i > 1 && j > 1 && a.p[i - 1] == b.p[j - 2] &&
			    a.p[i - 2] == b.p[j - 1] &&
			    before[j - 2] + 1 < now[j])
				now[j] = before[j - 2] + 1;
		}
		before = last;
		last = now;
		now = free_row;
	}
	return last[b.len];
}

void
nearest_init(struct nearest *nearest, struct slice typed)
{
	*nearest = (struct nearest){.typed = typed};
	/* a third of the letters may be wrong, and never all of them */
	nearest->distance = 2 + (unsigned)(typed.len / 3);
	if (nearest->distance > typed.len)
		nearest->distance = (unsigned)typed.len;
}

void
nearest_try(struct nearest *nearest, const char *known, size_t len)
{
	struct slice word = slice_make(known, len);
	unsigned d;

	if (nearest->typed.len > NEAREST_MAX || len > NEAREST_MAX)
		return;
	d = distance(nearest->typed, word);
	/* of those that are as near, one that begins alike */
	if (d > nearest->distance ||
	    (d == nearest->distance &&
		(nearest->best == NULL || nearest->typed.len == 0 || len == 0 ||
		    nearest->best[0] == nearest->typed.p[0] ||
		    known[0] != nearest->typed.p[0])))
		return;
	nearest->distance = d;
	nearest->best = known;
	nearest->best_len = len;
}
