/* What the desk knows, for people: see desk_show.h. */
#include "crawler/frontier/desk_show.h"

#include "base/url.h"
#include "crawler/frontier/desk_holds.h"
#include "crawler/frontier/desk_hosts.h"
#include "crawler/frontier/desk_parts.h"
#include "crawler/frontier/desk_sites.h"
#include "crawler/frontier/desk_tags.h"
#include "sched/scheduler_tell.h"
#include "store/lookup.h"

/* of_page: it is held with the pages of its host. */
static void
show_host(
    struct desk *desk, uint32_t name, bool of_page, struct desk_terms *terms)
{
	const struct host_at *host = &desk->hosts[name];
	struct hold_times held = host_times(desk, name);

	terms->delay_ms = host->delay_ms;
	terms->host_leases = host->leases;
	terms->held_until_s = held.all_s;
	terms->is_pages_hold = of_page && held.pages_s > held.all_s;
	if (terms->is_pages_hold)
		terms->held_until_s = held.pages_s;
}

static void
show_document(struct desk *desk, uint32_t number, struct desk_terms *terms)
{
	const struct document_at *document = &desk->documents[number];
	const struct site_at *site = &desk->sites[document->site];

	terms->document_id = document->id;
	terms->site_id = site->id;
	terms->is_watched = site->is_watched;
	terms->is_stray = document->is_stray && !document->is_needed;
	terms->is_removed = site->is_removed || terms->is_stray;
	terms->is_budgeted = desk->options.requests_per_hour > 0 ||
	    desk->hosts[site->host].per_hour > 0 ||
	    site->is.tag != SCHEDULER_NONE;
}

static void
show_bounds(const struct desk *desk, const struct document_at *document,
    bool of_page, struct desk_terms *terms)
{
	const struct scheduler_site *is = &desk->sites[document->site].is;

	terms->least_s = of_page ? is->page_floor_s : is->reading_floor_s;
	terms->most_s = of_page ? is->page_ceiling_s : is->reading_ceiling_s;
	terms->readings_per_day = of_page ? 0 : is->readings_per_day;
	terms->pages_per_day = of_page ? is->pages_per_day : 0;
	if (of_page || !document->is_robots)
		terms->round = site_round(desk, document->site, of_page);
}

static void
show_url(struct desk *desk, uint32_t document, struct slice text, bool of_page,
    struct desk_terms *terms)
{
	struct desk_url url = desk_url(text);
	uint32_t site = desk->documents[document].site;
	uint32_t origin = origin_put(desk, url.origin, site);

	terms->is_wanted = site_wants(&desk->sites[site], text);
	terms->robots = origin_judge(
	    desk, origin, url.target, &terms->robots_line);
	/* now that its Crawl-delay is known */
	show_bounds(desk, &desk->documents[document], of_page, terms);
	show_host(desk, desk->origins[origin].host, of_page, terms);
}

static bool
show_page(struct desk *desk, uint32_t number, struct slice url,
    struct desk_terms *terms)
{
	const struct page_at *page = &desk->pages[number];
	struct page_row row;

	if (!store_page_get(desk->options.store, page->id, &row) ||
	    !slice_equal(row.url, url))
		return false;
	show_document(desk, page->document, terms);
	terms->is_page = true;
	terms->is_listed = row.is_listed &&
	    !desk->documents[page->document].is_unlisted;
	terms->is_leased = (page->flags & PAGE_LEASED) != 0;
	if (terms->is_leased)
		terms->lease_until_s = (int64_t)ranking_key(
		    &desk->leases, number);
	/* a clock that was put back since may have said later */
	terms->fetched_s = row.fetched_s < desk->now_s ? row.fetched_s
						       : desk->now_s;
	terms->lastmod_s = row.has_lastmod ? row.lastmod_s : SCHEDULER_NO_DATE;
	scheduler_explain_page(
	    desk->scheduler, number, desk->now_s, &terms->terms);
	show_url(desk, page->document, row.url, true, terms);
	return true;
}

struct lister {
	struct desk *desk;
	uint32_t number; /* of the first document that lists it */
	int64_t lastmod_s;
};

static void
note_lister(void *arg, int64_t document_id, const struct entry *entry)
{
	struct lister *lister = arg;
	uint32_t number = idmap_get(&lister->desk->document_of, document_id);

	if (number == IDMAP_NONE ||
	    (lister->number != NONE &&
		!lister->desk->documents[lister->number].is_stray) ||
	    entry->missed > 0 || entry->verdict != VERDICT_ACCEPTED ||
	    lister->desk->documents[number].is_index)
		return;
	lister->number = number;
	lister->lastmod_s = entry->lastmod.precision != DATE_NONE
	    ? entry->lastmod.epoch_s
	    : SCHEDULER_NO_DATE;
}

/* As document_left has it: what is not wanted, or forbidden, is not known. */
static uint64_t
unpromoted(const struct document_at *document)
{
	if (document->is_index || document->is_replaced || document->is_stray ||
	    document->listed <= document->promoted)
		return 0;
	return document->listed - document->promoted;
}

static void
show_listed(struct desk *desk, uint32_t number, struct desk_terms *terms)
{
	const struct document_at *document = &desk->documents[number];
	const struct site_at *site = &desk->sites[document->site];

	scheduler_explain_listed(
	    desk->scheduler, number, desk->now_s, &terms->terms);
	terms->unpromoted = unpromoted(document);
	for (uint32_t i = site->documents; i != 0;
	     i = desk->documents[i - 1].next)
		terms->site_unpromoted += unpromoted(&desk->documents[i - 1]);
}

bool
desk_page_terms(struct desk *desk, struct slice url, int64_t now_s,
    struct desk_terms *terms)
{
	uint32_t number = page_by_url(desk, url);
	struct lister lister = {
	    .desk = desk, .number = NONE, .lastmod_s = SCHEDULER_NO_DATE};

	(void)desk_clock(desk, now_s);
	*terms = (struct desk_terms){.lastmod_s = SCHEDULER_NO_DATE};
	if (number != NONE && show_page(desk, number, url, terms))
		return true;
	store_each_listing(desk->options.store, url, note_lister, &lister);
	if (lister.number == NONE)
		return false;
	show_document(desk, lister.number, terms);
	terms->is_listed = true;
	terms->lastmod_s = lister.lastmod_s;
	show_listed(desk, lister.number, terms);
	show_url(desk, lister.number, url, true, terms);
	return true;
}

void
desk_each_budget(
    const struct desk *desk, int64_t site_id, desk_budget_fn *fn, void *arg)
{
	uint32_t number = idmap_get(&desk->site_of, site_id);
	const struct slice nobody = slice_make("", 0);
	const struct site_at *site;

	if (desk->options.requests_per_hour > 0)
		fn(arg, "total", nobody, desk->options.requests_per_hour);
	if (number == IDMAP_NONE)
		return;
	site = &desk->sites[number];
	if (desk->hosts[site->host].per_hour > 0)
		fn(arg, "site", nobody, desk->hosts[site->host].per_hour);
	for (size_t i = 0; i < desk->tag_count; i++) {
		struct slice name = slice_of(desk->tags[i].name);

		if (desk->tags[i].per_hour > 0 &&
		    strings_has(&site->tags, name))
			fn(arg, "tag", name, desk->tags[i].per_hour);
	}
}

bool
desk_site_rounds(struct desk *desk, int64_t site_id, int64_t now_s,
    struct desk_round *pages, struct desk_round *documents)
{
	uint32_t number = idmap_get(&desk->site_of, site_id);

	(void)desk_clock(desk, now_s);
	if (number == IDMAP_NONE)
		return false;
	*pages = site_round(desk, number, true);
	*documents = site_round(desk, number, false);
	return true;
}

bool
desk_document_terms(
    struct desk *desk, int64_t id, int64_t now_s, struct desk_terms *terms)
{
	uint32_t number = idmap_get(&desk->document_of, id);
	struct roster_row row;
	struct buf url;

	(void)desk_clock(desk, now_s);
	*terms = (struct desk_terms){.lastmod_s = SCHEDULER_NO_DATE};
	if (number == IDMAP_NONE)
		return false;
	show_document(desk, number, terms);
	scheduler_explain_document(
	    desk->scheduler, number, desk->now_s, &terms->terms);
	buf_init(&url, URL_MAX_BYTES);
	if (store_roster(desk->options.store, id, &row, &url)) {
		terms->fetched_s = row.last_read_s;
		show_url(desk, number, row.url, false, terms);
	}
	buf_release(&url);
	return true;
}
