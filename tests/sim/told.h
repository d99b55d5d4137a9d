/*
 * A scheduler that is told what it has to find out elsewhere: that a budget
 * binds, and the true rates of its pages.
 *
 * The scheduler knows nothing of it.  Programs that link this file wrap a few
 * calls between the scheduler's files (ld's --wrap; tests/sim/meson.build has
 * the list), and the wrappers in told.c answer for schedulers that were told
 * something.  All others behave as in freshet.
 */
#ifndef FRESHET_TOLD_H
#define FRESHET_TOLD_H

#include <stdint.h>

struct scheduler;
struct value_rates;

/* told_scarce(scheduler): the caller enforces a budget that always binds, so
 * each request has a price.  Call this function before all others. */
void told_scarce(struct scheduler *);

/* told_rates(scheduler, page, rates): give the true rates of a page, which are
 * then not learned.  Pages are told in the order of their numbers, each at once
 * when it was added; one that was told may be told again. */
void told_rates(struct scheduler *, uint32_t page, const struct value_rates *);

/* told_forget(scheduler): the scheduler is about to be freed. */
void told_forget(struct scheduler *);

#endif
