/* What the store knows becomes the desk's: see desk_load.h. */
#include "crawler/frontier/desk_load.h"

#include "base/mem.h"
#include "base/url.h"
#include "crawler/frontier/desk_charge.h"
#include "crawler/frontier/desk_documents.h"
#include "crawler/frontier/desk_lease.h"
#include "crawler/frontier/desk_listed.h"
#include "crawler/frontier/desk_only.h"
#include "crawler/frontier/desk_parts.h"
#include "crawler/frontier/desk_sites.h"
#include "crawler/frontier/desk_strays.h"
#include "crawler/frontier/desk_tags.h"
#include "sched/scheduler_show.h"
#include "store/learned.h"

#define LEARNED_MAX 65536

static void
load_watch(void *arg, const struct watch *watch)
{
	struct desk *desk = arg;

	(void)site_put(desk, watch->site_id, slice_of(watch->host), watch);
}

static void
load_site(void *arg, int64_t site_id, struct slice host)
{
	struct desk *desk = arg;

	if (idmap_get(&desk->site_of, site_id) == IDMAP_NONE)
		(void)site_put(desk, site_id, host, NULL);
}

static void
load_found(void *arg, int64_t site_id)
{
	struct desk *desk = arg;
	uint32_t number = idmap_get(&desk->site_of, site_id);

	if (number != IDMAP_NONE)
		desk->sites[number].is_found = true;
}

static void
load_document(void *arg, const struct roster_row *row)
{
	struct desk *desk = arg;
	uint32_t site = idmap_get(&desk->site_of, row->site_id);
	uint32_t number;

	/* what was imported has a document that nobody reads */
	if (site == IDMAP_NONE ||
	    (!desk->sites[site].is_found && row->kind != KIND_UNLISTED))
		return;
	number = document_put(desk, row);
	if (number == NONE)
		return;
	document_learned(desk, number, row);
	site_asked(desk, desk->documents[number].site, row->last_read_s);
}

static void
load_page(void *arg, const struct page_row *row)
{
	struct desk *desk = arg;
	int64_t until_s = row->lease_until_s;
	int64_t asked_s;
	bool is_out;
	uint32_t number;

	/* by a clock that was put back since */
	if (row->lease_asked_s > desk->began_s)
		until_s -= row->lease_asked_s - desk->began_s;
	if (until_s > desk->began_s + DESK_LEASE_MAX_S)
		until_s = desk->began_s + DESK_LEASE_MAX_S;
	is_out = row->has_lease && until_s > desk->began_s;
	number = page_promote(desk, row, is_out);
	if (number == NONE)
		return;
	if (is_out)
		lease_begin(desk, NULL, number, until_s);
	asked_s = is_out && row->lease_asked_s > row->fetched_s
	    ? row->lease_asked_s
	    : row->fetched_s;
	host_asked(
	    desk, desk->origins[desk->pages[number].origin].host, asked_s);
	site_asked(
	    desk, desk->documents[desk->pages[number].document].site, asked_s);
	if (row->leases > 0)
		site_taken(
		    desk, desk->documents[desk->pages[number].document].site);
}

static void
load_learned_site(void *arg, int64_t id, struct slice data)
{
	struct desk *desk = arg;
	uint32_t number = idmap_get(&desk->site_of, id);

	if (number != IDMAP_NONE)
		(void)scheduler_load_site(
		    desk->scheduler, desk->sites[number].number, data);
}

/* Of all sites. */
static void
load_sites(struct desk *desk)
{
	struct store *store = desk->options.store;

	store_each_watch(store, load_watch, desk);
	store_each_site(store, load_site, desk);
	store_each_learned(store, "site", load_learned_site, desk);
	store_each_found(store, load_found, desk);
	store_each_roster(store, load_document, desk);
	store_each_page(store, load_page, desk);
}

/* Of some sites, which may become more meanwhile. */
struct some {
	struct desk *desk;
	struct desk_only only; /* owned */
	struct idmap seen;
};

static void
want(struct some *some, int64_t site_id)
{
	if (site_id <= 0 || idmap_get(&some->seen, site_id) != IDMAP_NONE)
		return;
	idmap_put(&some->seen, site_id, 1);
	desk_only_add(&some->only, site_id);
}

static void
load_some_document(void *arg, const struct roster_row *row)
{
	struct some *some = arg;
	struct roster_row parent;
	struct buf url;

	load_document(some->desk, row);
	buf_init(&url, URL_MAX_BYTES);
	if (row->parent_id != 0 &&
	    store_roster(
		some->desk->options.store, row->parent_id, &parent, &url))
		want(some, parent.site_id);
	buf_release(&url);
}

static void
load_some_site(struct some *some, int64_t site_id)
{
	struct desk *desk = some->desk;
	struct store *store = desk->options.store;
	struct buf data;

	if (site_find(desk, site_id) == NONE)
		return;
	buf_init(&data, LEARNED_MAX);
	if (store_learned_get(store, "site", site_id, &data))
		load_learned_site(desk, site_id, buf_text(&data));
	buf_release(&data);
	if (store_is_found(store, site_id))
		load_found(desk, site_id);
	store_each_roster_of(store, site_id, load_some_document, some);
}

static void
load_some_page(void *arg, const struct page_row *row)
{
	struct desk *desk = arg;

	if (idmap_get(&desk->document_of, row->document_id) != IDMAP_NONE)
		load_page(desk, row);
}

/* Of those that are to be looked at, and whose indexes list their documents. */
static void
load_some(struct desk *desk)
{
	const struct desk_only *only = desk->options.only;
	struct some some = {.desk = desk};

	for (size_t i = 0; i < only->count; i++)
		want(&some, only->ids[i]);
	for (size_t i = 0; i < some.only.count; i++)
		load_some_site(&some, some.only.ids[i]);
	store_each_page(desk->options.store, load_some_page, desk);
	desk_only_release(&some.only);
	idmap_release(&some.seen);
}

void
desk_load(struct desk *desk)
{
	struct buf data;

	buf_init(&data, LEARNED_MAX);
	if (store_learned_get(desk->options.store, "all", 0, &data))
		(void)scheduler_load_all(desk->scheduler, buf_text(&data));
	buf_release(&data);
	tags_load(desk);
	if (desk->options.only != NULL)
		load_some(desk);
	else
		load_sites(desk);
	strays_settle(desk);
	for (size_t i = 0; i < desk->document_count; i++)
		document_listed(desk, (uint32_t)i);
}
