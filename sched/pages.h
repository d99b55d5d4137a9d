/* Pages inside the scheduler: where each waits, and when its value is
 * computed again. */
#ifndef FRESHET_PAGES_H
#define FRESHET_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fifo.h"
#include "sched/estimate.h"
#include "sched/queues.h"
#include "sched/scheduler.h"
#include "sched/sites.h"
#include "sched/sources.h"
#include "sched/value.h"

#define NEVER 0 /* a packed time: none */
#define PAGE_FAILURES_MOST 15U
#define PAGE_DEAD_MOST 31U
#define PAGE_HINTS_MOST 7U

enum sched_page_flag {
	/* 1: ITEM_OUT (queues.h) */
	PAGE_REMOVED = 2, /* the page is no longer listed */
	/* PAGE_REMOVED was set or cleared, and the page was not fetched
	 * since */
	PAGE_VERIFY = 4,
	PAGE_DAY = 8, /* lastmod has no time */
	/* 16 and more: ITEM_RETRO to ITEM_WAITING */
};

/* The scheduler's 60 bytes, of 64 that DESIGN 7 allows, with eight more in the
 * calendar; and 16 for whoever has the scheduler. */
struct sched_page {
	uint32_t document;
	uint32_t next; /* the next page of the document, plus one; 0: none */
	float weight;
	uint32_t section; /* 0: none */
	uint32_t fetched, added, lastmod; /* packed; NEVER: no time */
	struct rate rate;
	/* no fetch before this time, after failures; NEVER: at any time */
	uint32_t again;
	float gain; /* the page's part of the value of a reading (value.h) */
	uint16_t moves; /* moves of lastmod since the last fetch */
	uint16_t mass; /* moves that most of the document made with it */
	/* moves since the page was added, without mass moves */
	uint16_t moves_ever;
	uint16_t mass_seen; /* mass_count of the document at the last fetch */
	float position; /* source_position at the last fetch (T11) */
	uint8_t gain_place;
	uint8_t flags; /* enum sched_page_flag */
	/* answers in a row that the page is gone, PAGE_DEAD_MOST at most */
	unsigned dead : 5;
	/* since the last fetch, PAGE_HINTS_MOST at most (T17) */
	unsigned hints : 3;
	bool is_retired : 1; /* scheduler_retire was called */
	bool is_back : 1; /* the page was given back when its turn had come */
	unsigned failures : 4; /* in a row, PAGE_FAILURES_MOST at most */
	/* where the page waits, or waited last: enum page_place */
	unsigned place : 2;
	/* The rest belongs to the owner of the scheduler, which reads and
	 * writes it; of a new page it is zeroed. */
	uint32_t origin;
	/* A store counts its pages from 1, so 32 bits number as many of them as
	 * a scheduler can have. */
	uint32_t id;
	float value; /* when the scheduler chose it */
	uint16_t consumer; /* slot of the consumer that leased it; 0: none */
	uint8_t owner_flags;
	uint8_t reason; /* enum scheduler_reason */
};

/* Seconds in 32 bits, until the year 2106. */
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

struct sched_pages {
	/* borrowed, as the five below */
	const struct scheduler_options *options;
	const struct sched_clock *clock;
	struct sched_queues *queues;
	struct sched_sites *sites;
	struct sched_sections *sections;
	struct sched_sources *sources;
	struct sched_page *items; /* owned */
	size_t count, cap;
	/* Documents whose pages are all evaluated again. */
	struct fifo refreshes;
	struct fifo relinks; /* documents with has_moved_pages */
	uint64_t evaluations; /* values computed so far */
};

static inline struct sched_source *
page_source(const struct sched_pages *pages, const struct sched_page *page)
{
	return &pages->sources->items[page->document];
}

static inline struct sched_site *
page_site(const struct sched_pages *pages, const struct sched_page *page)
{
	return &pages->sites->items[page_source(pages, page)->site];
}

/* page_set_gain(pages, number, gain, moves): what the page adds to the value of
 * a reading of its document, as gains_set(). */
void page_set_gain(
    struct sched_pages *, uint32_t number, double gain, double moves);

/* page_leave(pages, number): take the page away from where it waits; the
 * caller reschedules it. */
void page_leave(struct sched_pages *, uint32_t number);

/* page_is_anew(page): the page was gone, is listed again, and was not
 * fetched since. */
static inline bool
page_is_anew(const struct sched_page *page)
{
	return (page->flags & (PAGE_VERIFY | PAGE_REMOVED)) == PAGE_VERIFY;
}

/* page_reschedule(pages, number, is_now): evaluate the page and put it where it
 * belongs.  A page that may be fetched waits for its turn, now or once it is
 * worth the level; if is_now is true, at once, whatever it is worth.  Another
 * one goes into the calendar. */
void page_reschedule(struct sched_pages *, uint32_t number, bool is_now);

/* pages_reschedule(pages, numbers, count, is_now): as page_reschedule for each
 * page, but faster. */
void pages_reschedule(
    struct sched_pages *, const uint32_t *numbers, size_t count, bool is_now);

/* page_put_back(pages, number, for_s): other pages of the node go first for
 * for_s seconds, unless the page is past its ceiling. */
void page_put_back(struct sched_pages *, uint32_t number, int64_t for_s);

/* source_first_page(pages, number): the first page of the document, plus
 * one; 0: none.  Before that, pages that another document lists now are
 * moved to its list. */
uint32_t source_first_page(struct sched_pages *, uint32_t number);

/* page_is_overdue(pages, page): the page is past its ceiling.  False for
 * pages that are no longer listed, and for pages that failed until their
 * time comes. */
bool page_is_overdue(const struct sched_pages *, const struct sched_page *);

/* page_may_s(pages, page): when the page may be fetched: after its
 * floor, and after its pause when it failed.  A page that is no longer
 * listed is fetched once, to see whether it is gone, and rarely after that.
 * SCHEDULER_NEVER: not before an event. */
int64_t page_may_s(const struct sched_pages *, const struct sched_page *);

/* source_refresh(pages, number): the trust in the dates of the document has
 * changed, so evaluate all its pages, little by little. */
void source_refresh(struct sched_pages *, uint32_t number);

#endif
