/* The frontier's tables, its clock, and pages. */
#include "crawler/frontier/frontier_tables.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/url.h"
#include "crawler/frontier/pacer.h"
#include "sched/scheduler_next.h"

#define TICK_S 1 /* of the scheduler: intervals may be seconds */

struct frontier *
frontier_tables_new(const struct frontier_options *options)
{
	struct frontier *f = mem_zero(sizeof(*f));
	struct scheduler_options of = scheduler_options_default();

	of.tick_s = TICK_S;
	of.requests_per_hour = options->requests_per_hour;
	of.reads_documents = options->reads_documents;
	of.asks_apart = true;
	f->store = options->store;
	f->scheduler = scheduler_new(&of);
	f->context.options = *options;
	f->context.scheduler = f->scheduler;
	f->hosts = host_table_new(&f->context);
	names_init(&f->origins.names, options->hash_key);
	f->pacer = pacer_new(&f->context, f->hosts);
	buf_init(&f->told_url, URL_MAX_BYTES);
	return f;
}

void
consumer_forget(struct consumer_table *table, size_t number)
{
	if (table->items[number] == NULL)
		return;
	free(table->items[number]->items);
	free(table->items[number]);
	table->items[number] = NULL;
}

void
frontier_free(struct frontier *f)
{
	if (f == NULL)
		return;
	buf_release(&f->told_url);
	candidate_cache_release(&f->candidates);
	ranking_release(&f->ready.turns);
	pacer_free(f->pacer);
	ranking_release(&f->lease_ends);
	for (size_t i = 0; i < f->consumer_table.count; i++)
		consumer_forget(&f->consumer_table, i);
	free(f->consumer_table.items);
	idmap_release(&f->section_by_key);
	idmap_release(&f->document_by_id);
	free(f->origins.items);
	names_release(&f->origins.names);
	for (size_t i = 0; i < f->sites.count; i++) {
		strings_release(&f->sites.items[i].sections);
		strings_release(&f->sites.items[i].tags);
	}
	free(f->sites.items);
	idmap_release(&f->sites.by_id);
	free(f->dirty_pages.items);
	free(f->dirty_documents.items);
	free(f->dirty_sites.items);
	free(f->dirty_sections.items);
	free(f->suspects.items);
	for (size_t i = 0; i < f->tags.count; i++)
		free(f->tags.items[i].name);
	free(f->tags.items);
	free(f->tags.mixes);
	host_table_free(f->hosts);
	idmap_release(&f->page_by_url);
	scheduler_free(f->scheduler);
	free(f);
}

int64_t
frontier_clock(struct frontier *f, int64_t now_s)
{
	if (now_s > f->context.now_s)
		f->context.now_s = now_s;
	return f->context.now_s;
}

/* Pages. */

static int64_t
url_key(const struct frontier *f, struct slice url)
{
	int64_t key = (int64_t)(hash_key(url, f->context.options.hash_key) &
	    (uint64_t)INT64_MAX);

	return key == 0 ? 1 : key;
}

void
page_name(struct frontier *f, uint32_t number, struct slice url)
{
	idmap_put(&f->page_by_url, url_key(f, url), number);
}

uint32_t
page_by_id(const struct frontier *f, int64_t id)
{
	size_t first = 0, last = page_count(f);
	size_t guess = 0;

	/* Most ids rise by one from page to page, so that no search is needed:
	 * among a million pages it would wait for memory twenty times. */
	if (last > 0 && id > page_at(f, 0)->id)
		guess = (size_t)(id - page_at(f, 0)->id);
	if (guess < last && page_at(f, (uint32_t)guess)->id == id)
		return (uint32_t)guess;
	while (first < last) {
		size_t middle = first + (last - first) / 2;

		if (page_at(f, (uint32_t)middle)->id < id)
			first = middle + 1;
		else
			last = middle;
	}
	if (first < page_count(f) && page_at(f, (uint32_t)first)->id == id)
		return (uint32_t)first;
	return NONE;
}

uint32_t
page_by_url(const struct frontier *f, struct slice url)
{
	return idmap_get(&f->page_by_url, url_key(f, url));
}

void
page_dirty(struct frontier *f, uint32_t number)
{
	struct sched_page *page = page_at(f, number);

	if ((page->owner_flags & PAGE_DIRTY) == 0)
		number_list_add(&f->dirty_pages, number);
	page->owner_flags |= PAGE_DIRTY;
}

void
page_list_add(struct frontier *f, struct page_list *list, uint32_t number)
{
	struct sched_page *page = page_at(f, number);

	page->after = 0;
	page->before = list->last;
	if (list->last == 0)
		list->first = number + 1;
	else
		page_at(f, list->last - 1)->after = number + 1;
	list->last = number + 1;
}

void
page_list_remove(struct frontier *f, struct page_list *list, uint32_t number)
{
	struct sched_page *page = page_at(f, number);

	if (page->before == 0)
		list->first = page->after;
	else
		page_at(f, page->before - 1)->after = page->after;
	if (page->after == 0)
		list->last = page->before;
	else
		page_at(f, page->after - 1)->before = page->before;
	page->after = page->before = 0;
}

void
page_return(struct frontier *f, uint32_t number)
{
	scheduler_give_back(f->scheduler, f->context.now_s,
	    &(struct scheduler_choice){
		.kind = SCHEDULER_PAGE, .number = number});
}
