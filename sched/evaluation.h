/* Looks at pages: what fetching each is worth now, and when it will be worth
 * more. */
#ifndef FRESHET_EVALUATION_H
#define FRESHET_EVALUATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sched/estimate.h"

struct sched_page;
struct scheduler;

/* Nothing is looked at again later than that: what is believed changes. */
#define EVALUATION_DAYS 8
/* So many can be looked at together. */
#define EVALUATIONS_MAX 64

struct evaluation {
	double value; /* of fetching it */
	double days; /* until it is worth least; EVALUATION_DAYS: not before */
	double moves; /* of its date, to be expected a day */
};

/* page_evaluate(scheduler, number, moves, least, look): at it as if lastmod had
 * moved so many times more. */
void page_evaluate(struct scheduler *, uint32_t number, unsigned moves,
    double least, struct evaluation *);

/* pages_prefetch(scheduler, numbers, count): what is about to be looked at
 * comes into the cache. */
void pages_prefetch(
    const struct scheduler *, const uint32_t *numbers, size_t count);

/* pages_evaluate(scheduler, numbers, count, least, looks): at so many, each
 * with a least of its own, so that memory and arithmetic of one do not wait for
 * those of another. */
void pages_evaluate(struct scheduler *, const uint32_t *numbers, size_t count,
    const double *least, struct evaluation *);

/* page_estimate(scheduler, number, of, pending): what an estimate of it is
 * made of; of is borrowed. */
void page_estimate(struct scheduler *, uint32_t number, struct estimate_of *,
    struct pending *);

/* page_position(scheduler, document): that of its pace now. */
double page_position(const struct scheduler *, uint32_t document);

/* page_view(scheduler, number, view, pending): what is believed of it now, and
 * what that is made of. */
void page_view(
    struct scheduler *, uint32_t number, struct view *, struct pending *);

/* page_has_signal(scheduler, page): a date that tells something has moved since
 * its last fetch. */
bool page_has_signal(const struct scheduler *, const struct sched_page *);

/* page_value(scheduler, number): of fetching it now. */
double page_value(struct scheduler *, uint32_t number);

#endif
