/* What the scheduler chooses: the next request, when there will be one, and
 * what is believed of it. */
#ifndef FRESHET_SCHEDULER_NEXT_H
#define FRESHET_SCHEDULER_NEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/generator.h"
#include "sched/scheduler.h"

enum scheduler_kind {
	SCHEDULER_PAGE,
	/* one more page of a document, which was never fetched */
	SCHEDULER_LISTED,
	SCHEDULER_DOCUMENT,
};

enum scheduler_reason {
	REASON_VALUE, /* nothing else is worth more */
	REASON_NEW, /* never fetched, or listed again after it was gone */
	/* the last request is too long ago */
	REASON_CEILING,
	/* a reading at a fixed time: the first readings, and those of a site
	 * that wants an interval */
	REASON_INTERVAL,
	REASON_REMOVED, /* no longer listed: is the page gone? */
	/* the last reading left something open; or a hint (T17) */
	REASON_OWED,
};

struct scheduler_choice {
	enum scheduler_kind kind;
	uint32_t number; /* of a page or a document */
	enum scheduler_reason reason;
	double value; /* of the request; INFINITY: the request is due */
	double price; /* of requests now */
};

/* Pages and documents apart, with the option asks_apart: for clients that
 * handle one kind only.  Items of the kind that nobody asks for take no turn
 * and do not move the price. */
#define SCHEDULER_KINDS_PAGES 1U /* SCHEDULER_PAGE, SCHEDULER_LISTED */
#define SCHEDULER_KINDS_DOCUMENTS 2U
#define SCHEDULER_KINDS_ALL 3U

/* The sites that scheduler_next_of chooses a page from. */
struct scheduler_some {
	const uint32_t *sites; /* borrowed: their numbers */
	size_t count;
	size_t at; /* the site whose turn it is; 0 at first */
};

/* scheduler_next_of(scheduler, now_s, kinds, some, choice): Choose the best
 * request of these kinds; false when no request may be made now.  What was
 * chosen is not chosen again until the caller reports its outcome or reading
 * (scheduler_events.h), or gives it back.  Budgets and turns of hosts are
 * common to both kinds.
 * With `some`, which may be NULL, a page of one of these sites: all limits
 * hold, and other sites take no turn.  If few sites have pages, the best page
 * of all is taken; if more than some dozens have, only some sites are compared
 * at a time, and they take turns. */
bool scheduler_next_of(struct scheduler *, int64_t now_s, unsigned kinds,
    struct scheduler_some *some, struct scheduler_choice *);

/* scheduler_give_back(scheduler, now_s, choice): the request was not made after
 * all, but still counts against the limits. */
void scheduler_give_back(
    struct scheduler *, int64_t now_s, const struct scheduler_choice *);

/* scheduler_spare(scheduler, choice): nobody requests the page that was chosen
 * last; it counts against no limit, and stays chosen. */
void scheduler_spare(struct scheduler *, const struct scheduler_choice *);

/* scheduler_due_of_s(scheduler, now_s, kinds): when scheduler_next_of may
 * succeed again; SCHEDULER_NEVER: not before an event. */
int64_t scheduler_due_of_s(struct scheduler *, int64_t now_s, unsigned kinds);

/* Whose limits hold for a request. */
enum scheduler_limits {
	LIMITS_SITE, /* those of a site, its host and all requests */
	LIMITS_TAG, /* those of a tag and the tags above */
	LIMITS_ALL /* that of all requests alone */
};

/* scheduler_ready_s(scheduler, limits, number): when these limits allow a
 * request; the present or earlier: now.  The time is that of the latest call
 * that gave one. */
int64_t scheduler_ready_s(
    struct scheduler *, enum scheduler_limits, uint32_t number);

/* scheduler_item_due_s(scheduler, kind, number): when a page (SCHEDULER_PAGE),
 * or one more page that a document lists (SCHEDULER_LISTED), is worth a request
 * if nothing else waits.  INT64_MIN: it waits for its turn; SCHEDULER_NEVER:
 * not before an event. */
int64_t scheduler_item_due_s(
    const struct scheduler *, enum scheduler_kind, uint32_t number);

/* What the scheduler believes, term by term, for people. */

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
	/* when a reading must answer what the last one left open, or a
	 * hint; 0: nothing is open */
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
