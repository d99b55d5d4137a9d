/* Taking a URL that another crawler knows into a store. */
#include "crawler/frontier/import_page.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/mem.h"
#include "store/lookup.h"
#include "store/page.h"
#include "store/site.h"

void
importer_init(struct importer *importer, struct store *store)
{
	*importer = (struct importer){.store = store};
	names_init(&importer->origins, store_hash_key(store));
}

void
importer_release(struct importer *importer)
{
	names_release(&importer->origins);
	free(importer->roots);
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

/* site_of(store, url): the site that reads the robots.txt of its origin, its
 * host's rather than another; else the host's. */
static int64_t
site_of(struct store *store, const struct url *url, struct slice robots)
{
	struct place place = {store_site_find(store, url_host(url))};

	if (place.site_id != 0 &&
	    store_document_id(store, place.site_id, robots) != 0)
		return place.site_id;
	/* each site is asked for it: only where one is known to */
	if (store_knows_origin(store, url_origin(url)))
		store_each_document_at(store, robots, take_place, &place);
	if (place.site_id == 0)
		place.site_id = store_site(store, url_host(url));
	return place.site_id;
}

static int64_t
find_root(struct store *store, const struct url *url)
{
	struct buf text;
	int64_t site_id, id;

	buf_init(&text, URL_MAX_BYTES + 16);
	(void)buf_put_slice(&text, url_origin(url));
	(void)buf_print(&text, "/robots.txt");
	site_id = site_of(store, url, buf_text(&text));
	text.len = url_origin(url).len + 1;
	id = store_unlisted(store, site_id, buf_text(&text));
	buf_release(&text);
	return id;
}

/* The document that stands for those that none lists. */
static int64_t
root_of(struct importer *importer, const struct url *url)
{
	size_t before = importer->origins.count;
	uint32_t number = names_put(&importer->origins, url_origin(url));

	importer->roots = mem_grow(importer->roots, &importer->root_cap,
	    (size_t)number + 1, sizeof(*importer->roots));
	if (importer->origins.count > before)
		importer->roots[number] = find_root(importer->store, url);
	return importer->roots[number];
}

static int64_t
add(struct importer *importer, const struct import_line *line,
    const struct listed *listed)
{
	struct store *store = importer->store;
	struct slice url = url_text(&line->url);
	struct listed own = {.url = url};
	const struct date *lastmod;
	struct page_listing told = {.is_listed = true};
	int64_t id;

	if (listed == NULL) {
		listed_find(store, &own);
		listed = &own;
	}
	lastmod = &listed->lastmod;
	if (lastmod->precision == DATE_NONE)
		lastmod = &line->lastmod;
	importer->totals.added++;
	importer->totals.unlisted += listed->document_id == 0;
	id = store_page_add(store,
	    listed->document_id != 0 ? listed->document_id
				     : root_of(importer, &line->url),
	    url);
	told.has_lastmod = lastmod->precision != DATE_NONE;
	told.is_day = told.has_lastmod && lastmod->precision <= DATE_DAY;
	told.lastmod_s = lastmod->epoch_s;
	if (id != 0 && told.has_lastmod)
		store_page_listing(store, id, &told);
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
		outcome.hash = page_text_hash(
		    line->content_hash, store_hash_key(store));
		outcome.kind = page_outcome_of_text(&row, outcome.hash);
	}
	store_outcome(store, &outcome);
	totals->history++;
	return outcome.kind;
}

struct import_taken
import_page(struct importer *importer, const struct import_line *line,
    const struct listed *listed)
{
	struct store *store = importer->store;
	struct import_taken taken = {
	    .id = store_page_find(store, url_text(&line->url)),
	    .outcome = PAGE_OUTCOMES};

	taken.is_new = taken.id == 0;
	if (taken.is_new)
		taken.id = add(importer, line, listed);
	else
		importer->totals.known++;
	if (taken.id == 0)
		return taken;
	if (line->has_weight)
		store_page_weight(store, taken.id, (float)line->weight);
	if (line->fetched_s > 0)
		taken.outcome = add_history(
		    store, taken.id, line, &importer->totals);
	return taken;
}
