/* The frontier: what it is made of, loaded and saved.  See desk.h. */
#include "crawler/frontier/frontier.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/w3cdate.h"
#include "base/wire.h"
#include "crawler/frontier/frontier_charge.h"
#include "crawler/frontier/frontier_documents.h"
#include "crawler/frontier/frontier_holds.h"
#include "crawler/frontier/frontier_hosts.h"
#include "crawler/frontier/frontier_lease.h"
#include "crawler/frontier/frontier_listed.h"
#include "crawler/frontier/frontier_load.h"
#include "crawler/frontier/frontier_parts.h"
#include "crawler/frontier/frontier_sections.h"
#include "crawler/frontier/frontier_sites.h"
#include "crawler/frontier/frontier_tags.h"
#include "crawler/frontier/frontier_told.h"
#include "sched/scheduler_hosts.h"
#include "sched/scheduler_show.h"
#include "sched/scheduler_wants.h"
#include "store/learned.h"
#include "store/since.h"
#include "store/site.h"

/* How finely time counts: bounds may be seconds. */
#define TICK_S 1
#define LEARNED_MAX 65536
/* Put back by less than that, as the scheduler has it, the clock stands. */
#define BACK_S 600
#define YEAR_S (366 * 86400)

/* The clock was put back: what was later is now, and is saved so; leases and
 * holds last as long as they would have. */
static void
put_back(struct frontier *frontier, int64_t back_s)
{
	for (uint32_t i = 0; i < frontier->page_count; i++) {
		if (ranking_has(&frontier->leases, i))
			ranking_put(&frontier->leases, i,
			    ranking_key(&frontier->leases, i) - (double)back_s);
		page_dirty(frontier, i);
	}
	for (uint32_t i = 0; i < frontier->document_count; i++)
		document_dirty(frontier, i);
	for (uint32_t i = 0; i < frontier->host_count; i++)
		host_put_back(frontier, i, back_s);
}

int64_t
frontier_clock(struct frontier *frontier, int64_t now_s)
{
	int64_t back_s = frontier->now_s - now_s;

	if (back_s > 0 && back_s <= BACK_S)
		return frontier->now_s;
	if (back_s > 0) {
		/* it follows when it is asked */
		(void)scheduler_due_of_s(
		    frontier->scheduler, now_s, SCHEDULER_KINDS_ALL);
		put_back(frontier, back_s);
	}
	frontier->now_s = now_s;
	return now_s;
}

/* Loading holds, after the clock was put back by so much. */
struct hold_load {
	struct frontier *frontier;
	int64_t back_s;
};

static void
load_held(const struct hold_load *load, struct slice host, enum held_kind kind,
    int64_t until_s)
{
	struct frontier *frontier = load->frontier;
	uint32_t number = host_put(frontier, host);

	if (until_s == 0)
		return;
	until_s -= load->back_s;
	if (until_s > frontier->now_s && until_s <= frontier->now_s + YEAR_S)
		host_hold(frontier, number, kind, until_s, "before");
	else
		frontier->hosts[number].held_s[kind] = 0;
}

static void
load_hold(void *arg, struct slice host, const struct hold_times *times)
{
	load_held(arg, host, HELD_ALL, times->all_s);
	load_held(arg, host, HELD_PAGES, times->pages_s);
}

/* Which reading was told last; and when that was saved. */
static int64_t
load_told(struct frontier *frontier)
{
	int64_t saved_s = INT64_MIN;
	struct buf data;

	buf_init(&data, LEARNED_MAX);
	if (store_learned_get(frontier->options.store, "told", 0, &data)) {
		struct wire wire = wire_open(buf_text(&data));
		int64_t told = (int64_t)wire_get_u64(&wire);
		int64_t now_s = (int64_t)wire_get_u64(&wire);
		int64_t last = store_last_reading(frontier->options.store);

		/* Where readings were lost their numbers are given again. */
		if (told > last)
			told = last;
		if (wire.ok && told > 0)
			frontier->told = frontier->told_saved = told;
		if (wire.ok && now_s > -DATE_BOUND_S && now_s < DATE_BOUND_S)
			saved_s = now_s;
	}
	buf_release(&data);
	return saved_s;
}

static bool
note_first(void *arg, const struct reading_row *row)
{
	int64_t *first_s = arg;

	if (row->at_s < *first_s)
		*first_s = row->at_s;
	return false;
}

/* When the first reading was made that the scheduler does not know; now_s at
 * the latest. */
static int64_t
first_told_s(struct frontier *frontier, int64_t now_s)
{
	store_each_reading_after(
	    frontier->options.store, frontier->told, note_first, &now_s);
	return now_s;
}

struct frontier *
frontier_new(const struct frontier_options *options, int64_t now_s)
{
	struct frontier *frontier = mem_zero(sizeof(*frontier));
	struct scheduler_options scheduler = scheduler_options_default();
	struct hold_load hold;
	int64_t saved_s;

	frontier->options = *options;
	frontier->soon_ms = INT64_MAX;
	frontier->streamed_ms = INT64_MIN;
	scheduler.tick_s = TICK_S;
	scheduler.requests_per_hour = options->requests_per_hour;
	scheduler.reads_documents = options->reads_documents;
	scheduler.asks_apart = true;
	scheduler.hash_key = options->hash_key;
	frontier->scheduler = scheduler_new(&scheduler);
	names_init(&frontier->host_names, options->hash_key);
	names_init(&frontier->origin_names, options->hash_key);
	saved_s = load_told(frontier);
	frontier->began_s = saved_s > now_s ? saved_s : now_s;
	/* What the scheduler is told of comes in order of time; and where the
	 * clock was put back it sees that. */
	frontier->now_s = first_told_s(frontier, now_s);
	if (frontier->now_s < saved_s)
		frontier->now_s = saved_s;
	frontier_load(frontier);
	frontier_sync(frontier, now_s);
	hosts_charge(frontier);
	hold = (struct hold_load){
	    frontier, frontier->began_s - frontier->now_s};
	store_each_hold(options->store, load_hold, &hold);
	return frontier;
}

static void
save_pages(struct frontier *frontier, struct buf *data)
{
	for (size_t i = 0; i < frontier->dirty_pages.count; i++) {
		uint32_t number = frontier->dirty_pages.items[i];
		struct page_at *page = &frontier->pages[number];

		buf_clear(data);
		scheduler_save_page(frontier->scheduler, number, data);
		store_page_learned(
		    frontier->options.store, page->id, buf_text(data));
		page->flags &= (uint8_t)~PAGE_DIRTY;
	}
	frontier->dirty_pages.count = 0;
}

static void
save_documents(struct frontier *frontier, struct buf *data)
{
	for (size_t i = 0; i < frontier->dirty_documents.count; i++) {
		uint32_t number = frontier->dirty_documents.items[i];
		struct document_at *document = &frontier->documents[number];

		document->is_dirty = false;
		if (document->is_replaced)
			continue;
		buf_clear(data);
		scheduler_save_document(frontier->scheduler, number, data);
		store_learned(frontier->options.store, "document", document->id,
		    buf_text(data));
	}
	frontier->dirty_documents.count = 0;
}

static void
save_sites(struct frontier *frontier, struct buf *data)
{
	for (size_t i = 0; i < frontier->dirty_sites.count; i++) {
		struct site_at
		    *site = &frontier->sites[frontier->dirty_sites.items[i]];

		site->is_dirty = false;
		buf_clear(data);
		scheduler_save_site(frontier->scheduler, site->number, data);
		store_learned(
		    frontier->options.store, "site", site->id, buf_text(data));
	}
	frontier->dirty_sites.count = 0;
}

/* After the clock was put back they last as long as they would have. */
static void
save_holds(struct frontier *frontier)
{
	for (uint32_t i = 0; i < frontier->host_count; i++)
		if (host_held_s(frontier, i) != INT64_MIN)
			host_keep(frontier, i);
	frontier->has_moved_holds = false;
}

static void
save_told(struct frontier *frontier, struct buf *data)
{
	buf_clear(data);
	wire_put_u64(data, (uint64_t)frontier->told);
	wire_put_u64(data, (uint64_t)frontier->now_s);
	store_learned(frontier->options.store, "told", 0, buf_text(data));
	frontier->told_saved = frontier->told;
}

void
frontier_save(struct frontier *frontier)
{
	bool is_learned = frontier->dirty_pages.count > 0 ||
	    frontier->dirty_documents.count > 0 ||
	    frontier->told != frontier->told_saved;
	struct buf data;

	if (frontier->has_moved_holds)
		save_holds(frontier);

	if (!is_learned && !store_pending(frontier->options.store))
		return;
	buf_init(&data, LEARNED_MAX);
	/* with each lease: when that was */
	save_told(frontier, &data);
	if (is_learned) {
		save_pages(frontier, &data);
		save_documents(frontier, &data);
		save_sites(frontier, &data);
		sections_save(frontier);
		buf_clear(&data);
		scheduler_save_all(frontier->scheduler, &data);
		store_learned(
		    frontier->options.store, "all", 0, buf_text(&data));
	}
	buf_release(&data);
}

void
frontier_free(struct frontier *frontier)
{
	if (frontier == NULL)
		return;
	listed_release(frontier);
	leases_release(frontier);
	tags_release(frontier);
	sites_release(frontier);
	origins_release(frontier);
	scheduler_free(frontier->scheduler);
	free(frontier->pages);
	free(frontier->sections);
	idmap_release(&frontier->site_of);
	idmap_release(&frontier->document_of);
	idmap_release(&frontier->page_of);
	idmap_release(&frontier->section_of);
	free(frontier->dirty_pages.items);
	free(frontier->dirty_documents.items);
	free(frontier->dirty_sites.items);
	free(frontier->dirty_sections.items);
	free(frontier->doubted_sites.items);
	free(frontier);
}
