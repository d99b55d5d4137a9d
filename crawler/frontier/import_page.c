/* Importing a URL that another crawler knows. */
#include "crawler/frontier/import_page.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/url.h"
#include "crawler/frontier/frontier_lease.h"
#include "crawler/frontier/frontier_tables.h"
#include "crawler/frontier/import_batch.h"
#include "crawler/frontier/page_parents.h"
#include "sched/scheduler_events.h"
#include "store/listed.h"
#include "store/lookup.h"
#include "store/outcome.h"
#include "store/page.h"
#include "store/site.h"

/* What became of a row. */
struct imported {
	int64_t id; /* of its page; 0: the store has failed */
	bool is_new;
	/* of its fetch; PAGE_OUTCOMES: no fetch is later than what is known */
	enum page_outcome outcome;
};

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

/* The root of an origin. */

static bool
import_take_site(void *arg, const struct document_row *row)
{
	int64_t *site_id = arg;

	*site_id = row->document.site_id;
	return false;
}

/* The site that reads the robots.txt of that URL's origin, preferably that of
 * its host; else the site of the host, made when it is new. */
static int64_t
import_site_of(struct store *store, const struct url *url, struct slice robots)
{
	int64_t site_id = store_site_find(store, url_host(url));

	if (site_id != 0 && store_document_id(store, site_id, robots) != 0)
		return site_id;
	/* all sites are searched, so only if one is known to have the origin */
	if (store_knows_origin(store, url_origin(url)))
		store_each_document_at(
		    store, robots, import_take_site, &site_id);
	if (site_id == 0)
		site_id = store_site(store, url_host(url));
	return site_id;
}

static int64_t
import_root_of(struct importer *importer, const struct url *url)
{
	size_t before = importer->origins.count;
	uint32_t number = names_put(&importer->origins, url_origin(url));
	int64_t site_id;
	struct buf text;

	importer->roots = mem_grow(importer->roots, &importer->root_cap,
	    (size_t)number + 1, sizeof(*importer->roots));
	if (importer->origins.count == before)
		return importer->roots[number];
	buf_init(&text, URL_MAX_BYTES + 16);
	(void)buf_put_slice(&text, url_origin(url));
	(void)buf_print(&text, "/robots.txt");
	site_id = import_site_of(importer->store, url, buf_text(&text));
	text.len = url_origin(url).len + 1;
	importer->roots[number] = store_unlisted(
	    importer->store, site_id, buf_text(&text));
	buf_release(&text);
	return importer->roots[number];
}

/* The store. */

/* Make the page of a URL, with the date that a document or somebody else gives
 * for it. */
static int64_t
make_page(struct store *store, struct slice url, int64_t document_id,
    const struct date *lastmod, int64_t first_seen_s)
{
	struct page_listing listing = {.is_listed = true,
	    .lastmod = *lastmod,
	    .first_seen_s = first_seen_s};
	int64_t id = store_page_add(store, document_id, url);

	if (id != 0)
		store_page_listing(store, id, &listing);
	return id;
}

static int64_t
import_add(struct importer *importer, const struct import_line *line,
    const struct listed *listed)
{
	struct listed own = {.url = url_text(&line->url)};

	if (listed == NULL) {
		listed_find(importer->store, &own);
		listed = &own;
	}
	importer->totals.added++;
	importer->totals.unlisted += listed->document_id == 0;
	return make_page(importer->store, url_text(&line->url),
	    listed->document_id != 0 ? listed->document_id
				     : import_root_of(importer, &line->url),
	    listed->lastmod.precision != DATE_NONE ? &listed->lastmod
						   : &line->lastmod,
	    listed->first_seen_s);
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
	store_outcome(store, &row, &outcome);
	totals->history++;
	return outcome.kind;
}

static struct imported
import_line(struct importer *importer, const struct import_line *line,
    const struct listed *listed)
{
	struct store *store = importer->store;
	struct imported imported = {
	    .id = store_page_find(store, url_text(&line->url)),
	    .outcome = PAGE_OUTCOMES};

	imported.is_new = imported.id == 0;
	if (imported.is_new)
		imported.id = import_add(importer, line, listed);
	else
		importer->totals.known++;
	if (imported.id == 0)
		return imported;
	if (line->has_weight)
		store_page_weight(store, imported.id, (float)line->weight);
	if (line->fetched_s > 0)
		imported.outcome = add_history(
		    store, imported.id, line, &importer->totals);
	return imported;
}

/* The frontier. */

static void
import_add_page(struct frontier *f, int64_t id)
{
	struct page_row row;
	uint32_t document;

	if (!store_page_get(f->store, id, &row))
		return;
	/* the import may have made the document, too */
	document = document_find(f, row.document_id);
	if (document == NONE || page_promote(f, &row, false) == NONE)
		return;
	if (document_at(f, document)->listed > 0)
		document_update_backlog(f, document);
}

void
frontier_import(struct frontier *f, struct importer *importer,
    const struct import_row *row, int64_t now_s)
{
	const struct import_line *line = &row->line;
	struct imported imported;
	uint32_t number;

	frontier_expire(f, now_s);
	imported = import_line(importer, line, row->listed);
	if (imported.is_new && imported.id != 0)
		import_add_page(f, imported.id);
	number = imported.is_new ? NONE : page_by_id(f, imported.id);
	if (number == NONE)
		return;
	if (line->has_weight)
		scheduler_weigh(f->scheduler, number, (float)line->weight);
	/* A fetch that is later than what was known of the page.  A failure of
	 * long ago says nothing of the host now; whoever has leased the page
	 * will say more. */
	if (imported.outcome == PAGE_OUTCOMES ||
	    imported.outcome == PAGE_FAILED ||
	    (page_at(f, number)->owner_flags & PAGE_LEASED) != 0)
		return;
	ready_drop(f, number);
	scheduler_outcome(f->scheduler, number,
	    &(struct scheduler_outcome){.now_s = line->fetched_s,
		.kind = page_outcome_kind(imported.outcome)});
	page_learned(f, number, url_text(&line->url));
}

uint32_t
frontier_promote_listed(struct frontier *f, struct slice url)
{
	struct store *store = f->store;
	struct listed listed = {.url = url};
	int64_t id;

	listed_find(store, &listed);
	if (listed.document_id == 0)
		return NONE;
	id = make_page(store, url, listed.document_id, &listed.lastmod,
	    listed.first_seen_s);
	if (id == 0)
		return NONE;
	import_add_page(f, id);
	return page_by_id(f, id);
}
