/* The frontier: loading, saving, and documents to be read. */
#include "crawler/frontier/frontier.h"

#include <math.h>
#include <stdlib.h>

#include "base/civil.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/sort.h"
#include "crawler/frontier/frontier_lease.h"
#include "crawler/frontier/frontier_tables.h"
#include "crawler/frontier/page_parents.h"
#include "sched/scheduler.h"
#include "store/aside.h"
#include "store/changes.h"
#include "store/document.h"
#include "store/lookup.h"
#include "store/page.h"
#include "store/site.h"
#include "store/watch.h"

#define LEARNED_MAX 65536
/* If the clock was put back by less than this, what was loaded stays in the
 * store as it is: some events seem to have happened just now for so long. */
#define BACK_S 600
/* A call ends after this many documents whose sites are not watched. */
#define TRIES_MOST 1000

void
frontier_only_add(struct frontier_only *only, int64_t site_id)
{
	if (site_id <= 0 || idmap_get(&only->seen, site_id) != IDMAP_NONE)
		return;
	idmap_put(&only->seen, site_id, 1);
	*MEM_PUSH(only->ids, only->count, only->cap) = site_id;
}

struct adding {
	struct frontier_only *only;
	struct store *store;
};

static bool
only_add_document(void *arg, const struct document_row *row)
{
	const struct adding *adding = arg;

	frontier_only_add(adding->only, row->document.site_id);
	return true;
}

/* Add the site of a document; what the document lists there counts for
 * nothing. */
static void
only_add_listing(void *arg, int64_t document_id, const struct entry *entry)
{
	const struct adding *adding = arg;
	struct document_list_row row;

	(void)entry;
	if (store_document_list(adding->store, document_id, &row))
		frontier_only_add(adding->only, row.site_id);
}

void
frontier_only_url(
    struct frontier_only *only, struct store *store, struct slice url)
{
	struct adding adding = {only, store};
	int64_t page = store_page_find(store, url);
	struct page_row row;

	frontier_only_add(only, store_site_find(store, url_parts(url).host));
	store_each_document(
	    store, DOCUMENTS_AT, url, only_add_document, &adding);
	if (page > 0 && store_page_get(store, page, &row))
		only_add_listing(&adding, row.document_id, NULL);
	store_each_listing(store, url, only_add_listing, &adding);
}

void
frontier_only_release(struct frontier_only *only)
{
	free(only->ids);
	free(only->seen.slots);
	*only = (struct frontier_only){0};
}

/* Loading sites, documents and pages. */

struct frontier_loading {
	struct frontier *f;
	/* owned: with options.only, the sites to load: these, and the sites
	 * whose indexes list documents of these */
	struct frontier_only only;
	/* owned: before the frontier was loaded */
	struct scheduler_past *requests;
	size_t count, cap;
};

/* The time in which a budget of that rate recovers from one request; at
 * least an hour, at most a week. */
static int64_t
window_s(double per_hour)
{
	if (!(per_hour > 0) || per_hour >= 1)
		return HOUR_S;
	return per_hour * WEEK_S > HOUR_S ? (int64_t)(HOUR_S / per_hour)
					  : WEEK_S;
}

/* Note that the host was asked for something of the site at that time. */
static void
note_request(struct frontier_loading *loading, uint32_t number, uint32_t site,
    int64_t at_s)
{
	struct frontier *f = loading->f;
	struct host *host = f->hosts->items[number];
	int64_t most_s = window_s(f->options.requests_per_hour);

	at_s = loaded_s(f, at_s);
	if (at_s > 0 && at_s <= f->began_s)
		host_note(host,
		    host_table_now_ms(f->hosts) -
			host_age_ms(at_s, f->began_s));
	if (most_s < window_s(host->rate))
		most_s = window_s(host->rate);
	if (at_s > f->began_s || at_s < f->began_s - most_s)
		return;
	*MEM_PUSH(loading->requests, loading->count,
	    loading->cap) = (struct scheduler_past){
	    .site = site, .age_s = (uint32_t)(f->began_s - at_s)};
}

static void
load_watch(void *arg, const struct watch *watch)
{
	const struct frontier_loading *loading = arg;

	(void)site_put(
	    loading->f, watch->site_id, slice_of(watch->host), watch);
}

static void
load_site(void *arg, int64_t site_id, struct slice host)
{
	const struct frontier_loading *loading = arg;
	struct frontier *f = loading->f;

	if (idmap_get(&f->sites.by_id, site_id) == NONE)
		(void)site_put(f, site_id, host, NULL);
}

static void
load_found(void *arg, int64_t site_id)
{
	const struct frontier_loading *loading = arg;
	struct frontier *f = loading->f;
	uint32_t number = idmap_get(&f->sites.by_id, site_id);

	if (number != NONE)
		site_at(f, number)->is_found = true;
}

/* Readings of sites that are not in the watch list were made because somebody
 * wanted them, and count in no budget. */
static void
load_document(void *arg, const struct document_list_row *row)
{
	struct frontier_loading *loading = arg;
	struct frontier *f = loading->f;
	uint32_t site = idmap_get(&f->sites.by_id, row->site_id);
	struct sched_source *document;
	struct document_list_row parent;
	struct buf data = BUF_UP_TO(LEARNED_MAX);
	uint32_t number;

	if (f->options.only != NULL && row->parent_id != 0 &&
	    store_document_list(f->store, row->parent_id, &parent))
		frontier_only_add(&loading->only, parent.site_id);
	/* a site that was never found may have a document of imported pages */
	if (site == NONE ||
	    (!site_at(f, site)->is_found && row->kind != KIND_UNLISTED))
		return;
	number = document_put(f, row, 0);
	if (number == NONE)
		return;
	document = document_at(f, number);
	/* Give the scheduler what was learned of the document before.  If
	 * nothing was saved, tell it only that the document was read, unless
	 * its readings are applied one by one. */
	document->has_event = store_learned_get(
				  f->store, "document", row->id, &data) &&
	    scheduler_load_document(f->scheduler, number, buf_text(&data));
	buf_release(&data);
	if (!document->has_event && f->applied_id != 0 && row->last_read_s != 0)
		scheduler_reading(f->scheduler, number,
		    &(struct scheduler_reading){.now_s = row->last_read_s,
			.listed = document->listed,
			.dated = document->dated});
	if (site_at(f, site)->is_watched)
		note_request(
		    loading, site_at(f, site)->host, site, row->last_read_s);
}

static void
load_page(void *arg, const struct page_row *row)
{
	struct frontier_loading *loading = arg;
	struct frontier *f = loading->f;
	int64_t until_s = loaded_s(f, row->lease_until_s);
	int64_t asked_s;
	bool is_out;
	uint32_t number, origin, site;

	/* page_promote() would load its document, and the site of that */
	if (f->options.only != NULL &&
	    idmap_get(&f->document_by_id, row->document_id) == NONE)
		return;
	if (until_s > f->began_s + FRONTIER_LEASE_MAX_S)
		until_s = f->began_s + FRONTIER_LEASE_MAX_S;
	is_out = row->has_lease && until_s > f->began_s;
	number = page_promote(f, row, is_out);
	if (number == NONE)
		return;
	if (is_out)
		lease_begin(f, NULL, number, until_s);
	asked_s = is_out && row->lease_asked_s > row->fetched_s
	    ? row->lease_asked_s
	    : row->fetched_s;
	origin = page_at(f, number)->origin;
	site = document_at(f, page_at(f, number)->document)->site;
	note_request(loading, origin_at(f, origin)->host, site, asked_s);
	if (row->leases > 0)
		site_leased(f, site);
}

static void
load_learned_site(void *arg, int64_t id, struct slice data)
{
	const struct frontier_loading *loading = arg;
	struct frontier *f = loading->f;
	uint32_t number = idmap_get(&f->sites.by_id, id);

	if (number != NONE)
		(void)scheduler_load_site(f->scheduler, number, data);
}

static void
frontier_load(struct frontier_loading *loading)
{
	struct frontier *f = loading->f;
	struct buf data;

	buf_init(&data, LEARNED_MAX);
	if (store_learned_get(f->store, "all", 0, &data))
		(void)scheduler_load_all(f->scheduler, buf_text(&data));
	buf_release(&data);
	tag_table_load(f);
	if (f->options.only != NULL) {
		const struct frontier_only *only = f->options.only;

		for (size_t i = 0; i < only->count; i++)
			frontier_only_add(&loading->only, only->ids[i]);
		for (size_t i = 0; i < loading->only.count; i++) {
			int64_t id = loading->only.ids[i];

			if (site_find(f, id) == NONE)
				continue;
			buf_init(&data, LEARNED_MAX);
			if (store_learned_get(f->store, "site", id, &data))
				load_learned_site(loading, id, buf_text(&data));
			buf_release(&data);
			if (store_number(f->store, STORE_IS_FOUND, id, 0))
				load_found(loading, id);
			store_each_document_list(
			    f->store, LIST_OF_SITE, id, load_document, loading);
		}
		frontier_only_release(&loading->only);
	} else {
		struct store *store = loading->f->store;

		store_each_watch(store, load_watch, loading);
		store_each_site(store, 0, load_site, loading);
		store_each_learned(store, "site", load_learned_site, loading);
		store_each_id(store, IDS_FOUND, 0, load_found, loading);
		store_each_document_list(
		    store, LIST_OF_ALL, 0, load_document, loading);
	}
	store_each_page(f->store, load_page, loading);
	orphans_refresh(f);
	for (uint32_t i = 0; i < f->scheduler->sources.count; i++)
		document_listed(f, i, true);
}

/* Charging budgets with the requests before loading, so that a limit of
 * requests an hour holds over many short commands. */

/* The oldest request comes first. */
static const struct sort_key by_age[] = {
    {SORT_KEY(struct scheduler_past, age_s), .is_falling = true}, {0}};

static void
frontier_charge(struct frontier_loading *loading)
{
	struct frontier *f = loading->f;
	int64_t now_ms = host_table_now_ms(f->hosts);

	/* robots.txt may have a Crawl-delay, which limits the host */
	for (uint32_t i = 0; i < (uint32_t)f->origins.count; i++) {
		const struct host *host = f->hosts
					      ->items[origin_at(f, i)->host];

		if (host->asked_ms != HOST_NEVER &&
		    host->asked_ms + window_s(host->rate) * SECOND_MS > now_ms)
			origin_know(f, i);
	}
	sort_rows(loading->requests, loading->count, sizeof(*loading->requests),
	    by_age);
	scheduler_spend(f->scheduler, loading->requests, loading->count,
	    f->began_s, f->now_s);
	free(loading->requests);
}

/* Loading holds; the clock was put back by back_s since they began.  That may
 * be more than for all else, as a driver without a frontier may have held hosts
 * since the frontier before this one was saved. */
struct hold_load {
	struct frontier *f;
	int64_t back_s;
};

static void
load_hold(void *arg, struct slice host, const struct hold_times *times)
{
	const struct hold_load *load = arg;
	struct frontier *f = load->f;
	uint32_t number = host_keep(f, host);
	struct host *is = f->hosts->items[number];

	for (int kind = 0; kind < HELD_KINDS; kind++) {
		int64_t until_s = kind == HELD_ALL ? times->all_s
						   : times->pages_s;

		if (until_s == 0)
			continue;
		until_s -= load->back_s;
		if (until_s > f->now_s && until_s <= f->now_s + HOLD_END_MOST_S)
			host_hold(f->hosts, is, (enum held_kind)kind, until_s,
			    f->now_s, "before");
		else
			is->held_s[kind] = 0;
	}
	is->is_limited = times->limited > 0;
}

/* Load the id of the latest reading that was applied, and return the time at
 * which it was saved; INT64_MIN: never. */
static int64_t
load_applied(struct frontier *f)
{
	int64_t saved_s = INT64_MIN;
	struct buf data = BUF_UP_TO(LEARNED_MAX);

	if (store_learned_get(f->store, "told", 0, &data)) {
		struct wire wire = {buf_text(&data), true};
		int64_t applied = (int64_t)wire_get_fixed(&wire, 8);
		int64_t now_s = (int64_t)wire_get_fixed(&wire, 8);
		int64_t last = store_number(f->store, STORE_LAST_READING, 0, 0);

		/* if the store lost readings, it gives their ids to new ones */
		if (applied > last)
			applied = last;
		if (wire.ok && applied > 0)
			f->applied_id = f->saved_id = applied;
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

struct frontier *
frontier_new(const struct frontier_options *options, int64_t now_s)
{
	struct frontier *f = frontier_tables_new(options);
	struct frontier_loading loading = {.f = f};
	struct hold_load hold = {.f = f};
	int64_t saved_s = load_applied(f);
	int64_t latest_s = store_number(options->store, STORE_LATEST_S, 0, 0);

	f->began_s = now_s;
	if (now_s > f->hosts->now_s)
		f->hosts->now_s = now_s;
	if (saved_s > now_s)
		f->back_s = saved_s - now_s;
	f->scheduler->loaded_s = now_s;
	f->scheduler->back_s = f->back_s;
	/* The scheduler gets all events in order of time, so it begins at the
	 * first reading that was not applied, if that is earlier. */
	f->now_s = now_s;
	store_each_reading(f->store,
	    (struct reading_from){.after_id = f->applied_id}, note_first,
	    &f->now_s);
	frontier_load(&loading);
	while (frontier_sync(f, now_s))
		;
	frontier_charge(&loading);
	if (latest_s < saved_s)
		latest_s = saved_s;
	if (latest_s > now_s)
		hold.back_s = latest_s - now_s;
	store_each_hold(options->store, load_hold, &hold);
	f->has_moved_holds = hold.back_s > 0;
	/* The fetchers of pages that the owner of the store before this one has
	 * leased do not know that the owner changed, and go on. */
	for (uint32_t i = 0; i < f->hosts->count; i++)
		if (f->hosts->items[i] != NULL &&
		    f->hosts->items[i]->leases > 0)
			host_lend(f->hosts, f->hosts->items[i], false, true);
	f->hosts->has_pages = true;
	if (f->back_s > BACK_S) {
		/* Save all with the times that count from now on, or the next
		 * frontier could not tell times before the clock was put back
		 * from those after it. */
		for (uint32_t i = 0; i < f->scheduler->pages.count; i++)
			page_dirty(f, i);
		for (uint32_t i = 0; i < f->scheduler->sources.count; i++)
			document_dirty(f, i);
		for (uint32_t i = 0; i < f->scheduler->sites.count; i++)
			site_dirty(f, i);
	}
	return f;
}

void
frontier_save(struct frontier *f)
{
	struct fifo *dirty;
	bool is_learned;
	struct buf data = BUF_UP_TO(LEARNED_MAX);

	for (uint32_t i = 0; f->has_moved_holds && i < f->hosts->count; i++)
		if (host_kept(f->hosts, i) != NULL &&
		    host_held_s(f->hosts->items[i]) != HOST_NEVER)
			store_hold(f->store, names_slice(&f->hosts->names, i),
			    host_times(f, i));
	f->has_moved_holds = false;
	is_learned = f->dirty_pages.end > 0 || f->dirty_documents.end > 0 ||
	    f->applied_id != f->saved_id;
	if (!is_learned && !store_pending(f->store))
		return;
	/* The time is saved even if the open transaction has nothing but a
	 * lease: it tells the next frontier whether the clock was put back. */
	buf_clear(&data);
	wire_put_fixed(&data, 8, (uint64_t)f->applied_id);
	wire_put_fixed(&data, 8, (uint64_t)f->now_s);
	store_learned(f->store, "told", 0, buf_text(&data));
	f->saved_id = f->applied_id;
	if (is_learned) {
		dirty = &f->dirty_pages;
		for (size_t i = 0; i < dirty->end; i++) {
			struct sched_page *page = page_at(f, dirty->items[i]);

			/* a result has saved it already */
			if ((page->owner_flags & PAGE_DIRTY) == 0)
				continue;
			buf_clear(&data);
			scheduler_save_page(
			    f->scheduler, dirty->items[i], &data);
			struct slice learned = buf_text(&data);
			store_page_set(f->store, page->id,
			    &(struct page_told){.learned = &learned});
			page->owner_flags &= (uint8_t)~PAGE_DIRTY;
		}
		dirty->end = 0;
		dirty = &f->dirty_documents;
		for (size_t i = 0; i < dirty->end; i++) {
			uint32_t number = dirty->items[i];
			struct sched_source *document = document_at(f, number);

			buf_clear(&data);
			scheduler_save_document(f->scheduler, number, &data);
			uint64_t hash = hash_key(
			    buf_text(&data), store_hash_key(f->store));

			/* no page teaches anything of dates that there are
			 * none of */
			if (hash != document->saved)
				store_learned(f->store, "document",
				    document->id, buf_text(&data));
			document->saved = hash;
			document->is_dirty = false;
		}
		dirty->end = 0;
		dirty = &f->dirty_sites;
		for (size_t i = 0; i < dirty->end; i++) {
			uint32_t number = dirty->items[i];

			buf_clear(&data);
			scheduler_save_site(f->scheduler, number, &data);
			store_learned(f->store, "site", site_at(f, number)->id,
			    buf_text(&data));
			site_at(f, number)->is_dirty = false;
		}
		dirty->end = 0;
		sections_save(f);
		buf_clear(&data);
		scheduler_save_all(f->scheduler, &data);
		store_learned(f->store, "all", 0, buf_text(&data));
	}
	buf_release(&data);
}

void
frontier_watch_changed(struct frontier *f, int64_t site_id, int64_t now_s)
{
	const struct page_filter *pages;
	struct sched_site *site;
	bool is_new, was_removed;
	uint32_t number;

	(void)frontier_clock(f, now_s);
	if (site_id == 0) {
		tag_table_load(f);
		for (uint32_t i = 0; i < f->scheduler->sites.count; i++) {
			site = site_at(f, i);
			scheduler_set_tag(f->scheduler, site->is.host,
			    tag_mix(f, &site->tags));
		}
		return;
	}
	is_new = idmap_get(&f->sites.by_id, site_id) == NONE;
	number = site_find(f, site_id);
	if (number == NONE || is_new)
		return;
	site = site_at(f, number);
	was_removed = site->is_removed;
	pages = site_filter(f, site, false);
	site_follow(f, number);
	ready_return_site(f, number);
	/* The watch list's row of a site has changed: find out again which of
	 * its pages and documents are eligible. */
	bool has_other_pages = was_removed != site->is_removed ||
	    pages != site_filter(f, site, false);

	/* going through all pages of the store takes milliseconds */
	uint32_t left = has_other_pages ? site_at(f, number)->own_pages : 0;

	for (uint32_t i = 0; i < f->scheduler->pages.count && left > 0; i++) {
		uint32_t document = page_at(f, i)->document;

		if (document_at(f, document)->site != number)
			continue;
		left--;
		/* refused, it may be allowed for other purposes */
		page_reopen(f, i);
		page_update(f, i);
	}
	for (uint32_t i = site_at(f, number)->first; i != 0;
	     i = document_at(f, i - 1)->next_of_site) {
		document_listed(f, i - 1, true);
		document_update(f, i - 1);
		if (document_at(f, i - 1)->is_skipped)
			document_return(f, i - 1);
	}
	site_suspect(f, number);
}

bool
frontier_hold(struct frontier *f, struct slice name, int64_t until_s,
    int64_t now_s, const char *why)
{
	uint32_t number;

	now_s = frontier_clock(f, now_s);
	if (until_s > now_s + HOLD_END_MOST_S)
		return false;
	number = host_keep(f, name);
	if (until_s > now_s &&
	    until_s < f->hosts->items[number]->held_s[HELD_ALL])
		return true;
	host_hold(
	    f->hosts, f->hosts->items[number], HELD_ALL, until_s, now_s, why);
	if (until_s <= now_s) {
		host_hold(f->hosts, f->hosts->items[number], HELD_PAGES,
		    until_s, now_s, why);
		aside_over(f->store, name);
	}
	store_hold(f->store, names_slice(&f->hosts->names, number),
	    host_times(f, number));
	return true;
}

struct hold_times
frontier_held(struct frontier *f, struct slice name)
{
	return host_times(f, host_keep(f, name));
}

struct host_table *
frontier_hosts(struct frontier *f)
{
	return f->hosts;
}

/* Is the document the https robots.txt of a host that answers by http alone,
 * and which a crawl has asked for within the last week? */
static bool
is_left(const struct frontier *f, const struct sched_source *document,
    int64_t now_s)
{
	struct store *store = f->store;
	struct document_list_row row;

	return !document->is_read &&
	    store_document_list(store, document->id, &row) &&
	    slice_is(url_parts(row.url).target, "/robots.txt") &&
	    robots_is_spare(store, url_parts(row.url).origin, now_s);
}

bool
frontier_next_document(
    struct frontier *f, int64_t now_s, struct frontier_document *out)
{
	struct scheduler_choice choice;
	struct sched_source *document;

	now_s = frontier_clock(f, now_s);
	orphans_refresh(f);
	for (int tries = 0; tries < TRIES_MOST; tries++) {
		if (!scheduler_next_of(f->scheduler, now_s,
			SCHEDULER_KINDS_DOCUMENTS, NULL, &choice))
			return false;
		document = document_at(f, choice.number);
		if (!site_at(f, document->site)->is_watched) {
			document->is_skipped = true;
			continue;
		}
		if (is_left(f, document, now_s)) {
			/* Nobody asks for the document for a week. */
			scheduler_reading(f->scheduler, choice.number,
			    &(struct scheduler_reading){.now_s = f->now_s,
				.is_failed = true,
				.is_given_up = true});
			document_dirty(f, choice.number);
			continue;
		}
		*out = (struct frontier_document){.id = document->id,
		    .site_id = site_at(f, document->site)->id,
		    .why = frontier_why(choice.reason),
		    .value = isfinite(choice.value) ? choice.value
						    : choice.price,
		    .price = choice.price};
		return true;
	}
	return false;
}

void
frontier_document_back(struct frontier *f, int64_t id, int64_t now_s)
{
	uint32_t number = idmap_get(&f->document_by_id, id);

	(void)frontier_clock(f, now_s);
	if (number != NONE)
		document_return(f, number);
}

int64_t
frontier_ask(struct frontier *f, int64_t site_id, int64_t now_s)
{
	uint32_t site = site_find(f, site_id);
	int64_t ready_s;

	(void)frontier_clock(f, now_s);
	if (site == NONE)
		return now_s;
	ready_s = scheduler_ready_s(f->scheduler, LIMITS_SITE, site);
	if (ready_s > f->now_s)
		return ready_s;
	scheduler_charge(f->scheduler, site, f->now_s);
	return now_s;
}

bool
frontier_watches(struct frontier *f, int64_t site_id)
{
	uint32_t site = site_id == 0 ? NONE : site_find(f, site_id);

	return site != NONE && site_at(f, site)->is_watched;
}

bool
frontier_hint(
    struct frontier *f, int64_t site_id, struct slice url, int64_t now_s)
{
	int64_t id = store_page_find(f->store, url);
	enum scheduler_kind kind = SCHEDULER_PAGE;
	uint32_t number = id == 0 ? NONE : page_by_id(f, id);

	(void)frontier_clock(f, now_s);
	if (number != NONE) {
		page_dirty(f, number);
		site_dirty(
		    f, document_at(f, page_at(f, number)->document)->site);
	} else {
		id = store_document_id(f->store, site_id, url);
		number = id == 0 ? NONE : idmap_get(&f->document_by_id, id);
		kind = SCHEDULER_DOCUMENT;
		if (number == NONE)
			return false;
		site_dirty(f, document_at(f, number)->site);
	}
	scheduler_hint(f->scheduler, kind, number, f->now_s);
	return true;
}

int64_t
frontier_next_document_s(struct frontier *f, int64_t now_s)
{
	now_s = frontier_clock(f, now_s);
	orphans_refresh(f);
	return scheduler_due_of_s(
	    f->scheduler, now_s, SCHEDULER_KINDS_DOCUMENTS);
}
