/* What the scheduler believes, term by term, for people. */
#ifndef FRESHET_SCHEDULER_EXPLAIN_H
#define FRESHET_SCHEDULER_EXPLAIN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/generator.h"
#include "sched/scheduler.h"

/* Why a request is worth its value (scheduling-formulas.md, "Value"). */
struct scheduler_terms {
	/* the present ones; a value of INFINITY: the request is due */
	double value, price;
	double weight; /* including the weight of the site */
	double days; /* since the last fetch or reading; INFINITY: never */
	double changes_per_day;
	double alpha, gamma, q; /* as of struct value_rates */
	double hazard; /* changes expected in these days */
	double fresh; /* the probability that there was none: e^-hazard */
	unsigned moves, mass; /* of the date in these days */
	double precision, recall, mass_precision; /* of the dates */
	/* moves of the dates that fetches confirmed or refuted; older ones
	 * count less */
	double checks;
	/* of the site's hints (T17) */
	bool has_hints; /* false: it never had any */
	double hint_precision, hint_recall, hint_checks;
	unsigned hints; /* in these days */
	/* for whose dates trust in them began (T16); NULL: there is none */
	const struct generator *generator;
	/* what R-116 says of the dates */
	bool is_gated, is_believed, is_distrusted;
	bool is_out, is_waiting, is_overdue;
	bool is_quota; /* the quota of the site is used up until due_s */
	unsigned failures; /* in a row */
	/* after failures: no request before this time; 0: at any time */
	int64_t again_s;
	/* when a reading must answer what the last one left open; 0:
	 * nothing is open */
	int64_t owed_s;
	/* the next evaluation; SCHEDULER_NEVER: the item waits for its turn,
	 * or is out */
	int64_t due_s;
};

void scheduler_explain_page(
    struct scheduler *, uint32_t page, int64_t now_s, struct scheduler_terms *);

/* scheduler_explain_listed: the request for one more page that the document
 * lists and that is no page of the scheduler yet.  Sets value, price, weight,
 * changes_per_day, is_waiting, is_overdue and due_s. */
void scheduler_explain_listed(struct scheduler *, uint32_t document,
    int64_t now_s, struct scheduler_terms *);

/* scheduler_explain_document: a reading.  The dates are those that the document
 * gives; alpha, gamma, q, moves and mass are of the date that its index gives
 * for it. */
void scheduler_explain_document(struct scheduler *, uint32_t document,
    int64_t now_s, struct scheduler_terms *);

#endif
