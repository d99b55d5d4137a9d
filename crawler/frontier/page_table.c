/* Pages of the frontier. */
#include "crawler/frontier/page_table.h"

#include "base/hash.h"
#include "crawler/frontier/frontier_tables.h"
#include "sched/scheduler_next.h"

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
