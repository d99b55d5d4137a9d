/* Evaluations of pages: the value of a fetch now, and when it will be worth
 * more. */
#ifndef FRESHET_EVALUATION_H
#define FRESHET_EVALUATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sched/estimate.h"

struct sched_page;
struct sched_pages;

/* The next evaluation is at most this many days later, because beliefs
 * change. */
#define EVALUATION_DAYS 8
/* The share of its value that a page keeps when it is no longer listed. A page
 * that is gone has no value. */
#define REMOVED_FACTOR 0.1
/* The share of its value that a page keeps while it is not known whether the
 * page is gone. */
#define VERIFY_FACTOR 0.2

struct evaluation {
	double value; /* of a fetch */
	/* days until the value is `least`; EVALUATION_DAYS: no sooner than
	 * that */
	double days;
	double moves; /* moves of the date that are expected in a day */
};

/* page_evaluate(pages, number, moves, least, evaluation): evaluate a page as if
 * its lastmod had moved `moves` times more. */
void page_evaluate(struct sched_pages *, uint32_t number, unsigned moves,
    double least, struct evaluation *);

/* page_estimate(pages, number, of, pending): what an estimate of the
 * page is made of; the pointers in *of are borrowed. */
void page_estimate(struct sched_pages *, uint32_t number, struct estimate_of *,
    struct pending *);

/* page_view(pages, number, view, pending): what is believed of the page
 * now, and what that is made of. */
void page_view(
    struct sched_pages *, uint32_t number, struct view *, struct pending *);

/* page_has_signal(pages, page): has the date of the page moved since the last
 * fetch, alone or with most of the document, where such a move counts? */
bool page_has_signal(const struct sched_pages *, const struct sched_page *);

/* page_value(pages, number): the value of a fetch now. */
double page_value(struct sched_pages *, uint32_t number);

#endif
