/* The URLs that a site lists, and those that left its windows, each once. */
#include "store/site_list.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/mem.h"
#include "store/left_page.h"
#include "store/site_walk.h"

/* how many entries are in memory at once; they take 50 MB */
#define WINDOW_ENTRIES 300000
#define WINDOW_FEW 30000

/* An entry of one document. */
struct listed_entry {
	struct entry entry;
	/* where the URL of the entry begins in the text of the list */
	size_t at;
	int64_t document_id;
};

struct site_list {
	struct site_walk *walk; /* owned */
	struct buf text; /* the URLs of the window */
	struct listed_entry *items; /* owned; the entries of the window */
	size_t count, cap;
	size_t next; /* item that site_list_next() returns next */
	char *after; /* owned; only URLs after this one come; NULL: all */
	struct store *store;
	int64_t site_id;
	/* Owned; the next page that left a window, which may be listed; NULL:
	 * none is left. */
	char *left;
	uint8_t left_verdict;
	char *left_before; /* owned; the one before; NULL: none was */
};

static bool
on_left(void *arg, const struct left_page *page)
{
	struct site_list *list = arg;

	list->left = slice_dup(page->url);
	list->left_verdict = page->verdict;
	return false;
}

/* Move to the next page that left a window, after that URL. */
static void
next_left(struct site_list *list, struct slice after)
{
	char *before = list->left;

	list->left = NULL;
	store_each_left_page(list->store, list->site_id, after, on_left, list);
	free(list->left_before);
	list->left_before = before;
}

struct site_list *
site_list_new(struct store *store, int64_t site_id)
{
	struct site_list *list = mem_zero(sizeof(*list));

	list->store = store;
	list->site_id = site_id;
	list->walk = site_walk_new(store, site_id, WINDOW_ENTRIES);
	buf_init(&list->text, SIZE_MAX);
	next_left(list, slice_of(""));
	return list;
}

struct site_list *
site_list_new_after(struct store *store, int64_t site_id, struct slice url)
{
	struct site_list *list = mem_zero(sizeof(*list));

	list->store = store;
	list->site_id = site_id;
	list->walk = site_walk_new(store, site_id, WINDOW_FEW);
	site_walk_skip(list->walk, url);
	list->after = slice_dup(url);
	buf_init(&list->text, SIZE_MAX);
	next_left(list, url);
	return list;
}

void
site_list_free(struct site_list *list)
{
	if (list == NULL)
		return;
	site_walk_free(list->walk);
	buf_release(&list->text);
	free(list->items);
	free(list->after);
	free(list->left);
	free(list->left_before);
	free(list);
}

/* Returns the rank of an entry.  Of several entries with one URL, the one with
 * the lowest rank says best how the site lists the URL. */
static int
rank(const struct entry *entry)
{
	return entry->missed > 0 ? 2 : entry->verdict != VERDICT_ACCEPTED;
}

static int
by_url(const void *a, const void *b)
{
	const struct listed_entry *one = a, *other = b;
	int order = slice_order(one->entry.url, other->entry.url);

	if (order == 0)
		order = rank(&one->entry) - rank(&other->entry);
	if (order == 0)
		order = one->document_id < other->document_id ? -1 : 1;
	return order;
}

/* Load the next window that has entries; false if there is none. */
static bool
load(struct site_list *list)
{
	struct listed_entry item;

	list->count = list->next = 0;
	buf_clear(&list->text);
	while (list->count == 0 && site_walk_window(list->walk))
		while (site_walk_next(
		    list->walk, &item.document_id, &item.entry)) {
			if (list->after != NULL &&
			    slice_order(
				item.entry.url, slice_of(list->after)) <= 0)
				continue;
			item.at = list->text.len;
			(void)buf_put_slice(&list->text, item.entry.url);
			list->items = mem_grow(list->items, &list->cap,
			    list->count + 1, sizeof(*list->items));
			list->items[list->count++] = item;
		}
	for (size_t i = 0; i < list->count; i++)
		list->items[i].entry.url = slice_make(
		    list->text.p + list->items[i].at,
		    list->items[i].entry.url.len);
	if (list->count == 0)
		return false;
	qsort(list->items, list->count, sizeof(*list->items), by_url);
	return true;
}

bool
site_list_next(
    struct site_list *list, int64_t *document_id, struct entry *entry)
{
	bool has_item = list->next < list->count || load(list);
	int order = !has_item ? 1 : -1;
	struct slice url;

	if (!has_item && list->left == NULL)
		return false;
	if (has_item && list->left != NULL)
		order = slice_order(
		    list->items[list->next].entry.url, slice_of(list->left));
	if (order >= 0)
		next_left(list, slice_of(list->left));
	if (order > 0) {
		*document_id = 0;
		*entry = (struct entry){.url = slice_of(list->left_before),
		    .verdict = list->left_verdict};
		return true;
	}
	*document_id = list->items[list->next].document_id;
	*entry = list->items[list->next].entry;
	url = entry->url;
	while (list->next < list->count &&
	    slice_equal(list->items[list->next].entry.url, url))
		list->next++;
	return true;
}
