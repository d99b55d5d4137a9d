/* Sites, as the watch list has them, and their documents. */
#include "crawler/frontier/frontier_sites.h"

#include "base/civil.h"
#include "base/page_filter.h"
#include "base/url.h"
#include "crawler/frontier/frontier_tables.h"
#include "sched/scheduler_events.h"
#include "store/document.h"
#include "store/reach.h"
#include "store/watch.h"

void
site_dirty(struct frontier *f, uint32_t site)
{
	if (!site_at(f, site)->is_dirty)
		fifo_put(&f->dirty_sites, site);
	site_at(f, site)->is_dirty = true;
}

void
site_suspect(struct frontier *f, uint32_t site)
{
	if (!site_at(f, site)->is_suspect)
		fifo_put(&f->suspects, site);
	site_at(f, site)->is_suspect = true;
}

#define HOST_MAX_BYTES 1024

/* The watch list. */

/* Set the bounds that were given, and move the default ones if they cross. */
static void
site_bound(
    int64_t least_s, int64_t most_s, int64_t *floor_s, int64_t *ceiling_s)
{
	if (least_s > 0)
		*floor_s = least_s;
	if (most_s > 0)
		*ceiling_s = most_s;
	if (*floor_s <= *ceiling_s)
		return;
	if (least_s > 0)
		*ceiling_s = *floor_s;
	else
		*floor_s = *ceiling_s;
}

struct scheduler_site
watch_schedule(const struct watch *watch)
{
	struct scheduler_site is = scheduler_site_default;

	if (watch == NULL)
		return is;
	is.weight = watch->weight;
	site_bound(watch->every_least_s, watch->every_most_s,
	    &is.reading_floor_s, &is.reading_ceiling_s);
	site_bound(watch->page_least_s, watch->page_most_s, &is.page_floor_s,
	    &is.page_ceiling_s);
	/* an interval or a budget of the operator replaces the reading quota */
	if (watch->every_least_s > 0 || watch->every_most_s > 0 ||
	    watch->requests_per_hour > 0)
		is.readings_per_day = 0;
	if (watch->page_least_s > 0 || watch->page_most_s > 0 ||
	    watch->requests_per_hour > 0)
		is.pages_per_day = 0;
	return is;
}

/* What the scheduler is to be told of a site of that host, whose row of the
 * watch list is given; NULL: it has none. */
static struct scheduler_site
site_schedule(struct frontier *f, uint32_t host, const struct watch *watch)
{
	struct scheduler_site is = watch_schedule(watch);

	is.host = f->hosts->items[host]->limit;
	is.tag = watch == NULL ? SCHEDULER_NONE : tag_mix(f, &watch->tags);
	f->hosts->items[host]->per_hour = watch == NULL
	    ? 0
	    : watch->requests_per_hour;
	return is;
}

/* Take over the rest of that row. */
static void
site_set_watch(struct frontier *f, uint32_t number, const struct watch *watch)
{
	struct sched_site *site = site_at(f, number);

	strings_release(&site->tags);
	for (size_t i = 0; watch != NULL && i < watch->tags.count; i++)
		strings_add(&site->tags, slice_of(watch->tags.items[i]));
	site->is_late = false;
	site->is_watched = watch != NULL && watch->is_watched;
	site->is_removed = watch != NULL && !watch->is_watched;
	f->sites.changes++;
}

uint32_t
site_put(struct frontier *f, int64_t site_id, struct slice name,
    const struct watch *watch)
{
	uint32_t host = host_keep(f, name), number;
	struct scheduler_site is;

	if (f->hosts->items[host]->limit == NONE)
		f->hosts->items[host]->limit = scheduler_add_host(
		    f->scheduler, &(struct scheduler_host){0});
	is = site_schedule(f, host, watch);
	is.wants_listing = true;
	host_limit(f, host);
	number = scheduler_add_site(f->scheduler, &is);
	/* the scheduler has just learned of the host, which may be held */
	for (int kind = 0; kind < HELD_KINDS; kind++)
		if (f->hosts->items[host]->held_s[kind] > f->now_s)
			host_tell_hold(
			    f, f->hosts->items[host], (enum held_kind)kind);
	site_at(f, number)->id = site_id;
	site_at(f, number)->host = host;
	site_set_watch(f, number, watch);
	idmap_put(&f->sites.by_id, site_id, number);
	site_suspect(f, number);
	return number;
}

uint32_t
site_find(struct frontier *f, int64_t site_id)
{
	uint32_t number = idmap_get(&f->sites.by_id, site_id);
	struct watch watch;
	struct buf host = BUF_UP_TO(HOST_MAX_BYTES);
	bool is_on_list;

	if (number != NONE)
		return number;
	if (site_id <= 0 || !store_site_host(f->store, site_id, &host)) {
		buf_release(&host);
		return NONE;
	}
	is_on_list = store_watch_get(f->store, site_id, &watch);
	number = site_put(
	    f, site_id, buf_text(&host), is_on_list ? &watch : NULL);
	if (is_on_list)
		watch_release(&watch);
	buf_release(&host);
	return number;
}

void
site_follow(struct frontier *f, uint32_t number)
{
	uint32_t host = site_at(f, number)->host;
	struct watch watch;
	bool is_on_list = store_watch_get(
	    f->store, site_at(f, number)->id, &watch);
	struct scheduler_site is = site_schedule(
	    f, host, is_on_list ? &watch : NULL);

	is.wants_listing = site_at(f, number)->is.wants_listing;
	site_set_watch(f, number, is_on_list ? &watch : NULL);
	if (is_on_list)
		watch_release(&watch);
	host_limit(f, host);
	scheduler_set_tag(f->scheduler, is.host, is.tag);
	scheduler_set_site(f->scheduler, number, &is);
}

const struct page_filter *
site_filter(
    const struct frontier *f, const struct sched_site *site, bool of_sitemaps)
{
	const struct site_rules *rules = f->hosts->items[site->host]->rules;

	return rules == NULL ? NULL
	    : of_sitemaps    ? rules->sitemaps
			     : rules->pages;
}

bool
site_wants(const struct frontier *f, const struct sched_site *site,
    struct slice url, const struct date *lastmod, int64_t first_seen_s)
{
	return !site->is_removed &&
	    page_filter_wants(site_filter(f, site, false), url, lastmod,
		first_seen_s, f->now_s);
}

struct frontier_round
site_round(const struct frontier *f, uint32_t number, bool of_pages)
{
	const struct sched_site *site = site_at(f, number);
	/* The requests an hour that the site can have: the rate of its host,
	 * limited by each budget that the site shares with others, as if the
	 * site could use all of that budget.  0: no limit. */
	double rate = f->hosts->items[site->host]->rate;
	double all = f->options.requests_per_hour;

	if (all > 0 && (rate <= 0 || all < rate))
		rate = all;
	for (size_t i = 0; i < f->tags.count; i++) {
		const struct tag_item *tag = &f->tags.items[i];

		if (tag->per_hour > 0 && (rate <= 0 || tag->per_hour < rate) &&
		    strings_has(&site->tags, slice_of(tag->name)))
			rate = tag->per_hour;
	}
	struct frontier_round round = {.most_s = of_pages
		? site->is.page_ceiling_s
		: site->is.reading_ceiling_s,
	    .each_s = rate > 0 ? HOUR_S / rate : 0};

	if (!of_pages) {
		uint64_t n = 0;

		for (uint32_t i = site->first; i != 0;
		     i = document_at(f, i - 1)->next_of_site) {
			const struct sched_source *document = document_at(
			    f, i - 1);

			n += !document->is_robots && !document->is_unlisted &&
			    !document->is_orphan;
		}
		round.requests = n;
		return round;
	}
	round.requests = site->own_pages > site->orphan_pages
	    ? site->own_pages - site->orphan_pages
	    : 0;
	/* with a filter nobody knows how many of the listed URLs are wanted */
	if (site_filter(f, site, false) == NULL &&
	    site->listed > round.requests)
		round.requests = site->listed;
	return round;
}

void
site_leased(struct frontier *f, uint32_t number)
{
	const struct sched_site *site = site_at(f, number);
	struct scheduler_site is = site->is;

	if (!is.wants_listing)
		return;
	is.wants_listing = false;
	scheduler_set_site(f->scheduler, number, &is);
}

void
document_dirty(struct frontier *f, uint32_t number)
{
	if (!document_at(f, number)->is_dirty)
		fifo_put(&f->dirty_documents, number);
	document_at(f, number)->is_dirty = true;
}

#define DEPTH_MAX 8 /* of indexes in indexes; SPEC R-41 allows less */

void
document_tally(
    struct frontier *f, const struct sched_source *document, bool is_added)
{
	struct sched_site *site = site_at(f, document->site);

	if (document->is_index || document->is_orphan)
		return;
	if (is_added) {
		site->listed += document->listed;
		site->refused += document->refused;
	} else {
		site->listed -= document->listed;
		site->refused -= document->refused;
	}
}

static void
document_set_listed(
    struct sched_source *document, const struct document_list_row *row)
{
	document->listed = frontier_count(
	    verdict_accepted(row->entries, row->refused));
	document->refused = frontier_count(row->refused);
	document->dated = frontier_count(row->dated);
	document->generator = row->generator;
}

static uint32_t
document_add(struct frontier *f, const struct document_list_row *row,
    uint32_t number_of_site, uint32_t parent)
{
	struct sched_site *site = site_at(f, number_of_site);
	/* a robots.txt is known before it is read */
	bool is_robots = row->kind == KIND_ROBOTS ||
	    (row->kind == KIND_UNKNOWN &&
		slice_is(url_parts(row->url).target, "/robots.txt"));
	struct scheduler_document is = {.site = number_of_site,
	    .parent = parent,
	    .is_index = is_robots || row->kind == KIND_INDEX,
	    .is_robots = is_robots,
	    .name = row->url};
	uint32_t number = scheduler_add_document(f->scheduler, &is, f->now_s);
	struct sched_source *document = document_at(f, number);

	document->id = row->id;
	document->site = number_of_site;
	document->is_read = row->last_read_s > 0;
	document->is_unlisted = row->kind == KIND_UNLISTED;
	document_set_listed(document, row);
	idmap_put(&f->document_by_id, row->id, number);
	if (row->kind == KIND_UNLISTED)
		site->unlisted_document = number + 1;
	document_tally(f, document, true);
	return number;
}

/* Put the document of that id, if the store has it.  The store forgets its URL
 * when the indexes above it are asked for. */
static uint32_t
document_put_id(struct frontier *f, int64_t id, int depth)
{
	struct document_list_row row;
	uint32_t number;
	char *url;

	if (!store_document_list(f->store, id, &row))
		return NONE;
	url = slice_dup(row.url);
	row.url = slice_of(url);
	number = document_put(f, &row, depth);
	free(url);
	return number;
}

/* The number of the index that lists a document; SCHEDULER_NONE: no index, or
 * the nesting is too deep. */
static uint32_t
document_parent_of(
    struct frontier *f, const struct document_list_row *row, int depth)
{
	uint32_t number;

	if (row->parent_id == 0 || row->parent_id == row->id ||
	    depth >= DEPTH_MAX)
		return SCHEDULER_NONE;
	number = document_put_id(f, row->parent_id, depth + 1);
	return number == NONE || !document_at(f, number)->is_index
	    ? SCHEDULER_NONE
	    : number;
}

uint32_t
document_put(struct frontier *f, const struct document_list_row *row, int depth)
{
	uint32_t number = idmap_get(&f->document_by_id, row->id);
	struct sched_source *document;
	uint32_t parent, site;

	if (number == NONE) {
		site = site_find(f, row->site_id);
		if (site == NONE)
			return NONE;
		parent = document_parent_of(f, row, depth);
		/* of two indexes that list each other, document_parent_of()
		 * has made this one already */
		number = idmap_get(&f->document_by_id, row->id);
		if (number != NONE)
			return number;
		number = document_add(f, row, site, parent);
	} else if (row->kind == KIND_UNKNOWN ||
	    document_at(f, number)->is_index ==
		(row->kind == KIND_INDEX || row->kind == KIND_ROBOTS)) {
		return number;
	} else {
		/* The document has become an index, or has stopped being one.
		 * Its pages stay with it until another document lists them. */
		document = document_at(f, number);
		document_tally(f, document, false);
		scheduler_relearn(f->scheduler, number);
		document->has_event = false;
		document->is_read = row->last_read_s > 0;
		document_set_listed(document, row);
		document_tally(f, document, true);
		site_suspect(f, document->site);
	}
	document_owes(f, number, loaded_s(f, row->owed_s));
	document_update(f, number);
	return number;
}

uint32_t
document_find(struct frontier *f, int64_t id, enum document_kind kind)
{
	uint32_t number = idmap_get(&f->document_by_id, id);

	if (number != NONE &&
	    (kind == KIND_UNKNOWN ||
		document_at(f, number)->is_index ==
		    (kind == KIND_INDEX || kind == KIND_ROBOTS)))
		return number;
	return document_put_id(f, id, 0);
}

/* Whether and when a document is read. */

/* Do the documents of a site list as many URLs as its rules allow? */
static bool
document_site_is_full(const struct frontier *f, const struct sched_site *site)
{
	struct slice host = names_slice(&f->hosts->names, site->host);
	uint64_t most = f->options.rules(f->options.rules_arg, host)->max_urls;

	return most > 0 && site->listed + site->refused >= most;
}

const struct page_filter_rule *
document_refuses(struct frontier *f, uint32_t number)
{
	const struct sched_source *document = document_at(f, number);
	const struct page_filter *filter = site_filter(
	    f, site_at(f, document->site), true);
	struct page_filter_subject subject = {.now_s = f->now_s};
	struct document_list_row row;
	enum reach_root_kind kind;
	struct date lastmod;

	/* what the user named, and the default locations, are always read */
	if (filter == NULL || document->is_robots || document->is_unlisted ||
	    (reach_root_kind(f->store, document->id, &kind) &&
		kind != ROOT_OF_LINE))
		return NULL;
	for (uint32_t i = document->parent;
	     i != SCHEDULER_NONE && subject.indexes <= DEPTH_MAX;
	     i = document_at(f, i)->parent)
		subject.indexes += !document_at(f, i)->is_robots;
	lastmod = store_index_lastmod(f->store, document->id);
	subject.lastmod = &lastmod;
	if (!store_document_list(f->store, document->id, &row))
		return NULL;
	subject.url = row.url;
	return page_filter_refuses(filter, &subject);
}

void
document_update(struct frontier *f, uint32_t number)
{
	const struct sched_source *document = document_at(f, number);
	const struct sched_site *site = site_at(f, document->site);
	bool is_new = !document->is_read && !document->is_robots;

	scheduler_retire(f->scheduler, SCHEDULER_DOCUMENT, number,
	    !site->is_watched ||
		(document->is_orphan && !document->is_needed) ||
		document_refuses(f, number) != NULL ||
		(is_new &&
		    (document->is_unlisted || document_site_is_full(f, site))));
}

void
document_owes(struct frontier *f, uint32_t number, int64_t owed_s)
{
	struct sched_source *document = document_at(f, number);

	/* The scheduler is told even if owed_s is the time that it knows:
	 * the clock may have been set since.  Only if the document owed nothing
	 * and owes nothing now, there is nothing to say. */
	if (document->owed_s == 0 && owed_s == 0)
		return;
	scheduler_owe(f->scheduler, number, owed_s);
}

void
document_lists(
    struct frontier *f, uint32_t number, uint32_t listed, uint32_t refused)
{
	struct sched_source *document = document_at(f, number);
	struct sched_site *site = site_at(f, document->site);
	bool was_full = document_site_is_full(f, site);

	document_tally(f, document, false);
	document->listed = listed;
	document->refused = refused;
	document_tally(f, document, true);
	if (was_full == document_site_is_full(f, site))
		return;
	for (uint32_t i = site->first; i != 0;
	     i = document_at(f, i - 1)->next_of_site)
		if (!document_at(f, i - 1)->is_read)
			document_update(f, i - 1);
	if (!was_full && f->options.full != NULL)
		f->options.full(
		    f->options.arg, names_slice(&f->hosts->names, site->host));
}

void
document_return(struct frontier *f, uint32_t number)
{
	if ((document_at(f, number)->flags & ITEM_OUT) == 0)
		return;
	document_at(f, number)->is_skipped = false;
	scheduler_give_back(f->scheduler, f->now_s,
	    &(struct scheduler_choice){
		.kind = SCHEDULER_DOCUMENT, .number = number});
}

void
document_listed(struct frontier *f, uint32_t number, bool is_other)
{
	const struct sched_source *document = document_at(f, number);
	uint32_t left = document->listed > document->promoted
	    ? document->listed - document->promoted
	    : 0;
	unsigned filter = 0;

	/* Forget the candidates of the document for all filters, and that calls
	 * want none of them. */
	if (is_other) {
		document_at(f, number)->is_passed = false;
		do
			candidate_cache_forget(
			    &f->candidates, (uint64_t)filter << 32 | number);
		while (++filter < PASSED_FILTERS &&
		    f->passed.filters[filter].text != NULL);
	}
	if (document->is_index)
		return;
	if (document->is_orphan || site_at(f, document->site)->is_removed)
		left = 0;
	scheduler_listed(f->scheduler, number, left);
}

/* The robots.txt of origins. */

uint32_t
document_origin(struct frontier *f, uint32_t number)
{
	uint32_t origin = NONE;
	struct document_list_row row;

	if (store_document_list(f->store, document_at(f, number)->id, &row))
		origin = origin_put(
		    f, url_parts(row.url).origin, document_at(f, number)->site);
	return origin;
}

void
document_need_robots(struct frontier *f, uint32_t origin)
{
	uint32_t robots = origin_at(f, origin)->orphan;

	if (robots == 0 || document_at(f, robots - 1)->is_needed)
		return;
	document_at(f, robots - 1)->is_needed = true;
	document_update(f, robots - 1);
}

void
document_of_robots(struct frontier *f, uint32_t number, uint32_t site)
{
	struct origin_item *origin = origin_at(f, number);
	struct document document;
	struct buf url = BUF_UP_TO(URL_MAX_BYTES);

	document_need_robots(f, number);
	if (!f->options.reads_documents || origin->is_wanted ||
	    !site_at(f, site)->is_watched)
		return;
	origin->is_wanted = true;
	(void)buf_print(
	    &url, "%s/robots.txt", names_text(&f->origins.names, number));
	store_document(
	    f->store, site_at(f, site)->id, buf_text(&url), &document);
	(void)document_find(f, document.id, KIND_UNKNOWN);
	document_release(&document);
	buf_release(&url);
	if (f->options.wanted != NULL)
		f->options.wanted(f->options.arg);
}
