/* What the readings of a site changed, and how often its dates are right. */
#include "crawler/inspect/stats_gather.h"

#include <stdlib.h>
#include <string.h>

#include "base/idmap.h"
#include "base/mem.h"
#include "base/names.h"
#include "base/sort.h"
#include "base/zone.h"
#include "crawler/cli/selection.h"
#include "crawler/events/past.h"
#include "crawler/frontier/frontier_show.h"
#include "store/page.h"
#include "store/site_changes.h"

struct gathering {
	struct stats *stats;
	struct store *store;
	const struct section_rules *sections;
	struct names names; /* of the rows, whose numbers are their places */
	/* its new pages say when the site publishes */
	bool has_pages;
	const struct site_changes *changes; /* borrowed; which pages moved */
	struct rhythm *rhythm; /* owned; NULL: not asked for */
	struct idmap sitemaps; /* places in read_s, by document */
	int64_t *read_s; /* owned; when each sitemap was read last; 0: never */
	size_t sitemap_count, sitemap_cap;
	struct rhythm_window window; /* of the reading */
	/* The dates to which everything in the reading was re-dated; DATE_NONE:
	 * it was not. */
	struct date redated_first, redated_last;
};

int64_t
stats_last_s(const struct options_stats *options)
{
	static const int64_t standard[] = {[STATS_DAY] = 14 * DAY_S,
	    [STATS_WEEK] = 26 * 7 * DAY_S,
	    [STATS_HOUR] = 2 * DAY_S,
	    [STATS_SECTION] = 30 * DAY_S,
	    [STATS_SITEMAP] = 30 * DAY_S,
	    [STATS_WEEKDAY] = 12 * 7 * DAY_S};

	return options->last_s > 0 ? options->last_s : standard[options->by];
}

static struct stats_row *
add_row(struct stats *stats)
{
	struct stats_row *row = MEM_PUSH(stats->rows, stats->count, stats->cap);

	*row = (struct stats_row){0};
	return row;
}

/* Add a row for each hour, day or week of the time, which begins with a whole
 * one in the zone of people; weeks begin on Monday. */
static void
add_times(struct stats *stats)
{
	int64_t day = zone_day(stats->from_s);
	struct civil civil = zone_civil(stats->from_s);
	int64_t at_s = stats->from_s - civil.minute * 60 - civil.second;

	if (stats->by == STATS_WEEK)
		day -= zone_weekday(day);
	if (stats->by != STATS_HOUR)
		at_s = zone_day_s(day);
	stats->from_s = at_s;
	while (at_s < stats->to_s || (at_s == stats->to_s && !stats->has_end)) {
		add_row(stats)->at_s = at_s;
		day += stats->by == STATS_WEEK ? 7 : 1;
		/* a day of a zone may have 23 or 25 hours */
		at_s = stats->by == STATS_HOUR ? at_s + HOUR_S
					       : zone_day_s(day);
	}
}

static struct stats_row *
row_named(struct gathering *gathering, struct slice name)
{
	struct stats *stats = gathering->stats;
	uint32_t number = names_find(&gathering->names, name);

	if (number != NAMES_NONE)
		return &stats->rows[number];
	(void)names_put(&gathering->names, name);
	add_row(stats)->name = slice_dup(name);
	return &stats->rows[stats->count - 1];
}

/* Did it happen in the time that counts?  What is later than the clock counts,
 * too, unless the time has an end. */
static bool
gather_is_within(const struct stats *stats, int64_t at_s)
{
	return at_s >= stats->from_s && (!stats->has_end || at_s < stats->to_s);
}

static struct stats_row *
gather_row_of(struct gathering *gathering, const struct site_counts *counts,
    const struct site_count *one)
{
	struct stats *stats = gathering->stats;
	struct document document;
	struct stats_row *row;

	if (stats->by == STATS_SECTION) {
		struct slice name = names_slice(
		    &counts->sections, one->section);

		if (!counts->are_lone[one->section])
			return row_named(gathering, name);
		string_set_add(&stats->lone, name);
		return row_named(gathering, section_above(name));
	}
	if (stats->by != STATS_SITEMAP) {
		size_t low = 0, high = stats->count;

		/* the last row that begins at that time or before; if the clock
		 * was set back, readings may lie in the future */
		while (high - low > 1) {
			size_t middle = low + (high - low) / 2;

			if (stats->rows[middle].at_s <= one->at_s)
				low = middle;
			else
				high = middle;
		}
		return &stats->rows[low]; /* of STATS_WEEKDAY the only one */
	}
	if (!store_document_get(gathering->store, one->document_id, &document))
		return NULL;
	row = row_named(gathering, slice_of(document.url));
	document_release(&document);
	return row;
}

/* The place of a document in read_s; if it is new, it is a sitemap. */
static uint32_t
gather_place_of(
    struct gathering *gathering, int64_t document_id, bool is_sitemap)
{
	uint32_t place = idmap_get(&gathering->sitemaps, document_id);

	if (place != IDMAP_NONE || !is_sitemap)
		return place;
	place = (uint32_t)gathering->sitemap_count;
	*MEM_PUSH(gathering->read_s, gathering->sitemap_count,
	    gathering->sitemap_cap) = 0;
	idmap_put(&gathering->sitemaps, document_id, place);
	return place;
}

/* Readings that find a document unchanged do not say what it is. */
static bool
add_sitemap(void *arg, const struct document_row *row)
{
	struct gathering *gathering = arg;

	(void)gather_place_of(gathering, row->document.id,
	    row->document.kind != KIND_INDEX &&
		row->document.kind != KIND_ROBOTS);
	return true;
}

static bool
gather_on_change(void *arg, const struct reading_row *reading,
    const struct change *change, const struct move *move)
{
	struct gathering *gathering = arg;
	const struct date *first = &gathering->redated_first;
	const struct date *last = &gathering->redated_last;
	struct date date = change->after;

	/* a page that moved is not new */
	if (change->kind != DELTA_ADDED || move != NULL ||
	    section_is_ignored(gathering->sections, change->url))
		return true;
	/* A date among those to which everything was re-dated says when the
	 * site was built, and not when its page came. */
	if (first->precision != DATE_NONE &&
	    (date_order(&date, first) >= 0 || !date_differs(&date, first)) &&
	    (date_order(&date, last) <= 0 || !date_differs(&date, last)))
		date = (struct date){0};
	rhythm_page(gathering->rhythm, &gathering->window, reading->id, &date);
	return true;
}

static bool
note_redated(void *arg, const struct change *change)
{
	struct gathering *gathering = arg;
	struct date *first = &gathering->redated_first;
	struct date *last = &gathering->redated_last;

	if (change->kind != DELTA_REDATED)
		return true;
	if (first->precision == DATE_NONE ||
	    date_order(&change->after, first) < 0)
		*first = change->after;
	if (date_order(&change->after, last) > 0)
		*last = change->after;
	return true;
}

/* Readings that changed nothing count, too: they say until when a page was not
 * there. */
static void
add_rhythm(struct gathering *gathering, const struct reading_row *reading)
{
	uint32_t place = gather_place_of(gathering, reading->document_id,
	    reading->is_read && reading->lists_pages);
	uint64_t redated = reading->site[DELTA_REDATED];
	bool is_all = redated * 100 >= reading->dated * RHYTHM_SHARE;

	gathering->redated_first = gathering->redated_last = (struct date){0};
	gathering->has_pages = false;
	if (place == IDMAP_NONE)
		return;
	gathering->window = (struct rhythm_window){
	    gathering->read_s[place], reading->at_s};
	/* what an incomplete reading lacks, a later one finds */
	if (reading->outcome == OUTCOME_UNCHANGED ||
	    (reading->is_read && reading->is_complete)) {
		gathering->read_s[place] = reading->at_s;
		rhythm_look(gathering->rhythm, &gathering->window);
	}
	if (!gather_is_within(gathering->stats, reading->at_s) ||
	    !reading->has_delta)
		return;
	gathering->has_pages = reading->site[DELTA_ADDED] > 0;
	if (gathering->has_pages && is_all && redated >= RHYTHM_REDATED_PAGES)
		store_each_change(
		    gathering->store, reading->id, note_redated, gathering);
	if (is_all && redated >= RHYTHM_ALL_PAGES)
		rhythm_redated(gathering->rhythm, reading->at_s);
}

static bool
gather_on_reading(void *arg, const struct reading_row *reading)
{
	struct gathering *gathering = arg;
	struct stats *stats = gathering->stats;

	if (gathering->rhythm != NULL)
		add_rhythm(gathering, reading);
	if (gather_is_within(stats, reading->at_s)) {
		stats->read += reading->outcome == OUTCOME_READ;
		stats->unchanged += reading->outcome == OUTCOME_UNCHANGED;
		stats->failed += reading->outcome == OUTCOME_FAILED ||
		    reading->outcome == OUTCOME_REFUSED;
	}
	/* some earlier ones are looked at for windows */
	if (gathering->has_pages && reading->at_s >= stats->from_s)
		reading_change_walk(gathering->store, reading, true,
		    gathering->changes, gather_on_change, gathering);
	return true;
}

static void
add_counts(struct gathering *gathering, const struct site_counts *counts)
{
	struct stats *stats = gathering->stats;

	stats->has_too_many = counts->has_too_many;
	for (size_t i = 0; i < counts->count; i++) {
		const struct site_count *one = &counts->items[i];
		struct stats_row *row;

		if (!gather_is_within(stats, one->at_s))
			continue;
		stats->counts[one->kind] += one->pages;
		row = gather_row_of(gathering, counts, one);
		if (row != NULL)
			row->counts[one->kind] += one->pages;
	}
}

struct slice
stats_section(const struct stats *stats, const struct section_rules *sections,
    struct slice url)
{
	struct slice section = section_of(sections, url);

	return string_set_has(&stats->lone, section) ? section_above(section)
						     : section;
}

static const struct sort_key gather_most_first[] = {
    {SORT_KEY(struct stats_row, sum), true},
    {SORT_KEY(struct stats_row, name), false}, {0}};

void
stats_gather(struct stats *stats, struct store *store, struct slice host,
    const struct options_stats *options, int64_t now_s, struct site_past *past)
{
	struct gathering gathering = {
	    .stats = stats, .store = store, .sections = options->sections};
	int64_t site_id = store_site_find(store, host);
	struct site_past own = {0};
	int64_t last_s = stats_last_s(options);
	int64_t from_s = now_s > last_s ? now_s - last_s : 0;
	bool is_begun = store_read_begin(store);
	bool is_named = options->by == STATS_SECTION ||
	    options->by == STATS_SITEMAP;

	gathering.names.key = store_hash_key(store);
	*stats = (struct stats){.host = slice_dup(host),
	    .by = options->by,
	    .from_s = options->since_s > 0 ? options->since_s : from_s,
	    .to_s = now_s};
	/* An end that is still to come is none: a row for each day until the
	 * year 9999 would be three million rows of each site. */
	if (options->until_s > 0 && options->until_s <= now_s) {
		stats->to_s = options->until_s;
		stats->has_end = true;
	}
	if (stats->to_s < stats->from_s && !stats->has_end)
		stats->to_s = stats->from_s;
	if (stats->by <= STATS_HOUR)
		add_times(stats);
	else if (stats->by == STATS_WEEKDAY)
		add_row(stats)->at_s = stats->from_s; /* one for all */
	/* A rhythm costs a walk over the changes of each reading, so only who
	 * shows it asks for it. */
	stats->has_rhythm = options->wants_rhythm || stats->by == STATS_WEEKDAY;
	store_site_totals(store, site_id, &stats->totals);
	stats->numbers = store_site_numbers(store, site_id, false);
	stats->known_s = store_number(store, STORE_SITE_KNOWN_S, site_id, 0);
	if (past == NULL) {
		past = &own;
		past_open(past, store, site_id,
		    &(struct events_span){.since_s = stats->from_s,
			.now_s = now_s,
			.sections = options->sections,
			.renamings = options->renamings},
		    PAST_COUNTS);
	}
	if (stats->has_rhythm) {
		gathering.rhythm = rhythm_new(stats->from_s, stats->to_s);
		store_each_document(
		    store, DOCUMENTS_OF_SITE, host, add_sitemap, &gathering);
		gathering.changes = past_changes(past);
	}
	if (stats->has_rhythm || options->wants_readings)
		store_each_reading(store,
		    (struct reading_from){.by = READINGS_OF_SITE,
			.id = site_id,
			.at_s = stats->from_s -
			    (stats->has_rhythm ? RHYTHM_DAY_S : 0)},
		    gather_on_reading, &gathering);
	add_counts(&gathering, &past->counts);
	past_release(&own);
	if (is_begun)
		store_read_end(store);
	if (stats->has_rhythm)
		rhythm_judge(gathering.rhythm, &stats->rhythm);
	rhythm_free(gathering.rhythm);
	free(gathering.sitemaps.slots);
	free(gathering.read_s);
	if (is_named) {
		size_t count = 0;

		for (size_t i = 0; i < stats->count; i++) {
			struct stats_row *row = &stats->rows[i];

			for (int kind = 0; kind < STATS_KINDS; kind++)
				row->sum += row->counts[kind];
			if (row->sum == 0)
				free(row->name);
			else
				stats->rows[count++] = *row;
		}
		stats->count = count;
		sort_rows(stats->rows, count, sizeof(*stats->rows),
		    gather_most_first);
	}
	names_release(&gathering.names);
}

void
stats_release(struct stats *stats)
{
	for (size_t i = 0; i < stats->count; i++)
		free(stats->rows[i].name);
	for (size_t i = 0; i < stats->source_count; i++)
		free(stats->sources[i].url);
	free(stats->rows);
	string_set_release(&stats->lone);
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

/* Without dates there is nothing to be right about, and an index has no pages.
 */
static bool
gather_on_document(void *arg, const struct document_row *row)
{
	struct stats_asking *asking = arg;
	struct stats *stats = asking->stats;
	struct frontier_terms terms;

	if (row->dated == 0 || row->document.kind == KIND_INDEX ||
	    !frontier_document_terms(
		asking->frontier, row->document.id, asking->now_s, &terms))
		return true;
	*MEM_PUSH(stats->sources, stats->source_count,
	    stats->source_cap) = (struct stats_source){
	    .url = mem_copy(row->document.url), .terms = terms.terms};
	stats->checks += terms.terms.checks;
	stats->precision += terms.terms.checks * terms.terms.precision;
	return true;
}

static const struct sort_key sources_by_checks[] = {
    {SORT_KEY(struct stats_source, terms.checks), true},
    {SORT_KEY(struct stats_source, url), false}, {0}};

void
stats_ask(struct stats *stats, struct frontier *frontier, struct store *store,
    int64_t now_s)
{
	struct stats_asking asking = {stats, frontier, now_s};

	store_each_document(store, DOCUMENTS_OF_SITE, slice_of(stats->host),
	    gather_on_document, &asking);
	stats->precision = stats->checks > 0 ? stats->precision / stats->checks
					     : 0;
	sort_rows(stats->sources, stats->source_count, sizeof(*stats->sources),
	    sources_by_checks);
}
