/* What the frontier knows, for people. */
#include "crawler/frontier/frontier_show.h"

#include "base/civil.h"
#include "base/human.h"
#include "base/page_filter.h"
#include "crawler/frontier/frontier_lease.h"
#include "crawler/frontier/frontier_tables.h"
#include "store/document.h"
#include "store/lookup.h"
#include "store/page.h"

static void
show_document(struct frontier *f, uint32_t number, struct frontier_terms *terms)
{
	const struct sched_source *document = document_at(f, number);
	const struct sched_site *site = site_at(f, document->site);
	int64_t ready_s;

	terms->document_id = document->id;
	terms->site_id = site->id;
	terms->is_watched = site->is_watched;
	terms->is_orphan = document->is_orphan && !document->is_needed;
	terms->is_removed = site->is_removed || terms->is_orphan;
	terms->is_budgeted = f->options.requests_per_hour > 0 ||
	    f->hosts->items[site->host]->per_hour > 0 ||
	    site->is.tag != SCHEDULER_NONE;
	ready_s = scheduler_ready_s(f->scheduler, LIMITS_SITE, document->site);
	if (frontier_site_spent(f, document->site, ready_s).of != NULL)
		terms->spent_until_s = ready_s;
}

static void
show_url(struct frontier *f, uint32_t document, struct slice text,
    const struct page_filter_subject *page, struct frontier_terms *terms)
{
	struct url_parts url = url_parts(text);
	bool of_page = page != NULL;
	bool has_date = of_page && page->lastmod->precision != DATE_NONE;
	uint32_t site = document_at(f, document)->site;
	const struct scheduler_site *is = &site_at(f, site)->is;
	uint32_t origin = origin_put(f, url.origin, site);
	const struct page_filter *filter = site_filter(
	    f, site_at(f, site), false);
	struct robots_verdict verdict;

	if (has_date)
		terms->lastmod_s = page->lastmod->epoch_s;
	terms->refused_by = of_page ? page_filter_refuses(filter, page)
				    : document_refuses(f, document);
	terms->robots = origin_judge(
	    f, origin, url.target, of_page ? filter : NULL, &verdict);
	terms->robots_line = verdict.line;
	terms->refused_for.no = verdict.refused_for;
	terms->least_s = of_page ? is->page_floor_s : is->reading_floor_s;
	terms->most_s = of_page ? is->page_ceiling_s : is->reading_ceiling_s;
	terms->readings_per_day = of_page ? 0 : is->readings_per_day;
	terms->pages_per_day = of_page ? is->pages_per_day : 0;
	/* after origin_judge(), which reads the Crawl-delay */
	if (of_page || !document_at(f, document)->is_robots)
		terms->round = site_round(f, site, of_page);
	/* The holds of a page's host count with of_page. */
	uint32_t name = origin_at(f, origin)->host;
	const struct host *host = f->hosts->items[name];
	struct hold_times held = host_times(f, name);
	int64_t ready_ms = host_ready_ms(f->hosts, host,
	    of_page ? HOST_PAGES : HOST_DOCUMENTS, &terms->host_why);

	if (terms->host_why != HOST_FREE)
		terms->host_ready_s = f->now_s +
		    (ready_ms - host_table_now_ms(f->hosts) + SECOND_MS - 1) /
			SECOND_MS;
	terms->delay_ms = host->delay_ms;
	terms->host_leases = host->leases;
	terms->held_until_s = held.all_s;
	terms->is_pages_hold = of_page && held.pages_s > held.all_s;
	if (terms->is_pages_hold)
		terms->held_until_s = held.pages_s;
}

static bool
show_page(struct frontier *f, uint32_t number, struct slice url,
    struct frontier_terms *terms)
{
	const struct sched_page *page = page_at(f, number);
	struct page_row row;

	if (!store_page_get(f->store, page->id, &row) ||
	    !slice_equal(row.url, url))
		return false;
	show_document(f, page->document, terms);
	terms->is_page = true;
	terms->is_listed = row.is_listed &&
	    !document_at(f, page->document)->is_unlisted;
	terms->is_leased = (page->owner_flags & PAGE_LEASED) != 0;
	if (terms->is_leased)
		terms->lease_until_s = lease_until_s(f, number);
	/* the clock may have been put back after the fetch */
	terms->fetched_s = row.fetched_s < f->now_s ? row.fetched_s : f->now_s;
	scheduler_explain_page(f->scheduler, number, f->now_s, &terms->terms);
	show_url(f, page->document, row.url,
	    &(struct page_filter_subject){.url = row.url,
		.lastmod = &row.lastmod,
		.first_seen_s = row.first_seen_s,
		.now_s = f->now_s},
	    terms);
	return true;
}

/* Looking for the first document that lists a URL; an orphan only if there is
 * no other. */
struct first_lister {
	struct frontier *f;
	uint32_t number; /* of the first document that lists it */
	struct date lastmod;
	int64_t first_seen_s;
};

static void
show_lister(void *arg, int64_t document_id, const struct entry *entry)
{
	struct first_lister *lister = arg;
	uint32_t number = idmap_get(&lister->f->document_by_id, document_id);

	if (number == NONE ||
	    (lister->number != NONE &&
		!document_at(lister->f, lister->number)->is_orphan) ||
	    entry->missed > 0 || entry->verdict != VERDICT_ACCEPTED ||
	    document_at(lister->f, number)->is_index)
		return;
	lister->number = number;
	lister->lastmod = entry->lastmod;
	lister->first_seen_s = entry->first_seen_s;
}

/* As document_listed() counts: entries that are not eligible, or
 * disallowed, are not known. */
static uint64_t
unpromoted(const struct sched_source *document)
{
	if (document->is_index || document->is_orphan ||
	    document->listed <= document->promoted)
		return 0;
	return document->listed - document->promoted;
}

bool
frontier_page_terms(struct frontier *f, struct slice url, int64_t now_s,
    struct frontier_terms *terms)
{
	uint32_t number = idmap_get(&f->page_by_url, page_key(f, url));
	struct first_lister lister = {.f = f, .number = NONE};

	(void)frontier_clock(f, now_s);
	*terms = (struct frontier_terms){.lastmod_s = SCHEDULER_NO_DATE};
	if (number != NONE && show_page(f, number, url, terms))
		return true;
	store_each_listing(f->store, url, show_lister, &lister);
	if (lister.number == NONE)
		return false;
	show_document(f, lister.number, terms);
	terms->is_listed = true;
	const struct sched_source *document = document_at(f, lister.number);
	const struct sched_site *site = site_at(f, document->site);

	scheduler_explain_listed(
	    f->scheduler, lister.number, f->now_s, &terms->terms);
	terms->unpromoted = unpromoted(document);
	for (uint32_t i = site->first; i != 0;
	     i = document_at(f, i - 1)->next_of_site)
		terms->site_unpromoted += unpromoted(document_at(f, i - 1));

	show_url(f, lister.number, url,
	    &(struct page_filter_subject){.url = url,
		.lastmod = &lister.lastmod,
		.first_seen_s = lister.first_seen_s,
		.now_s = f->now_s},
	    terms);
	return true;
}

bool
frontier_document_terms(
    struct frontier *f, int64_t id, int64_t now_s, struct frontier_terms *terms)
{
	uint32_t number = idmap_get(&f->document_by_id, id);
	struct document_list_row row;

	(void)frontier_clock(f, now_s);
	*terms = (struct frontier_terms){.lastmod_s = SCHEDULER_NO_DATE};
	if (number == NONE)
		return false;
	show_document(f, number, terms);
	scheduler_explain_document(
	    f->scheduler, number, f->now_s, &terms->terms);
	if (store_document_list(f->store, id, &row)) {
		terms->fetched_s = row.last_read_s;
		show_url(f, number, row.url, NULL, terms);
	}
	return true;
}

void
frontier_each_budget(const struct frontier *f, int64_t site_id,
    frontier_budget_fn *fn, void *arg)
{
	uint32_t number = idmap_get(&f->sites.by_id, site_id);
	const struct slice nobody = slice_make("", 0);
	const struct sched_site *site;

	if (f->options.requests_per_hour > 0)
		fn(arg, "total", nobody, f->options.requests_per_hour);
	if (number == NONE)
		return;
	site = site_at(f, number);
	if (f->hosts->items[site->host]->per_hour > 0)
		fn(arg, "site", nobody, f->hosts->items[site->host]->per_hour);
	for (size_t i = 0; i < f->tags.count; i++) {
		struct slice name = slice_of(f->tags.items[i].name);

		if (f->tags.items[i].per_hour > 0 &&
		    strings_has(&site->tags, name))
			fn(arg, "tag", name, f->tags.items[i].per_hour);
	}
}

bool
frontier_site_rounds(struct frontier *f, int64_t site_id, int64_t now_s,
    struct frontier_round *pages, struct frontier_round *documents)
{
	uint32_t number = idmap_get(&f->sites.by_id, site_id);

	(void)frontier_clock(f, now_s);
	if (number == NONE)
		return false;
	*pages = site_round(f, number, true);
	*documents = site_round(f, number, false);
	return true;
}

size_t
frontier_pages(const struct frontier *f)
{
	return f->scheduler->pages.count;
}

void
frontier_waiting(
    struct frontier *f, int64_t now_s, struct frontier_waiting *waiting)
{
	*waiting = (struct frontier_waiting){.page_s = frontier_due_s(f, now_s),
	    .document_s = f->options.reads_documents
		? frontier_next_document_s(f, now_s)
		: FRONTIER_NEVER};
	now_s = frontier_clock(f, now_s);
	waiting->leased = lease_running(f);
	for (uint32_t i = 0; i < f->hosts->count; i++) {
		const struct host *host = host_kept(f->hosts, i);

		if (host == NULL)
			continue;
		struct hold_times held = host_times(f, i);
		struct frontier_hold_row row = {
		    .host = names_slice(&f->hosts->names, i),
		    .until_s = held.all_s,
		    .is_pages = held.pages_s > held.all_s};

		/* a page whose lease is over waits, too */
		waiting->ready += host->waiting[HOST_PAGES] + host->leases;
		if (row.is_pages)
			row.until_s = held.pages_s;
		if (row.until_s <= now_s)
			continue;
		waiting->held++;
		/* Put the row into the list, which is sorted by until_s, the
		 * latest first. */
		size_t at = waiting->hold_count;

		while (at > 0 && waiting->holds[at - 1].until_s < row.until_s)
			at--;
		if (at != FRONTIER_HOLD_ROWS) {
			if (waiting->hold_count < FRONTIER_HOLD_ROWS)
				waiting->hold_count++;
			for (size_t k = waiting->hold_count - 1; k > at; k--)
				waiting->holds[k] = waiting->holds[k - 1];
			waiting->holds[at] = row;
		}
	}
	waiting->ready -= waiting->leased;
}

void
frontier_round_text(
    struct buf *text, const struct frontier_round *round, bool of_pages)
{
	(void)buf_print(text, "%s at %.3g s a request take %s, and take turns",
	    human_of(round->requests, of_pages ? "page" : "document").text,
	    round->each_s,
	    human_span((double)round->requests * round->each_s).text);
}
