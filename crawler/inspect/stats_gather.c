/* What the readings of a site changed, and how often its dates are right. */
#include "crawler/inspect/stats_gather.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/url.h"
#include "base/zone.h"
#include "crawler/cli/selection.h"
#include "crawler/frontier/frontier_show.h"
#include "store/changes.h"
#include "store/query.h"
#include "store/site.h"
#include "store/site_changes.h"

#define HOUR_S 3600
#define DAY_S 86400
/* limit for sections, because each page may have its own */
#define MOST_SECTIONS 10000
#define OTHERS "(others)"
#define FORGOTTEN \
	"(gone since)" /* sitemap of old changes whose document is gone */

struct gathering {
	struct stats *stats;
	struct store *store;
	/* the pages that the first reading of a document found before this time
	 * do not count as new: the site had just been added */
	int64_t known_s;
	size_t *by_name; /* owned: places of rows, sorted by name */
	size_t name_cap;
	const struct reading_row *reading;
	uint64_t at; /* number of the change or entry */
	struct buf bits; /* bits of changes that are not the site's */
};

/* The beginning of the hour, day or week in the zone of people; weeks begin on
 * Monday. */
static int64_t
floor_to(enum stats_by by, int64_t at_s)
{
	int64_t day = zone_day(at_s);
	struct civil civil;

	if (by == STATS_HOUR) {
		civil = zone_civil(at_s);
		return at_s - civil.minute * 60 - civil.second;
	}
	return zone_day_s(by == STATS_WEEK ? day - zone_weekday(day) : day);
}

/* The beginning of the next hour, day or week. */
static int64_t
next_of(enum stats_by by, int64_t from_s)
{
	if (by == STATS_HOUR)
		return from_s + HOUR_S;
	return zone_day_s(zone_day(from_s) + (by == STATS_WEEK ? 7 : 1));
}

static int64_t
last_of(const struct options_stats *options)
{
	static const int64_t standard[] = {[STATS_DAY] = 14 * DAY_S,
	    [STATS_WEEK] = 26 * 7 * DAY_S,
	    [STATS_HOUR] = 2 * DAY_S,
	    [STATS_SECTION] = 30 * DAY_S,
	    [STATS_SITEMAP] = 30 * DAY_S};

	return options->last_s > 0 ? options->last_s : standard[options->by];
}

static struct stats_row *
add_row(struct stats *stats)
{
	stats->rows = mem_grow(
	    stats->rows, &stats->cap, stats->count + 1, sizeof(*stats->rows));
	stats->rows[stats->count] = (struct stats_row){0};
	return &stats->rows[stats->count++];
}

static void
add_times(struct stats *stats)
{
	stats->from_s = floor_to(stats->by, stats->from_s);
	for (int64_t at_s = stats->from_s; at_s <= stats->to_s;
	     at_s = next_of(stats->by, at_s))
		add_row(stats)->at_s = at_s;
}

static struct stats_row *
row_at(struct stats *stats, int64_t at_s)
{
	size_t low = 0, high = stats->count;

	/* the last row that begins at that time or before; if the clock was set
	 * back, readings may lie in the future */
	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (stats->rows[middle].at_s <= at_s)
			low = middle;
		else
			high = middle;
	}
	return &stats->rows[low];
}

/* The row of that name, added if it is new. */
static struct stats_row *
row_named(struct gathering *gathering, struct slice name)
{
	struct stats *stats = gathering->stats;
	size_t low = 0;
	size_t high = stats->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		struct stats_row *row = &stats
					     ->rows[gathering->by_name[middle]];
		int order = slice_order(name, slice_of(row->name));

		if (order == 0)
			return row;
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	if (stats->count >= MOST_SECTIONS && !slice_is(name, OTHERS))
		return row_named(gathering, slice_of(OTHERS));
	gathering->by_name = mem_grow(gathering->by_name, &gathering->name_cap,
	    stats->count + 1, sizeof(*gathering->by_name));
	memmove(&gathering->by_name[low + 1], &gathering->by_name[low],
	    (stats->count - low) * sizeof(*gathering->by_name));
	gathering->by_name[low] = stats->count;
	add_row(stats)->name = slice_dup(name);
	return &stats->rows[stats->count - 1];
}

/* Did it happen in the time that counts?  What is later than the clock counts,
 * too, unless the time has an end. */
static bool
is_within(const struct stats *stats, int64_t at_s)
{
	return at_s >= stats->from_s && (!stats->has_end || at_s < stats->to_s);
}

static bool
on_change(void *arg, const struct change *change)
{
	struct gathering *gathering = arg;
	uint64_t at = gathering->at++;
	bool is_counted = !reading_is_elsewhere(
	    gathering->reading, buf_text(&gathering->bits), change, at);

	/* a verdict changes in one document only, whatever other documents
	 * list */
	if (gathering->reading->lists_pages &&
	    (change->kind == DELTA_REFUSED || change->kind == DELTA_ACCEPTED))
		is_counted = true;
	if (!is_counted)
		return true;
	if (is_within(gathering->stats,
		reading_at_s(gathering->reading, change->kind)))
		row_named(gathering, url_section(change->url))
		    ->counts[change->kind]++;
	return true;
}

static bool
on_entry(void *arg, const struct entry *entry)
{
	struct gathering *gathering = arg;

	if (entry->first_seen_s != gathering->reading->at_s)
		return true;
	gathering->at++;
	row_named(gathering, url_section(entry->url))->counts[DELTA_ADDED]++;
	return true;
}

/* Count the changes of a reading one by one. */
static void
add_sections(struct gathering *gathering, const struct reading_row *reading)
{
	gathering->reading = reading;
	gathering->at = 0;
	if (reading->has_delta) {
		store_elsewhere(
		    gathering->store, reading->id, &gathering->bits);
		store_each_change(
		    gathering->store, reading->id, on_change, gathering);
		return;
	}
	if (!is_within(gathering->stats, reading->at_s))
		return;
	store_each_entry(
	    gathering->store, reading->document_id, on_entry, gathering);
	if (gathering->at < reading->site[DELTA_ADDED])
		row_named(gathering, slice_of(FORGOTTEN))
		    ->counts[DELTA_ADDED] += reading->site[DELTA_ADDED] -
		    gathering->at;
}

/* The row of a document or a time; NULL: the document is gone. */
static struct stats_row *
row_of(struct gathering *gathering, int64_t document_id, int64_t at_s)
{
	struct stats *stats = gathering->stats;
	struct document document;
	struct stats_row *row;

	if (stats->by != STATS_SITEMAP)
		return row_at(stats, at_s);
	if (!store_document_get(gathering->store, document_id, &document))
		return NULL;
	row = row_named(gathering, slice_of(document.url));
	document_release(&document);
	return row;
}

static bool
on_reading(void *arg, const struct reading_row *reading)
{
	struct gathering *gathering = arg;
	struct stats *stats = gathering->stats;
	uint64_t changes = 0;

	for (int kind = 0; kind < DELTA_KINDS; kind++)
		changes += reading->site[kind];
	stats->read += reading->outcome == OUTCOME_READ;
	stats->unchanged += reading->outcome == OUTCOME_UNCHANGED;
	stats->failed += reading->outcome == OUTCOME_FAILED ||
	    reading->outcome == OUTCOME_REFUSED;
	/* a reading that found its document unchanged may have made entries
	 * gone */
	if (changes == 0 ||
	    (!reading->has_delta && reading->at_s < gathering->known_s))
		return true;
	if (stats->by == STATS_SECTION)
		add_sections(gathering, reading);
	for (int kind = 0; kind < DELTA_KINDS; kind++) {
		int64_t at_s = reading_at_s(reading, (enum delta_kind)kind);
		struct stats_row *row = NULL;

		if (reading->site[kind] == 0 || !is_within(stats, at_s))
			continue;
		stats->counts[kind] += reading->site[kind];
		if (stats->by != STATS_SECTION)
			row = row_of(gathering, reading->document_id, at_s);
		if (row != NULL)
			row->counts[kind] += reading->site[kind];
	}
	return true;
}

/* The row in which one end of a move was counted; NULL: none. */
static struct stats_row *
row_of_page(struct gathering *gathering, const struct moved_page *page)
{
	/* the page may have been absent before it was gone */
	if (page->read_s < gathering->stats->from_s ||
	    !is_within(gathering->stats, page->at_s))
		return NULL;
	if (gathering->stats->by == STATS_SECTION)
		return row_named(gathering, url_section(page->url));
	return row_of(gathering, page->document_id, page->at_s);
}

/* One end of a move was counted as another change: subtract that change. */
static void
uncount(struct gathering *gathering, const struct moved_page *page)
{
	struct stats_row *row = row_of_page(gathering, page);

	if (row == NULL || row->counts[page->kind] == 0 ||
	    gathering->stats->counts[page->kind] == 0)
		return;
	row->counts[page->kind]--;
	gathering->stats->counts[page->kind]--;
}

/* Count each move at the time when the new page appeared. */
static void
add_moves(struct gathering *gathering, int64_t site_id)
{
	struct stats *stats = gathering->stats;
	struct site_changes *changes = site_changes_new(
	    gathering->store, site_id, stats->from_s);
	const struct move *move;
	struct stats_row *row;

	stats->has_too_many = !site_changes_are_compared(changes);
	for (size_t i = 0; (move = site_changes_move(changes, i)) != NULL;
	     i++) {
		uncount(gathering, &move->from);
		uncount(gathering, &move->to);
		if (move->was_removed)
			uncount(gathering, &move->removed);
		row = row_of_page(gathering, &move->to);
		if (row == NULL)
			continue;
		row->counts[STATS_MOVED]++;
		stats->counts[STATS_MOVED]++;
	}
	site_changes_free(changes);
}

uint64_t
stats_sum(const struct stats_row *row)
{
	uint64_t sum = 0;

	for (int kind = 0; kind < STATS_KINDS; kind++)
		sum += row->counts[kind];
	return sum;
}

/* Most changes first, then by name. */
static int
by_changes(const void *a, const void *b)
{
	uint64_t x = stats_sum(a);
	uint64_t y = stats_sum(b);

	if (x != y)
		return x > y ? -1 : 1;
	return strcmp(((const struct stats_row *)a)->name,
	    ((const struct stats_row *)b)->name);
}

/* Remove rows that had moves only. */
static void
drop_empty(struct stats *stats)
{
	size_t count = 0;

	for (size_t i = 0; i < stats->count; i++) {
		if (stats_sum(&stats->rows[i]) == 0)
			free(stats->rows[i].name);
		else
			stats->rows[count++] = stats->rows[i];
	}
	stats->count = count;
}

void
stats_gather(struct stats *stats, struct store *store, struct slice host,
    const struct options_stats *options, int64_t now_s)
{
	struct gathering gathering = {.stats = stats, .store = store};
	int64_t site_id = store_site_find(store, host);
	int64_t last_s = last_of(options);
	int64_t from_s = now_s > last_s ? now_s - last_s : 0;

	*stats = (struct stats){.host = slice_dup(host),
	    .by = options->by,
	    .from_s = options->since_s > 0 ? options->since_s : from_s,
	    .to_s = options->until_s > 0 ? options->until_s : now_s,
	    .has_end = options->until_s > 0};
	if (stats->by <= STATS_HOUR)
		add_times(stats);
	store_site_totals(store, site_id, &stats->totals);
	stats->numbers = store_site_numbers(store, site_id);
	gathering.known_s = store_site_known_s(store, site_id) + DAY_S;
	buf_init(&gathering.bits, SIZE_MAX);
	store_each_site_reading(
	    store, site_id, stats->from_s, on_reading, &gathering);
	add_moves(&gathering, site_id);
	buf_release(&gathering.bits);
	if (stats->by > STATS_HOUR)
		drop_empty(stats);
	if (stats->by > STATS_HOUR && stats->count > 0)
		qsort(stats->rows, stats->count, sizeof(*stats->rows),
		    by_changes);
	free(gathering.by_name);
}

void
stats_release(struct stats *stats)
{
	for (size_t i = 0; i < stats->count; i++)
		free(stats->rows[i].name);
	for (size_t i = 0; i < stats->source_count; i++)
		free(stats->sources[i].url);
	free(stats->rows);
	free(stats->sources);
	free(stats->host);
	*stats = (struct stats){0};
}

/* How often the dates of a site are right. */

struct stats_asking {
	struct stats *stats;
	struct frontier *frontier;
	int64_t now_s;
};

static bool
on_document(void *arg, const struct document_row *row)
{
	struct stats_asking *asking = arg;
	struct stats *stats = asking->stats;
	struct frontier_terms terms;

	if (row->dated == 0 || row->document.kind == KIND_INDEX ||
	    !frontier_document_terms(
		asking->frontier, row->document.id, asking->now_s, &terms))
		return true;
	stats->sources = mem_grow(stats->sources, &stats->source_cap,
	    stats->source_count + 1, sizeof(*stats->sources));
	stats->sources[stats->source_count++] = (struct stats_source){
	    .url = mem_copy(row->document.url), .terms = terms.terms};
	stats->checks += terms.terms.checks;
	stats->precision += terms.terms.checks * terms.terms.precision;
	return true;
}

static int
by_checks(const void *a, const void *b)
{
	const struct stats_source *x = a;
	const struct stats_source *y = b;

	if (x->terms.checks < y->terms.checks ||
	    x->terms.checks > y->terms.checks)
		return x->terms.checks > y->terms.checks ? -1 : 1;
	return strcmp(x->url, y->url);
}

void
stats_ask(struct stats *stats, struct frontier *frontier, struct store *store,
    int64_t now_s)
{
	struct stats_asking asking = {stats, frontier, now_s};

	store_each_document(store, slice_of(stats->host), on_document, &asking);
	stats->precision = stats->checks > 0 ? stats->precision / stats->checks
					     : 0;
	if (stats->source_count > 0)
		qsort(stats->sources, stats->source_count,
		    sizeof(*stats->sources), by_checks);
}
