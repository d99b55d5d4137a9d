/* What a page shows of a site in a span of time. */
#include "crawler/pages/figures.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/names.h"
#include "base/sort.h"
#include "base/wall.h"
#include "base/zone.h"
#include "crawler/chart/markup.h"
#include "crawler/cli/failing.h"
#include "crawler/cli/selection.h"
#include "crawler/events/past.h"
#include "store/changes.h"
#include "store/page.h"
#include "store/watch.h"

#define DAYS_SHOWN 62 /* as days; more are shown as weeks */
#define LONG_S (300 * DAY_S) /* names of steps need the year */
#define SECTIONS_COUNTED 1000 /* all others are one */
#define OTHERS "(others)"

struct events_span
figures_span(int64_t since_s, int64_t until_s, int64_t now_s)
{
	return (struct events_span){.since_s = zone_day_s(zone_day(since_s)),
	    .until_s = until_s,
	    .now_s = now_s};
}

/* The steps of the span, without counts.  A day of a zone may have 23 or 25
 * hours. */
static void
make_steps(struct figures *figures, const struct events_span *span)
{
	int64_t length = span->until_s - span->since_s;
	int64_t weeks = (length + WEEK_S - 1) / WEEK_S + 1;
	int64_t day = zone_day(span->since_s);
	int64_t days = 1;
	size_t count = 0;

	/* More columns than days of two months are too narrow to be told
	 * apart. */
	if (length > DAYS_SHOWN * DAY_S) {
		days = 7 * ((weeks + FIGURES_STEPS - 2) / (FIGURES_STEPS - 1));
		day -= zone_weekday(day);
	}
	figures->step_s = days * DAY_S;
	figures->steps = mem_zero(
	    (FIGURES_STEPS + 1) * sizeof(*figures->steps));
	for (; zone_day_s(day) < span->until_s && count < FIGURES_STEPS;
	     count++) {
		struct figures_step *step = &figures->steps[count];

		step->from_s = zone_day_s(day);
		struct civil civil = zone_civil(step->from_s);

		(void)snprintf(step->name, sizeof(step->name), "%d %s",
		    civil.day, civil_months[civil.month - 1]);
		if (length > LONG_S)
			(void)snprintf(step->name, sizeof(step->name),
			    "%d %s %02d", civil.day,
			    civil_months[civil.month - 1],
			    (int)(civil.year % 100));
		day += days;
	}
	figures->step_count = count;
}

/* The step that the time lies in; the first one, or the last one, if it lies
 * before or behind them all. */
static size_t
figures_step_at(const struct figures *figures, int64_t at_s)
{
	size_t at = 0;

	while (at + 1 < figures->step_count &&
	    figures->steps[at + 1].from_s <= at_s)
		at++;
	return at;
}

/* How many more pages a site lists after such changes.  Pages that moved are no
 * change of the number.  A page that is gone counts at the time when it was
 * first absent; one that came back was never gone. */
static int64_t
growth(const uint64_t counts[STATS_KINDS])
{
	return (int64_t)(counts[DELTA_ADDED] + counts[DELTA_BACK]) -
	    (int64_t)(counts[DELTA_GONE] + counts[DELTA_LEFT]);
}

/* How many of the pages that are absent now were listed until a time of the
 * span? */
static int64_t
missing_within(const struct figures *figures, int64_t since_s, int64_t until_s)
{
	uint64_t pages = 0;

	for (size_t i = 0; i < figures->missing_count; i++)
		if (figures->missing[i].at_s >= since_s &&
		    figures->missing[i].at_s < until_s)
			pages += figures->missing[i].pages;
	return (int64_t)pages;
}

/* Count the days in the steps, and compute from the end how many pages were
 * listed then. */
static void
fill_steps(struct figures *figures, const struct stats *stats, int64_t known_s)
{
	int64_t listed = figures->after;

	size_t count = figures->step_count;

	for (size_t i = 0; i < stats->count && count > 0; i++) {
		const struct stats_row *row = &stats->rows[i];
		size_t at = figures_step_at(figures, row->at_s);

		for (int kind = 0; kind < STATS_KINDS; kind++)
			figures->steps[at].counts[kind] += row->counts[kind];
	}
	/* What is listed now is known, and how many came and went; so the
	 * numbers before are computed backwards. */
	for (size_t i = count; i-- > 0;) {
		struct figures_step *step = &figures->steps[i];

		step->listed = known_s > 0 &&
			step->from_s + figures->step_s > known_s && listed >= 0
		    ? (double)listed
		    : NAN;
		listed -= growth(step->counts);
		listed += missing_within(figures, step->from_s,
		    i + 1 < count ? figures->steps[i + 1].from_s
				  : figures->span.until_s);
	}
}

struct counting {
	struct figures *figures;
	struct names names; /* of the sections, by their numbers */
	uint32_t last; /* the section that was asked for last; NAMES_NONE */
	int64_t now_s;
};

/* The section of that name, which is added if it is new; a removed one has left
 * its place. */
static struct figures_section *
figures_section_named(struct counting *counting, struct slice name)
{
	struct figures *figures = counting->figures;
	uint32_t number = names_find(&counting->names, name);

	if (number == NAMES_NONE &&
	    counting->names.count - counting->names.free_count >=
		SECTIONS_COUNTED &&
	    !slice_is(name, OTHERS))
		return figures_section_named(counting, slice_of(OTHERS));
	counting->last = names_put(&counting->names, name);
	if (counting->last == figures->section_count)
		(void)MEM_PUSH(figures->sections, figures->section_count,
		    figures->section_cap);
	if (number == NAMES_NONE)
		figures->sections[counting->last] = (struct figures_section){
		    .name = slice_dup(name)};
	return &figures->sections[counting->last];
}

/* If the section that was counted last has one page, and did not change, count
 * it in the folder above, as stats_section() does.  Entries come in the order
 * of URLs, so no further page of it comes. */
static void
join_lone(struct counting *counting)
{
	struct figures_section *section;
	struct slice above;
	char *name;

	if (counting->last == NAMES_NONE)
		return;
	section = &counting->figures->sections[counting->last];
	name = section->name;
	above = section_above(slice_of(name));
	/* A section that changed is named by `stats` as well, with the same
	 * name. */
	if (section->listed != 1 || section->has_changed || above.len == 0)
		return;
	names_remove(&counting->names, counting->last);
	*section = (struct figures_section){0};
	figures_section_named(counting, above)->listed++;
	free(name);
}

/* Ignored pages have no section, but their dates count: they are pages of the
 * site. */
static bool
figures_on_entry(
    void *arg, const struct document_row *row, const struct entry *entry)
{
	struct counting *counting = arg;
	struct figures *figures = counting->figures;
	const struct section_rules *sections = figures->span.sections;

	(void)row;
	if (!section_is_ignored(sections, entry->url)) {
		struct slice section = section_of(sections, entry->url);

		/* entries of one section mostly follow each other */
		if (counting->last == NAMES_NONE ||
		    !slice_is(
			section, figures->sections[counting->last].name)) {
			join_lone(counting);
			(void)figures_section_named(counting, section);
		}
		figures->sections[counting->last].listed++;
	}
	figures->ages[chart_age(&entry->lastmod, counting->now_s)]++;
	return true;
}

/* Pages that came back in a window, or got another date, are no news of a
 * section. */
static uint64_t
changes_of(const uint64_t counts[STATS_KINDS])
{
	return counts[DELTA_ADDED] + counts[DELTA_GONE] + counts[DELTA_LEFT] +
	    counts[STATS_MOVED];
}

static const struct sort_key figures_most_first[] = {
    {SORT_KEY(struct figures_section, changes), true},
    {SORT_KEY(struct figures_section, listed), true},
    {SORT_KEY(struct figures_section, name), false}, {0}};

/* What is counted of the documents of a site, and where it is read. */
struct documents_of {
	struct figures *figures;
	struct store *store;
};

static void
on_missing(void *arg, int64_t at_s, uint64_t pages)
{
	struct figures *figures = arg;

	*MEM_PUSH(figures->missing, figures->missing_count,
	    figures->missing_cap) = (struct figures_missing){at_s, pages};
}

/* A page of many sites asks for the dates alone; the table of documents is for
 * the part of a site. */
static bool
figures_on_document(void *arg, const struct document_row *row)
{
	struct documents_of *of = arg;
	struct figures *figures = of->figures;
	bool is_index = row->document.kind == KIND_INDEX;
	const struct wall *wall = NULL;
	struct buf failing = BUF_UP_TO(SIZE_MAX);

	/* What nothing leads to any more is no sitemap of the site.  One that
	 * a crawl did not come to because its robots.txt or index failed still
	 * lists what it listed. */
	if ((row->is_unlisted && row->document.entries == 0) ||
	    !selection_is_notable(row))
		return true;
	if (!is_index && date_order(&row->newest, &figures->newest) > 0)
		figures->newest = row->newest;
	/* what an index misses may be the pages of the sitemap that it was */
	store_each_missing(of->store, row->document.id, row->document.missed,
	    on_missing, figures);
	if (!figures->has_detail)
		return true;
	if (row->is_failing)
		wall = failing_row_text(&failing, of->store, row);
	if (wall != NULL)
		(void)buf_print(&failing, "; %s", wall->advice);
	*MEM_PUSH(figures->documents, figures->document_count,
	    figures->document_cap) = (struct figures_document){
	    .url = mem_copy(row->document.url),
	    .entries = row->document.entries,
	    .dated = row->dated,
	    .newest = row->newest,
	    .last_read_s = row->document.last_read_s,
	    .failing = row->is_failing ? buf_take(&failing) : NULL,
	    .is_index = is_index};
	return true;
}

static void
on_note(void *arg, int64_t at_s, struct slice text)
{
	struct figures *figures = arg;

	/* A note of another time has no place in these charts. */
	if (at_s < figures->span.since_s || at_s >= figures->span.until_s)
		return;
	*MEM_PUSH(figures->notes, figures->note_count,
	    figures->note_cap) = (struct figures_note){at_s, slice_dup(text)};
}

static void
count_days(struct figures *figures, struct store *store, struct site_past *past,
    const struct events_span *span, enum figures_depth depth)
{
	struct options_stats days = {.by = STATS_DAY,
	    .since_s = span->since_s,
	    .until_s = span->until_s,
	    .wants_rhythm = depth != FIGURES_SUMS,
	    .sections = span->sections,
	    .renamings = span->renamings};

	int64_t known_s, listed;
	struct stats stats;
	struct buf words;

	stats_gather(
	    &stats, store, slice_of(figures->host), &days, span->now_s, past);
	known_s = stats.known_s;
	listed = (int64_t)stats.numbers.listed;
	figures->listed = stats.numbers.listed;
	figures->refused = stats.numbers.refused;
	figures->totals = stats.totals;
	for (int kind = 0; kind < STATS_KINDS; kind++)
		figures->counts[kind] = stats.counts[kind];
	figures->changes = changes_of(figures->counts);
	/* What follows is for rows and parts; the sums of a page need no more.
	 */
	if (depth == FIGURES_SUMS) {
		stats_release(&stats);
		return;
	}
	/* What happened after the span is taken back from what is listed now.
	 */
	if (span->until_s <= span->now_s) {
		uint64_t after[STATS_KINDS] = {0};

		for (size_t i = 0; i < past->counts.count; i++) {
			const struct site_count *one = &past->counts.items[i];

			if (one->at_s >= span->until_s)
				after[one->kind] += one->pages;
		}
		listed += missing_within(figures, span->until_s, INT64_MAX) -
		    growth(after);
	}
	figures->after = known_s > 0 && known_s < span->until_s ? listed : -1;
	figures->before = known_s > 0 && known_s <= span->since_s + DAY_S
	    ? listed - growth(figures->counts) +
		missing_within(figures, span->since_s, span->until_s)
	    : -1;
	buf_init(&words, sizeof(figures->rhythm) - 1);
	rhythm_words(&stats.rhythm, &words);
	(void)snprintf(
	    figures->rhythm, sizeof(figures->rhythm), "%s", buf_str(&words));
	buf_release(&words);
	if (figures->has_detail) {
		make_steps(figures, span);
		fill_steps(figures, &stats, known_s);
	}
	stats_release(&stats);
}

void
figures_gather(struct figures *figures, struct store *store, struct slice host,
    const struct events_span *span, enum figures_depth depth)
{
	struct options_stats how = {.by = STATS_SECTION,
	    .since_s = span->since_s,
	    .until_s = span->until_s,
	    .sections = span->sections,
	    .renamings = span->renamings};
	struct stats sections;
	struct site_past past;

	*figures = (struct figures){.host = slice_dup(host),
	    .has_detail = depth == FIGURES_WHOLE,
	    .span = *span};
	if (depth != FIGURES_SUMS)
		store_each_document(store, DOCUMENTS_OF_SITE, host,
		    figures_on_document,
		    &(struct documents_of){figures, store});
	past_open(&past, store, store_site_find(store, host), span,
	    PAST_KNOWN | PAST_COUNTS);
	count_days(figures, store, &past, span, depth);
	figures->gap = past_events(&past, span, &figures->events);
	site_event_list_sort(&figures->events);
	for (size_t i = 0; i < figures->events.count; i++) {
		const struct site_event *event = &figures->events.items[i];

		if (event->kind == EVENT_REDATED) {
			figures->deployed += event->count;
			figures->deploys++;
		} else if (event->kind == EVENT_SILENCE) {
			figures->is_silent = true;
		} else if (event->kind == EVENT_SECTION_LAUNCHED ||
		    event->kind == EVENT_BURST) {
			figures->is_silent = false;
		} else if (event->kind == EVENT_LINE_LOST) {
			figures->has_lost_line = true;
		} else if (event->kind == EVENT_LINE_BACK) {
			figures->has_lost_line = false;
		}
	}
	/* a redeploy moves all dates of a sitemap, and says nothing of pages */
	figures->are_builds = figures->deployed > 0 &&
	    figures->deployed >= figures->counts[DELTA_REDATED] / 2;
	site_event_list_fold(&figures->events);
	figures->event_count = site_event_list_count(&figures->events);
	if (depth != FIGURES_WHOLE) {
		past_release(&past);
		return;
	}
	store_each_note(store, store_site_find(store, host), on_note, figures);
	stats_gather(&sections, store, host, &how, span->now_s, &past);
	past_release(&past);
	struct counting counting = {.figures = figures,
	    .names.key = store_hash_key(store),
	    .last = NAMES_NONE,
	    .now_s = span->now_s};
	size_t kept = 0;
	struct selection selection = {.site = figures->host};

	for (size_t i = 0; i < sections.count; i++) {
		const struct stats_row *row = &sections.rows[i];
		struct figures_section *section = figures_section_named(
		    &counting, slice_of(row->name));

		for (int kind = 0; kind < STATS_KINDS; kind++)
			section->counts[kind] += row->counts[kind];
		section->has_changed = true;
	}
	/* Refused pages count, as they do in the numbers of the site. */
	(void)selection_entries(
	    &selection, store, WALK_REFUSED, figures_on_entry, &counting);
	join_lone(&counting);
	names_release(&counting.names);
	for (size_t i = 0; i < figures->section_count; i++) {
		struct figures_section section = figures->sections[i];

		section.changes = changes_of(section.counts);
		if (section.name != NULL)
			figures->sections[kept++] = section;
	}
	figures->section_count = kept;
	sort_rows(figures->sections, figures->section_count,
	    sizeof(*figures->sections), figures_most_first);

	stats_release(&sections);
}

void
figures_release(struct figures *figures)
{
	for (size_t i = 0; i < figures->section_count; i++)
		free(figures->sections[i].name);
	for (size_t i = 0; i < figures->document_count; i++) {
		free(figures->documents[i].url);
		free(figures->documents[i].failing);
	}
	for (size_t i = 0; i < figures->note_count; i++)
		free(figures->notes[i].text);
	site_event_list_release(&figures->events);
	free(figures->notes);
	free(figures->sections);
	free(figures->documents);
	free(figures->steps);
	free(figures->missing);
	free(figures->host);
	*figures = (struct figures){0};
}

/* The kinds are words of the command line; people read them without hyphens. */
void
figures_kind(struct buf *out, enum site_event_kind kind)
{
	struct slice name = site_event_kind_name(kind);

	markup_put(out, "<span class=\"kind\">");
	for (size_t i = 0; i < name.len; i++)
		(void)buf_put_char(out, name.p[i] == '-' ? ' ' : name.p[i]);
	markup_put(out, "</span> ");
}

void
figures_event_link(struct buf *out, const char *host,
    const struct site_event *event, const char *tail)
{
	struct slice kind = site_event_kind_name(event->kind);

	markup_print(out, "<a href=\"/event?site=%p", host);
	(void)buf_print(out, "&amp;at=%" PRId64 "&amp;kind=%.*s%s\">",
	    event->at_s, (int)kind.len, kind.p, tail);
}

static void
figures_add_mark(struct figures_marks *marks, const struct figures *figures,
    size_t step, bool is_note)
{
	size_t most = is_note ? SITE_NOTES : SITE_EVENTS;
	size_t all = is_note ? figures->note_count : figures->events.count;
	size_t first = 0, last = 0;
	char *sign = marks->signs[marks->count];
	size_t size = sizeof(marks->signs[0]);

	for (size_t i = 0; i < all && i < most; i++) {
		int64_t at_s = is_note ? figures->notes[i].at_s
				       : figures->events.items[i].at_s;

		/* An event may be told of a time before the span, when it
		 * began. */
		if (at_s < figures->steps[0].from_s ||
		    at_s >= figures->span.until_s ||
		    figures_step_at(figures, at_s) != step)
			continue;
		last = i + 1;
		first = first == 0 ? last : first;
	}
	if (first == 0)
		return;
	/* notes have letters, and events numbers */
	if (is_note && first == last)
		(void)snprintf(sign, size, "%c", (char)('A' + first - 1));
	else if (is_note)
		(void)snprintf(sign, size, "%c-%c", (char)('A' + first - 1),
		    (char)('A' + last - 1));
	else if (first == last)
		(void)snprintf(sign, size, "%zu", first % 100);
	else
		(void)snprintf(sign, size, "%zu-%zu", first % 100, last % 100);
	marks->items[marks->count++] = (struct chart_mark){(double)step, sign};
}

void
figures_marks(struct figures_marks *marks, const struct figures *figures)
{
	marks->count = 0;
	for (size_t step = 0; step < figures->step_count; step++) {
		figures_add_mark(marks, figures, step, false);
		figures_add_mark(marks, figures, step, true);
	}
}

void
figures_columns(struct buf *out, const struct figures *figures,
    const char *title, const struct figures_marks *marks)
{
	struct chart_column columns[FIGURES_STEPS];
	struct chart_columns all = {
	    .words = {.title = title,
		.note = (figures->step_s == DAY_S ? "pages a day"
			: figures->step_s == 7 * DAY_S
			? "pages a week"
			: "pages, some weeks together"),
		.x_text = figures->step_s == DAY_S ? "day" : "week",
		.y_text = "pages"},
	    .columns = columns,
	    .count = figures->step_count,
	    .up_text = "new",
	    .down_text = "gone",
	    .mark_text = "moved",
	    .marks = marks->items,
	    .mark_count = marks->count};

	for (size_t i = 0; i < figures->step_count; i++) {
		const struct figures_step *step = &figures->steps[i];

		columns[i] = (struct chart_column){.name = step->name,
		    .up = step->counts[DELTA_ADDED],
		    .down = step->counts[DELTA_GONE],
		    .mark = step->counts[STATS_MOVED]};
	}
	chart_columns(out, &all);
}

void
figures_trend(struct buf *out, const struct figures *figures,
    const struct figures_marks *marks)
{
	double values[FIGURES_STEPS];
	const char *names[FIGURES_STEPS];
	struct chart_line line = {
	    .words = {.title = "Pages listed",
		.note = marks->count > 0 ? "numbers are the events below"
					 : NULL,
		.x_text = figures->step_s == DAY_S ? "at the end of the day"
						   : "at the end of the week",
		.y_text = "pages"},
	    .values = values,
	    .names = names,
	    .length = figures->step_count,
	    .marks = marks->items,
	    .mark_count = marks->count};

	for (size_t i = 0; i < figures->step_count; i++) {
		values[i] = figures->steps[i].listed;
		names[i] = figures->steps[i].name;
	}
	chart_line(out, &line);
}
