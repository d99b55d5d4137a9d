/* Importing a URL that another crawler knows. */
#include "crawler/frontier/import.h"

#include <math.h>
#include <stdlib.h>

#include "crawler/event/ndjson.h"
#include "crawler/frontier/frontier_lease.h"
#include "crawler/frontier/frontier_tables.h"
#include "crawler/frontier/page_parents.h"
#include "store/page.h"
#include "store/site.h"

/* One line of what another crawler knows of a URL. */

#define FUTURE_S 300 /* the clocks of two machines differ by no more */
#define VALIDATOR_MAX 256 /* longer ones are not sent back */
#define HASH_MAX 1024

void
import_line_release(struct import_line *line)
{
	ndjson_free(line->object);
	url_release(&line->url);
	*line = (struct import_line){.status = 0};
}

static const char *
import_read_url(struct import_line *line, struct slice text)
{
	switch (url_parse_raw(&line->url, text, NULL)) {
	case DIAG_OK:
		return NULL;
	case DIAG_UNSUPPORTED_SCHEME:
		return "is neither http nor https";
	case DIAG_URL_TOO_LONG:
		return "is too long for a URL";
	case DIAG_URL_HAS_USERINFO:
		return "names a user";
	default:
		return "is no URL with a scheme and a host";
	}
}

/* Get a text; empty: the member is absent.  False: the member is no text. */
static bool
import_get_text(
    const struct ndjson *object, const char *key, struct slice *text)
{
	enum ndjson_type type = ndjson_type(object, key);

	*text = ndjson_text(object, key);
	return type == NDJSON_TEXT || type == NDJSON_NONE;
}

/* Get a number; *number stays if the member is absent.  False: it is no number.
 */
static bool
import_get_number(const struct ndjson *object, const char *key, double *number)
{
	enum ndjson_type type = ndjson_type(object, key);

	if (type == NDJSON_INTEGER || type == NDJSON_REAL)
		*number = ndjson_real(object, key);
	return type == NDJSON_INTEGER || type == NDJSON_REAL ||
	    type == NDJSON_NONE;
}

/* Get a time, from a date or seconds.  False: the member is neither. */
static bool
import_get_time(const struct ndjson *object, const char *key, int64_t *value)
{
	struct slice text;
	struct date date;
	double number = 0;

	*value = 0;
	if (import_get_number(object, key, &number)) {
		*value = number >= 0 && number < (double)DATE_BOUND_S
		    ? (int64_t)number
		    : -1;
		return *value >= 0;
	}
	if (!import_get_text(object, key, &text) || !date_read(&date, text))
		return false;
	*value = date.epoch_s;
	return date.epoch_s >= 0;
}

/* May the text be sent in a header? */
static bool
is_sendable(struct slice text)
{
	for (size_t i = 0; i < text.len; i++)
		if (text.p[i] < ' ' || text.p[i] > '~')
			return false;
	return text.len <= VALIDATOR_MAX;
}

static const char *
read_fetch(struct import_line *line, int64_t now_s)
{
	const struct ndjson *object = line->object;
	double status = 200;

	if (!import_get_time(object, "fetched", &line->fetched_s))
		return "has a 'fetched' that is no time";
	if (line->fetched_s > now_s + FUTURE_S)
		return "was fetched in the future";
	/* the other clock is ahead; time must not jump ahead here */
	if (line->fetched_s > now_s)
		line->fetched_s = now_s;
	if (!import_get_number(object, "status", &status) ||
	    !(status == 0 || (status >= 100 && status <= 599)) ||
	    status != floor(status))
		return "has a 'status' that is none";
	line->status = (int)status;
	if (!import_get_text(object, "content_hash", &line->content_hash) ||
	    line->content_hash.len > HASH_MAX)
		return "has a 'content_hash' that is no text, or too long";
	if (!import_get_text(object, "etag", &line->etag) ||
	    !import_get_text(object, "last_modified", &line->last_modified) ||
	    !is_sendable(line->etag) || !is_sendable(line->last_modified))
		return "has an 'etag' or a 'last_modified' that cannot be sent";
	if (line->fetched_s == 0 &&
	    line->content_hash.len + line->etag.len + line->last_modified.len >
		0)
		return "does not say when it was 'fetched'";
	return NULL;
}

const char *
import_line_read(
    struct import_line *line, struct slice text, bool is_json, int64_t now_s)
{
	const char *why;
	struct slice url;

	import_line_release(line);
	if (!is_json)
		return import_read_url(line, text);
	line->object = ndjson_parse(text, NULL);
	if (line->object == NULL)
		return "is no JSON object";
	if (!import_get_text(line->object, "url", &url) || url.len == 0)
		return "has no 'url'";
	why = import_read_url(line, url);
	if (why != NULL)
		return why;
	line->weight = NAN;
	if (!import_get_number(line->object, "weight", &line->weight))
		return "has a 'weight' that is no number";
	line->has_weight = !isnan(line->weight);
	if (line->has_weight &&
	    !(line->weight > 0 && line->weight <= IMPORT_WEIGHT_MAX))
		return "has a 'weight' that is not above 0, or too large";
	why = read_fetch(line, now_s);
	if (why != NULL)
		return why;
	if (!import_get_text(line->object, "lastmod", &text) ||
	    (text.len > 0 && !date_read(&line->lastmod, text)))
		return "has a 'lastmod' that is no date";
	return NULL;
}

/* Lines of an import, many at once. */

/* The more lines a search has, the less each costs: URLs come in no order, and
 * a search decodes each block of the store once. */
#define BATCH_LINES 8192
/* Of text; parsed JSON takes twenty times as much memory. */
#define BATCH_BYTES ((size_t)1 << 20)
/* Block indexes in one step of a search: some milliseconds. */
#define SEARCH_BLOCK_INDEXES 1000
/* A reading that is committed makes a search stale; after so many searches in
 * vain the batch goes on without. */
#define SEARCHES_MOST 3

void
import_batch_release(struct import_batch *batch)
{
	listed_search_free(batch->search);
	free(batch->listed);
	for (size_t i = 0; i < batch->count; i++)
		import_line_release(&batch->rows[i].line);
	free(batch->rows);
	*batch = (struct import_batch){.store = batch->store};
}

bool
import_batch_put(
    struct import_batch *batch, struct slice text, bool is_json, int64_t now_s)
{
	struct import_row *row;

	row = MEM_PUSH(batch->rows, batch->count, batch->cap);
	*row = (struct import_row){.why = NULL};
	batch->bytes += text.len;
	if (text.len > IMPORT_LINE_MAX)
		row->why = "is longer than 65,536 bytes";
	text = slice_trim(text);
	row->is_blank = text.len == 0 && row->why == NULL;
	if (!row->is_blank && row->why == NULL)
		row->why = import_line_read(&row->line, text, is_json, now_s);
	/* a page has its document already, and is not searched for */
	row->is_page = !row->is_blank && row->why == NULL &&
	    store_page_find(batch->store, url_text(&row->line.url)) != 0;
	return batch->count < BATCH_LINES && batch->bytes < BATCH_BYTES;
}

bool
import_batch_is_stale(const struct import_batch *batch)
{
	return batch->searches < SEARCHES_MOST &&
	    !listed_search_holds(batch->search);
}

bool
import_batch_search(struct import_batch *batch)
{
	if (batch->search == NULL || import_batch_is_stale(batch)) {
		size_t left = batch->count - batch->at, count = 0;

		listed_search_free(batch->search);
		free(batch->listed);
		batch->searches++;
		batch->listed = mem_zero((left + 1) * sizeof(*batch->listed));
		for (size_t i = batch->at; i < batch->count; i++) {
			struct import_row *row = &batch->rows[i];

			if (row->why != NULL || row->is_blank || row->is_page)
				continue;
			row->listed = &batch->listed[count];
			batch->listed[count++].url = url_text(&row->line.url);
		}
		batch->search = listed_search_new(
		    batch->store, batch->listed, count, NULL, NULL);
	}
	return listed_search_some(batch->search, SEARCH_BLOCK_INDEXES);
}

const struct import_row *
import_batch_next(struct import_batch *batch)
{
	struct import_row *row;

	if (batch->at == batch->count) {
		import_batch_release(batch);
		return NULL;
	}
	row = &batch->rows[batch->at++];
	if (!listed_search_holds(batch->search))
		row->listed = NULL;
	return row;
}

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
	importer->origins = (struct names){.key = store_hash_key(store)};
}

void
importer_release(struct importer *importer)
{
	names_release(&importer->origins);
	free(importer->roots);
}

static bool
import_take_site(void *arg, const struct document_row *row)
{
	int64_t *site_id = arg;

	*site_id = row->document.site_id;
	return false;
}

static int64_t
import_root_of(struct importer *importer, const struct url *url)
{
	struct store *store = importer->store;
	size_t before = importer->origins.count;
	uint32_t number = names_put(&importer->origins, url_origin(url));
	int64_t site_id;
	struct buf text = BUF_UP_TO(URL_MAX_BYTES + 16);

	importer->roots = mem_grow(importer->roots, &importer->root_cap,
	    (size_t)number + 1, sizeof(*importer->roots));
	if (importer->origins.count == before)
		return importer->roots[number];
	(void)buf_put_slice(&text, url_origin(url));
	(void)buf_print(&text, "/robots.txt");
	/* The site that reads the robots.txt of that origin, preferably that of
	 * its host; else the site of the host, made when it is new.  All sites
	 * are searched, so only if one is known to have the origin. */
	site_id = store_site_find(store, url_host(url));
	if ((site_id == 0 ||
		store_document_id(store, site_id, buf_text(&text)) == 0) &&
	    store_origin(store, url_origin(url), false) != 0)
		store_each_document(store, DOCUMENTS_AT, buf_text(&text),
		    import_take_site, &site_id);
	if (site_id == 0)
		site_id = store_site(store, url_host(url));
	text.len = url_origin(url).len + 1;
	importer->roots[number] = store_unlisted(
	    store, site_id, buf_text(&text));
	buf_release(&text);
	return importer->roots[number];
}

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
		store_page_set(
		    store, id, &(struct page_told){.listing = &listing});
	return id;
}

static enum page_outcome
add_history(struct store *store, int64_t id, const struct import_line *line,
    struct import_totals *totals)
{
	struct outcome_row outcome = {.page_id = id,
	    .at_s = line->fetched_s,
	    .status = line->status,
	    .etag = line->etag,
	    .last_modified = line->last_modified};
	struct page_row row;

	if (!store_page_get(store, id, &row) ||
	    line->fetched_s <= row.fetched_s)
		return PAGE_OUTCOMES;
	outcome.kind = page_outcome_of(&row, line->status, NULL);
	if (outcome.kind == PAGE_FETCHED && line->content_hash.len > 0) {
		outcome.has_hash = true;
		outcome.hash = page_text_hash(
		    line->content_hash, store_hash_key(store));
		outcome.kind = page_outcome_of(
		    &row, line->status, &outcome.hash);
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
	struct listed own = {.url = url_text(&line->url)};

	imported.is_new = imported.id == 0;
	if (imported.is_new) {
		if (listed == NULL) {
			listed_find(store, &own);
			listed = &own;
		}
		importer->totals.added++;
		importer->totals.unlisted += listed->document_id == 0;
		imported.id = make_page(store, url_text(&line->url),
		    listed->document_id != 0
			? listed->document_id
			: import_root_of(importer, &line->url),
		    listed->lastmod.precision != DATE_NONE ? &listed->lastmod
							   : &line->lastmod,
		    listed->first_seen_s);
	} else {
		importer->totals.known++;
	}
	if (imported.id == 0)
		return imported;
	if (line->has_weight)
		store_page_set(store, imported.id,
		    &(struct page_told){
			.weight = &(float){(float)line->weight}});
	if (line->fetched_s > 0)
		imported.outcome = add_history(
		    store, imported.id, line, &importer->totals);
	return imported;
}

static void
import_add_page(struct frontier *f, int64_t id)
{
	struct page_row row;
	uint32_t document;

	if (!store_page_get(f->store, id, &row))
		return;
	/* the import may have made the document, too */
	document = document_find(f, row.document_id, KIND_UNKNOWN);
	if (document == NONE || page_promote(f, &row, false) == NONE)
		return;
	if (document_at(f, document)->listed > 0)
		document_listed(f, document, false);
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
