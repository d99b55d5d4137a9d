/* Documents of the frontier: see frontier_documents.h. */
#include "crawler/frontier/frontier_documents.h"

#include "base/mem.h"
#include "base/url.h"
#include "crawler/frontier/frontier_homes.h"
#include "crawler/frontier/frontier_listed.h"
#include "crawler/frontier/frontier_parts.h"
#include "crawler/frontier/frontier_sites.h"
#include "sched/scheduler_events.h"
#include "sched/scheduler_next.h"
#include "sched/scheduler_state.h"
#include "store/document.h"
#include "store/learned.h"
#include "store/robots_fallback.h"

/* SPEC R-104: it is kept for a day, from when it came. */
#define ROBOTS_S (86400 + 60)
#define DEPTH_MAX 8 /* of indexes in indexes; SPEC R-41 allows less */
#define LEARNED_MAX 16384

static bool
is_index_kind(enum document_kind kind)
{
	return kind == KIND_INDEX || kind == KIND_ROBOTS;
}

/* Its robots.txt is asked for once a day, whatever holds for the others. */
static uint32_t
robots_site(struct frontier *frontier, uint32_t number)
{
	struct site_at *site = &frontier->sites[number];
	struct scheduler_site is = scheduler_site_default();

	if (site->robots != NONE)
		return site->robots;
	is.host = frontier->hosts[site->host].number;
	is.tag = site->is.tag;
	is.reading_floor_s = is.reading_ceiling_s = ROBOTS_S;
	is.retry_s = ROBOTS_LEAST_S;
	site->robots = scheduler_add_site(frontier->scheduler, &is);
	return site->robots;
}

/* What is stored of the document says how much it lists. */
static void
set_listed(struct document_at *document, const struct document_list_row *row)
{
	document->listed = frontier_count(
	    verdict_accepted(row->entries, row->refused));
	document->refused = frontier_count(row->refused);
	document->dated = frontier_count(row->dated);
}

/* Is what it lists listed by the site? */
static bool
is_counted(const struct document_at *document)
{
	return !document->is_index && !document->is_replaced &&
	    !document->is_orphan;
}

/* count(frontier, document), uncount: among what the site lists, if it is. */
static void
count(struct frontier *frontier, const struct document_at *document)
{
	if (!is_counted(document))
		return;
	frontier->sites[document->site].listed += document->listed;
	frontier->sites[document->site].refused += document->refused;
}

static void
uncount(struct frontier *frontier, const struct document_at *document)
{
	if (!is_counted(document))
		return;
	frontier->sites[document->site].listed -= document->listed;
	frontier->sites[document->site].refused -= document->refused;
}

static uint32_t
add(struct frontier *frontier, const struct document_list_row *row,
    uint32_t site, uint32_t parent)
{
	bool is_robots = row->kind == KIND_ROBOTS;
	bool is_index = is_index_kind(row->kind);
	struct scheduler_document is = {.site = is_robots
		? robots_site(frontier, site)
		: frontier->sites[site].number,
	    .parent = parent,
	    .is_index = is_index,
	    .name = row->url};
	uint32_t number = scheduler_add_document(
	    frontier->scheduler, &is, frontier->now_s);

	frontier->documents = mem_grow(frontier->documents,
	    &frontier->document_cap, (size_t)number + 1,
	    sizeof(*frontier->documents));
	frontier->documents[number] = (struct document_at){.id = row->id,
	    .site = site,
	    .next = frontier->sites[site].documents,
	    .is_index = is_index,
	    .is_robots = is_robots,
	    .is_read = row->last_read_s > 0,
	    .is_unlisted = row->kind == KIND_UNLISTED,
	    .has_parent = parent != SCHEDULER_NONE};
	frontier->document_count = (size_t)number + 1;
	frontier->sites[site].documents = number + 1;
	if (row->kind == KIND_UNLISTED)
		frontier->sites[site].unlisted = number + 1;
	set_listed(&frontier->documents[number], row);
	count(frontier, &frontier->documents[number]);
	idmap_put(&frontier->document_of, row->id, number);
	return number;
}

/* It is an index no longer, or is one now: what is known of it as it was stays
 * for when it is so again.  A site that answers now so and now so costs no
 * more. */
static void
replace(struct frontier *frontier, uint32_t number)
{
	struct document_at *document = &frontier->documents[number];

	uncount(frontier, document);
	document->is_replaced = true;
	scheduler_listed(frontier->scheduler, number, 0);
	document_wanted(frontier, number);
}

/* It is again what it was before: its number. */
static uint32_t
revive(struct frontier *frontier, uint32_t number,
    const struct document_list_row *row)
{
	struct document_at *document = &frontier->documents[number];

	document->is_replaced = false;
	document->is_out = document->is_left = false;
	document->is_read = row->last_read_s > 0;
	set_listed(document, row);
	count(frontier, document);
	idmap_put(&frontier->document_of, row->id, number);
	return number;
}

static uint32_t put(
    struct frontier *, const struct document_list_row *, int depth);

/* The index that lists it, if the scheduler takes it for one. */
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
	if (number == NONE || !frontier->documents[number].is_index)
		return SCHEDULER_NONE;
	return number;
}

static uint32_t
put(struct frontier *frontier, const struct document_list_row *row, int depth)
{
	uint32_t number = idmap_get(&frontier->document_of, row->id);
	bool is_index = is_index_kind(row->kind);
	uint32_t parent, site, before;

	if (number != IDMAP_NONE &&
	    (row->kind == KIND_UNKNOWN ||
		frontier->documents[number].is_index == is_index))
		return number;
	site = site_find(frontier, row->site_id);
	if (site == NONE)
		return NONE;
	parent = parent_of(frontier, row, depth);
	/* two that list each other: the other one came here first */
	if (number == IDMAP_NONE &&
	    idmap_get(&frontier->document_of, row->id) != IDMAP_NONE)
		return idmap_get(&frontier->document_of, row->id);
	before = number;
	if (before != IDMAP_NONE)
		replace(frontier, before);
	if (before != IDMAP_NONE && frontier->documents[before].other != 0)
		number = revive(
		    frontier, frontier->documents[before].other - 1, row);
	else
		number = add(frontier, row, site, parent);
	if (before != IDMAP_NONE) {
		frontier->documents[before].other = number + 1;
		frontier->documents[number].other = before + 1;
	}
	document_owes(frontier, number, row->owed_s);
	document_wanted(frontier, number);
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
	uint32_t number = idmap_get(&frontier->document_of, id);
	struct document_list_row row;
	struct buf url;

	if (number != IDMAP_NONE &&
	    (kind == KIND_UNKNOWN ||
		frontier->documents[number].is_index == is_index_kind(kind)))
		return number;
	buf_init(&url, URL_MAX_BYTES);
	if (store_document_list(frontier->options.store, id, &row, &url))
		number = put(frontier, &row, 0);
	buf_release(&url);
	return number;
}

/* Does it list all that may be known of it? */
static bool
is_full(const struct frontier *frontier, const struct site_at *site)
{
	struct slice host = slice_of(
	    names_text(&frontier->host_names, site->host));
	uint64_t most = frontier->options
			    .rules(frontier->options.rules_arg, host)
			    ->max_urls;

	return most > 0 && site->listed + site->refused >= most;
}

void
document_wanted(struct frontier *frontier, uint32_t number)
{
	const struct document_at *document = &frontier->documents[number];
	const struct site_at *site = &frontier->sites[document->site];
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
	struct document_at *document = &frontier->documents[number];

	/* a clock that was set tells another time than it did */
	if (document->owed_s == 0 && owed_s == 0)
		return;
	document->owed_s = owed_s;
	scheduler_owe(frontier->scheduler, number, owed_s);
}

void
document_lists(struct frontier *frontier, uint32_t number, uint32_t listed,
    uint32_t refused)
{
	struct document_at *document = &frontier->documents[number];
	struct site_at *site = &frontier->sites[document->site];
	bool was_full = is_full(frontier, site);

	uncount(frontier, document);
	document->listed = listed;
	document->refused = refused;
	count(frontier, document);
	if (was_full == is_full(frontier, site))
		return;
	for (uint32_t i = site->documents; i != 0;
	     i = frontier->documents[i - 1].next)
		if (!frontier->documents[i - 1].is_read)
			document_wanted(frontier, i - 1);
	if (!was_full && frontier->options.full != NULL)
		frontier->options.full(frontier->options.arg,
		    slice_of(names_text(&frontier->host_names, site->host)));
}

void
document_of_robots(struct frontier *frontier, uint32_t number, uint32_t site)
{
	struct origin_at *origin = &frontier->origins[number];
	struct document document;
	struct buf url;

	home_need_robots(frontier, number);
	if (!frontier->options.reads_documents || origin->is_wanted ||
	    !frontier->sites[site].is_watched)
		return;
	origin->is_wanted = true;
	buf_init(&url, URL_MAX_BYTES);
	(void)buf_print(
	    &url, "%s/robots.txt", names_text(&frontier->origin_names, number));
	store_document(frontier->options.store, frontier->sites[site].id,
	    buf_text(&url), &document);
	(void)document_find(frontier, document.id);
	document_release(&document);
	buf_release(&url);
	if (frontier->options.wanted != NULL)
		frontier->options.wanted(frontier->options.arg);
}

void
document_left(struct frontier *frontier, uint32_t number)
{
	const struct document_at *document = &frontier->documents[number];
	uint32_t left = document->listed > document->promoted
	    ? document->listed - document->promoted
	    : 0;

	if (document->is_index)
		return;
	if (document->is_replaced || document->is_orphan ||
	    frontier->sites[document->site].is_removed)
		left = 0;
	scheduler_listed(frontier->scheduler, number, left);
}

void
document_listed(struct frontier *frontier, uint32_t number)
{
	listed_forget(frontier, number);
	document_left(frontier, number);
}

void
document_orphan(struct frontier *frontier, uint32_t number, bool is_orphan)
{
	struct document_at *document = &frontier->documents[number];

	uncount(frontier, document);
	document->is_orphan = is_orphan;
	document->is_needed = false;
	count(frontier, document);
	document_wanted(frontier, number);
	if (document->is_left)
		frontier_document_back(frontier, document->id, frontier->now_s);
}

void
document_dirty(struct frontier *frontier, uint32_t number)
{
	if (!frontier->documents[number].is_dirty)
		frontier_dirty(&frontier->dirty_documents, number);
	frontier->documents[number].is_dirty = true;
}

void
document_learned(struct frontier *frontier, uint32_t number,
    const struct document_list_row *row)
{
	struct buf data;
	bool is_loaded;

	buf_init(&data, LEARNED_MAX);
	is_loaded = store_learned_get(
			frontier->options.store, "document", row->id, &data) &&
	    scheduler_load_document(
		frontier->scheduler, number, buf_text(&data));
	buf_release(&data);
	frontier->documents[number].is_told = is_loaded;
	/* else the readings of it are told one by one */
	if (is_loaded || frontier->told == 0 || row->last_read_s == 0)
		return;
	scheduler_reading(frontier->scheduler, number,
	    &(struct scheduler_reading){.now_s = row->last_read_s,
		.listed = frontier->documents[number].listed,
		.dated = frontier->documents[number].dated});
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
