/*
 * How many moves of dates between two fetches were true, as far as fetches can
 * tell. The learner calculates in the same way (scheduling-formulas.md,
 * "Trust").
 */
#ifndef FRESHET_TRUE_MOVES_H
#define FRESHET_TRUE_MOVES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct true_moves {
	/* owned; by number of document */
	struct true_moves_document *documents;
	size_t count;
};

void true_moves_init(struct true_moves *, size_t documents);
void true_moves_release(struct true_moves *);

/* true_moves_learn(moves_of, document, moves, is_changed): a fetch found the
 * text changed or not, after `moves` moves since the fetch before. */
void true_moves_learn(
    struct true_moves *, uint32_t document, uint32_t moves, bool is_changed);

/* true_moves_share(moves_of, document, moves): how many of `moves` moves were
 * true, at least one, before a fetch that found another text. The remainder of
 * the rounding is added in the next call. */
uint32_t true_moves_share(
    struct true_moves *, uint32_t document, uint32_t moves);

#endif
