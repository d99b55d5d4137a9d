/* How many of the moves between two fetches were true, as far as fetches can
 * tell: as the learner counts them (docs/scheduling.md, "Trust"). */
#ifndef FRESHET_TRUE_MOVES_H
#define FRESHET_TRUE_MOVES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct true_moves {
	struct true_moves_document *documents; /* owned; by number */
	size_t count;
};

void true_moves_init(struct true_moves *, size_t documents);
void true_moves_release(struct true_moves *);

/* true_moves_learn(right, document, moves, is_changed): a fetch found another
 * text, or the same, after so many moves since the one before. */
void true_moves_learn(
    struct true_moves *, uint32_t document, uint32_t moves, bool is_changed);

/*
 * true_moves_share(right, document, moves): of so many, one of them at least,
 * before a fetch that found another text, these were true.  What is rounded
 * off counts for the next.
 */
uint32_t true_moves_share(
    struct true_moves *, uint32_t document, uint32_t moves);

#endif
