/* Documents of sites: see frontier_documents.h. */
#include "crawler/frontier/frontier_documents.h"

#include "base/url.h"
#include "crawler/frontier/frontier_sites.h"
#include "crawler/frontier/frontier_tables.h"
#include "sched/scheduler_events.h"
#include "sched/scheduler_next.h"
#include "sched/scheduler_state.h"
#include "store/document.h"
#include "store/document_list.h"
#include "store/learned.h"
#include "store/robots_fallback.h"

/* SPEC R-104: robots.txt is kept for a day, from when it came. */
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
is_counted(const struct document_item *document)
{
	return !document->is_index && !document->is_replaced &&
	    !document->is_orphan;
}

static void
count(struct frontier *frontier, const struct document_item *document)
{
	if (!is_counted(document))
		return;
	site_at(frontier->sites, document->site)->listed += document->listed;
	site_at(frontier->sites, document->site)->refused += document->refused;
}

static void
uncount(struct frontier *frontier, const struct document_item *document)
{
	if (!is_counted(document))
		return;
	site_at(frontier->sites, document->site)->listed -= document->listed;
	site_at(frontier->sites, document->site)->refused -= document->refused;
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
robots_site(struct frontier *frontier, uint32_t number)
{
	struct site_item *site = site_at(frontier->sites, number);
	struct scheduler_site is = scheduler_site_default();

	if (site->robots != NONE)
		return site->robots;
	is.host = host_at(frontier->hosts, site->host)->number;
	is.tag = site->is.tag;
	is.reading_floor_s = is.reading_ceiling_s = ROBOTS_S;
	is.retry_s = ROBOTS_LEAST_S;
	site->robots = scheduler_add_site(frontier->scheduler, &is);
	return site->robots;
}

static uint32_t
add(struct frontier *frontier, const struct document_list_row *row,
    uint32_t number_of_site, uint32_t parent)
{
	struct site_item *site = site_at(frontier->sites, number_of_site);
	bool is_robots = row->kind == KIND_ROBOTS;
	bool is_index = is_index_kind(row->kind);
	struct scheduler_document is = {.site = is_robots
		? robots_site(frontier, number_of_site)
		: site->number,
	    .parent = parent,
	    .is_index = is_index,
	    .name = row->url};
	uint32_t number = scheduler_add_document(
	    frontier->scheduler, &is, frontier->now_s);
	struct document_item document = {.id = row->id,
	    .site = number_of_site,
	    .next = site->documents,
	    .is_index = is_index,
	    .is_robots = is_robots,
	    .is_read = row->last_read_s > 0,
	    .is_unlisted = row->kind == KIND_UNLISTED,
	    .has_parent = parent != SCHEDULER_NONE};

	set_listed(&document, row);
	document_add(frontier->documents, number, &document);
	site->documents = number + 1;
	if (row->kind == KIND_UNLISTED)
		site->unlisted = number + 1;
	count(frontier, &document);
	return number;
}

/* The document has become an index, or is none any more.  What was learned of
 * it stays for when it is of the old kind again, so that a site that answers
 * now so and now so costs no more memory. */
static void
replace(struct frontier *frontier, uint32_t number)
{
	struct document_item *document = document_at(
	    frontier->documents, number);

	uncount(frontier, document);
	document->is_replaced = true;
	scheduler_listed(frontier->scheduler, number, 0);
	document_update(frontier, number);
}

/* A document is of its old kind again: use its old number. */
static uint32_t
revive(struct frontier *frontier, uint32_t number,
    const struct document_list_row *row)
{
	struct document_item *document = document_at(
	    frontier->documents, number);

	document->is_replaced = false;
	document->is_out = document->is_skipped = false;
	document->is_read = row->last_read_s > 0;
	set_listed(document, row);
	count(frontier, document);
	document_set(frontier->documents, number);
	return number;
}

static uint32_t put(
    struct frontier *, const struct document_list_row *, int depth);

/* The number of the index that lists a document; SCHEDULER_NONE: no index, or
 * the nesting is too deep. */
static uint32_t
parent_of(
    struct frontier *frontier, const struct document_list_row *row, int depth)
{
	uint32_t number = NONE;
	struct document_list_row parent;
	struct buf url;

	if (row->parent_id == 0 || row->parent_id == row->id ||
	    depth >= DEPTH_MAX)
		return SCHEDULER_NONE;
	buf_init(&url, URL_MAX_BYTES);
	if (store_document_list(
		frontier->options.store, row->parent_id, &parent, &url))
		number = put(frontier, &parent, depth + 1);
	buf_release(&url);
	if (number == NONE ||
	    !document_at(frontier->documents, number)->is_index)
		return SCHEDULER_NONE;
	return number;
}

static uint32_t
put(struct frontier *frontier, const struct document_list_row *row, int depth)
{
	uint32_t number = document_by_id(frontier->documents, row->id);
	bool is_index = is_index_kind(row->kind);
	uint32_t parent, site, before;

	if (number != NONE &&
	    (row->kind == KIND_UNKNOWN ||
		document_at(frontier->documents, number)->is_index == is_index))
		return number;
	site = site_find(frontier, row->site_id);
	if (site == NONE)
		return NONE;
	parent = parent_of(frontier, row, depth);
	/* two indexes that list each other: parent_of() has made this one */
	if (number == NONE &&
	    document_by_id(frontier->documents, row->id) != NONE)
		return document_by_id(frontier->documents, row->id);
	before = number;
	if (before != NONE)
		replace(frontier, before);
	if (before != NONE &&
	    document_at(frontier->documents, before)->other != 0)
		number = revive(frontier,
		    document_at(frontier->documents, before)->other - 1, row);
	else
		number = add(frontier, row, site, parent);
	if (before != NONE) {
		document_at(frontier->documents, before)->other = number + 1;
		document_at(frontier->documents, number)->other = before + 1;
	}
	document_owes(frontier, number, row->owed_s);
	document_update(frontier, number);
	return number;
}

uint32_t
document_put(struct frontier *frontier, const struct document_list_row *row)
{
	return put(frontier, row, 0);
}

uint32_t
document_find(struct frontier *frontier, int64_t id)
{
	return document_seen(frontier, id, KIND_UNKNOWN);
}

uint32_t
document_seen(struct frontier *frontier, int64_t id, enum document_kind kind)
{
	uint32_t number = document_by_id(frontier->documents, id);
	struct document_list_row row;
	struct buf url;

	if (number != NONE &&
	    (kind == KIND_UNKNOWN ||
		document_at(frontier->documents, number)->is_index ==
		    is_index_kind(kind)))
		return number;
	buf_init(&url, URL_MAX_BYTES);
	if (store_document_list(frontier->options.store, id, &row, &url))
		number = put(frontier, &row, 0);
	buf_release(&url);
	return number;
}

uint32_t
document_before_index(struct frontier *frontier, uint32_t number)
{
	const struct document_item *index = document_at(
	    frontier->documents, number);
	enum document_kind kind = index->is_robots ? KIND_ROBOTS : KIND_INDEX;
	struct document_list_row row, was;
	struct buf url;

	if (index->other != 0)
		return index->other - 1;
	buf_init(&url, URL_MAX_BYTES);
	if (store_document_list(
		frontier->options.store, index->id, &row, &url)) {
		/* make it a sitemap without entries, then an index again */
		was = row;
		was.kind = KIND_URLSET;
		was.entries = was.dated = was.refused = 0;
		(void)document_put(frontier, &was);
		row.kind = kind;
		(void)document_put(frontier, &row);
	}
	buf_release(&url);
	return document_at(frontier->documents, number)->other - 1;
}

void
document_load(struct frontier *frontier, uint32_t number,
    const struct document_list_row *row)
{
	struct document_item *document = document_at(
	    frontier->documents, number);
	struct buf data;
	bool is_loaded;

	buf_init(&data, LEARNED_MAX);
	is_loaded = store_learned_get(
			frontier->options.store, "document", row->id, &data) &&
	    scheduler_load_document(
		frontier->scheduler, number, buf_text(&data));
	buf_release(&data);
	document->has_event = is_loaded;
	/* with no reading applied yet, its readings are applied one by one */
	if (is_loaded || frontier->applied_id == 0 || row->last_read_s == 0)
		return;
	scheduler_reading(frontier->scheduler, number,
	    &(struct scheduler_reading){.now_s = row->last_read_s,
		.listed = document->listed,
		.dated = document->dated});
}

/* Whether and when a document is read. */

/* Do the documents of a site list as many URLs as its rules allow? */
static bool
is_full(const struct frontier *frontier, const struct site_item *site)
{
	struct slice host = slice_of(host_name(frontier->hosts, site->host));
	uint64_t most = frontier->options
			    .rules(frontier->options.rules_arg, host)
			    ->max_urls;

	return most > 0 && site->listed + site->refused >= most;
}

void
document_update(struct frontier *frontier, uint32_t number)
{
	const struct document_item *document = document_at(
	    frontier->documents, number);
	const struct site_item *site = site_at(frontier->sites, document->site);
	bool is_new = !document->is_read && !document->is_robots;

	if (!document->is_replaced && site->is_watched &&
	    (!document->is_orphan || document->is_needed) &&
	    !(is_new && document->is_unlisted) &&
	    !(is_new && is_full(frontier, site)))
		scheduler_return(
		    frontier->scheduler, SCHEDULER_DOCUMENT, number);
	else
		scheduler_retire(
		    frontier->scheduler, SCHEDULER_DOCUMENT, number);
}

void
document_owes(struct frontier *frontier, uint32_t number, int64_t owed_s)
{
	struct document_item *document = document_at(
	    frontier->documents, number);

	/* 0 twice changes nothing; other times may mean something else after
	 * the clock was set */
	if (document->owed_s == 0 && owed_s == 0)
		return;
	document->owed_s = owed_s;
	scheduler_owe(frontier->scheduler, number, owed_s);
}

void
document_lists(struct frontier *frontier, uint32_t number, uint32_t listed,
    uint32_t refused)
{
	struct document_item *document = document_at(
	    frontier->documents, number);
	struct site_item *site = site_at(frontier->sites, document->site);
	bool was_full = is_full(frontier, site);

	uncount(frontier, document);
	document->listed = listed;
	document->refused = refused;
	count(frontier, document);
	if (was_full == is_full(frontier, site))
		return;
	for (uint32_t i = site->documents; i != 0;
	     i = document_at(frontier->documents, i - 1)->next)
		if (!document_at(frontier->documents, i - 1)->is_read)
			document_update(frontier, i - 1);
	if (!was_full && frontier->options.full != NULL)
		frontier->options.full(frontier->options.arg,
		    slice_of(host_name(frontier->hosts, site->host)));
}

void
document_orphan(struct frontier *frontier, uint32_t number, bool is_orphan)
{
	struct document_item *document = document_at(
	    frontier->documents, number);

	uncount(frontier, document);
	document->is_orphan = is_orphan;
	document->is_needed = false;
	count(frontier, document);
	document_update(frontier, number);
	if (document->is_skipped)
		document_return(frontier, number);
}

bool
document_has_failed(struct frontier *frontier, int64_t id, int64_t at_s)
{
	struct document document;
	bool is_given_up;

	if (!store_document_get(frontier->options.store, id, &document))
		return false;
	is_given_up = document_is_given_up(&document, at_s);
	document_release(&document);
	return is_given_up;
}

/* What a document lists. */

void
document_update_backlog(struct frontier *frontier, uint32_t number)
{
	const struct document_item *document = document_at(
	    frontier->documents, number);
	uint32_t left = document->listed > document->promoted
	    ? document->listed - document->promoted
	    : 0;

	if (document->is_index)
		return;
	if (document->is_replaced || document->is_orphan ||
	    site_at(frontier->sites, document->site)->is_removed)
		left = 0;
	scheduler_listed(frontier->scheduler, number, left);
}

void
document_listed(struct frontier *frontier, uint32_t number)
{
	candidate_cache_forget(&frontier->candidates, number);
	document_update_backlog(frontier, number);
}

/* The robots.txt of origins. */

void
document_need_robots(struct frontier *frontier, uint32_t origin)
{
	uint32_t robots = origin_at(frontier->origins, origin)->orphan;

	if (robots == 0 ||
	    document_at(frontier->documents, robots - 1)->is_needed)
		return;
	document_at(frontier->documents, robots - 1)->is_needed = true;
	document_update(frontier, robots - 1);
}

void
document_of_robots(struct frontier *frontier, uint32_t number, uint32_t site)
{
	struct origin_item *origin = origin_at(frontier->origins, number);
	struct document document;
	struct buf url;

	document_need_robots(frontier, number);
	if (!frontier->options.reads_documents || origin->is_wanted ||
	    !site_at(frontier->sites, site)->is_watched)
		return;
	origin->is_wanted = true;
	buf_init(&url, URL_MAX_BYTES);
	(void)buf_print(
	    &url, "%s/robots.txt", origin_name(frontier->origins, number));
	store_document(frontier->options.store,
	    site_at(frontier->sites, site)->id, buf_text(&url), &document);
	(void)document_find(frontier, document.id);
	document_release(&document);
	buf_release(&url);
	if (frontier->options.wanted != NULL)
		frontier->options.wanted(frontier->options.arg);
}
