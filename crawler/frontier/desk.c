/* The desk: what it is made of, loaded and saved.  See desk.h. */
#include "crawler/frontier/desk.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/w3cdate.h"
#include "base/wire.h"
#include "crawler/frontier/desk_charge.h"
#include "crawler/frontier/desk_documents.h"
#include "crawler/frontier/desk_holds.h"
#include "crawler/frontier/desk_hosts.h"
#include "crawler/frontier/desk_lease.h"
#include "crawler/frontier/desk_listed.h"
#include "crawler/frontier/desk_load.h"
#include "crawler/frontier/desk_parts.h"
#include "crawler/frontier/desk_sections.h"
#include "crawler/frontier/desk_sites.h"
#include "crawler/frontier/desk_tags.h"
#include "crawler/frontier/desk_told.h"
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
put_back(struct desk *desk, int64_t back_s)
{
	for (uint32_t i = 0; i < desk->page_count; i++) {
		if (ranking_has(&desk->leases, i))
			ranking_put(&desk->leases, i,
			    ranking_key(&desk->leases, i) - (double)back_s);
		page_dirty(desk, i);
	}
	for (uint32_t i = 0; i < desk->document_count; i++)
		document_dirty(desk, i);
	for (uint32_t i = 0; i < desk->host_count; i++)
		host_put_back(desk, i, back_s);
}

int64_t
desk_clock(struct desk *desk, int64_t now_s)
{
	int64_t back_s = desk->now_s - now_s;

	if (back_s > 0 && back_s <= BACK_S)
		return desk->now_s;
	if (back_s > 0) {
		/* it follows when it is asked */
		(void)scheduler_due_of_s(
		    desk->scheduler, now_s, SCHEDULER_WANTS_ALL);
		put_back(desk, back_s);
	}
	desk->now_s = now_s;
	return now_s;
}

/* Loading holds, after the clock was put back by so much. */
struct hold_load {
	struct desk *desk;
	int64_t back_s;
};

static void
load_held(const struct hold_load *load, struct slice host, enum held_kind kind,
    int64_t until_s)
{
	struct desk *desk = load->desk;
	uint32_t number = host_put(desk, host);

	if (until_s == 0)
		return;
	until_s -= load->back_s;
	if (until_s > desk->now_s && until_s <= desk->now_s + YEAR_S)
		host_hold(desk, number, kind, until_s, "before");
	else
		desk->hosts[number].held_s[kind] = 0;
}

static void
load_hold(void *arg, struct slice host, const struct hold_times *times)
{
	load_held(arg, host, HELD_ALL, times->all_s);
	load_held(arg, host, HELD_PAGES, times->pages_s);
}

/* Which reading was told last; and when that was saved. */
static int64_t
load_told(struct desk *desk)
{
	int64_t saved_s = INT64_MIN;
	struct buf data;

	buf_init(&data, LEARNED_MAX);
	if (store_learned_get(desk->options.store, "told", 0, &data)) {
		struct wire wire = wire_open(buf_text(&data));
		int64_t told = (int64_t)wire_get_u64(&wire);
		int64_t now_s = (int64_t)wire_get_u64(&wire);
		int64_t last = store_last_reading(desk->options.store);

		/* Where readings were lost their numbers are given again. */
		if (told > last)
			told = last;
		if (wire.ok && told > 0)
			desk->told = desk->told_saved = told;
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
first_told_s(struct desk *desk, int64_t now_s)
{
	store_each_reading_after(
	    desk->options.store, desk->told, note_first, &now_s);
	return now_s;
}

struct desk *
desk_new(const struct desk_options *options, int64_t now_s)
{
	struct desk *desk = mem_zero(sizeof(*desk));
	struct scheduler_options scheduler = scheduler_options_default();
	struct hold_load hold;
	int64_t saved_s;

	desk->options = *options;
	desk->soon_ms = INT64_MAX;
	desk->streamed_ms = INT64_MIN;
	scheduler.tick_s = TICK_S;
	scheduler.requests_per_hour = options->requests_per_hour;
	scheduler.reads_documents = options->reads_documents;
	scheduler.asks_apart = true;
	scheduler.hash_key = options->hash_key;
	desk->scheduler = scheduler_new(&scheduler);
	names_init(&desk->host_names, options->hash_key);
	names_init(&desk->origin_names, options->hash_key);
	saved_s = load_told(desk);
	desk->began_s = saved_s > now_s ? saved_s : now_s;
	/* What the scheduler is told of comes in order of time; and where the
	 * clock was put back it sees that. */
	desk->now_s = first_told_s(desk, now_s);
	if (desk->now_s < saved_s)
		desk->now_s = saved_s;
	desk_load(desk);
	desk_catch_up(desk, now_s);
	hosts_charge(desk);
	hold = (struct hold_load){desk, desk->began_s - desk->now_s};
	store_each_hold(options->store, load_hold, &hold);
	return desk;
}

static void
save_pages(struct desk *desk, struct buf *data)
{
	for (size_t i = 0; i < desk->dirty_pages.count; i++) {
		uint32_t number = desk->dirty_pages.items[i];
		struct page_at *page = &desk->pages[number];

		buf_clear(data);
		scheduler_save_page(desk->scheduler, number, data);
		store_page_learned(
		    desk->options.store, page->id, buf_text(data));
		page->flags &= (uint8_t)~PAGE_DIRTY;
	}
	desk->dirty_pages.count = 0;
}

static void
save_documents(struct desk *desk, struct buf *data)
{
	for (size_t i = 0; i < desk->dirty_documents.count; i++) {
		uint32_t number = desk->dirty_documents.items[i];
		struct document_at *document = &desk->documents[number];

		document->is_dirty = false;
		if (document->is_replaced)
			continue;
		buf_clear(data);
		scheduler_save_document(desk->scheduler, number, data);
		store_learned(desk->options.store, "document", document->id,
		    buf_text(data));
	}
	desk->dirty_documents.count = 0;
}

static void
save_sites(struct desk *desk, struct buf *data)
{
	for (size_t i = 0; i < desk->dirty_sites.count; i++) {
		struct site_at *site = &desk->sites[desk->dirty_sites.items[i]];

		site->is_dirty = false;
		buf_clear(data);
		scheduler_save_site(desk->scheduler, site->number, data);
		store_learned(
		    desk->options.store, "site", site->id, buf_text(data));
	}
	desk->dirty_sites.count = 0;
}

/* After the clock was put back they last as long as they would have. */
static void
save_holds(struct desk *desk)
{
	for (uint32_t i = 0; i < desk->host_count; i++)
		if (host_held_s(desk, i) != INT64_MIN)
			host_keep(desk, i);
	desk->has_moved_holds = false;
}

static void
save_told(struct desk *desk, struct buf *data)
{
	buf_clear(data);
	wire_put_u64(data, (uint64_t)desk->told);
	wire_put_u64(data, (uint64_t)desk->now_s);
	store_learned(desk->options.store, "told", 0, buf_text(data));
	desk->told_saved = desk->told;
}

void
desk_save(struct desk *desk)
{
	bool is_learned = desk->dirty_pages.count > 0 ||
	    desk->dirty_documents.count > 0 || desk->told != desk->told_saved;
	struct buf data;

	if (desk->has_moved_holds)
		save_holds(desk);

	if (!is_learned && !store_pending(desk->options.store))
		return;
	buf_init(&data, LEARNED_MAX);
	/* with each lease: when that was */
	save_told(desk, &data);
	if (is_learned) {
		save_pages(desk, &data);
		save_documents(desk, &data);
		save_sites(desk, &data);
		sections_save(desk);
		buf_clear(&data);
		scheduler_save_all(desk->scheduler, &data);
		store_learned(desk->options.store, "all", 0, buf_text(&data));
	}
	buf_release(&data);
}

void
desk_free(struct desk *desk)
{
	if (desk == NULL)
		return;
	listed_release(desk);
	leases_release(desk);
	tags_release(desk);
	sites_release(desk);
	origins_release(desk);
	scheduler_free(desk->scheduler);
	free(desk->pages);
	free(desk->sections);
	idmap_release(&desk->site_of);
	idmap_release(&desk->document_of);
	idmap_release(&desk->page_of);
	idmap_release(&desk->section_of);
	free(desk->dirty_pages.items);
	free(desk->dirty_documents.items);
	free(desk->dirty_sites.items);
	free(desk->dirty_sections.items);
	free(desk->doubted_sites.items);
	free(desk);
}
