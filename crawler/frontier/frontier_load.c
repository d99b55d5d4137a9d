/* What the store knows becomes the frontier's: see frontier_load.h. */
#include "crawler/frontier/frontier_load.h"

#include "base/mem.h"
#include "base/url.h"
#include "crawler/frontier/frontier_charge.h"
#include "crawler/frontier/frontier_documents.h"
#include "crawler/frontier/frontier_lease.h"
#include "crawler/frontier/frontier_listed.h"
#include "crawler/frontier/frontier_only.h"
#include "crawler/frontier/frontier_orphans.h"
#include "crawler/frontier/frontier_parts.h"
#include "crawler/frontier/frontier_sites.h"
#include "crawler/frontier/frontier_tags.h"
#include "sched/scheduler_state.h"
#include "store/learned.h"

#define LEARNED_MAX 65536

static void
load_watch(void *arg, const struct watch *watch)
{
	struct frontier *frontier = arg;

	(void)site_put(frontier, watch->site_id, slice_of(watch->host), watch);
}

static void
load_site(void *arg, int64_t site_id, struct slice host)
{
	struct frontier *frontier = arg;

	if (idmap_get(&frontier->site_of, site_id) == IDMAP_NONE)
		(void)site_put(frontier, site_id, host, NULL);
}

static void
load_found(void *arg, int64_t site_id)
{
	struct frontier *frontier = arg;
	uint32_t number = idmap_get(&frontier->site_of, site_id);

	if (number != IDMAP_NONE)
		frontier->sites[number].is_found = true;
}

static void
load_document(void *arg, const struct document_list_row *row)
{
	struct frontier *frontier = arg;
	uint32_t site = idmap_get(&frontier->site_of, row->site_id);
	uint32_t number;

	/* what was imported has a document that nobody reads */
	if (site == IDMAP_NONE ||
	    (!frontier->sites[site].is_found && row->kind != KIND_UNLISTED))
		return;
	number = document_put(frontier, row);
	if (number == NONE)
		return;
	document_learned(frontier, number, row);
	site_asked(
	    frontier, frontier->documents[number].site, row->last_read_s);
}

static void
load_page(void *arg, const struct page_row *row)
{
	struct frontier *frontier = arg;
	int64_t until_s = row->lease_until_s;
	int64_t asked_s;
	bool is_out;
	uint32_t number;

	/* by a clock that was put back since */
	if (row->lease_asked_s > frontier->began_s)
		until_s -= row->lease_asked_s - frontier->began_s;
	if (until_s > frontier->began_s + FRONTIER_LEASE_MAX_S)
		until_s = frontier->began_s + FRONTIER_LEASE_MAX_S;
	is_out = row->has_lease && until_s > frontier->began_s;
	number = page_promote(frontier, row, is_out);
	if (number == NONE)
		return;
	if (is_out)
		lease_begin(frontier, NULL, number, until_s);
	asked_s = is_out && row->lease_asked_s > row->fetched_s
	    ? row->lease_asked_s
	    : row->fetched_s;
	host_asked(frontier,
	    frontier->origins[frontier->pages[number].origin].host, asked_s);
	site_asked(frontier,
	    frontier->documents[frontier->pages[number].document].site,
	    asked_s);
	if (row->leases > 0)
		site_taken(frontier,
		    frontier->documents[frontier->pages[number].document].site);
}

static void
load_learned_site(void *arg, int64_t id, struct slice data)
{
	struct frontier *frontier = arg;
	uint32_t number = idmap_get(&frontier->site_of, id);

	if (number != IDMAP_NONE)
		(void)scheduler_load_site(
		    frontier->scheduler, frontier->sites[number].number, data);
}

/* Of all sites. */
static void
load_sites(struct frontier *frontier)
{
	struct store *store = frontier->options.store;

	store_each_watch(store, load_watch, frontier);
	store_each_site(store, load_site, frontier);
	store_each_learned(store, "site", load_learned_site, frontier);
	store_each_found(store, load_found, frontier);
	store_each_document_list(store, load_document, frontier);
	store_each_page(store, load_page, frontier);
}

/* Of some sites, which may become more meanwhile. */
struct some {
	struct frontier *frontier;
	struct frontier_only only; /* owned */
	struct idmap seen;
};

static void
want(struct some *some, int64_t site_id)
{
	if (site_id <= 0 || idmap_get(&some->seen, site_id) != IDMAP_NONE)
		return;
	idmap_put(&some->seen, site_id, 1);
	frontier_only_add(&some->only, site_id);
}

static void
load_some_document(void *arg, const struct document_list_row *row)
{
	struct some *some = arg;
	struct document_list_row parent;
	struct buf url;

	load_document(some->frontier, row);
	buf_init(&url, URL_MAX_BYTES);
	if (row->parent_id != 0 &&
	    store_document_list(
		some->frontier->options.store, row->parent_id, &parent, &url))
		want(some, parent.site_id);
	buf_release(&url);
}

static void
load_some_site(struct some *some, int64_t site_id)
{
	struct frontier *frontier = some->frontier;
	struct store *store = frontier->options.store;
	struct buf data;

	if (site_find(frontier, site_id) == NONE)
		return;
	buf_init(&data, LEARNED_MAX);
	if (store_learned_get(store, "site", site_id, &data))
		load_learned_site(frontier, site_id, buf_text(&data));
	buf_release(&data);
	if (store_is_found(store, site_id))
		load_found(frontier, site_id);
	store_each_document_list_of(store, site_id, load_some_document, some);
}

static void
load_some_page(void *arg, const struct page_row *row)
{
	struct frontier *frontier = arg;

	if (idmap_get(&frontier->document_of, row->document_id) != IDMAP_NONE)
		load_page(frontier, row);
}

/* Of those that are to be looked at, and whose indexes list their documents. */
static void
load_some(struct frontier *frontier)
{
	const struct frontier_only *only = frontier->options.only;
	struct some some = {.frontier = frontier};

	for (size_t i = 0; i < only->count; i++)
		want(&some, only->ids[i]);
	for (size_t i = 0; i < some.only.count; i++)
		load_some_site(&some, some.only.ids[i]);
	store_each_page(frontier->options.store, load_some_page, frontier);
	frontier_only_release(&some.only);
	idmap_release(&some.seen);
}

void
frontier_load(struct frontier *frontier)
{
	struct buf data;

	buf_init(&data, LEARNED_MAX);
	if (store_learned_get(frontier->options.store, "all", 0, &data))
		(void)scheduler_load_all(frontier->scheduler, buf_text(&data));
	buf_release(&data);
	tags_load(frontier);
	if (frontier->options.only != NULL)
		load_some(frontier);
	else
		load_sites(frontier);
	orphans_settle(frontier);
	for (size_t i = 0; i < frontier->document_count; i++)
		document_listed(frontier, (uint32_t)i);
}
