/* Pages of the scheduler: what fetching each is worth, and when to look at it
 * again. */
#ifndef FRESHET_PAGES_H
#define FRESHET_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sched/estimate.h"
#include "sched/gains.h"

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
struct page {
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
	uint16_t told; /* moves, mass ones left out, ever */
	uint16_t mass_seen; /* the document's count at its last fetch */
	float position; /* of its document's pace, at its last fetch (T11) */
	uint8_t gain_place;
	uint8_t flags; /* enum page_flag */
	uint8_t dead; /* times in a row that it was gone */
	bool is_retired : 1; /* by the caller */
	bool is_back : 1; /* not asked for when its turn had come */
	unsigned failures : 4; /* in a row, PAGE_FAILURES_MOST at most */
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
page_is_anew(const struct page *page)
{
	return (page->flags & (PAGE_VERIFY | PAGE_REMOVED)) == PAGE_VERIFY;
}

/* scheduler_know(scheduler, page, rates): these are its true rates, and are
 * not to be learned: for comparison. */
void scheduler_know(
    struct scheduler *, uint32_t page, const struct value_rates *);

/* page_settle(scheduler, number, least): look at it, and put it where it
 * belongs: to wait for its turn if it is worth that much (AT_PRICE: as much as
 * others), else into the calendar. */
void page_settle(struct scheduler *, uint32_t number, double least);

/* pages_settle(scheduler, numbers, count): page_settle at the price of so many,
 * at most LOOKS_MAX, in less time; numbers are written to. */
void pages_settle(struct scheduler *, uint32_t *numbers, size_t count);

/* source_first_page(scheduler, number): the first of its pages, plus one; 0: it
 * has none.  Those that went to another document are with that one then. */
uint32_t source_first_page(struct scheduler *, uint32_t number);

/* page_is_overdue(scheduler, page): past its ceiling?  What is listed no more
 * has none.  page_is_above_floor: may it be asked for again?  One that failed
 * neither, until its time has come. */
bool page_is_overdue(const struct scheduler *, const struct page *);
bool page_is_above_floor(const struct scheduler *, const struct page *);

#endif
