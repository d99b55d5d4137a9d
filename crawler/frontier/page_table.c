/* Pages. */
#include "crawler/frontier/page_table.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/idmap.h"
#include "base/mem.h"
#include "sched/scheduler_next.h"

struct page_table {
	const struct frontier_context *context;
	struct page_item *items; /* owned */
	size_t count, cap;
	struct idmap by_url; /* hash of the URL -> number */
	struct number_list dirty;
};

struct page_table *
page_table_new(const struct frontier_context *context)
{
	struct page_table *table = mem_zero(sizeof(*table));

	table->context = context;
	return table;
}

void
page_table_free(struct page_table *table)
{
	free(table->items);
	idmap_release(&table->by_url);
	free(table->dirty.items);
	free(table);
}

static int64_t
url_key(const struct page_table *table, struct slice url)
{
	int64_t key = (int64_t)(hash_key(
				    url, table->context->options.hash_key) &
	    (uint64_t)INT64_MAX);

	return key == 0 ? 1 : key;
}

uint32_t
page_add(
    struct page_table *table, const struct page_item *item, struct slice url)
{
	uint32_t number = (uint32_t)table->count++;

	table->items = mem_grow(
	    table->items, &table->cap, table->count, sizeof(*table->items));
	table->items[number] = *item;
	idmap_put(&table->by_url, url_key(table, url), number);
	return number;
}

struct page_item *
page_at(const struct page_table *table, uint32_t page)
{
	return &table->items[page];
}

uint32_t
page_count(const struct page_table *table)
{
	return (uint32_t)table->count;
}

uint32_t
page_by_id(const struct page_table *table, int64_t id)
{
	size_t first = 0, last = table->count;
	size_t guess = 0;

	/* Most ids rise by one from page to page, so that no search is needed:
	 * among a million pages it would wait for memory twenty times. */
	if (last > 0 && id > table->items[0].id)
		guess = (size_t)(id - table->items[0].id);
	if (guess < last && table->items[guess].id == id)
		return (uint32_t)guess;
	while (first < last) {
		size_t middle = first + (last - first) / 2;

		if (table->items[middle].id < id)
			first = middle + 1;
		else
			last = middle;
	}
	if (first < table->count && table->items[first].id == id)
		return (uint32_t)first;
	return NONE;
}

uint32_t
page_by_url(const struct page_table *table, struct slice url)
{
	return idmap_get(&table->by_url, url_key(table, url));
}

void
page_dirty(struct page_table *table, uint32_t number)
{
	struct page_item *page = &table->items[number];

	if ((page->flags & PAGE_DIRTY) == 0)
		number_list_add(&table->dirty, number);
	page->flags |= PAGE_DIRTY;
}

struct number_list *
page_dirty_list(struct page_table *table)
{
	return &table->dirty;
}

void
page_list_add(struct page_table *table, struct page_list *list, uint32_t number)
{
	struct page_item *page = &table->items[number];

	page->next = 0;
	page->before = list->last;
	if (list->last == 0)
		list->first = number + 1;
	else
		table->items[list->last - 1].next = number + 1;
	list->last = number + 1;
}

void
page_list_remove(
    struct page_table *table, struct page_list *list, uint32_t number)
{
	struct page_item *page = &table->items[number];

	if (page->before == 0)
		list->first = page->next;
	else
		table->items[page->before - 1].next = page->next;
	if (page->next == 0)
		list->last = page->before;
	else
		table->items[page->next - 1].before = page->before;
	page->next = page->before = 0;
}

void
page_return(struct page_table *table, uint32_t number)
{
	scheduler_give_back(table->context->scheduler, table->context->now_s,
	    &(struct scheduler_choice){
		.kind = SCHEDULER_PAGE, .number = number});
}
