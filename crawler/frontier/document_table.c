/* Documents of sites. */
#include "crawler/frontier/document_table.h"

#include <stdlib.h>

#include "base/idmap.h"
#include "base/url.h"
#include "crawler/frontier/frontier_tables.h"
#include "sched/scheduler_events.h"
#include "sched/scheduler_next.h"
#include "store/document.h"

void
document_dirty(struct frontier *f, uint32_t number)
{
	if (!document_at(f, number)->is_dirty)
		number_list_add(&f->dirty_documents, number);
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
set_listed(struct sched_source *document, const struct document_list_row *row)
{
	document->listed = frontier_count(
	    verdict_accepted(row->entries, row->refused));
	document->refused = frontier_count(row->refused);
	document->dated = frontier_count(row->dated);
}

/* Making documents. */

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
	uint32_t number = scheduler_add_document(
	    f->scheduler, &is, f->context.now_s);
	struct sched_source *document = document_at(f, number);

	document->id = row->id;
	document->site = number_of_site;
	document->is_read = row->last_read_s > 0;
	document->is_unlisted = row->kind == KIND_UNLISTED;
	set_listed(document, row);
	idmap_put(&f->document_by_id, row->id, number);
	if (row->kind == KIND_UNLISTED)
		site->unlisted_document = number + 1;
	document_tally(f, document, true);
	return number;
}

/* The number of the index that lists a document; SCHEDULER_NONE: no index, or
 * the nesting is too deep. */
static uint32_t
document_parent_of(
    struct frontier *f, const struct document_list_row *row, int depth)
{
	uint32_t number = NONE;
	struct document_list_row parent;
	struct buf url;

	if (row->parent_id == 0 || row->parent_id == row->id ||
	    depth >= DEPTH_MAX)
		return SCHEDULER_NONE;
	buf_init(&url, URL_MAX_BYTES);
	if (store_document_list(f->store, row->parent_id, &parent, &url))
		number = document_put(f, &parent, depth + 1);
	buf_release(&url);
	if (number == NONE || !document_at(f, number)->is_index)
		return SCHEDULER_NONE;
	return number;
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
		set_listed(document, row);
		document_tally(f, document, true);
		site_suspect(f, document->site);
	}
	document_owes(f, number, loaded_s(&f->context, row->owed_s));
	document_update(f, number);
	return number;
}

uint32_t
document_find(struct frontier *f, int64_t id, enum document_kind kind)
{
	uint32_t number = idmap_get(&f->document_by_id, id);
	struct document_list_row row;
	struct buf url;

	if (number != NONE &&
	    (kind == KIND_UNKNOWN ||
		document_at(f, number)->is_index ==
		    (kind == KIND_INDEX || kind == KIND_ROBOTS)))
		return number;
	buf_init(&url, URL_MAX_BYTES);
	if (store_document_list(f->store, id, &row, &url))
		number = document_put(f, &row, 0);
	buf_release(&url);
	return number;
}

/* Whether and when a document is read. */

/* Do the documents of a site list as many URLs as its rules allow? */
static bool
is_full(const struct frontier *f, const struct sched_site *site)
{
	struct slice host = slice_of(names_text(&f->hosts->names, site->host));
	uint64_t most = f->context.options
			    .rules(f->context.options.rules_arg, host)
			    ->max_urls;

	return most > 0 && site->listed + site->refused >= most;
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
		(is_new && (document->is_unlisted || is_full(f, site))));
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
	bool was_full = is_full(f, site);

	document_tally(f, document, false);
	document->listed = listed;
	document->refused = refused;
	document_tally(f, document, true);
	if (was_full == is_full(f, site))
		return;
	for (uint32_t i = site->first; i != 0;
	     i = document_at(f, i - 1)->next_of_site)
		if (!document_at(f, i - 1)->is_read)
			document_update(f, i - 1);
	if (!was_full && f->context.options.full != NULL)
		f->context.options.full(f->context.options.arg,
		    slice_of(names_text(&f->hosts->names, site->host)));
}

void
document_return(struct frontier *f, uint32_t number)
{
	if ((document_at(f, number)->flags & ITEM_OUT) == 0)
		return;
	document_at(f, number)->is_skipped = false;
	scheduler_give_back(f->scheduler, f->context.now_s,
	    &(struct scheduler_choice){
		.kind = SCHEDULER_DOCUMENT, .number = number});
}

/* What a document lists. */

void
document_listed(struct frontier *f, uint32_t number, bool is_other)
{
	const struct sched_source *document = document_at(f, number);
	uint32_t left = document->listed > document->promoted
	    ? document->listed - document->promoted
	    : 0;

	if (is_other)
		candidate_cache_forget(&f->candidates, number);
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
	struct buf url;

	buf_init(&url, URL_MAX_BYTES);
	if (store_document_list(
		f->store, document_at(f, number)->id, &row, &url))
		origin = origin_put(
		    f, url_parts(row.url).origin, document_at(f, number)->site);
	buf_release(&url);
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
	struct buf url;

	document_need_robots(f, number);
	if (!f->context.options.reads_documents || origin->is_wanted ||
	    !site_at(f, site)->is_watched)
		return;
	origin->is_wanted = true;
	buf_init(&url, URL_MAX_BYTES);
	(void)buf_print(
	    &url, "%s/robots.txt", names_text(&f->origins.names, number));
	store_document(
	    f->store, site_at(f, site)->id, buf_text(&url), &document);
	(void)document_find(f, document.id, KIND_UNKNOWN);
	document_release(&document);
	buf_release(&url);
	if (f->context.options.wanted != NULL)
		f->context.options.wanted(f->context.options.arg);
}
