/* Pages of the scheduler: what fetching each is worth, and when to look at it
 * again. */
#ifndef FRESHET_PAGES_H
#define FRESHET_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sched/estimate.h"
#include "sched/gains.h"
#include "sched/sites.h"

struct scheduler;

#define NEVER 0 /* of a packed time */
#define PAGE_FAILURES_MOST 15U

enum page_flag {
	PAGE_OUT = 1, /* chosen, and no outcome yet */
	PAGE_REMOVED = 2, /* no longer listed */
	PAGE_VERIFY = 4, /* that, or listed again, and not asked since */
	PAGE_DAY = 8, /* lastmod has no time */
	PAGE_RETRO = 16, /* a change that the next reading explains */
	PAGE_OVERDUE = 32, /* in the line of those past their ceiling */
	PAGE_FORCED = 64, /* its turn there has come */
	PAGE_WAITING = 128, /* in the line of those to be looked at again */
};

/* 60 bytes, DESIGN 7 wants 64; beside them eight in the calendar. */
struct sched_page {
	uint32_t document;
	uint32_t next; /* of the document, plus one; 0: none */
	float weight;
	uint32_t section; /* 0: none */
	uint32_t fetched, added, lastmod; /* packed; NEVER: never, none */
	struct rate rate;
	uint32_t again; /* after failures, not before; NEVER: at any time */
	float gain; /* what it adds to the value of a reading (gains.h) */
	uint16_t moves; /* of lastmod since its last fetch */
	uint16_t mass; /* and those with most of the document */
	uint16_t moves_ever; /* moves, mass ones left out, ever */
	uint16_t mass_seen; /* the document's count at its last fetch */
	float position; /* of its document's pace, at its last fetch (T11) */
	uint8_t gain_place;
	uint8_t flags; /* enum page_flag */
	uint8_t dead; /* times in a row that it was gone */
	bool is_retired : 1; /* by the caller */
	bool is_back : 1; /* not asked for when its turn had come */
	unsigned failures : 4; /* in a row, PAGE_FAILURES_MOST at most */
	unsigned place : 2; /* where it waits, or did: enum page_place */
};

/* A time in 32 bits, by the second, until the year 2106. */
static inline uint32_t
time_pack(int64_t t_s)
{
	if (t_s < 0)
		return 1;
	return t_s >= UINT32_MAX ? UINT32_MAX : (uint32_t)t_s + 1;
}

static inline int64_t
time_unpack(uint32_t packed)
{
	return (int64_t)packed - 1;
}

/* page_drop_gain(scheduler, number): it adds nothing to readings of its
 * document any more. */
void page_drop_gain(struct scheduler *, uint32_t number);

/* page_leave(scheduler, number): it waits nowhere; to be settled. */
void page_leave(struct scheduler *, uint32_t number);

/* page_is_anew(page): it was gone and is listed again, and was not asked for
 * since. */
static inline bool
page_is_anew(const struct sched_page *page)
{
	return (page->flags & (PAGE_VERIFY | PAGE_REMOVED)) == PAGE_VERIFY;
}

/* page_reschedule(scheduler, number): look at it, and put it where it belongs:
 * if it may be asked for, to wait for its turn, now or once it is worth the
 * level there; else into the calendar. */
void page_reschedule(struct scheduler *, uint32_t number);

/* pages_reschedule(scheduler, numbers, count): page_reschedule of so many, at
 * most EVALUATIONS_MAX, in less time; numbers are written to.
 * pages_reschedule_now: those that may be asked for wait for their turn now,
 * whatever they are worth. */
void pages_reschedule(struct scheduler *, uint32_t *numbers, size_t count);
void pages_reschedule_now(struct scheduler *, uint32_t *numbers, size_t count);

/* page_put_back(scheduler, number, for_s): if it waits, and not because it is
 * past its ceiling, others that wait there go out first for so long. */
void page_put_back(struct scheduler *, uint32_t number, int64_t for_s);

/* source_first_page(scheduler, number): the first of its pages, plus one; 0: it
 * has none.  Those that went to another document are with that one then. */
uint32_t source_first_page(struct scheduler *, uint32_t number);

/* page_is_overdue(scheduler, page): past its ceiling?  What is listed no more
 * has none, nor one that failed, until its time has come. */
bool page_is_overdue(const struct scheduler *, const struct sched_page *);

/* page_may_s(scheduler, page): when it may be asked for: above its floor, not
 * left alone after failures, and, if it is listed no more, once whether it is
 * gone, and then rarely; SCHEDULER_NEVER: not before it is told something. */
int64_t page_may_s(const struct scheduler *, const struct sched_page *);

/* page_node(scheduler, page): of rate limiter: where it waits.  page_place_now:
 * where it should wait. */
uint32_t page_node(struct scheduler *, const struct sched_page *);
enum page_place page_place_now(struct scheduler *, const struct sched_page *);

/* source_refresh(scheduler, number): the trust in the dates of the document has
 * changed, so evaluate all its pages, little by little. */
void source_refresh(struct scheduler *, uint32_t number);

#endif
