/* The report as one page of HTML. */
#include "crawler/pages/overview.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/human.h"
#include "base/mem.h"
#include "base/sort.h"
#include "base/zone.h"
#include "crawler/chart/markup.h"
#include "crawler/cli/failing.h"
#include "crawler/cli/options_sites.h"
#include "crawler/pages/figures.h"
#include "store/store.h"

/* A site that is read once a day was read so lately. */
#define FRESH_S (26 * INT64_C(3600))
/* The second event of a kind at a site matters as the first of a kind that is
 * so many ranks lower. */
#define TURN 3
#define TOP_SECTIONS 3 /* named in the row of a site */
#define CHARTS 12 /* sites whose new and gone pages stand side by side */
#define LINKED_CHARTS 4 /* the same where each site has a page of its own */
#define COMPARED 6 /* sites whose sections stand side by side */
#define SECTIONS 15 /* rows of a table of sections */
#define DOCUMENTS 50 /* rows of a table of sitemaps */

/* A sentence that may stand on the first screen. */
struct headline {
	char *sentence; /* owned */
	size_t site; /* index of its site */
	enum site_event_kind kind;
	unsigned rank; /* the least matters most */
	int64_t at_s;
	uint64_t count;
};

/* What is written, of all sites. */
struct writing {
	const struct overview *overview;
	struct out *out;
	struct buf *text; /* of out */
	struct figures *rows; /* owned: without detail, most changes first */
	size_t count;
	struct headline headlines[OVERVIEW_SENTENCES];
	size_t headline_count;
	uint64_t events; /* of all sites, without notes */
	bool is_alone; /* the page is about one site, as its heading says */
};

/* A sign for nothing, too: a bare 0 looks like a value that is missing. */
static void
put_signed(struct buf *out, int64_t n)
{
	markup_put(out, n > 0 ? "+" : n < 0 ? "\xe2\x88\x92" : "\xc2\xb1");
	human_put(out, (uint64_t)(n < 0 ? -n : n), NULL);
}

static void
put_cell(struct buf *out, const char *name, uint64_t n)
{
	(void)buf_print(out,
	    "<td class=\"n\" data-name=\"%s\"><span>%s</span></td>", name,
	    n > 0 ? human_of(n, NULL).text : "-");
}

static void
put_gone_cell(struct buf *out, const uint64_t counts[STATS_KINDS])
{
	if (counts[DELTA_LEFT] == 0)
		put_cell(out, "gone", counts[DELTA_GONE]);
	else
		(void)buf_print(out,
		    "<td class=\"n\" data-name=\"gone\"><span>%s <small "
		    "class=\"soft\">%s left the window</small></span></td>",
		    human_of(counts[DELTA_GONE], NULL).text,
		    human_of(counts[DELTA_LEFT], NULL).text);
}

/* A part of the page that is cut says how much it leaves out, and where that
 * is. */
static void
put_left_out(struct buf *out, size_t all, size_t shown, const char *one,
    const char *where)
{
	if (all > shown)
		(void)buf_print(out, "<p class=\"soft\">and %s more%s</p>\n",
		    human_of(all - shown, one).text, where);
}

/* By rank, then by size, then the later one. */
static const struct sort_key best_first[] = {
    {SORT_KEY(struct headline, rank), false},
    {SORT_KEY(struct headline, count), true},
    {SORT_KEY(struct headline, at_s), true},
    {SORT_KEY(struct headline, site), false}, {0}};

/* Keep the event if it is among those that matter most; it is the turn-th of
 * its kind at its site. */
static void
offer(struct writing *writing, const struct figures *figures, size_t site,
    const struct site_event *event, unsigned turn)
{
	struct headline line = {.site = site,
	    .kind = event->kind,
	    .rank = site_event_rank(event->kind) + TURN * turn,
	    .at_s = event->at_s,
	    .count = event->count};
	struct headline *least = &writing->headlines[OVERVIEW_SENTENCES - 1];
	struct buf sentence = BUF_UP_TO(SIZE_MAX);

	/* Most events of a large page matter less than those that are kept,
	 * and need no sentence. */
	if (writing->headline_count < OVERVIEW_SENTENCES)
		least = &writing->headlines[writing->headline_count++];
	else if (sort_compare(&line, least, (void *)(uintptr_t)best_first) < 0)
		free(least->sentence);
	else
		return;
	site_event_sentence(&sentence, event, slice_of(figures->host));
	line.sentence = buf_take(&sentence);
	*least = line;
	sort_rows(writing->headlines, writing->headline_count, sizeof(line),
	    best_first);
}

static const struct sort_key overview_largest_first[] = {
    {SORT_KEY(struct site_event, count), true},
    {SORT_KEY(struct site_event, at_s), true}, {0}};

static const struct sort_key overview_latest_first[] = {
    {SORT_KEY(struct headline, at_s), true},
    {SORT_KEY(struct headline, rank), false}, {0}};

/* The site with most changes is read first; hosts decide where sites are
 * equally quiet, so that two pages of one day have one order. */
static const struct sort_key most_first[] = {
    {SORT_KEY(struct figures, changes), true},
    {SORT_KEY(struct figures, host), false}, {0}};

static void
gather_site(struct figures *figures, const struct overview *overview,
    struct slice host, enum figures_depth depth)
{
	struct events_span span = overview->span;

	span.sections = options_of_site(overview->options, host)
			    ->sections.rules;
	span.renamings = options_of_site(overview->options, host)
			     ->moves.renamings;
	figures_gather(figures, overview->store, host, &span, depth);
}

static void
overview_gather(struct writing *writing)
{
	const struct overview *overview = writing->overview;

	for (size_t i = 0; i < overview->hosts->count; i++)
		gather_site(&writing->rows[i], overview,
		    slice_of(overview->hosts->items[i]), FIGURES_SUMS);
	sort_rows(
	    writing->rows, writing->count, sizeof(*writing->rows), most_first);
	for (size_t i = 0; i < writing->count; i++) {
		struct figures *row = &writing->rows[i];
		struct site_event_list *list = &row->events;
		unsigned turns[EVENT_KINDS] = {0};

		writing->events += row->event_count;
		/* Offer its facts, the largest of a kind first; then the list
		 * is not sorted by time any more. */
		site_event_list_facts(list);
		sort_rows(list->items, list->count, sizeof(*list->items),
		    overview_largest_first);
		for (size_t k = 0; k < list->count; k++) {
			enum site_event_kind kind = list->items[k].kind;

			if (!site_event_is_note(kind))
				offer(writing, row, i, &list->items[k],
				    turns[kind]++);
		}
		site_event_list_release(list);
	}
	/* all are offered: from here on the kind alone says what matters */
	for (size_t i = 0; i < writing->headline_count; i++)
		writing->headlines[i].rank = site_event_rank(
		    writing->headlines[i].kind);
	sort_rows(writing->headlines, writing->headline_count,
	    sizeof(writing->headlines[0]), overview_latest_first);
}

/* The first screen. */

static void
put_host(const struct writing *writing, const struct figures *row, size_t site)
{
	const struct overview_links *links = writing->overview->links;
	struct buf *out = writing->text;
	/* A site of the last table has no part to lead to. */
	bool is_link = links != NULL || site < OVERVIEW_PARTS;

	if (links != NULL)
		markup_print(out, "<a href=\"/site?site=%p%s\">", row->host,
		    links->tail);
	else if (is_link)
		(void)buf_print(out, "<a href=\"#site-%zu\">", site + 1);
	markup_print(out, "%h%s", row->host, is_link ? "</a>" : "");
}

/* Can it be believed?  Each doubt counts sites, because a reader asks of which
 * sites the numbers may be wrong. */
static void
put_trust(struct writing *writing)
{
	struct buf *out = writing->text;
	uint64_t never = 0, old = 0, gaps = 0; /* gaps: events not looked for */
	uint64_t failing = 0, failing_documents = 0, waiting = 0, urls = 0;
	uint64_t fresh;

	for (size_t i = 0; i < writing->count; i++) {
		const struct figures *row = &writing->rows[i];
		const struct site_totals *totals = &row->totals;
		uint64_t documents = totals->failing + totals->failing_robots;

		gaps += row->gap != EVENTS_WHOLE;
		never += totals->last_read_s == 0;
		old += totals->last_read_s > 0 &&
		    totals->last_read_s <
			writing->overview->span.now_s - FRESH_S;
		failing += documents > 0;
		failing_documents += documents;
		waiting += totals->waiting;
		urls += totals->waiting_urls;
	}
	fresh = writing->count - never - old;
	/* One doubt at one site is enough to say so first. */
	bool is_good = never + old + failing + waiting + gaps == 0;

	markup_put(
	    out, is_good ? "<p class=\"trust\">" : "<p class=\"trust doubt\">");
	if (fresh == writing->count && fresh == 1)
		markup_put(out, "The site was read within the last 26 h.");
	else if (fresh == writing->count)
		(void)buf_print(out,
		    "All %zu sites were read within the last 26 h.",
		    writing->count);
	else
		(void)buf_print(out,
		    "%" PRIu64 " of %zu sites %s read within the last 26 h.",
		    fresh, writing->count, fresh == 1 ? "was" : "were");
	if (never > 0)
		(void)buf_print(out, " %s could never be read.",
		    human_of(never, "site").text);
	/* A failure looks like pages that are gone, which is why it is said
	 * that they are not. */
	if (failing > 0)
		(void)buf_print(out,
		    " %s of %s cannot be read now; nothing counts as gone for "
		    "that.",
		    human_of(failing_documents, "document").text,
		    human_of(failing, "site").text);
	if (waiting > 0)
		(void)buf_print(out, " %s, %s wait for a second reading.",
		    human_of(waiting, "sitemap").text,
		    human_of(urls, "URL").text);
	else
		markup_put(out, " Nothing waits for a second reading.");
	if (gaps > 0)
		(void)buf_print(out,
		    " At %s, launched and gone sections, moves, bursts and "
		    "silences were not looked for.",
		    human_of(gaps, "site").text);
	markup_put(out, "</p>\n");
}

/* Events are told before tables: they are what changed in words. */
static void
put_headlines(struct writing *writing)
{
	const struct overview_links *links = writing->overview->links;
	struct buf *out = writing->text;
	uint64_t changes = 0;

	for (size_t i = 0; i < writing->count; i++)
		changes += writing->rows[i].changes;
	markup_put(out, "<section>\n<h2>What happened <span class=\"soft\">");
	(void)buf_print(out, "%s; %s new, gone or moved</span></h2>\n",
	    human_of(writing->events, "event").text,
	    human_of(changes, "page").text);
	markup_put(out,
	    writing->headline_count == 0 ? "<p>Nothing that is an event.</p>\n"
					 : "<ol class=\"events\">\n");
	for (size_t i = 0; i < writing->headline_count; i++) {
		const struct headline *line = &writing->headlines[i];

		markup_put(out, "<li>");
		markup_time(out, line->at_s);
		markup_put(out, "<span>");
		figures_kind(out, line->kind);
		put_host(writing, &writing->rows[line->site], line->site);
		markup_print(out, ": %t</span></li>\n", line->sentence);
	}
	if (writing->headline_count > 0)
		markup_put(out, "</ol>\n");
	/* A list that is cut says how much it leaves out. */
	if (writing->events > writing->headline_count)
		markup_print(out, "<p class=\"soft\">%s%s%s%s more%s</p>\n",
		    links != NULL ? "<a href=\"/events?" : "",
		    links != NULL ? links->tail : "",
		    links != NULL ? "\">" : "",
		    human_of(writing->events - writing->headline_count, NULL)
			.text,
		    links != NULL ? "</a>" : "; 'freshet diff' prints all.");
	markup_put(out, "</section>\n");
}

/* Who does what. */

/* A section: of one site, or one that stands in the table of several. */
struct shared {
	const char *name;
	uint64_t weight; /* the changes in it, of all sites together */
	uint64_t listed; /* what counts where these are equal */
};

/* Sections that changed go first, because a table is to show who did what
 * where. */
static const struct sort_key heaviest_first[] = {
    {SORT_KEY(struct shared, weight), true},
    {SORT_KEY(struct shared, listed), true},
    {SORT_KEY(struct shared, name), false}, {0}};

/* Its state in words; the worst first.  `before` stands before each but ok;
 * with it, ok is not said. */
static void
overview_put_state(struct buf *out, const struct figures *row, int64_t now_s,
    const char *before)
{
	const struct site_totals *totals = &row->totals;

	bool is_failing = totals->failing + totals->failing_robots > 0;
	bool is_old = totals->last_read_s < now_s - 2 * DAY_S;
	bool is_bad = totals->last_read_s == 0 || is_failing;
	bool is_good = !is_bad && !row->has_lost_line && totals->waiting == 0 &&
	    !is_old && !row->is_silent;

	if (is_good && before != NULL)
		return;
	markup_print(out, "%s<span class=\"%s\">", before != NULL ? before : "",
	    is_bad        ? "error"
		: is_good ? "good"
			  : "warning");
	if (totals->last_read_s == 0)
		markup_put(out, "never read");
	else if (is_failing)
		failing_site_text(out, totals);
	/* A robots.txt without its Sitemap line makes the site look as if it
	 * had ended. */
	else if (row->has_lost_line)
		markup_put(out, "robots.txt names no sitemap");
	else if (totals->waiting > 0)
		markup_print(out, "%s, %s wait",
		    human_of(totals->waiting, "sitemap").text,
		    human_of(totals->waiting_urls, "URL").text);
	else if (is_old)
		markup_print(out, "last read <span class=\"day\">%s</span>",
		    zone_text(totals->last_read_s, ZONE_DATE).text);
	else
		markup_put(out, row->is_silent ? "silent" : "ok");
	markup_put(out, "</span>");
}

static void
put_top_sections(struct buf *out, const struct figures *figures)
{
	struct shared *top = mem_zero(
	    (figures->section_count + 1) * sizeof(*top));
	size_t all = 0;

	for (size_t i = 0; i < figures->section_count; i++) {
		const struct figures_section *section = &figures->sections[i];

		if (section->counts[DELTA_ADDED] > 0)
			top[all++] = (struct shared){section->name,
			    section->counts[DELTA_ADDED], section->changes};
	}
	sort_rows(top, all, sizeof(*top), heaviest_first);
	for (size_t i = 0; i < all && i < TOP_SECTIONS; i++)
		markup_print(out, "%s%c %s",
		    i == 0 ? "<br> <span class=\"soft\">" : ", ", top[i].name,
		    human_of(top[i].weight, NULL).text);
	if (all > TOP_SECTIONS)
		(void)buf_print(out, " and %zu more", all - TOP_SECTIONS);
	markup_put(out, all > 0 ? "</span>" : "");
	free(top);
}

/* On a phone a row is a card, so that each cell has the name of its column. */
static void
overview_put_row(
    struct writing *writing, const struct figures *row, size_t site)
{
	struct buf *out = writing->text;

	markup_put(out, "<tr><th scope=\"row\">");
	put_host(writing, row, site);
	markup_put(out, "</th>");
	if (row->has_detail) {
		double values[FIGURES_STEPS];

		for (size_t i = 0; i < row->step_count; i++)
			values[i] = row->steps[i].listed;
		markup_put(out, "<td class=\"trend\">");
		chart_spark(out, values, row->step_count);
		markup_put(out, "</td>");
	}
	markup_print(out, "<td class=\"n\" data-name=\"pages\"><span><b>%s</b>",
	    human_of(row->listed, NULL).text);
	/* What was listed before the first reading is not known. */
	if (row->before >= 0) {
		markup_put(out, "<br> <span class=\"soft\">");
		put_signed(out, row->after - row->before);
		markup_put(out, "</span>");
	}
	markup_print(out,
	    "</span></td><td class=\"n\" data-name=\"new\"><span>%s",
	    row->counts[DELTA_ADDED] > 0
		? human_of(row->counts[DELTA_ADDED], NULL).text
		: "-");
	if (row->has_detail)
		put_top_sections(out, row);
	markup_put(out, "</span></td>");
	put_gone_cell(out, row->counts);
	put_cell(out, "moved", row->counts[STATS_MOVED]);
	/* The re-dated pages, struck out if that means nothing. */
	if (row->are_builds && row->counts[DELTA_REDATED] > 0)
		(void)buf_print(out,
		    "<td class=\"n\" data-name=\"re-dated\"><span><s "
		    "class=\"struck\">%s</s><br> <span class=\"soft\">build "
		    "dates, %zu %s</span></span></td>",
		    human_of(row->counts[DELTA_REDATED], NULL).text,
		    row->deploys, row->deploys == 1 ? "time" : "times");
	else
		put_cell(out, "re-dated", row->counts[DELTA_REDATED]);
	/* The day of a lastmod is the one that the site wrote, in UTC. */
	struct date day = row->newest;

	day.epoch_s -= (day.epoch_s % DAY_S + DAY_S) % DAY_S;
	day.precision = DATE_DAY;
	day.zone = ZONE_EXPLICIT;
	markup_print(out,
	    "<td data-name=\"rhythm\"><span>%t</span></td>"
	    "<td class=\"when\" data-name=\"newest\"><span>%s</span></td>"
	    "<td data-name=\"state\"><span>",
	    row->rhythm,
	    row->newest.precision != DATE_NONE ? date_text(&day).text : "-");
	overview_put_state(out, row, writing->overview->span.now_s, NULL);
	markup_put(out, "</span></td></tr>\n");
}

/* One of very many sites has a line, with the numbers that are not 0, and what
 * should be looked at. */
static void
overview_put_line(struct buf *out, const struct figures *row, int64_t now_s)
{
	static const struct {
		int kind;
		const char *word;
	} numbers[] = {{DELTA_ADDED, "new"}, {DELTA_GONE, "gone"},
	    {DELTA_LEFT, "left"}, {STATS_MOVED, "moved"},
	    {DELTA_REDATED, "re-dated"}};

	markup_print(out, "%t %s", row->host, human_of(row->listed, NULL).text);
	for (size_t i = 0; i < LENGTH(numbers); i++)
		if (row->counts[numbers[i].kind] > 0)
			markup_print(out, ", %s %s",
			    human_of(row->counts[numbers[i].kind], NULL).text,
			    numbers[i].word);
	overview_put_state(out, row, now_s, ", ");
	markup_put(out, "\n");
}

#define ROW_HEADS \
	"pages#|new#|gone#|moved#|re-dated#|new pages come|newest date|state"

/* Sites stand in the order of their changes, so that a short page has those
 * that matter. */
static void
put_rows(struct writing *writing, const struct figures *parts, size_t count)
{
	const struct overview_links *links = writing->overview->links;
	size_t pages = (writing->count + OVERVIEW_ROWS - 1) / OVERVIEW_ROWS;
	struct buf *out = writing->text;

	markup_put(out,
	    "<section id=\"sites\">\n<h2>Who does what <span class=\"soft\">"
	    "most changes first</span></h2>\n");
	markup_table(out, "cards", "site|trend|" ROW_HEADS);
	for (size_t i = 0; i < count; i++)
		overview_put_row(writing, &parts[i], i);
	markup_put(out, "</tbody>\n</table>\n");
	if (links != NULL && pages >= 2) {
		(void)buf_print(out,
		    "<nav aria-label=\"pages of sites\"><span class=\"soft\">"
		    "page %zu of %zu</span>",
		    links->page + 1, pages);
		if (links->page > 0)
			(void)buf_print(out,
			    " <a href=\"/?page=%zu%s\">before</a>", links->page,
			    links->tail);
		if (links->page + 1 < pages)
			(void)buf_print(out,
			    " <a href=\"/?page=%zu%s\">next</a>",
			    links->page + 2, links->tail);
		markup_put(out, "</nav>\n");
	}
	markup_put(out, "</section>\n");
	(void)out_line(writing->out);
}

/* Where each site has a page of its own, a few charts are enough here. */
static void
put_charts(struct writing *writing, const struct figures *parts, size_t count)
{
	struct buf *out = writing->text;
	struct figures_marks marks;

	markup_put(out,
	    "<section>\n<h2>New, gone and moved <span class=\"soft\">a scale "
	    "of "
	    "its own for each site, and for gone pages</span></h2>\n"
	    "<ul class=\"key\"><li><span class=\"block new\"></span>new</li>"
	    "<li><span class=\"block gone\"></span>gone, downwards</li>"
	    "<li><span class=\"block\"></span>moved, a mark: nothing came or "
	    "went</li><li>a column that is cut has its number</li>"
	    "<li>below: the numbers of events and the letters of notes, which "
	    "stand at the site</li></ul>\n"
	    "<div class=\"plots\">\n");
	if (writing->overview->links != NULL && count > LINKED_CHARTS)
		count = LINKED_CHARTS;
	count = count < CHARTS ? count : CHARTS;
	for (size_t i = 0; i < count; i++) {
		figures_marks(&marks, &parts[i]);
		figures_columns(out, &parts[i], parts[i].host, &marks);
	}
	markup_put(out, "</div>\n");
	put_left_out(out, writing->count, count, "site", "");
	markup_put(out, "</section>\n");
	(void)out_line(writing->out);
}

/* An empty cell says that the site has no such section, which is not the same
 * as one without pages. */
static void
put_shared_cell(
    struct buf *out, const struct figures *figures, const char *name)
{
	const struct figures_section *section = figures->sections;
	size_t left = figures->section_count;

	for (; left > 0 && strcmp(section->name, name) != 0; left--)
		section++;
	if (left == 0) {
		markup_put(out, "<td class=\"n empty\"></td>");
		return;
	}
	markup_print(out, "<td class=\"n\" data-name=\"%t\"><span>%s",
	    figures->host, human_of(section->listed, NULL).text);
	if (section->counts[DELTA_ADDED] > 0)
		markup_print(out, " <span class=\"new\">+%s</span>",
		    human_of(section->counts[DELTA_ADDED], NULL).text);
	if (section->counts[DELTA_GONE] > 0)
		markup_print(out, " <span class=\"gone\">\xe2\x88\x92%s</span>",
		    human_of(section->counts[DELTA_GONE], NULL).text);
	markup_put(out, "</span></td>");
}

static void
put_sections(struct writing *writing, const struct figures *parts, size_t count)
{
	struct buf *out = writing->text;
	struct shared *shared;
	size_t sections = 0;

	if (count < 2)
		return;
	/* More columns do not fit a page. */
	count = count < COMPARED ? count : COMPARED;
	for (size_t i = 0; i < count; i++)
		sections += parts[i].section_count;
	shared = mem_zero((sections + 1) * sizeof(*shared));
	sections = 0;
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < parts[i].section_count; k++) {
			/* A section is the same at two sites if it has one
			 * name: /blog here and /blog there. */
			const struct figures_section
			    *section = &parts[i].sections[k];
			size_t at = 0;

			while (at < sections &&
			    strcmp(shared[at].name, section->name) != 0)
				at++;
			if (at == sections)
				shared[sections++] = (struct shared){
				    .name = section->name};
			shared[at].weight += section->counts[DELTA_ADDED] +
			    section->counts[DELTA_GONE] +
			    section->counts[STATS_MOVED];
			shared[at].listed += section->listed;
		}
	sort_rows(shared, sections, sizeof(*shared), heaviest_first);
	markup_put(out,
	    "<section>\n<h2>Sections side by side <span class=\"soft\">pages "
	    "now, new and gone in the span</span></h2>\n"
	    "<table class=\"cards\">\n<thead><tr><th "
	    "scope=\"col\">section</th>");
	for (size_t i = 0; i < count; i++)
		markup_print(out, "<th scope=\"col\" class=\"n\">%h</th>",
		    parts[i].host);
	markup_put(out, "</tr></thead>\n<tbody>\n");
	for (size_t k = 0; k < sections && k < SECTIONS; k++) {
		markup_print(out, "<tr><th scope=\"row\"><code>%c</code></th>",
		    shared[k].name);
		for (size_t i = 0; i < count; i++)
			put_shared_cell(out, &parts[i], shared[k].name);
		markup_put(out, "</tr>\n");
	}
	markup_put(out, "</tbody>\n</table>\n");
	put_left_out(out, sections, SECTIONS, "section", "");
	put_left_out(out, writing->count, count, "site", "");
	markup_put(out, "</section>\n");
	free(shared);
	(void)out_line(writing->out);
}

/* On the page of one site its parts stand one level higher. */
static void
put_part_heading(const struct writing *writing, const char *text)
{
	const char *level = writing->is_alone ? "h2" : "h3";

	(void)buf_print(writing->text, "<%s>%s</%s>\n", level, text, level);
}

static void
put_tiles(struct buf *out, const struct figures *figures)
{
	markup_put(out, "<dl class=\"tiles\">\n");
	markup_tile(out, "pages", figures->listed, NULL);
	/* A site that listed nothing before has no percentage. */
	if (figures->before > 0) {
		markup_put(out, "<div><dt>in the span</dt><dd>");
		put_signed(out, figures->after - figures->before);
		(void)buf_print(out, " <span class=\"soft\">(%+.0f %%)</span>",
		    100.0 * (double)(figures->after - figures->before) /
			(double)figures->before);
		markup_put(out, "</dd></div>\n");
	}
	markup_tile(out, "new", figures->counts[DELTA_ADDED], NULL);
	markup_tile(out, "gone", figures->counts[DELTA_GONE], NULL);
	if (figures->counts[DELTA_LEFT] > 0)
		markup_tile(
		    out, "left the window", figures->counts[DELTA_LEFT], NULL);
	if (figures->counts[DELTA_BACK] > 0)
		markup_tile(out, "back in the window",
		    figures->counts[DELTA_BACK], NULL);
	markup_tile(out, "moved", figures->counts[STATS_MOVED], NULL);
	markup_print(out, "<div><dt>re-dated</dt><dd>%s%s%s</dd></div>\n",
	    figures->are_builds ? "<s class=\"struck\">" : "",
	    human_of(figures->counts[DELTA_REDATED], NULL).text,
	    figures->are_builds
		? "</s><br> <span class=\"soft\">build dates</span>"
		: "");
	if (figures->refused > 0)
		markup_tile(out, "refused by rules", figures->refused, NULL);
	markup_print(out,
	    "<div><dt>new pages come</dt><dd class=\"words\">%t</dd></div>\n"
	    "</dl>\n",
	    figures->rhythm);
}

/* The numbers are those of the marks in the charts above. */
static void
put_events(const struct writing *writing, const struct figures *figures)
{
	const struct overview_links *links = writing->overview->links;
	const struct site_event_list *list = &figures->events;
	struct buf *out = writing->text;
	struct buf sentence = BUF_UP_TO(SIZE_MAX);

	put_part_heading(writing, "Events");
	if (list->count == 0) {
		markup_put(out, "<p>None.</p>\n");
		return;
	}
	markup_put(out, "<ol class=\"events\">\n");
	for (size_t i = 0; i < list->count && i < SITE_EVENTS; i++) {
		const struct site_event *event = &list->items[i];

		markup_put(out, "<li>");
		markup_time(out, event->at_s);
		markup_put(out, "<span>");
		if (links != NULL)
			figures_event_link(
			    out, figures->host, event, links->tail);
		(void)buf_print(
		    out, "<b>%zu</b>%s", i + 1, links != NULL ? "</a>" : "");
		figures_kind(out, event->kind);
		site_event_sentence(&sentence, event, slice_of(figures->host));
		markup_print(out, "%t</span></li>\n", buf_str(&sentence));
		buf_release(&sentence);
	}
	markup_put(out, "</ol>\n");
	put_left_out(
	    out, list->count, SITE_EVENTS, NULL, ", in 'freshet diff'");
}

/* The sections are sorted by their changes, so that those which are left out
 * are the quiet ones. */
static void
put_own_sections(const struct writing *writing, const struct figures *figures)
{
	struct buf *out = writing->text;

	if (figures->section_count == 0)
		return;
	put_part_heading(writing, "Sections");
	markup_table(
	    out, "cards", "section|pages now#|new#|gone#|moved#|re-dated#");
	for (size_t i = 0; i < figures->section_count && i < SECTIONS; i++) {
		const struct figures_section *section = &figures->sections[i];

		markup_print(out, "<tr><th scope=\"row\"><code>%c</code></th>",
		    section->name);
		put_cell(out, "pages now", section->listed);
		put_cell(out, "new", section->counts[DELTA_ADDED]);
		put_gone_cell(out, section->counts);
		put_cell(out, "moved", section->counts[STATS_MOVED]);
		put_cell(out, "re-dated", section->counts[DELTA_REDATED]);
		markup_put(out, "</tr>\n");
	}
	markup_put(out, "</tbody>\n</table>\n");
	put_left_out(out, figures->section_count, SECTIONS, "section", "");
}

static void
overview_put_document(
    const struct writing *writing, const struct figures *figures, size_t i)
{
	const struct overview_links *links = writing->overview->links;
	const struct figures_document *document = &figures->documents[i];
	struct slice url = slice_of(document->url);
	struct slice shown = url_short(url, slice_of(figures->host));
	struct buf *out = writing->text;

	markup_put(out, "<tr><th scope=\"row\">");
	if (links != NULL)
		markup_print(
		    out, "<a href=\"/document?url=%p\">%c</a>", url.p, shown.p);
	else
		markup_link(out, url, shown);
	markup_put(out, "</th>");
	put_cell(
	    out, document->is_index ? "sitemaps" : "pages", document->entries);
	markup_put(out, "<td class=\"n\" data-name=\"dated\"><span>");
	if (document->entries > 0 && !document->is_index)
		(void)buf_print(out, "%" PRIu64 " %%",
		    document->dated * 100 / document->entries);
	else
		markup_put(out, "-");
	markup_print(out,
	    "</span></td><td class=\"when\" data-name=\"newest\"><span>%s"
	    "</span></td><td class=\"when\" data-name=\"last read\"><span>%s"
	    "</span></td><td data-name=\"state\"><span><span class=\"%s\">%t"
	    "</span></span></td></tr>\n",
	    document->newest.precision != DATE_NONE
		? date_text(&document->newest).text
		: "-",
	    document->last_read_s > 0
		? zone_text(document->last_read_s, ZONE_MOMENT).text
		: "never",
	    document->failing != NULL ? "error" : "good",
	    document->failing != NULL ? document->failing : "ok");
}

static void
overview_put_documents(
    const struct writing *writing, const struct figures *figures)
{
	struct buf *out = writing->text;

	if (figures->document_count == 0)
		return;
	put_part_heading(writing, "Sitemaps");
	markup_table(
	    out, "cards", "document|entries#|dated#|newest|last read|state");
	for (size_t i = 0; i < figures->document_count && i < DOCUMENTS; i++)
		overview_put_document(writing, figures, i);
	markup_put(out, "</tbody>\n</table>\n");
	put_left_out(out, figures->document_count, DOCUMENTS, "document",
	    ", in 'freshet ls --sitemaps'");
}

/* First whether the numbers can be believed, then the numbers, then what they
 * come from. */
static void
overview_put_part(
    struct writing *writing, const struct figures *figures, size_t site)
{
	struct buf *out = writing->text;
	struct figures_marks marks;

	figures_marks(&marks, figures);
	(void)buf_print(out, "<section id=\"site-%zu\">\n", site + 1);
	if (!writing->is_alone)
		markup_print(out, "<h2>%h</h2>\n", figures->host);
	int64_t now_s = writing->overview->span.now_s;
	const struct site_totals *totals = &figures->totals;
	bool is_good = totals->last_read_s >= now_s - FRESH_S &&
	    totals->failing + totals->failing_robots + totals->waiting == 0;

	markup_put(
	    out, is_good ? "<p class=\"trust\">" : "<p class=\"trust doubt\">");
	if (totals->last_read_s == 0) {
		markup_put(out, "Never read.");
	} else {
		(void)buf_print(out, "Last read %s. %s in %s; ",
		    zone_text(totals->last_read_s, ZONE_MOMENT).text,
		    human_of(figures->listed, "page").text,
		    human_of(totals->documents - totals->indexes, "sitemap")
			.text);
		overview_put_state(out, figures, now_s, NULL);
		markup_put(out, ".");
	}
	markup_put(out, "</p>\n");

	put_tiles(out, figures);
	markup_put(out, "<div class=\"plots\">\n");
	/* A site that was never read has no days. */
	if (figures->step_count > 0)
		figures_trend(out, figures, &marks);
	/* The first sites have this chart above, side by side. */
	if (site >= CHARTS || writing->overview->links != NULL)
		figures_columns(out, figures, "New, gone and moved", &marks);
	chart_ages(out, figures->ages);
	markup_put(out, "</div>\n");
	put_events(writing, figures);
	if (figures->note_count != 0) {
		put_part_heading(writing, "Notes");
		markup_put(out, "<ol class=\"events notes\">\n");
		for (size_t i = 0; i < figures->note_count && i < SITE_NOTES;
		     i++) {
			markup_put(out, "<li>");
			markup_time(out, figures->notes[i].at_s);
			markup_print(out, "<span><b>%s</b>%t</span></li>\n",
			    (const char[]){(char)('A' + i), '\0'},
			    figures->notes[i].text);
		}
		markup_put(out, "</ol>\n");
		put_left_out(out, figures->note_count, SITE_NOTES, NULL,
		    ", in 'freshet note --list'");
	}

	put_own_sections(writing, figures);
	overview_put_documents(writing, figures);
	markup_put(out, "</section>\n");
	(void)out_line(writing->out);
}

/* What the page is about: the tag, the only site, or how many. */
static void
overview_put_choice(struct buf *out, const struct overview *overview)
{
	const struct options *options = overview->options;
	size_t tags = options->watch.tags.count;

	if (tags == 1)
		(void)buf_print(out, "%s", options->watch.tags.items[0]);
	else if (overview->hosts->count == 1)
		(void)buf_print(out, "%s", overview->hosts->items[0]);
	else if (tags + options->targets.args.count > 0)
		(void)buf_print(out, "%zu sites", overview->hosts->count);
	else
		(void)buf_print(out, "All sites");
}

static void
overview_put_end(struct writing *writing)
{
	const char *zone = writing->overview->options->output.tz;
	struct buf note = BUF_UP_TO(SIZE_MAX);

	/* A page is read far from where it was made: it says whose days these
	 * are. */
	markup_print(&note,
	    "as of %s; %s%t; the same numbers as 'freshet diff' and 'freshet "
	    "stats' print.",
	    zone_text(writing->overview->span.now_s, ZONE_MOMENT).text,
	    zone_is_utc() ? "all times are " : "times are those of the zone ",
	    zone_is_utc() ? "UTC" : zone);
	markup_end(writing->text, buf_str(&note));
	buf_release(&note);
}

void
overview_write(const struct overview *overview, struct out *out)
{
	const struct overview_links *links = overview->links;
	struct writing writing = {.overview = overview,
	    .out = out,
	    .text = &out->text,
	    .rows = mem_zero(
		(overview->hosts->count + 1) * sizeof(struct figures)),
	    .count = overview->hosts->count,
	    .is_alone = links != NULL && links->is_site};
	/* the rows that the page shows in detail: from `first` on */
	size_t first = links == NULL ? 0 : links->page * OVERVIEW_ROWS;
	size_t count = links == NULL ? OVERVIEW_PARTS : OVERVIEW_ROWS;

	/* of the report: up to here sites have a part or a row */
	size_t rows = links != NULL          ? 0
	    : writing.count < OVERVIEW_TABLE ? writing.count
					     : OVERVIEW_TABLE;

	first = first < writing.count ? first : writing.count;
	count = count < writing.count - first ? count : writing.count - first;
	struct figures *parts = mem_zero((count + 1) * sizeof(*parts));
	struct human since = zone_text(overview->span.since_s, ZONE_DATE);
	struct human until = zone_text(overview->span.until_s - 1, ZONE_DATE);
	bool is_begun;
	struct buf choice = BUF_UP_TO(SIZE_MAX), title = BUF_UP_TO(SIZE_MAX);

	/* All sites are read as of one moment, or their sums would not fit
	 * together. */
	is_begun = store_read_begin(overview->store);
	overview_gather(&writing);
	for (size_t i = 0; i < count; i++)
		gather_site(&parts[i], overview,
		    slice_of(writing.rows[first + i].host), FIGURES_WHOLE);
	for (size_t i = OVERVIEW_PARTS; i < rows; i++) {
		char *host = writing.rows[i].host;

		writing.rows[i].host = NULL;
		figures_release(&writing.rows[i]);
		gather_site(
		    &writing.rows[i], overview, slice_of(host), FIGURES_ROW);
		free(host);
	}
	if (is_begun)
		store_read_end(overview->store);
	overview_put_choice(&choice, overview);
	(void)buf_print(&title, "%s: what changed, %s to %s", buf_str(&choice),
	    since.text, until.text);
	markup_begin(writing.text, buf_text(&title));
	/* The same as a heading, whose dates are not broken at the hyphens. */
	markup_print(
	    writing.text, "%s<header>\n<h1>", links == NULL ? "" : links->nav);
	markup_print(writing.text,
	    overview->options->watch.tags.count != 1 &&
		    overview->hosts->count == 1
		? "%h"
		: "%c",
	    buf_str(&choice));
	markup_print(writing.text,
	    ": what changed, <span class=\"day\">%s</span> to <span "
	    "class=\"day\">%s</span></h1>\n",
	    since.text, until.text);
	if (!writing.is_alone)
		put_trust(&writing);
	markup_put(writing.text, "</header>\n<main>\n");
	if (!writing.is_alone) {
		put_headlines(&writing);
		put_rows(&writing, parts, count);
		put_charts(&writing, parts, count);
		put_sections(&writing, parts, count);
	}
	/* If the reader of a pipe has gone, the rest need not be made. */
	for (size_t i = 0; i < count && out->error == 0; i++)
		if (links == NULL || writing.is_alone)
			overview_put_part(&writing, &parts[i], i);
	if (links == NULL && writing.count > OVERVIEW_PARTS) {
		(void)buf_print(writing.text,
		    "<section id=\"rest\">\n<h2>The other %s</h2>\n",
		    human_of(writing.count - OVERVIEW_PARTS, "site").text);
		markup_table(writing.text, "cards", "site|" ROW_HEADS);
		for (size_t i = OVERVIEW_PARTS; i < rows && out->error == 0;
		     i++) {
			overview_put_row(&writing, &writing.rows[i], i);
			(void)out_line(out);
		}
		markup_put(writing.text, "</tbody>\n</table>\n");
		if (rows < writing.count)
			markup_put(writing.text,
			    "<p>And those that changed least, with the number "
			    "of their pages:</p>\n<pre>\n");
		for (size_t i = rows; i < writing.count && out->error == 0;
		     i++) {
			overview_put_line(writing.text, &writing.rows[i],
			    overview->span.now_s);
			(void)out_line(out);
		}
		markup_put(writing.text,
		    rows < writing.count ? "</pre>\n</section>\n"
					 : "</section>\n");
	}
	markup_put(writing.text, "</main>\n");
	overview_put_end(&writing);
	(void)out_line(out);
	buf_release(&choice);
	buf_release(&title);
	for (size_t i = 0; i < writing.headline_count; i++)
		free(writing.headlines[i].sentence);
	for (size_t i = 0; i < writing.count; i++)
		figures_release(&writing.rows[i]);
	for (size_t i = 0; i < count; i++)
		figures_release(&parts[i]);
	free(writing.rows);
	free(parts);
}
