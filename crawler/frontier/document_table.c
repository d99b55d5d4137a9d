/* Documents of sites. */
#include "crawler/frontier/document_table.h"

#include <stdlib.h>

#include "base/civil.h"
#include "base/idmap.h"
#include "base/mem.h"
#include "base/url.h"
#include "crawler/frontier/candidate_cache.h"
#include "crawler/frontier/frontier_sites.h"
#include "crawler/frontier/host_table.h"
#include "crawler/frontier/origin_table.h"
#include "sched/scheduler_events.h"
#include "sched/scheduler_next.h"
#include "sched/scheduler_state.h"
#include "store/document.h"
#include "store/document_list.h"
#include "store/learned.h"
#include "store/robots_fallback.h"

struct document_table {
	const struct frontier_context *context;
	struct host_table *hosts;
	struct frontier_sites *sites;
	struct origin_table *origins;
	struct candidate_cache *candidates;
	struct document_item *items; /* owned */
	size_t count, cap;
	struct idmap by_id;
	struct number_list dirty;
};

struct document_table *
document_table_new(const struct frontier_context *context,
    const struct document_neighbours *neighbours)
{
	struct document_table *table = mem_zero(sizeof(*table));

	table->context = context;
	table->hosts = neighbours->hosts;
	table->sites = neighbours->sites;
	table->origins = neighbours->origins;
	table->candidates = neighbours->candidates;
	return table;
}

void
document_table_free(struct document_table *table)
{
	free(table->items);
	idmap_release(&table->by_id);
	free(table->dirty.items);
	free(table);
}

/* From now on the id of the document belongs to this number. */
static void
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

/* SPEC R-104: a robots.txt is kept for a day after it was read. */
#define ROBOTS_S (86400 + 60)
#define DEPTH_MAX 8 /* of indexes in indexes; SPEC R-41 allows less */
#define LEARNED_MAX 16384

static bool
is_index_kind(enum document_kind kind)
{
	return kind == KIND_INDEX || kind == KIND_ROBOTS;
}

/* What a document lists counts for its site, unless the document is an index,
 * an orphan, or of another kind now. */

static bool
document_is_counted(const struct document_item *document)
{
	return !document->is_index && !document->is_replaced &&
	    !document->is_orphan;
}

static void
document_count_in(
    struct document_table *table, const struct document_item *document)
{
	if (!document_is_counted(document))
		return;
	site_at(table->sites, document->site)->listed += document->listed;
	site_at(table->sites, document->site)->refused += document->refused;
}

static void
document_count_out(
    struct document_table *table, const struct document_item *document)
{
	if (!document_is_counted(document))
		return;
	site_at(table->sites, document->site)->listed -= document->listed;
	site_at(table->sites, document->site)->refused -= document->refused;
}

static void
set_listed(struct document_item *document, const struct document_list_row *row)
{
	document->listed = frontier_count(
	    verdict_accepted(row->entries, row->refused));
	document->refused = frontier_count(row->refused);
	document->dated = frontier_count(row->dated);
}

/* Making documents. */

/* The scheduler's site for the robots.txt of a site: robots.txt is read once a
 * day, whatever the intervals of other documents. */
static uint32_t
robots_site(struct document_table *table, uint32_t number)
{
	struct site_item *site = site_at(table->sites, number);
	struct scheduler_site is = scheduler_site_default();

	if (site->robots != NONE)
		return site->robots;
	is.host = host_at(table->hosts, site->host)->number;
	is.tag = site->is.tag;
	is.reading_floor_s = is.reading_ceiling_s = ROBOTS_S;
	is.retry_s = ROBOTS_LEAST_S;
	site->robots = scheduler_add_site(table->context->scheduler, &is);
	return site->robots;
}

static uint32_t
document_add(struct document_table *table, const struct document_list_row *row,
    uint32_t number_of_site, uint32_t parent)
{
	struct site_item *site = site_at(table->sites, number_of_site);
	bool is_robots = row->kind == KIND_ROBOTS;
	bool is_index = is_index_kind(row->kind);
	struct scheduler_document is = {.site = is_robots
		? robots_site(table, number_of_site)
		: site->number,
	    .parent = parent,
	    .is_index = is_index,
	    .name = row->url};
	uint32_t number = scheduler_add_document(
	    table->context->scheduler, &is, table->context->now_s);
	struct document_item document = {.id = row->id,
	    .site = number_of_site,
	    .next = site->documents,
	    .is_index = is_index,
	    .is_robots = is_robots,
	    .is_read = row->last_read_s > 0,
	    .is_unlisted = row->kind == KIND_UNLISTED,
	    .has_parent = parent != SCHEDULER_NONE};

	set_listed(&document, row);
	/* Add a document with the scheduler's number. */
	table->items = mem_grow(table->items, &table->cap, (size_t)number + 1,
	    sizeof(*table->items));
	table->items[number] = document;
	table->count = (size_t)number + 1;
	document_set(table, number);
	site->documents = number + 1;
	if (row->kind == KIND_UNLISTED)
		site->unlisted = number + 1;
	document_count_in(table, &document);
	return number;
}

static uint32_t document_put_at(
    struct document_table *, const struct document_list_row *, int depth);

/* The number of the index that lists a document; SCHEDULER_NONE: no index, or
 * the nesting is too deep. */
static uint32_t
document_parent_of(struct document_table *table,
    const struct document_list_row *row, int depth)
{
	uint32_t number = NONE;
	struct document_list_row parent;
	struct buf url;

	if (row->parent_id == 0 || row->parent_id == row->id ||
	    depth >= DEPTH_MAX)
		return SCHEDULER_NONE;
	buf_init(&url, URL_MAX_BYTES);
	if (store_document_list(
		table->context->options.store, row->parent_id, &parent, &url))
		number = document_put_at(table, &parent, depth + 1);
	buf_release(&url);
	if (number == NONE || !document_at(table, number)->is_index)
		return SCHEDULER_NONE;
	return number;
}

static uint32_t
document_put_at(struct document_table *table,
    const struct document_list_row *row, int depth)
{
	uint32_t number = document_by_id(table, row->id);
	bool is_index = is_index_kind(row->kind);
	struct document_item *document;
	uint32_t parent, site, before;

	if (number != NONE &&
	    (row->kind == KIND_UNKNOWN ||
		document_at(table, number)->is_index == is_index))
		return number;
	site = site_find(table->sites, row->site_id);
	if (site == NONE)
		return NONE;
	parent = document_parent_of(table, row, depth);
	/* of two indexes that list each other, document_parent_of() has made
	 * this one already */
	if (number == NONE && document_by_id(table, row->id) != NONE)
		return document_by_id(table, row->id);
	before = number;
	if (before != NONE) {
		/* The document has become an index, or has stopped being one.
		 * What was learned of it under the old number is kept, in case
		 * the document becomes of the old kind again.  So a site that
		 * serves both kinds by turns does not cost more and more
		 * memory. */
		document = document_at(table, before);
		document_count_out(table, document);
		document->is_replaced = true;
		scheduler_listed(table->context->scheduler, before, 0);
		document_update(table, before);
	}
	if (before != NONE && document_at(table, before)->other != 0) {
		/* it is of its old kind again: use its old number */
		number = document_at(table, before)->other - 1;
		document = document_at(table, number);
		document->is_replaced = false;
		document->is_out = document->is_skipped = false;
		document->is_read = row->last_read_s > 0;
		set_listed(document, row);
		document_count_in(table, document);
		document_set(table, number);
	} else {
		number = document_add(table, row, site, parent);
	}
	if (before != NONE) {
		document_at(table, before)->other = number + 1;
		document_at(table, number)->other = before + 1;
	}
	document_owes(table, number, loaded_s(table->context, row->owed_s));
	document_update(table, number);
	return number;
}

uint32_t
document_put(struct document_table *table, const struct document_list_row *row)
{
	return document_put_at(table, row, 0);
}

uint32_t
document_find(struct document_table *table, int64_t id)
{
	return document_seen(table, id, KIND_UNKNOWN);
}

uint32_t
document_seen(struct document_table *table, int64_t id, enum document_kind kind)
{
	uint32_t number = document_by_id(table, id);
	struct document_list_row row;
	struct buf url;

	if (number != NONE &&
	    (kind == KIND_UNKNOWN ||
		document_at(table, number)->is_index == is_index_kind(kind)))
		return number;
	buf_init(&url, URL_MAX_BYTES);
	if (store_document_list(table->context->options.store, id, &row, &url))
		number = document_put_at(table, &row, 0);
	buf_release(&url);
	return number;
}

uint32_t
document_before_index(struct document_table *table, uint32_t number)
{
	const struct document_item *index = document_at(table, number);
	enum document_kind kind = index->is_robots ? KIND_ROBOTS : KIND_INDEX;
	struct document_list_row row, was;
	struct buf url;

	if (index->other != 0)
		return index->other - 1;
	buf_init(&url, URL_MAX_BYTES);
	if (store_document_list(
		table->context->options.store, index->id, &row, &url)) {
		/* make it a sitemap without entries, then an index again */
		was = row;
		was.kind = KIND_URLSET;
		was.entries = was.dated = was.refused = 0;
		(void)document_put(table, &was);
		row.kind = kind;
		(void)document_put(table, &row);
	}
	buf_release(&url);
	return document_at(table, number)->other - 1;
}

void
document_load(struct document_table *table, uint32_t number,
    const struct document_list_row *row, bool was_applied)
{
	struct document_item *document = document_at(table, number);
	struct buf data;
	bool is_loaded;

	buf_init(&data, LEARNED_MAX);
	is_loaded = store_learned_get(table->context->options.store, "document",
			row->id, &data) &&
	    scheduler_load_document(
		table->context->scheduler, number, buf_text(&data));
	buf_release(&data);
	document->has_event = is_loaded;
	/* with no reading applied yet, its readings are applied one by one */
	if (is_loaded || !was_applied || row->last_read_s == 0)
		return;
	scheduler_reading(table->context->scheduler, number,
	    &(struct scheduler_reading){.now_s = row->last_read_s,
		.listed = document->listed,
		.dated = document->dated});
}

/* Whether and when a document is read. */

/* Do the documents of a site list as many URLs as its rules allow? */
static bool
is_full(const struct document_table *table, const struct site_item *site)
{
	struct slice host = slice_of(host_name(table->hosts, site->host));
	uint64_t most = table->context->options
			    .rules(table->context->options.rules_arg, host)
			    ->max_urls;

	return most > 0 && site->listed + site->refused >= most;
}

void
document_update(struct document_table *table, uint32_t number)
{
	const struct document_item *document = document_at(table, number);
	const struct site_item *site = site_at(table->sites, document->site);
	bool is_new = !document->is_read && !document->is_robots;

	if (!document->is_replaced && site->is_watched &&
	    (!document->is_orphan || document->is_needed) &&
	    !(is_new && document->is_unlisted) &&
	    !(is_new && is_full(table, site)))
		scheduler_return(
		    table->context->scheduler, SCHEDULER_DOCUMENT, number);
	else
		scheduler_retire(
		    table->context->scheduler, SCHEDULER_DOCUMENT, number);
}

void
document_owes(struct document_table *table, uint32_t number, int64_t owed_s)
{
	struct document_item *document = document_at(table, number);

	/* The scheduler is told even if owed_s is the time that it knows:
	 * the clock may have been set since.  Only if the document owed nothing
	 * and owes nothing now, there is nothing to say. */
	if (document->owed_s == 0 && owed_s == 0)
		return;
	document->owed_s = owed_s;
	scheduler_owe(table->context->scheduler, number, owed_s);
}

void
document_lists(struct document_table *table, uint32_t number, uint32_t listed,
    uint32_t refused)
{
	struct document_item *document = document_at(table, number);
	struct site_item *site = site_at(table->sites, document->site);
	bool was_full = is_full(table, site);

	document_count_out(table, document);
	document->listed = listed;
	document->refused = refused;
	document_count_in(table, document);
	if (was_full == is_full(table, site))
		return;
	for (uint32_t i = site->documents; i != 0;
	     i = document_at(table, i - 1)->next)
		if (!document_at(table, i - 1)->is_read)
			document_update(table, i - 1);
	if (!was_full && table->context->options.full != NULL)
		table->context->options.full(table->context->options.arg,
		    slice_of(host_name(table->hosts, site->host)));
}

void
document_return(struct document_table *table, uint32_t number)
{
	struct document_item *document = &table->items[number];

	if (!document->is_out && !document->is_skipped)
		return;
	document->is_out = document->is_skipped = false;
	scheduler_give_back(table->context->scheduler, table->context->now_s,
	    &(struct scheduler_choice){
		.kind = SCHEDULER_DOCUMENT, .number = number});
}

void
document_orphan(struct document_table *table, uint32_t number, bool is_orphan)
{
	struct document_item *document = document_at(table, number);

	document_count_out(table, document);
	document->is_orphan = is_orphan;
	document->is_needed = false;
	document_count_in(table, document);
	document_update(table, number);
	if (document->is_skipped)
		document_return(table, number);
}

/* What a document lists. */

void
document_update_backlog(struct document_table *table, uint32_t number)
{
	const struct document_item *document = document_at(table, number);
	uint32_t left = document->listed > document->promoted
	    ? document->listed - document->promoted
	    : 0;

	if (document->is_index)
		return;
	if (document->is_replaced || document->is_orphan ||
	    site_at(table->sites, document->site)->is_removed)
		left = 0;
	scheduler_listed(table->context->scheduler, number, left);
}

void
document_listed(struct document_table *table, uint32_t number)
{
	candidate_cache_forget(table->candidates, number);
	document_update_backlog(table, number);
}

/* The robots.txt of origins. */

void
document_need_robots(struct document_table *table, uint32_t origin)
{
	uint32_t robots = origin_at(table->origins, origin)->orphan;

	if (robots == 0 || document_at(table, robots - 1)->is_needed)
		return;
	document_at(table, robots - 1)->is_needed = true;
	document_update(table, robots - 1);
}

void
document_of_robots(struct document_table *table, uint32_t number, uint32_t site)
{
	struct origin_item *origin = origin_at(table->origins, number);
	struct document document;
	struct buf url;

	document_need_robots(table, number);
	if (!table->context->options.reads_documents || origin->is_wanted ||
	    !site_at(table->sites, site)->is_watched)
		return;
	origin->is_wanted = true;
	buf_init(&url, URL_MAX_BYTES);
	(void)buf_print(
	    &url, "%s/robots.txt", origin_name(table->origins, number));
	store_document(table->context->options.store,
	    site_at(table->sites, site)->id, buf_text(&url), &document);
	(void)document_find(table, document.id);
	document_release(&document);
	buf_release(&url);
	if (table->context->options.wanted != NULL)
		table->context->options.wanted(table->context->options.arg);
}

/* Rounds. */

struct frontier_round
site_round(const struct document_table *table, uint32_t number, bool of_pages)
{
	const struct site_item *site = site_at(table->sites, number);
	double rate = site_rate(table->sites, number);
	struct frontier_round round = {.most_s = of_pages
		? site->is.page_ceiling_s
		: site->is.reading_ceiling_s,
	    .each_s = rate > 0 ? HOUR_S / rate : 0};

	if (!of_pages) {
		uint64_t n = 0;

		for (uint32_t i = site->documents; i != 0;
		     i = document_at(table, i - 1)->next) {
			const struct document_item *document = document_at(
			    table, i - 1);

			n += !document->is_robots && !document->is_replaced &&
			    !document->is_unlisted && !document->is_orphan;
		}
		round.requests = n;
		return round;
	}
	round.requests = site->pages > site->orphan_pages
	    ? site->pages - site->orphan_pages
	    : 0;
	/* with sections nobody knows how many of the listed URLs are wanted */
	if (site->sections.count == 0 && site->listed > round.requests)
		round.requests = site->listed;
	return round;
}
