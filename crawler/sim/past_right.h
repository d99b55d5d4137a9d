/* How many of the moves between two fetches were true, as far as fetches can
 * tell: as the learner counts them (docs/scheduling.md, "Trust"). */
#ifndef FRESHET_PAST_RIGHT_H
#define FRESHET_PAST_RIGHT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct past_right {
	struct right *documents; /* owned; by number */
	size_t count;
};

void past_right_init(struct past_right *, size_t documents);
void past_right_release(struct past_right *);

/* past_right_told(right, document, moves, is_changed): a fetch found another
 * text, or the same, after so many moves since the one before. */
void past_right_told(
    struct past_right *, uint32_t document, uint32_t moves, bool is_changed);

/* past_right_precision(right, document): how many of its moves are true. */
double past_right_precision(const struct past_right *, uint32_t document);

/*
 * past_right_share(right, document, moves): of so many, one of them at least,
 * before a fetch that found another text, these were true.  What is rounded
 * off counts for the next.
 */
uint32_t past_right_share(
    struct past_right *, uint32_t document, uint32_t moves);

#endif
