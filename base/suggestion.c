/* The known word that a mistyped word was most probably meant to be. */
#include "base/suggestion.h"

#include <limits.h>
#include <string.h>

/* Nobody mistypes an option of that length: longer words get no suggestion. */
#define SUGGESTION_MAX 40

/* distance(a, b): how many letters must be inserted, deleted, changed, or
 * swapped with the next one (optimal string alignment). */
static unsigned
distance(struct slice a, struct slice b)
{
	unsigned rows[3][SUGGESTION_MAX + 1];
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

			/* a letter is changed, or the same; or it is one more,
			 * or one that lacks; or two are swapped */
			now[j] = last[j - 1] + cost;
			if (last[j] + 1 < now[j])
				now[j] = last[j] + 1;
			if (now[j - 1] + 1 < now[j])
				now[j] = now[j - 1] + 1;
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
suggestion_init(struct suggestion *suggestion, struct slice typed)
{
	*suggestion = (struct suggestion){.typed = typed};
	/* up to a third of the letters may be wrong, but not all of them */
	suggestion->distance = 2 + (unsigned)(typed.len / 3);
	if (suggestion->distance > typed.len)
		suggestion->distance = (unsigned)typed.len;
}

void
suggestion_try(struct suggestion *suggestion, const char *known)
{
	struct slice typed = suggestion->typed;
	size_t len = strcspn(known, "|");
	unsigned d;

	for (;; known += len + 1, len = strcspn(known, "|")) {
		d = typed.len > SUGGESTION_MAX || len > SUGGESTION_MAX
		    ? UINT_MAX
		    : distance(typed, slice_make(known, len));
		/* user: user-file lacks a word and not five letters */
		if (slice_starts(slice_make(known, len), typed) &&
		    known[typed.len] == '-')
			d /= 2;
		/* of words at the same distance, prefer one with the same first
		 * letter */
		if (d < suggestion->distance ||
		    (d == suggestion->distance && suggestion->best != NULL &&
			typed.len > 0 && len > 0 &&
			suggestion->best[0] != typed.p[0] &&
			known[0] == typed.p[0])) {
			suggestion->distance = d;
			suggestion->best = known;
			suggestion->best_len = len;
		}
		if (known[len] == '\0')
			return;
	}
}
