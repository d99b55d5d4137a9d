/*
 * Whether the dates of a source - a document, or a family of them - can be
 * believed (docs/scheduling.md, "Trust").  Plain numbers: zeroed is "nothing
 * is known".
 */
#ifndef FRESHET_TRUST_H
#define FRESHET_TRUST_H

#include <stdbool.h>
#include <stdint.h>

/* What was seen of a source, forgotten in 30 days and never more than 40. */
struct trust {
	float told, missed; /* changes, with and without a move */
	float right, moves; /* moves that were true, of all */
	float mass_right, mass_moves; /* of those with most of the source */
	float share; /* of its entries, that move in a reading */
	float readings; /* that share is the mean of */
	bool is_gated; /* too many move: its moves count for nothing */
	int64_t aged_s; /* until then; 0: never */
};

/* The same, summed over all sources. */
struct trust_prior {
	double right, moves, mass_right, mass_moves;
};

/* What a move is worth, believing all that is known.  (T1) */
struct trust_figures {
	double precision; /* of moves: how many are true */
	double recall; /* of changes: how many are told */
	double mass_precision;
};

/* What one fetch says: expected numbers. */
struct trust_evidence {
	double told, missed, right, moves, mass_right, mass_moves;
};

struct trust_figures trust_figures(
    const struct trust *, const struct trust_prior *);

/*
 * trust_reading(trust, listed, moved): a reading showed that so many of
 * the entries that it and the one before list moved.  True: this was a move
 * of the source as a whole, and counts as mass for each page.  Opens and
 * closes the gate.
 */
bool trust_reading(struct trust *, uint32_t listed, uint32_t moved);

/* trust_add(trust, prior, evidence, now_s): forget what is old, add what a
 * fetch said; prior follows. */
void trust_add(struct trust *, struct trust_prior *,
    const struct trust_evidence *, int64_t now_s);

/* trust_forget(trust, prior): the source is no more. */
void trust_forget(struct trust *, struct trust_prior *);

/* Moves are more often right than not; or so rarely that SPEC R-116 calls the
 * source distrusted. */
bool trust_is_believed(const struct trust *, const struct trust_prior *);
bool trust_is_distrusted(const struct trust *, const struct trust_prior *);

#endif
