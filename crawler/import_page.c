/* Taking a URL that another crawler knows into a store. */
#include "crawler/import_page.h"

#include "base/hash.h"
#include "store/lookup.h"
#include "store/page.h"

struct listing {
	struct store *store;
	int64_t document_id; /* 0: none yet */
	struct date lastmod;
};

/* Entries of indexes are no pages; one that was lacking is still known. */
static void
take_listing(void *arg, int64_t document_id, const struct entry *entry)
{
	struct listing *listing = arg;
	struct document document;

	if (listing->document_id != 0 ||
	    !store_document_get(listing->store, document_id, &document))
		return;
	if (document.kind != KIND_INDEX && document.kind != KIND_ROBOTS) {
		listing->document_id = document_id;
		listing->lastmod = entry->lastmod;
	}
	document_release(&document);
}

struct place {
	int64_t site_id;
};

static bool
take_place(void *arg, const struct document_row *row)
{
	struct place *place = arg;

	place->site_id = row->document.site_id;
	return false;
}

/* of_root(store, url): the document that stands for those that none lists, of
 * the site that reads the origin's robots.txt, else of the host's. */
static int64_t
of_root(struct store *store, const struct url *url)
{
	struct place place = {0};
	struct document document;
	struct buf text;
	int64_t id;

	buf_init(&text, URL_MAX_BYTES + 16);
	(void)buf_put_slice(&text, url_origin(url));
	(void)buf_print(&text, "/robots.txt");
	store_each_document_at(store, buf_text(&text), take_place, &place);
	if (place.site_id == 0)
		place.site_id = store_site(store, url_host(url));
	text.len = url_origin(url).len + 1;
	store_document(store, place.site_id, buf_text(&text), &document);
	id = document.id;
	document_release(&document);
	buf_release(&text);
	return id;
}

static int64_t
add(struct store *store, const struct import_line *line,
    struct import_totals *totals)
{
	struct slice url = url_text(&line->url);
	struct listing listing = {.store = store};
	const struct date *lastmod = &listing.lastmod;
	struct page_told told = {.is_listed = true};
	int64_t id;

	store_each_listing(store, url, take_listing, &listing);
	totals->added++;
	if (listing.document_id == 0) {
		listing.document_id = of_root(store, &line->url);
		totals->unlisted++;
	}
	if (lastmod->precision == DATE_NONE)
		lastmod = &line->lastmod;
	id = store_page_add(store, listing.document_id, url);
	told.has_lastmod = lastmod->precision != DATE_NONE;
	told.is_day = told.has_lastmod && lastmod->precision <= DATE_DAY;
	told.lastmod_s = lastmod->epoch_s;
	if (id != 0 && told.has_lastmod)
		store_page_told(store, id, &told);
	return id;
}

static enum page_outcome
add_history(struct store *store, int64_t id, const struct import_line *line,
    struct import_totals *totals)
{
	struct outcome_row outcome = {.page_id = id,
	    .at_s = line->fetched_s,
	    .kind = page_outcome_of_status(line->status),
	    .status = line->status,
	    .etag = line->etag,
	    .last_modified = line->last_modified};
	struct page_row row;

	if (!store_page_get(store, id, &row) ||
	    line->fetched_s <= row.fetched_s)
		return PAGE_OUTCOMES;
	if (outcome.kind == PAGE_FETCHED && line->content_hash.len > 0) {
		outcome.has_hash = true;
		outcome.hash = hash_key(
		    line->content_hash, store_hash_key(store));
		if (row.has_hash || row.fetched_s == 0)
			outcome.kind = row.has_hash && row.hash == outcome.hash
			    ? PAGE_SAME
			    : PAGE_CHANGED;
	}
	store_outcome(store, &outcome);
	totals->history++;
	return outcome.kind;
}

struct import_taken
import_page(struct store *store, const struct import_line *line,
    struct import_totals *totals)
{
	struct import_taken taken = {
	    .id = store_page_find(store, url_text(&line->url)),
	    .outcome = PAGE_OUTCOMES};

	taken.is_new = taken.id == 0;
	if (taken.is_new)
		taken.id = add(store, line, totals);
	else
		totals->known++;
	if (taken.id == 0)
		return taken;
	if (line->has_weight)
		store_page_weight(store, taken.id, (float)line->weight);
	if (line->fetched_s > 0)
		taken.outcome = add_history(store, taken.id, line, totals);
	return taken;
}
