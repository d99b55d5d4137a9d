/*
 * Pages of the frontier, and lists of pages that wait for the same thing.
 *
 * A page is known by its number, which is the scheduler's, and its struct is
 * the scheduler's (sched/pages.h), with fields for the frontier.  Numbers rise
 * from 0, ids rise with them, and no page is ever removed.
 */
#ifndef FRESHET_PAGE_TABLE_H
#define FRESHET_PAGE_TABLE_H

#include <stdint.h>

#include "base/slice.h"

struct frontier;

/* Pages that wait for the same thing, in order.  first and last are numbers of
 * pages plus one; 0: the list is empty. */
struct page_list {
	uint32_t first, last;
};

/* In sched_page.owner_flags. */
enum page_item_flag {
	PAGE_LEASED = 1,
	PAGE_READY = 2, /* chosen, and in the ready queue of its host */
	PAGE_CLOSED = 4, /* chosen, and robots.txt disallows it */
	PAGE_INELIGIBLE = 8, /* chosen, and its site does not want it */
	PAGE_DIRTY = 16, /* something was learned of it and is not saved */
	PAGE_UNLISTED = 32 /* its parent document does not list it any more */
};

/* page_name(frontier, page, url): from now on page_by_url() finds the page,
 * which the scheduler has just added. */
void page_name(struct frontier *, uint32_t page, struct slice url);

/* page_by_id, page_by_url: by id or by normalised URL; NONE: unknown. */
uint32_t page_by_id(const struct frontier *, int64_t id);
uint32_t page_by_url(const struct frontier *, struct slice url);

/* page_dirty(frontier, page): what was learned of the page is to be saved. */
void page_dirty(struct frontier *, uint32_t page);

/* page_list_add(frontier, list, page): add the page at the end.
 * page_list_remove: remove the page, wherever it is in the list.  Both take
 * constant time. */
void page_list_add(struct frontier *, struct page_list *, uint32_t page);
void page_list_remove(struct frontier *, struct page_list *, uint32_t page);

/* page_return(frontier, page): the scheduler may choose the page again. */
void page_return(struct frontier *, uint32_t page);

#endif
