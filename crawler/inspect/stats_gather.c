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
#include "crawler/frontier/frontier_show.h"
#include "store/page.h"
#include "store/site_changes.h"
#include "store/site_list.h"

/* limit for sections, because each page may have its own */
#define MOST_SECTIONS 10000
#define OTHERS "(others)"

struct gathering {
	struct stats *stats;
	struct store *store;
	const struct section_rules *sections;
	/* of the rows, whose numbers are their places; its key is that of
	 * hashes of pages, too */
	struct names names;
	/* of the reading: changes of ignored pages, by kind */
	uint64_t ignored[DELTA_KINDS];
	/* its new pages say when the site publishes */
	bool has_pages;
	struct site_changes *changes; /* owned; which pages moved */
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
	/* Rules of a site may make a section of each page. */
	if (stats->count >= MOST_SECTIONS && !slice_is(name, OTHERS))
		return row_named(gathering, slice_of(OTHERS));
	(void)names_put(&gathering->names, name);
	add_row(stats)->name = slice_dup(name);
	return &stats->rows[stats->count - 1];
}

/* The row of the section of a page that changed. */
static struct stats_row *
row_of_section(struct gathering *gathering, struct slice url)
{
	struct stats_row *row = row_named(
	    gathering, section_of(gathering->sections, url));
	uint64_t page = hash_key(url, gathering->names.key);

	/* Whether a section has one page alone is known by two hashes, not by
	 * all of its URLs. */
	if (row->page == 0)
		row->page = page;
	row->has_others = row->has_others || row->page != page;
	return row;
}

/* Did it happen in the time that counts?  What is later than the clock counts,
 * too, unless the time has an end. */
static bool
gather_is_within(const struct stats *stats, int64_t at_s)
{
	return at_s >= stats->from_s && (!stats->has_end || at_s < stats->to_s);
}

/* The row of a document or a time; NULL: the document is gone. */
static struct stats_row *
gather_row_of(struct gathering *gathering, int64_t document_id, int64_t at_s)
{
	struct stats *stats = gathering->stats;
	struct document document;
	struct stats_row *row;

	if (stats->by != STATS_SITEMAP) {
		size_t low = 0, high = stats->count;

		/* the last row that begins at that time or before; if the clock
		 * was set back, readings may lie in the future */
		while (high - low > 1) {
			size_t middle = low + (high - low) / 2;

			if (stats->rows[middle].at_s <= at_s)
				low = middle;
			else
				high = middle;
		}
		return &stats->rows[low]; /* of STATS_WEEKDAY the only one */
	}
	if (!store_document_get(gathering->store, document_id, &document))
		return NULL;
	row = row_named(gathering, slice_of(document.url));
	document_release(&document);
	return row;
}

/* Rhythm. */

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

/* A change_walk_fn: one walk counts for the sections, for what is ignored, and
 * for the rhythm. */
static bool
gather_on_change(void *arg, const struct reading_row *reading,
    const struct change *change, const struct move *move)
{
	struct gathering *gathering = arg;
	const struct date *first = &gathering->redated_first;
	const struct date *last = &gathering->redated_last;
	struct date date = change->after;

	if (section_is_ignored(gathering->sections, change->url)) {
		gathering->ignored[change->kind]++;
		return true;
	}
	if (gathering->stats->by == STATS_SECTION &&
	    gather_is_within(gathering->stats,
		delta_at_s(change->kind, reading->at_s, reading->since_s)))
		row_of_section(gathering, change->url)->counts[change->kind]++;
	/* a page that moved is not new */
	if (!gathering->has_pages || change->kind != DELTA_ADDED ||
	    move != NULL)
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

/* The sums of a reading are stored with it, so that its changes are walked over
 * only where each page matters. */
static bool
gather_on_reading(void *arg, const struct reading_row *reading)
{
	struct gathering *gathering = arg;
	struct stats *stats = gathering->stats;
	bool is_within = gather_is_within(stats, reading->at_s);
	bool has_sections = stats->by == STATS_SECTION;
	uint64_t counts[DELTA_KINDS];
	uint64_t changes = 0;

	if (gathering->rhythm != NULL)
		add_rhythm(gathering, reading);
	/* some earlier ones are looked at for windows */
	if (reading->at_s < stats->from_s)
		return true;
	for (int kind = 0; kind < DELTA_KINDS; kind++)
		changes += counts[kind] = reading->site[kind];
	if (is_within) {
		stats->read += reading->outcome == OUTCOME_READ;
		stats->unchanged += reading->outcome == OUTCOME_UNCHANGED;
		stats->failed += reading->outcome == OUTCOME_FAILED ||
		    reading->outcome == OUTCOME_REFUSED;
	}
	/* A reading that found its document unchanged may have made entries
	 * gone. */
	if (changes == 0)
		return true;
	memset(gathering->ignored, 0, sizeof(gathering->ignored));
	if (has_sections || gathering->has_pages ||
	    section_ignores(gathering->sections))
		reading_change_walk(gathering->store, reading, true,
		    gathering->changes, gather_on_change, gathering);
	/* The totals of a reading count ignored pages, too. */
	for (int kind = 0; kind < DELTA_KINDS; kind++)
		counts[kind] -= gathering->ignored[kind] < counts[kind]
		    ? gathering->ignored[kind]
		    : counts[kind];
	for (int kind = 0; kind < DELTA_KINDS; kind++) {
		int64_t at_s = delta_at_s(
		    (unsigned)kind, reading->at_s, reading->since_s);
		struct stats_row *row = NULL;

		if (counts[kind] == 0 || !gather_is_within(stats, at_s))
			continue;
		stats->counts[kind] += counts[kind];
		if (stats->by != STATS_SECTION)
			row = gather_row_of(
			    gathering, reading->document_id, at_s);
		if (row != NULL)
			row->counts[kind] += counts[kind];
	}
	return true;
}

/* The row in which one end of a move was counted; NULL: none, because it is
 * not of the time or ignored. */
static struct stats_row *
row_of_page(struct gathering *gathering, const struct moved_page *page)
{
	/* the page may have been absent before it was gone */
	if (page->read_s < gathering->stats->from_s ||
	    !gather_is_within(gathering->stats, page->at_s) ||
	    section_is_ignored(gathering->sections, page->url))
		return NULL;
	if (gathering->stats->by == STATS_SECTION)
		return row_of_section(gathering, page->url);
	return gather_row_of(gathering, page->document_id, page->at_s);
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
add_moves(struct gathering *gathering)
{
	struct stats *stats = gathering->stats;
	struct stats_row *row;

	stats->has_too_many = !gathering->changes->is_compared;
	/* Both ends of a move were counted with their readings, as gone and as
	 * new; now they are one change. */
	for (size_t i = 0; i < gathering->changes->move_count; i++) {
		const struct move *move = &gathering->changes->moves[i];

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
}

/* Sections with one page. */

/* May the section have one page alone, as far as its changes tell? */
static bool
may_be_lone(const struct stats_row *row)
{
	return row->page != 0 && !row->has_others &&
	    section_above(slice_of(row->name)).len > 0;
}

/* Look for other pages that the sections list. */
static void
find_others(struct gathering *gathering, int64_t site_id)
{
	struct site_list *list = site_list_new(
	    gathering->store, site_id, slice_of(""), SITE_LIST_ALL);
	struct stats_row *row = NULL;
	int64_t document_id;
	struct entry entry;
	uint32_t number;

	while (site_list_next(list, &document_id, &entry)) {
		struct slice section = section_of(
		    gathering->sections, entry.url);

		/* entries of one section mostly follow each other */
		if (row == NULL || !slice_is(section, row->name)) {
			number = names_find(&gathering->names, section);
			row = number == NAMES_NONE
			    ? NULL
			    : &gathering->stats->rows[number];
		}
		if (row != NULL && !row->has_others)
			row->has_others = row->page !=
			    hash_key(entry.url, gathering->names.key);
	}
	site_list_free(list);
}

/* A folder with one page, and nothing below it, is no section: many blogs have
 * one for each post.  Count it in the folder above. */
static void
gather_join_lone(struct gathering *gathering, int64_t site_id)
{
	struct stats *stats = gathering->stats;
	size_t count = stats->count;
	bool has_lone = false;

	for (size_t i = 0; i < count; i++)
		has_lone = has_lone || may_be_lone(&stats->rows[i]);
	if (!has_lone)
		return;
	find_others(gathering, site_id);
	for (size_t i = 0; i < count; i++) {
		struct slice name = slice_of(stats->rows[i].name);
		struct stats_row *above;

		if (!may_be_lone(&stats->rows[i]))
			continue;
		string_set_add(&stats->lone, name);
		above = row_named(gathering, section_above(name));
		for (int kind = 0; kind < STATS_KINDS; kind++) {
			above->counts[kind] += stats->rows[i].counts[kind];
			stats->rows[i].counts[kind] = 0;
		}
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
    const struct options_stats *options, int64_t now_s)
{
	struct gathering gathering = {
	    .stats = stats, .store = store, .sections = options->sections};
	int64_t site_id = store_site_find(store, host);
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
	gathering.changes = site_changes_new(
	    store, site_id, options->renamings, stats->from_s);
	if (stats->has_rhythm) {
		gathering.rhythm = rhythm_new(stats->from_s, stats->to_s);
		store_each_document(
		    store, DOCUMENTS_OF_SITE, host, add_sitemap, &gathering);
	}
	store_each_reading(store,
	    (struct reading_from){.by = READINGS_OF_SITE,
		.id = site_id,
		.at_s = stats->from_s - (stats->has_rhythm ? RHYTHM_DAY_S : 0)},
	    gather_on_reading, &gathering);
	add_moves(&gathering);
	if (stats->by == STATS_SECTION)
		gather_join_lone(&gathering, site_id);
	if (is_begun)
		store_read_end(store);
	if (stats->has_rhythm)
		rhythm_judge(gathering.rhythm, &stats->rhythm);
	rhythm_free(gathering.rhythm);
	site_changes_free(gathering.changes);
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
