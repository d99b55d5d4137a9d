/*
 * The table of pages, and lists of pages that wait for the same thing.
 *
 * A page is known by its number, which is the scheduler's.  Numbers rise from
 * 0, and no page is ever removed.
 */
#ifndef FRESHET_PAGE_TABLE_H
#define FRESHET_PAGE_TABLE_H

#include <stdint.h>

#include "base/slice.h"
#include "crawler/frontier/frontier_context.h"

/* Pages that wait for the same thing, in order.  first and last are numbers of
 * pages plus one; 0: the list is empty. */
struct page_list {
	uint32_t first, last;
};

enum page_item_flag {
	PAGE_LEASED = 1,
	PAGE_READY = 2, /* chosen, and in the ready queue of its host */
	PAGE_CLOSED = 4, /* chosen, and robots.txt disallows it */
	PAGE_INELIGIBLE = 8, /* chosen, and its site does not want it */
	PAGE_DIRTY = 16, /* something was learned of it and is not saved */
	PAGE_UNLISTED = 32 /* its parent document does not list it any more */
};

/* A page.  Ids rise with numbers. */
struct page_item {
	int64_t id;
	uint32_t origin;
	uint32_t document; /* the parent document */
	uint32_t next, before; /* in its page_list, plus one */
	float value; /* when the scheduler chose it */
	uint16_t consumer; /* slot of the consumer that leased it; 0: none */
	uint8_t flags; /* enum page_item_flag */
	uint8_t reason; /* enum scheduler_reason */
};

struct page_table;

struct page_table *page_table_new(const struct frontier_context *);
void page_table_free(struct page_table *);

/* page_add(table, item, url): a new page; returns its number.  page_count:
 * how many there are. */
uint32_t page_add(
    struct page_table *, const struct page_item *, struct slice url);
struct page_item *page_at(const struct page_table *, uint32_t page);
uint32_t page_count(const struct page_table *);

/* page_by_id, page_by_url: by id or by normalised URL; NONE: unknown. */
uint32_t page_by_id(const struct page_table *, int64_t id);
uint32_t page_by_url(const struct page_table *, struct slice url);

/* page_dirty(table, page): what was learned of the page is to be saved.
 * page_dirty_list(table): the dirty pages; the caller that saves them empties
 * the list and clears PAGE_DIRTY. */
void page_dirty(struct page_table *, uint32_t page);
struct number_list *page_dirty_list(struct page_table *);

/* page_list_add(table, list, page): add the page at the end. page_list_remove:
 * remove the page, wherever it is in the list.  Both take constant time. */
void page_list_add(struct page_table *, struct page_list *, uint32_t page);
void page_list_remove(struct page_table *, struct page_list *, uint32_t page);

/* page_return(table, page): the scheduler may choose the page again. */
void page_return(struct page_table *, uint32_t page);

#endif
