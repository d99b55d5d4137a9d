/*
 * Pages, and their parent documents.
 *
 * A page is promoted from an entry of a document, its parent; the dates of a
 * page are trusted as much as those of its parent.  When the parent does not
 * list the page any more, another document of the site that lists it becomes
 * the parent.
 */
#ifndef FRESHET_PAGE_PARENTS_H
#define FRESHET_PAGE_PARENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"
#include "base/w3cdate.h"
#include "sched/scheduler_events.h"
#include "store/outcome.h"

struct frontier;
struct change;
struct page_row;

/* page_promote(frontier, row, is_out): make a page of that row; is_out: it is
 * leased, or chosen.  Returns its number; NONE: its document is unknown, or the
 * ids of a damaged store do not rise. */
uint32_t page_promote(struct frontier *, const struct page_row *, bool is_out);

/* page_is_eligible(frontier, page): does somebody want the page?  False if its
 * parent document is an orphan, or its site was removed.  page_update(frontier,
 * page): tell the scheduler whether the page is eligible. To be called when
 * that may have changed. */
bool page_is_eligible(const struct frontier *, uint32_t page);
void page_update(struct frontier *, uint32_t page);

/* Of the pages that leave a document in one reading, this many are looked up
 * in all other documents; the others are found when those documents are read
 * next. */
#define PARENT_LOOKUPS 1000

/* page_find_parent(frontier, page, url): move the page to another document of
 * its site that lists it; false: there is none. */
bool page_find_parent(struct frontier *, uint32_t page, struct slice url);

/* page_listed_by(frontier, page, document, lastmod): the document lists the
 * page with that date.  If no document listed the page, or its parent cannot
 * list it any more, the document becomes its parent. */
void page_listed_by(struct frontier *, uint32_t page, uint32_t document,
    const struct date *lastmod);

/* page_apply(frontier, page, document, change): apply a change of the page that
 * a reading of its parent document found. */
void page_apply(
    struct frontier *, uint32_t page, uint32_t document, const struct change *);

/* change_removes(change): does the document list the URL no more, or is it
 * refused?  An entry is removed when it is missing the second time. */
bool change_removes(const struct change *);

/* signal_date(date, is_day): the time at which a date begins;
 * SCHEDULER_NO_DATE: there is no date, or a month or a year. */
int64_t signal_date(const struct date *, bool *is_day);

/* page_outcome_kind(outcome): the scheduler's name of the outcome of a fetch.
 * page_learned(frontier, page, url): the scheduler has learned from a fetch of
 * the page: mark the page, its folders, its document and its site to be
 * saved. */
enum scheduler_outcome_kind page_outcome_kind(enum page_outcome);
void page_learned(struct frontier *, uint32_t page, struct slice url);

/* orphans_refresh(frontier): find out which documents of the suspect sites
 * (site_suspect()) are orphans.  Orphans are not read, and their pages are not
 * leased unless another document lists them.  To be called before anything is
 * chosen; cheap when no site is suspect. */
void orphans_refresh(struct frontier *);

#endif
