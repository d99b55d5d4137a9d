/* The frontier's tables, and its clock: see frontier_tables.h. */
#include "crawler/frontier/frontier_tables.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/idmap.h"
#include "base/mem.h"
#include "base/names.h"
#include "sched/scheduler_events.h"
#include "sched/scheduler_next.h"

/* A clock that was put back by no more than this stands still instead; the
 * scheduler has the same limit. */
#define BACK_S 600

void
number_list_add(struct number_list *list, uint32_t number)
{
	list->items = mem_grow(
	    list->items, &list->cap, list->count + 1, sizeof(*list->items));
	list->items[list->count++] = number;
}

/* Pages. */

struct page_table {
	struct page_item *items; /* owned */
	size_t count, cap;
	struct idmap by_url; /* hash of the URL -> number */
	uint64_t hash_key;
	struct number_list dirty;
};

struct page_table *
page_table_new(uint64_t hash_key)
{
	struct page_table *table = mem_zero(sizeof(*table));

	table->hash_key = hash_key;
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
	int64_t key = (int64_t)(hash_key(url, table->hash_key) &
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

/* Hosts. */

struct host_table {
	struct names names;
	struct host_item *items; /* owned */
	size_t count, cap;
};

struct host_table *
host_table_new(uint64_t hash_key)
{
	struct host_table *table = mem_zero(sizeof(*table));

	names_init(&table->names, hash_key);
	return table;
}

void
host_table_free(struct host_table *table)
{
	names_release(&table->names);
	free(table->items);
	free(table);
}

uint32_t
host_add(struct host_table *table, struct slice name, bool *is_new)
{
	uint32_t number = names_put(&table->names, name);

	*is_new = number >= table->count;
	if (!*is_new)
		return number;
	table->items = mem_grow(table->items, &table->cap, (size_t)number + 1,
	    sizeof(*table->items));
	table->items[number] = (struct host_item){
	    .number = NONE, .held_s = {INT64_MIN, INT64_MIN}};
	table->count = (size_t)number + 1;
	return number;
}

uint32_t
host_find(const struct host_table *table, struct slice name)
{
	return names_find(&table->names, name);
}

struct host_item *
host_at(const struct host_table *table, uint32_t host)
{
	return &table->items[host];
}

const char *
host_name(const struct host_table *table, uint32_t host)
{
	return names_text(&table->names, host);
}

uint32_t
host_count(const struct host_table *table)
{
	return (uint32_t)table->count;
}

/* Origins. */

struct origin_table {
	struct names names;
	struct origin_item *items; /* owned */
	size_t count, cap;
};

struct origin_table *
origin_table_new(uint64_t hash_key)
{
	struct origin_table *table = mem_zero(sizeof(*table));

	names_init(&table->names, hash_key);
	return table;
}

void
origin_table_free(struct origin_table *table)
{
	for (size_t i = 0; i < table->count; i++)
		robots_free(table->items[i].robots);
	names_release(&table->names);
	free(table->items);
	free(table);
}

uint32_t
origin_add(struct origin_table *table, struct slice name, bool *is_new)
{
	uint32_t number = names_put(&table->names, name);

	*is_new = number >= table->count;
	if (!*is_new)
		return number;
	table->items = mem_grow(table->items, &table->cap, (size_t)number + 1,
	    sizeof(*table->items));
	table->items[number] = (struct origin_item){0};
	table->count = (size_t)number + 1;
	return number;
}

uint32_t
origin_find(const struct origin_table *table, struct slice name)
{
	return names_find(&table->names, name);
}

struct origin_item *
origin_at(const struct origin_table *table, uint32_t origin)
{
	return &table->items[origin];
}

const char *
origin_name(const struct origin_table *table, uint32_t origin)
{
	return names_text(&table->names, origin);
}

uint32_t
origin_count(const struct origin_table *table)
{
	return (uint32_t)table->count;
}

/* Sites. */

struct frontier_site_table {
	struct site_item *items; /* owned, and their strings */
	size_t count, cap;
	struct idmap by_id;
	uint64_t changes;
	/* a ring: change n at n % SITE_CHANGES */
	uint32_t changed[SITE_CHANGES];
	struct number_list dirty, suspect;
};

struct frontier_site_table *
frontier_site_table_new(void)
{
	return mem_zero(sizeof(struct frontier_site_table));
}

void
frontier_site_table_free(struct frontier_site_table *table)
{
	for (size_t i = 0; i < table->count; i++) {
		strings_release(&table->items[i].sections);
		strings_release(&table->items[i].tags);
	}
	free(table->items);
	idmap_release(&table->by_id);
	free(table->dirty.items);
	free(table->suspect.items);
	free(table);
}

uint32_t
site_add(struct frontier_site_table *table, const struct site_item *item)
{
	uint32_t number = (uint32_t)table->count++;

	table->items = mem_grow(
	    table->items, &table->cap, table->count, sizeof(*table->items));
	table->items[number] = *item;
	idmap_put(&table->by_id, item->id, number);
	site_suspect(table, number);
	return number;
}

uint32_t
site_by_id(const struct frontier_site_table *table, int64_t id)
{
	return idmap_get(&table->by_id, id);
}

struct site_item *
site_at(const struct frontier_site_table *table, uint32_t site)
{
	return &table->items[site];
}

uint32_t
site_count(const struct frontier_site_table *table)
{
	return (uint32_t)table->count;
}

void
site_changed(struct frontier_site_table *table, uint32_t site)
{
	table->changed[table->changes++ % SITE_CHANGES] = site;
}

uint64_t
site_changes(const struct frontier_site_table *table)
{
	return table->changes;
}

uint32_t
site_change(const struct frontier_site_table *table, uint64_t n)
{
	return table->changed[n % SITE_CHANGES];
}

void
site_dirty(struct frontier_site_table *table, uint32_t site)
{
	if (!table->items[site].is_dirty)
		number_list_add(&table->dirty, site);
	table->items[site].is_dirty = true;
}

struct number_list *
site_dirty_list(struct frontier_site_table *table)
{
	return &table->dirty;
}

void
site_suspect(struct frontier_site_table *table, uint32_t site)
{
	if (!table->items[site].is_suspect)
		number_list_add(&table->suspect, site);
	table->items[site].is_suspect = true;
}

struct number_list *
site_suspect_list(struct frontier_site_table *table)
{
	return &table->suspect;
}

/* Documents. */

struct document_table {
	struct document_item *items; /* owned */
	size_t count, cap;
	struct idmap by_id;
	struct number_list dirty;
};

struct document_table *
document_table_new(void)
{
	return mem_zero(sizeof(struct document_table));
}

void
document_table_free(struct document_table *table)
{
	free(table->items);
	idmap_release(&table->by_id);
	free(table->dirty.items);
	free(table);
}

void
document_add(struct document_table *table, uint32_t number,
    const struct document_item *item)
{
	table->items = mem_grow(table->items, &table->cap, (size_t)number + 1,
	    sizeof(*table->items));
	table->items[number] = *item;
	table->count = (size_t)number + 1;
	document_set(table, number);
}

void
document_set(struct document_table *table, uint32_t number)
{
	idmap_put(&table->by_id, table->items[number].id, number);
}

uint32_t
document_by_id(const struct document_table *table, int64_t id)
{
	return idmap_get(&table->by_id, id);
}

struct document_item *
document_at(const struct document_table *table, uint32_t document)
{
	return &table->items[document];
}

uint32_t
document_count(const struct document_table *table)
{
	return (uint32_t)table->count;
}

void
document_dirty(struct document_table *table, uint32_t number)
{
	if (!table->items[number].is_dirty)
		number_list_add(&table->dirty, number);
	table->items[number].is_dirty = true;
}

struct number_list *
document_dirty_list(struct document_table *table)
{
	return &table->dirty;
}

/* The clock. */

static void
hold_put_back(struct frontier *frontier, uint32_t host, enum held_kind kind,
    int64_t back_s)
{
	int64_t *held_s = &host_at(frontier->hosts, host)->held_s[kind];
	uint32_t hold = host * HELD_KINDS + kind;

	if (*held_s == INT64_MIN)
		return;
	/* a hold that is over must not begin again */
	*held_s = *held_s > frontier->now_s ? *held_s - back_s : 0;
	frontier->has_moved_holds = true;
	if (ranking_has(&frontier->holds, hold))
		ranking_put(&frontier->holds, hold, (double)*held_s);
}

/* The clock was put back: leases and holds last as long as they would have.
 * The scheduler has moved later times of its items to now, so all are saved. */
static void
put_back(struct frontier *frontier, int64_t back_s)
{
	for (uint32_t i = 0; i < page_count(frontier->pages); i++) {
		if (ranking_has(&frontier->leases, i))
			ranking_put(&frontier->leases, i,
			    ranking_key(&frontier->leases, i) - (double)back_s);
		page_dirty(frontier->pages, i);
	}
	for (uint32_t i = 0; i < document_count(frontier->documents); i++)
		document_dirty(frontier->documents, i);
	for (uint32_t i = 0; i < host_count(frontier->hosts); i++) {
		hold_put_back(frontier, i, HELD_ALL, back_s);
		hold_put_back(frontier, i, HELD_PAGES, back_s);
	}
}

int64_t
frontier_clock(struct frontier *frontier, int64_t now_s)
{
	int64_t back_s = frontier->now_s - now_s;

	if (back_s > 0 && back_s <= BACK_S)
		return frontier->now_s;
	if (back_s > 0) {
		/* the scheduler follows a clock when it is asked anything */
		(void)scheduler_due_of_s(
		    frontier->scheduler, now_s, SCHEDULER_KINDS_ALL);
		put_back(frontier, back_s);
	}
	frontier->now_s = now_s;
	return now_s;
}

void
page_return(struct frontier *frontier, uint32_t number)
{
	scheduler_give_back(frontier->scheduler, frontier->now_s,
	    &(struct scheduler_choice){
		.kind = SCHEDULER_PAGE, .number = number});
}

void
document_return(struct frontier *frontier, uint32_t number)
{
	struct document_item *document = document_at(
	    frontier->documents, number);

	if (!document->is_out && !document->is_skipped)
		return;
	document->is_out = document->is_skipped = false;
	scheduler_give_back(frontier->scheduler, frontier->now_s,
	    &(struct scheduler_choice){
		.kind = SCHEDULER_DOCUMENT, .number = number});
}
