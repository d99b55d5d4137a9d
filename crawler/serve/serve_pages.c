/* Pages of HTML that link to each other. */
#include "crawler/serve/serve_api.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/human.h"
#include "base/mem.h"
#include "base/sort.h"
#include "base/url.h"
#include "base/wall.h"
#include "base/zone.h"
#include "crawler/chart/markup.h"
#include "crawler/cli/failing.h"
#include "crawler/cli/options_sites.h"
#include "crawler/cli/options_value.h"
#include "crawler/cli/selection.h"
#include "crawler/cli/textfile.h"
#include "crawler/event/exit.h"
#include "crawler/events/event_answers.h"
#include "crawler/events/past.h"
#include "crawler/pages/figures.h"
#include "crawler/pages/overview.h"
#include "store/page_says.h"
#include "store/site.h"
#include "store/site_changes.h"
#include "store/sql/sql.h"

#define MONTH_S (30 * INT64_C(86400))
#define ROWS 100 /* of a table, on one page */
#define PAGES_MAX 1000000
#define DAYS_MAX 3650

/* What is printed. */
struct page {
	const struct serve_context *context;
	const struct serve_query *query;
	struct out out;
	struct buf tail; /* markup: ends links to pages with the same span */
	struct options options; /* those of `serve`, with the span */
	char days[24]; /* "30d"; the options may point to it */
	struct events_span span;
	struct strings hosts; /* owned; that were chosen */
	struct store *store; /* NULL: none is open */
	uint64_t number; /* of the page, from 1 */
	const char *host; /* whose URLs are shown as paths; NULL: none */
	struct buf sql; /* of the next table; page_table() empties it */
};

/* Append "name=value" of the request behind '&amp;', if it is there. */
static void
put_same(struct buf *out, const struct serve_query *query, const char *name)
{
	const char *value = serve_query_get(query, name);

	if (value != NULL)
		markup_print(out, "&amp;%s=%p", name, value);
}

/* The links above a page: to the others, of which that with the title is this
 * page, and to other spans of it. */
static void
put_nav(
    struct buf *out, struct page *page, const char *path, struct slice title)
{
	static const struct {
		const char *path, *text;
		bool has_span; /* keeps the span of this page */
	} links[] = {{"/", "Overview", true}, {"/events", "Events", true},
	    {"/findings", "Findings", false}, {"/health", "Health", false},
	    {"/api/v1/openapi.json", "API", false}};
	static const char *const spans[] = {"7", "30", "90", "365"};
	const char *tail = buf_str(&page->tail);

	markup_put(out, "<nav aria-label=\"freshet\">\n");
	/* The link with the title of this page says that one is here, to
	 * readers that cannot see it. */
	for (size_t i = 0; i < sizeof(links) / sizeof(links[0]); i++) {
		bool has_tail = links[i].has_span && tail[0] != '\0';

		(void)buf_print(out, "<a%s href=\"%s%s%s\">%s</a>\n",
		    slice_is(title, links[i].text) ? " aria-current=\"page\""
						   : "",
		    links[i].path, has_tail ? "?" : "", has_tail ? tail : "",
		    links[i].text);
	}
	if (path != NULL) {
		markup_put(out, "<span class=\"soft\">last</span>\n");
		for (size_t i = 0; i < sizeof(spans) / sizeof(spans[0]); i++) {
			(void)buf_print(
			    out, "<a href=\"%s?days=%s", path, spans[i]);
			put_same(out, page->query, "site");
			put_same(out, page->query, "tag");
			(void)buf_print(out, "\">%s days</a>\n", spans[i]);
		}
	}
	markup_put(out, "</nav>\n");
}

/* path: see put_nav(); NULL: the page has no span.  The title may be foreign
 * text. */
static void
page_begin(struct page *page, const char *path, struct slice title)
{
	struct buf *out = &page->out.text;

	markup_begin(out, title);
	put_nav(out, page, path, title);
	markup_put(out, "<main>\n<h1>");
	markup_text(out, title);
	markup_put(out, "</h1>\n");
}

#define SAME "the same numbers as the commands print."

static void
page_finish(struct page *page)
{
	struct buf note = BUF_UP_TO(SIZE_MAX);

	markup_print(&note, "as of %s; " SAME,
	    zone_text(page->context->now_s, ZONE_MOMENT).text);
	markup_put(&page->out.text, "</main>\n");
	markup_end(&page->out.text, buf_str(&note));
	buf_release(&note);
}

static int
page_choose(struct page *page)
{
	const char *site = serve_query_get(page->query, "site");
	const char *tag = serve_query_get(page->query, "tag");
	int64_t since_s, until_s;
	int status;

	/* The same functions choose as for the commands, so that a page has
	 * the numbers that they print. */
	if (!choose_span(&page->options, MONTH_S, &since_s, &until_s))
		return EXIT_USAGE;
	page->span = figures_span(since_s, until_s, page->context->now_s);
	if (site != NULL)
		strings_add(&page->options.targets.args, slice_of(site));
	if (tag != NULL)
		strings_add(&page->options.watch.tags, slice_of(tag));
	status = selection_open(&page->options, &page->store);
	return status != EXIT_DONE
	    ? status
	    : choose_hosts(&page->options, page->store, &page->hosts);
}

/* What page_open() opens beside the page: the store, and what it chooses. */
enum page_opens { OPENS_NOTHING, OPENS_STORE, OPENS_SITES };

/* Read the parameters that several pages have, and see that those are there
 * which the page needs, with '|' between their names.  Returns an exit status.
 */
static int
page_open(struct page *page, const struct serve_context *context,
    const struct serve_query *query, const char *needs, enum page_opens opens)
{
	uint64_t days = 0;

	*page = (struct page){.context = context,
	    .query = query,
	    .options = *context->options,
	    .number = 1};
	page->options.now_s = context->now_s;
	/* The sites of `serve` are no choice for its pages; these have
	 * parameters. */
	page->options.targets.args = (struct strings){0};
	page->options.watch.tags = (struct strings){0};
	out_init(&page->out, &context->options->output);
	page->out.is_raw = true;
	/* What is wrong in a request is said on stderr, where the server takes
	 * the reason of a refusal from. */
	if (!serve_query_number(query, "days", 1, DAYS_MAX, &days) ||
	    !serve_query_number(query, "page", 1, PAGES_MAX, &page->number)) {
		complain("'days' and 'page' are numbers from 1 on");
		return EXIT_USAGE;
	}
	page->options.diff.since = serve_query_get(query, "since");
	page->options.diff.until = serve_query_get(query, "until");
	if ((page->options.diff.since != NULL &&
		!value_has_shape(page->options.diff.since, SHAPE_WHEN)) ||
	    (page->options.diff.until != NULL &&
		!value_has_shape(page->options.diff.until, SHAPE_WHEN))) {
		complain("'since' and 'until' are dates, or so long back: 7d");
		return EXIT_USAGE;
	}
	if (days > 0) {
		(void)snprintf(
		    page->days, sizeof(page->days), "%" PRIu64 "d", days);
		page->options.diff.since = page->days;
	}
	/* Links keep the span and the tag, so that one who looks at a month
	 * goes on to look at that month. */
	put_same(&page->tail, query, "days");
	put_same(&page->tail, query, "since");
	put_same(&page->tail, query, "until");
	put_same(&page->tail, query, "tag");
	if (!serve_query_needs(query, needs))
		return EXIT_USAGE;
	return opens == OPENS_SITES ? page_choose(page)
	    : opens == OPENS_STORE
	    ? selection_open(&page->options, &page->store)
	    : EXIT_DONE;
}

/* Tables of SQL. */

/* How a value is shown follows from the name of its column. */
static const struct {
	const char *name;
	const char *link; /* to the page of the value; NULL: none */
} columns[] = {
    {"site", "/site?site="},
    {"document", "/document?url="},
    {"page", "/url?url="},
    {"code", "/findings?code="},
    {"reason", "/findings?code="},
};

struct table {
	struct page *page;
	const char *title;
	uint64_t rows; /* so far */
	uint64_t most; /* that are shown */
};

/* Begin a cell or its head: the class (times are not broken, numbers stand on
 * the right), and the name of the column without "_s", with spaces. */
static void
put_column(struct buf *out, const char *before, const char *between,
    struct slice name, const struct sql_value *value)
{
	bool is_time = slice_ends(name, slice_of("_s"));

	markup_put(out, before);
	if (is_time ||
	    (value->type == SQL_IS_TEXT && value->text.len <= 25 &&
		ascii_is_digit(value->text.p[0])))
		markup_put(out, " class=\"when\"");
	else if (value->type == SQL_IS_NUMBER)
		markup_put(out, " class=\"n\"");
	markup_put(out, between);
	if (is_time)
		name.len -= 2;
	for (size_t i = 0; i < name.len; i++)
		(void)buf_put_char(out, name.p[i] == '_' ? ' ' : name.p[i]);
}

/* The column WHY says why something fails: its code, and the four columns
 * behind it, which are not shown by themselves, are the members of struct
 * failing in their order. */
#define WHY "why"
#define WHY_COLUMNS 5

/* A number, 0 if the value is none: SQL knows NULL. */
static int64_t
number_of(struct sql_value value)
{
	char *text;
	int64_t n;

	if (value.type != SQL_IS_NUMBER)
		return 0;
	text = slice_dup(value.text);
	n = strtoll(text, NULL, 10);
	free(text);
	return n;
}

/* Append a text; a URL, and what has one, may be broken. */
static void
put_cell_words(struct buf *out, struct slice text)
{
	if (memmem(text.p, text.len, "/", 1) != NULL)
		markup_parts(out, text, '/');
	else
		markup_cut(out, text);
}

/* Append the headline of a page, if it is known: foreign text. */
static void
put_headline(const struct page *page, struct buf *out, struct slice url)
{
	struct slice title = page->store == NULL
	    ? slice_of(NULL)
	    : store_page_says(page->store, url).title;

	if (title.len == 0)
		return;
	markup_put(out, "<br><span class=\"soft\">");
	markup_cut(out, title);
	markup_put(out, "</span>");
}

/* Append the value of a cell: a time as people read it, a link to the page that
 * says more, or the value itself, which may be foreign text. */
static void
put_cell_value(const struct page *page, struct buf *out, struct slice name,
    const struct sql_value *value)
{
	const char *link = NULL;

	for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++)
		if (slice_is(name, columns[i].name))
			link = columns[i].link;
	/* An empty cell would look like one that is not there. */
	if (value->type == SQL_IS_NULL) {
		markup_put(out, "-");
	} else if (slice_ends(name, slice_of("_s"))) {
		zone_print(out, number_of(*value), ZONE_MOMENT);
	} else if (link != NULL) {
		/* a code stays on one line */
		(void)buf_print(out, "<a%s href=\"%s",
		    slice_starts(slice_of(link), slice_of("/findings"))
			? " class=\"day\""
			: "",
		    link);
		markup_parameter(out, value->text);
		markup_put(out, "\">");
		if (slice_is(name, "site"))
			markup_parts(out, value->text, '.');
		else if (page->host != NULL)
			put_cell_words(
			    out, url_short(value->text, slice_of(page->host)));
		else
			put_cell_words(out, value->text);
		markup_put(out, "</a>");
		if (slice_is(name, "page"))
			put_headline(page, out, value->text);
	} else if (slice_is(name, "origin") || slice_is(name, "host")) {
		markup_parts(out, value->text, '.');
	} else if (value->type == SQL_IS_NUMBER && value->text.len < 19 &&
	    memchr(value->text.p, '.', value->text.len) == NULL &&
	    value->text.p[0] != '-') {
		human_put(out, (uint64_t)number_of(*value), NULL);
	} else if (slice_is(name, "severity")) {
		char *text = slice_dup(value->text);

		markup_print(out, "<span class=\"%t\">%t</span>", text, text);
		free(text);
	} else {
		put_cell_words(out, value->text);
	}
}

/* A row of a table.  The first one begins the table, whose head follows from
 * the names of the columns; so a query without rows makes no table.  On a
 * narrow screen a row is a card, and each cell names its column itself. */
static void
page_put_row(void *arg, const struct sql *sql)
{
	struct table *table = arg;
	struct buf *out = &table->page->out.text;
	int step; /* to the column that is shown behind this one */

	if (table->rows++ == 0) {
		(void)buf_print(out,
		    "<h2>%s</h2>\n<table class=\"cards\">\n<thead><tr>",
		    table->title);
		for (int i = 0; i < sql->columns; i += step) {
			struct sql_value value = sql_value(sql, i);
			struct slice name = sql_name(sql, i);

			step = slice_is(name, WHY) ? WHY_COLUMNS : 1;
			put_column(out, "<th scope=\"col\"", ">", name, &value);
			markup_put(out, "</th>");
		}
		markup_put(out, "</tr></thead>\n<tbody>\n");
	}
	if (table->rows > table->most)
		return;
	markup_put(out, "<tr>");
	for (int i = 0; i < sql->columns; i += step) {
		struct slice name = sql_name(sql, i);
		struct sql_value value = sql_value(sql, i);

		step = slice_is(name, WHY) ? WHY_COLUMNS : 1;
		put_column(out, "<td", " data-name=\"", name, &value);
		markup_put(out, "\"><span>");
		/* Code, status, text, time and tries of a failure make one
		 * sentence, which is that of all commands. */
		if (slice_is(name, WHY)) {
			struct sql_value text = sql_value(sql, i + 2);
			struct failing failing = {
			    .code = value.type == SQL_IS_TEXT ? value.text
							      : slice_of(""),
			    .status = (int)number_of(sql_value(sql, i + 1)),
			    .text = text.type == SQL_IS_TEXT ? text.text
							     : slice_of(""),
			    .since_s = number_of(sql_value(sql, i + 3)),
			    .tries = (uint64_t)number_of(
				sql_value(sql, i + 4))};
			struct buf words = BUF_UP_TO(SIZE_MAX);
			const struct wall *wall;

			failing_text(&words, &failing);
			markup_text(out, buf_text(&words));
			buf_release(&words);
			markup_put(
			    out, " <a class=\"soft\" href=\"/findings?code=");
			markup_parameter(out, failing.code);
			markup_put(out, "\">");
			markup_cut(out, failing.code);
			markup_put(out, "</a>");
			wall = wall_of(diag_find(failing.code), failing.text);
			if (wall != NULL) {
				markup_put(out, "<br>");
				markup_text(out, slice_of(wall->advice));
			}
		} else
			put_cell_value(table->page, out, name, &value);
		markup_put(out, "</span></td>");
	}
	markup_put(out, "</tr>\n");
	(void)out_line(&table->page->out);
}

static void
put_page_links(struct page *page, const char *path, bool has_more)
{
	static const char *const same[] = {
	    "site", "code", "url", "tag", "days", "since", "until"};
	struct buf *out = &page->out.text;

	if (page->number == 1 && !has_more)
		return;
	markup_put(out, "<nav aria-label=\"pages\">");
	/* The page before this one, then the one after. */
	for (int step = -1; step <= 1; step += 2) {
		uint64_t to = page->number + (uint64_t)(int64_t)step;

		if (to == 0 || (step > 0 && !has_more))
			continue;
		(void)buf_print(out, "<a href=\"%s?page=%" PRIu64, path, to);
		for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++)
			put_same(out, page->query, same[i]);
		markup_print(out, "\">%s</a>\n", step < 0 ? "before" : "next");
	}
	markup_put(out, "</nav>\n");
}

/* Append the rows of page->sql as a table; if there are none, the title and
 * what that means; NULL: an error.  path: where the other pages of the table
 * are; NULL: it has none, and its first ROWS rows are shown.  After an error
 * before this table, which *status says, nothing is done. */
static void
page_table(struct page *page, int *status, const char *path, const char *title,
    const char *none)
{
	struct table table = {.page = page, .title = title, .most = ROWS};
	struct buf *out = &page->out.text;

	if (*status != EXIT_DONE)
		return;
	/* One row more than is shown says that there are more. */
	(void)buf_print(&page->sql, " LIMIT %d", ROWS + 1);
	if (path != NULL)
		(void)buf_print(
		    &page->sql, " OFFSET %" PRIu64, (page->number - 1) * ROWS);
	*status = serve_rows(
	    page->context, buf_text(&page->sql), page_put_row, &table);
	buf_clear(&page->sql);
	if (table.rows > 0)
		markup_put(out, "</tbody>\n</table>\n");
	else if (*status == EXIT_DONE && none == NULL)
		*status = EXIT_NO_TARGET;
	else if (*status == EXIT_DONE)
		(void)buf_print(out, "<h2>%s</h2>\n<p>%s</p>\n", title, none);
	if (path != NULL)
		put_page_links(page, path, table.rows > table.most);
	else if (table.rows > table.most)
		markup_put(out,
		    "<p class=\"soft\">There are more: ask 'freshet sql', or "
		    "the API.</p>\n");
}

/* "/" and "/site": the page that the command `overview` writes, with links. */
static int
page_overview(struct page *page)
{
	bool is_site = strcmp(page->query->path, "/site") == 0;
	struct overview_links links = {.is_site = is_site,
	    .tail = buf_str(&page->tail),
	    .page = (size_t)page->number - 1};
	struct overview overview = {.links = &links,
	    .store = page->store,
	    .hosts = &page->hosts,
	    .options = &page->options,
	    .span = page->span};
	struct buf nav = BUF_UP_TO(SIZE_MAX);

	put_nav(
	    &nav, page, page->query->path, slice_of(is_site ? "" : "Overview"));
	links.nav = buf_str(&nav);
	overview_write(&overview, &page->out);
	buf_release(&nav);
	return EXIT_DONE;
}

struct told {
	const struct site_event *event;
	const char *host;
	int64_t at_s; /* of the event */
};

/* The latest first; of one moment in the order of hosts, so that the pages of a
 * long list always hold the same. */
static const struct sort_key told_latest_first[] = {
    {SORT_KEY(struct told, at_s), true}, {SORT_KEY(struct told, host), false},
    {0}};

static void
gather_events(struct page *page, const char *host, struct site_event_list *list)
{
	struct site_past past;

	page->span.sections = options_of_site(&page->options, slice_of(host))
				  ->sections.rules;
	page->span.renamings = options_of_site(&page->options, slice_of(host))
				   ->moves.renamings;
	past_open(&past, page->store,
	    store_site_find(page->store, slice_of(host)), &page->span,
	    PAST_KNOWN);
	(void)past_events(&past, &page->span, list);
	past_release(&past);
}

/* has_link: the event has a page, and this is not that page, whose heading is
 * the sentence. */
static void
told_put(struct page *page, const struct told *told, bool has_link)
{
	struct buf *out = &page->out.text;
	struct buf sentence = BUF_UP_TO(SIZE_MAX);

	site_event_sentence(&sentence, told->event, slice_of(told->host));
	markup_put(out, "<li>");
	markup_time(out, told->event->at_s);
	markup_put(out, "<span>");
	figures_kind(out, told->event->kind);
	markup_print(out, "<a href=\"/site?site=%p%s\">%h</a>", told->host,
	    buf_str(&page->tail), told->host);
	if (has_link) {
		markup_print(out, ": %t ", buf_str(&sentence));
		figures_event_link(
		    out, told->host, told->event, buf_str(&page->tail));
		markup_put(out, "details</a>");
	}
	markup_put(out, "</span></li>\n");
	(void)out_line(&page->out);
	buf_release(&sentence);
}

/* "/events": what happened at the chosen sites, the latest first. */
static int
page_events(struct page *page)
{
	struct site_event_list *lists = NULL;
	struct told *all = NULL;
	size_t count = 0, cap = 0, events = 0, first;
	struct buf *out = &page->out.text;

	/* Events of all sites are gathered, because the latest come first,
	 * whatever their site is. */
	lists = mem_zero((page->hosts.count + 1) * sizeof(*lists));
	for (size_t i = 0; i < page->hosts.count; i++) {
		const char *host = page->hosts.items[i];

		gather_events(page, host, &lists[i]);
		site_event_list_fold(&lists[i]);
		events += site_event_list_count(&lists[i]);
		for (size_t k = 0; k < lists[i].count; k++) {
			*MEM_PUSH(all, count, cap) = (struct told){
			    &lists[i].items[k], host, lists[i].items[k].at_s};
		}
	}
	page_begin(page, "/events", slice_of("Events"));
	sort_rows(all, count, sizeof(*all), told_latest_first);
	markup_print(
	    out, "<p class=\"soft\">%s", human_of(events, "event").text);
	/* The others are notes, which `diff` does not count as events. */
	if (count > events)
		markup_print(
		    out, " and %s", human_of(count - events, "note").text);
	markup_print(out, ", from %s to %s</p>\n<ol class=\"events\">\n",
	    zone_text(page->span.since_s, ZONE_DATE).text,
	    zone_text(page->span.until_s - 1, ZONE_DATE).text);
	first = (size_t)(page->number - 1) * ROWS;
	for (size_t i = first; i < count && i < first + ROWS; i++)
		told_put(page, &all[i], true);
	markup_put(out, "</ol>\n");
	put_page_links(page, "/events", count > first + ROWS);
	page_finish(page);
	for (size_t i = 0; i < page->hosts.count; i++)
		site_event_list_release(&lists[i]);
	free(lists);
	free(all);
	return EXIT_DONE;
}

static void
query_moves(struct page *page, const struct told *told)
{
	const struct site_event *event = told->event;
	struct site_changes *changes = site_changes_new(page->store,
	    store_site_find(page->store, slice_of(told->host)),
	    page->span.renamings, event->at_s);
	struct buf *query = &page->sql;
	int rows = 0;

	(void)buf_print(
	    query, "SELECT column1 AS was, column2 AS page FROM (VALUES ");
	for (size_t i = 0; rows <= ROWS && i < changes->move_count; i++) {
		const struct move *move = &changes->moves[i];

		if (!event_has_move(event, move))
			continue;
		markup_put(query, rows++ == 0 ? "(" : ", (");
		serve_rows_literal(query, move->from.url.p);
		markup_put(query, ", ");
		serve_rows_literal(query, move->to.url.p);
		markup_put(query, ")");
	}
	markup_put(query, ")");
	/* SQL has no list of values without any. */
	if (rows == 0) {
		buf_clear(query);
		markup_put(query, "SELECT 1 WHERE 0");
	}
	site_changes_free(changes);
}

/* The page of one event: its sentence, its numbers, and what speaks for it,
 * which is what the readings around it say and what they changed. */
static int
put_event(struct page *page, const struct told *told)
{
	const struct site_event *event = told->event;
	struct buf *out = &page->out.text;
	struct buf sentence = BUF_UP_TO(SIZE_MAX);
	int status = EXIT_DONE;

	page->host = told->host;
	site_event_sentence(&sentence, event, slice_of(told->host));
	page_begin(page, NULL, buf_text(&sentence));
	markup_put(out, "<ol class=\"events\">\n");
	told_put(page, told, false);
	markup_put(out, "</ol>\n<dl class=\"tiles\">\n");
	/* 0 is unknown, or means nothing for its kind. */
	if (event->count > 0)
		markup_tile(out, "count", event->count, NULL);
	if (event->of > 0)
		markup_tile(out,
		    event->kind == EVENT_BURST         ? "most before"
			: event->kind == EVENT_SILENCE ? "longest before"
						       : "of",
		    event->of, NULL);
	if (event->documents > 0)
		markup_tile(out, "documents", event->documents, NULL);
	markup_put(out, "</dl>\n");
	if (event->document != NULL)
		markup_print(out,
		    "<p>Document: <a href=\"/document?url=%p\">%c</a></p>\n",
		    event->document, event->document);
	/* The readings from three days before it to three days after it was
	 * known show what the event was made from. */
	if (event->document_id > 0) {
		(void)buf_print(&page->sql,
		    "SELECT at_s, outcome, status, failure AS reason, complete,"
		    " wire_bytes, listed, missed, added, removed, gone, redated"
		    " FROM reading WHERE document_id = %" PRId64
		    " AND at_s BETWEEN %" PRId64 " AND %" PRId64
		    " ORDER BY at_s",
		    event->document_id, event->at_s - 3 * DAY_S,
		    (event->known_s > event->at_s ? event->known_s
						  : event->at_s) +
			3 * DAY_S);
		page_table(page, &status, NULL,
		    "Why this can be believed: the readings around it",
		    "No reading of those days is kept.");
	}
	/* A move is a pair of changes, which lie in different readings. */
	if (event->first_reading_id > 0 && event->kind == EVENT_PAGES_MOVED) {
		query_moves(page, told);
		page_table(page, &status, NULL, "Pages that moved",
		    "No change is kept of the readings of this event.");
	} else if (event->first_reading_id > 0) {
		(void)buf_print(&page->sql,
		    "SELECT at_s, kind, loc AS page, before, after, document"
		    " FROM change WHERE site = ");
		serve_rows_literal(&page->sql, told->host);
		(void)buf_print(&page->sql,
		    " AND NOT elsewhere AND reading BETWEEN %" PRId64
		    " AND %" PRId64,
		    event->first_reading_id,
		    event->last_reading_id > 0 ? event->last_reading_id
					       : event->first_reading_id);
		page_table(page, &status, NULL, "What its readings changed",
		    "No change is kept of the readings of this event.");
	}
	page_finish(page);
	buf_release(&sentence);
	return status;
}

/* "/event": the event of a site with that time and kind.  Events have no
 * number: they are computed, and may change while they are not known for sure,
 * so that a link may lead to one that is none any more. */
static int
page_event(struct page *page)
{
	struct site_event_list list = {0};
	const char *kind = serve_query_get(page->query, "kind");
	const char *host = page->hosts.items[0];
	uint64_t at_s = 0;
	int status = EXIT_NO_TARGET;

	if (!serve_query_number(page->query, "at", 1, INT32_MAX * 4ull, &at_s))
		return complain_with(EXIT_USAGE, "'at' is a time in seconds");
	gather_events(page, host, &list);
	for (size_t i = 0; i < list.count && status == EXIT_NO_TARGET; i++)
		if (list.items[i].at_s == (int64_t)at_s &&
		    slice_is(site_event_kind_name(list.items[i].kind), kind))
			status = put_event(
			    page, &(struct told){&list.items[i], host, 0});
	if (status == EXIT_NO_TARGET)
		complain("there is no such event of that time");
	site_event_list_release(&list);
	return status;
}

/* "/document": what the store knows of one document: its present state, its
 * findings, its readings, and the pages that it lists, a part of them at a
 * time. */
static int
page_document(struct page *page)
{
	const char *url = serve_query_get(page->query, "url");
	struct buf where = BUF_UP_TO(SIZE_MAX);
	int status = EXIT_DONE;

	serve_rows_literal(&where, url);
	page_begin(page, NULL, slice_of(url));
	(void)buf_print(&page->sql,
	    "SELECT site, kind, outcome, failure AS reason, listed, refused,"
	    " missed, dated, newest, last_read_s, last_try_s, failures"
	    " FROM document WHERE url = %s",
	    buf_str(&where));
	page_table(page, &status, NULL, "Now", NULL);
	if (status == EXIT_NO_TARGET)
		complain("the store has no such document");
	(void)buf_print(&page->sql,
	    "SELECT severity, code, count, line, text FROM finding"
	    " WHERE current AND document = %s ORDER BY severity, code",
	    buf_str(&where));
	page_table(page, &status, NULL, "Findings", "None.");
	(void)buf_print(&page->sql,
	    "SELECT at_s, outcome, status, failure AS reason, complete,"
	    " wire_bytes, listed, added, removed, gone, redated, duration_ms"
	    " FROM reading WHERE document = %s ORDER BY id DESC",
	    buf_str(&where));
	page_table(
	    page, &status, NULL, "Readings, the latest first", "None is kept.");
	(void)buf_print(&page->sql,
	    "SELECT loc AS page, lastmod, first_seen, state, refused FROM url"
	    " WHERE document = %s",
	    buf_str(&where));
	page_table(page, &status, "/document", "Its pages", "None.");
	page_finish(page);
	buf_release(&where);
	return status;
}

/* Append what the command `explain` prints of the URL: this process prints the
 * page on its stdout, so that a file takes its place for a while.  Returns the
 * command's exit status. */
static int
page_explain(
    const struct serve_context *context, const char *url, struct buf *text)
{
	struct serve_words words;
	char part[4096];
	int file = memfd_create("explain", MFD_CLOEXEC);
	int kept = dup(STDOUT_FILENO);
	int status = EXIT_RESOURCES;
	ssize_t n;

	if (file >= 0 && kept >= 0 && dup2(file, STDOUT_FILENO) >= 0) {
		serve_words_begin(&words, context, "explain");
		if (context->options->output.tz != NULL)
			serve_words_add(
			    &words, "--tz=%s", context->options->output.tz);
		serve_words_add(&words, "--");
		serve_words_add(&words, "%s", url);
		status = serve_words_run(&words, context);
		(void)dup2(kept, STDOUT_FILENO);
		(void)lseek(file, 0, SEEK_SET);
		while ((n = read(file, part, sizeof(part))) > 0)
			(void)buf_put(text, part, (size_t)n);
	}
	(void)close(file);
	(void)close(kept);
	return status;
}

static int
page_url(struct page *page)
{
	const char *url = serve_query_get(page->query, "url");
	struct buf text = BUF_UP_TO(SIZE_MAX);
	int status = page_explain(page->context, url, &text);

	/* it says no */
	if (status == EXIT_FINDINGS)
		status = EXIT_DONE;
	page_begin(page, NULL, slice_of(url));
	markup_put(&page->out.text, "<p>");
	markup_link(&page->out.text, slice_of(url), slice_of("open the page"));
	put_headline(page, &page->out.text, slice_of(url));
	markup_put(&page->out.text, "</p>\n<pre>");
	for (struct slice rest = buf_text(&text); rest.len > 0;) {
		markup_text(&page->out.text, textfile_line(&rest));
		markup_put(&page->out.text, "\n");
	}
	markup_put(&page->out.text, "</pre>\n");
	markup_put(&page->sql,
	    "SELECT document, lastmod, first_seen, redated, state, refused"
	    " FROM url WHERE loc = ");
	serve_rows_literal(&page->sql, url);
	page_table(page, &status, NULL, "Listed by", "No document lists it.");
	page_finish(page);
	buf_release(&text);
	return status;
}

/* "/findings": how often each code stands, and where; or, for one code, where
 * it stands.  Errors come first. */
static int
page_findings(struct page *page)
{
	const char *site = serve_query_get(page->query, "site");
	const char *code = serve_query_get(page->query, "code");
	int status = EXIT_DONE;
	struct buf *text = &page->sql;

	page_begin(page, NULL, slice_of("Findings"));
	/* Who asks for one code has seen the table of all codes. */
	if (code == NULL) {
		(void)buf_print(text,
		    "SELECT severity, code, count(*) AS documents,"
		    " sum(count) AS times FROM finding WHERE current");
		serve_rows_where(text, "site", site);
		(void)buf_print(text,
		    " GROUP BY code ORDER BY CASE severity WHEN 'error' THEN 0"
		    " WHEN 'warning' THEN 1 ELSE 2 END, times DESC");
		page_table(page, &status, NULL, "By code", "None stands.");
	}
	(void)buf_print(text,
	    "SELECT site, document, severity, code, count, line, text, at_s"
	    " FROM finding WHERE current");
	serve_rows_where(text, "site", site);
	serve_rows_where(text, "code", code);
	(void)buf_print(text,
	    " ORDER BY CASE severity WHEN 'error' THEN 0 WHEN 'warning' THEN 1"
	    " ELSE 2 END, site, document, code");
	page_table(page, &status, "/findings", "By document", "None stands.");
	page_finish(page);
	return status;
}

static const struct {
	const char *title, *none, *query;
} health[] = {
    {"Which documents cannot be read, since when and why",
	"All could be read at the latest attempt.",
	"SELECT site, url AS document, failure AS why,"
	" (SELECT r.status FROM reading r WHERE r.id = d.last_reading),"
	" (SELECT f.text FROM finding f WHERE f.reading = d.last_reading"
	" AND f.code = d.failure),"
	" CAST(strftime('%s', failing_since) AS INTEGER), failures,"
	" last_read_s FROM document d WHERE failing AND kind <> 'robots'"
	" AND NOT (url GLOB '*://*/robots.txt'"
	" AND url NOT GLOB '*://*/*/robots.txt') ORDER BY failing_since"},
    {"Which robots.txt cannot be had, since when and why", "None.",
	"SELECT o.origin, coalesce(d.failure, 'robots-unreachable') AS why,"
	" o.status, (SELECT f.text FROM finding f"
	" WHERE f.reading = d.last_reading AND f.code = d.failure),"
	" CAST(strftime('%s', o.failing_since) AS INTEGER), d.failures"
	" FROM origin o LEFT JOIN document d"
	" ON d.url = o.origin || '/robots.txt'"
	" WHERE (o.failing_since IS NOT NULL"
	" OR d.failure GLOB 'signature-*') AND NOT o.spare"
	" GROUP BY o.origin ORDER BY o.failing_since"},
    {"What waits for a second reading", "Nothing.",
	"SELECT site, url AS document, waiting AS urls, last_read_s"
	" FROM document WHERE waiting IS NOT NULL ORDER BY waiting DESC"},
    {"Which hosts are left alone", "None.",
	"SELECT host, until_s, pages_until_s FROM hold"
	" WHERE pages_until_s > freshet_now"
	" ORDER BY pages_until_s DESC"},
    {"Which sites were read longest ago", "The store has no site.",
	"SELECT s.host AS site, (SELECT max(d.last_read_s) FROM document d"
	" WHERE d.site = s.host) AS last_read_s, s.listed, s.missed,"
	" s.documents FROM site s ORDER BY 2"},
    {"What the latest 10,000 readings brought", "There was none.",
	"SELECT outcome, failure AS reason, count(*) AS readings,"
	" max(at_s) AS last_s FROM reading"
	" WHERE id > (SELECT max(id) - 10000 FROM reading)"
	" GROUP BY outcome, failure ORDER BY readings DESC"},
    {"Pages", "None.",
	"SELECT site, count(*) AS handed_out_or_fetched,"
	" count(fetched_s) AS copies, min(fetched_s) AS oldest_copy_s"
	" FROM page GROUP BY site ORDER BY oldest_copy_s"},
};

/* "/health": what an operator has to look after, in one place; most tables are
 * empty when all is well, and say so. */
static int
page_health(struct page *page)
{
	int status = EXIT_DONE;

	page_begin(page, NULL, slice_of("Health"));
	for (size_t i = 0; i < sizeof(health) / sizeof(health[0]); i++) {
		serve_rows_query(
		    &page->sql, health[i].query, page->context->now_s);
		page_table(
		    page, &status, NULL, health[i].title, health[i].none);
	}
	page_finish(page);
	return status;
}

static const struct {
	const char *path;
	const char *needs; /* parameters, with '|' between them */
	enum page_opens opens;
	int (*put)(struct page *);
} paths[] = {
    {"/", "", OPENS_SITES, page_overview},
    {"/site", "site", OPENS_SITES, page_overview},
    {"/events", "", OPENS_SITES, page_events},
    {"/event", "site|at|kind", OPENS_SITES, page_event},
    {"/document", "url", OPENS_STORE, page_document},
    {"/url", "url", OPENS_STORE, page_url},
    {"/findings", "", OPENS_NOTHING, page_findings},
    {"/health", "", OPENS_NOTHING, page_health},
};

int
serve_page(const struct serve_context *context, const struct serve_query *query)
{
	struct page page;
	int status, written;
	size_t i = 0;

	/* Each path that leads here has a row. */
	while (strcmp(paths[i].path, query->path) != 0)
		i++;
	status = page_open(
	    &page, context, query, paths[i].needs, paths[i].opens);
	if (status == EXIT_DONE)
		status = paths[i].put(&page);
	status = selection_close(page.store, status);
	written = out_finish(&page.out);
	strings_release(&page.hosts);
	strings_release(&page.options.targets.args);
	strings_release(&page.options.watch.tags);
	buf_release(&page.tail);
	buf_release(&page.sql);
	return status != EXIT_DONE ? status : written;
}

/* Made in the server itself, because there may be no process for an answer: it
 * must not touch the store. */
void
serve_page_trouble(struct buf *out, int status, struct slice text)
{
	struct page page = {0};
	char title[16];

	(void)snprintf(title, sizeof(title), "%d", status);
	markup_begin(out, slice_of(title));
	put_nav(out, &page, NULL, slice_of(""));
	(void)buf_print(out, "<main>\n<h1>%s</h1>\n<p>", title);
	markup_text(out, text);
	markup_put(out, "</p>\n</main>\n");
	markup_end(out, SAME);
	buf_release(&page.tail);
}
