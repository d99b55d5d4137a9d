/*
 * freshet diff: what happened at sites in a span of time.
 *
 *	site -> events (crawler/events), numbers by section (stats_gather) and,
 *	with --rows, the changes of each page -> text, NDJSON or one CSV table
 *
 * Events are what stands out, such as a section that is gone; the numbers count
 * all pages. What is doubtful until a second reading is told as waiting.
 */
#include <langinfo.h>
#include <locale.h>
#include <string.h>

#include "base/human.h"
#include "base/out_json.h"
#include "base/section.h"
#include "base/suggestion.h"
#include "base/url.h"
#include "base/w3cdate.h"
#include "base/zone.h"
#include "crawler/cli/options_sites.h"
#include "crawler/cli/options_table.h"
#include "crawler/cli/selection.h"
#include "crawler/commands/commands.h"
#include "crawler/event/exit.h"
#include "crawler/events/past.h"
#include "crawler/inspect/stats_gather.h"
#include "store/document.h"
#include "store/page_says.h"
#include "store/site_changes.h"

#define SECTIONS_SHOWN 6
#define SENTENCE 80 /* columns where there is no terminal */
#define TIME_WIDTH 20 /* columns of "  2026-11-20 10:00  " */
#define WORD_WIDTH 10 /* columns of "re-dated  " */
#define ARROW " → "
#define ARROW_WIDTH 3
#define TITLE_LEAST 16 /* columns of a headline at a terminal */

struct differ {
	const struct options *options;
	struct store *store;
	struct out out;
	struct events_span span;
	bool kinds[EVENT_KINDS]; /* that are wanted */
	struct strings sections; /* owned; "/blog", "products"; empty: all */
	struct slice site; /* at hand */
	const struct section_rules *rules; /* of this site; borrowed */
	const struct stats *stats; /* likewise */
	bool has_titles; /* some pages have said theirs */
	bool is_named; /* sites are shown even if nothing happened there */
	uint64_t quiet; /* sites that were not shown */
	bool is_different; /* something happened */
	char separator; /* of CSV */
};

/* The options. */

/* A misspelt kind would look like a site at which nothing happened, so it ends
 * the command. */
static bool
choose_kinds(struct differ *differ, const char *list)
{
	struct suggestion suggestion;

	for (int kind = 0; kind < EVENT_KINDS; kind++)
		differ->kinds[kind] = list == NULL;
	while (list != NULL) {
		struct slice name = slice_trim(
		    slice_make(list, strcspn(list, ",")));
		int kind = choice_find(EVENT_NAMES, name);

		if (kind < 0) {
			suggestion_init(&suggestion, name);
			suggestion_try(&suggestion, EVENT_NAMES);
			complain_unknown("'--kind': ", "kind", name,
			    &suggestion, "freshet help diff");
			return false;
		}
		differ->kinds[kind] = true;
		list = strchr(list, ',');
		list = list == NULL ? NULL : list + 1;
	}
	return true;
}

/* What belongs to the sections that are wanted. */

/* Numbers are kept by section; a section that was not asked for is left out of
 * all sums. */
static bool
is_section(const struct differ *differ, struct slice section)
{
	return differ->sections.count == 0 ||
	    strings_has(&differ->sections, section);
}

/* An event may be of several sections: it is wanted if one of them is. */
static bool
diff_is_wanted(const struct differ *differ, const struct site_event *event)
{
	if (!differ->kinds[event->kind])
		return false;
	return differ->sections.count == 0 ||
	    site_event_is_in(event, &differ->sections);
}

/* The numbers that are shown. */
struct number {
	int kind; /* of struct stats_row */
	const char *word; /* of people */
	const char *key; /* of JSON */
};

static const struct number numbers[] = {{DELTA_ADDED, "new", "new"},
    {DELTA_GONE, "gone", "gone"}, {STATS_MOVED, "moved", "moved"},
    {DELTA_LEFT, "left the window", "left"},
    {DELTA_BACK, "back in the window", "back"},
    {DELTA_REDATED, "re-dated", "redated"},
    {DELTA_REFUSED, "refused", "refused"},
    {DELTA_ACCEPTED, "accepted", "accepted"}};

#define NUMBERS (sizeof(numbers) / sizeof(numbers[0]))

/* The sum of a number over the sections that are wanted. */
static uint64_t
diff_sum_of(const struct differ *differ, const struct stats *stats, int kind)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < stats->count; i++)
		if (is_section(differ, slice_of(stats->rows[i].name)))
			sum += stats->rows[i].counts[kind];
	return sum;
}

/* Is something missing from a sitemap for the first time, so that a span up to
 * now does not count it as gone yet? */
static bool
awaits_reading(const struct differ *differ, const struct stats *stats)
{
	return stats->totals.waiting > 0 &&
	    differ->options->diff.kinds == NULL &&
	    differ->sections.count == 0 &&
	    differ->span.until_s > differ->span.now_s;
}

/* Text. */

/* The first line of a site: the span, and the numbers that are not 0. */
static void
text_heading(struct differ *differ, const struct stats *stats)
{
	struct buf line = BUF_UP_TO(SIZE_MAX);

	(void)buf_put_slice(&line, differ->site);
	(void)buf_print(&line, "  %s → %s",
	    zone_text(differ->span.since_s, ZONE_MOMENT).text,
	    differ->span.until_s > differ->span.now_s
		? "now"
		: zone_text(differ->span.until_s, ZONE_MOMENT).text);
	for (size_t i = 0; i < NUMBERS; i++) {
		uint64_t sum = diff_sum_of(differ, stats, numbers[i].kind);

		/* new and gone are always said */
		if (sum == 0 && i > 1)
			continue;
		(void)buf_print(&line, "%s%s %s", i == 0 ? "  " : ", ",
		    human_of(sum, NULL).text, numbers[i].word);
	}
	out_sentence(&differ->out, "", 2, buf_text(&line), SIZE_MAX);
	buf_release(&line);
}

/* Append the sections with most changes in one line. */
static void
text_sections(struct differ *differ, const struct stats *stats)
{
	struct buf line = BUF_UP_TO(1 << 16);
	size_t shown = 0, more = 0;

	for (size_t i = 0; i < stats->count; i++) {
		const struct stats_row *row = &stats->rows[i];
		bool is_first = true;

		if (!is_section(differ, slice_of(row->name)))
			continue;
		for (size_t k = 0; k < NUMBERS; k++) {
			if (row->counts[numbers[k].kind] == 0)
				continue;
			/* the first sections have most changes; the others are
			 * counted */
			if (is_first && shown == SECTIONS_SHOWN) {
				more++;
				break;
			}
			if (is_first)
				(void)buf_print(&line, "%s%s",
				    shown > 0 ? "; " : "", row->name);
			is_first = false;
			(void)buf_print(&line, " %s %s",
			    human_of(row->counts[numbers[k].kind], NULL).text,
			    numbers[k].word);
		}
		shown += !is_first;
	}
	if (more > 0)
		(void)buf_print(
		    &line, "; and %s more", human_of(more, NULL).text);
	if (shown > 0) {
		out_sentence(&differ->out, "  sections: ", 12, buf_text(&line),
		    SENTENCE);
	}
	buf_release(&line);
}

/* What is not told yet, so that nobody believes that nothing happened. */
static void
text_waiting(struct differ *differ, const struct site_event_list *list,
    const struct stats *stats)
{
	struct site_events_waiting waiting = {0};
	struct buf line = BUF_UP_TO(SIZE_MAX);

	/* what may have happened is told as one sentence, and not as events */
	for (size_t i = 0; i < list->count; i++)
		if (diff_is_wanted(differ, &list->items[i]))
			site_events_wait_for(&waiting, &list->items[i]);
	if (waiting.count > 0) {
		site_events_waiting_sentence(
		    &line, &waiting, differ->span.now_s);
		out_sentence(&differ->out, "  ", 2, buf_text(&line), SENTENCE);
	}
	buf_clear(&line);
	if (awaits_reading(differ, stats)) {
		(void)buf_print(&line, "%s, %s",
		    human_of(stats->totals.waiting, "sitemap").text,
		    human_of(stats->totals.waiting_urls, "URL").text);
		(void)buf_print(&line,
		    " wait for a second reading: what is missing counts as "
		    "gone when that lacks it, too");
		out_sentence(&differ->out, "  ", 2, buf_text(&line), SENTENCE);
	}
	buf_release(&line);
}

/* JSON and CSV. */

/* Each object names its site, because those of several sites follow each other.
 */
static void
diff_json_begin(struct differ *differ, const char *type)
{
	out_json_line(&differ->out.text, type);
	out_json_word(&differ->out.text, "site", differ->site);
}

/* What a spreadsheet would run as a formula gets an apostrophe in csv_put(). */
static void
csv_cell(struct differ *differ, struct slice cell)
{
	csv_put(&differ->out.text, cell, differ->separator);
	(void)buf_put_char(&differ->out.text, differ->separator);
}

/* A row of the table.  What is empty, or 0, is an empty cell. */
struct csv_row {
	struct slice section, type, kind, url, from, text;
	int64_t at_s;
	uint64_t count, of;
};

/* One table for events, notes and pages, so that a spreadsheet can sort and
 * filter all of them. */
static void
csv_row(struct differ *differ, const struct csv_row *row)
{
	struct buf *text = &differ->out.text;

	csv_cell(differ, differ->site);
	csv_cell(differ, row->section);
	csv_cell(differ, row->type);
	csv_cell(differ, row->kind);
	/* Excel knows no zones, so it gets the local time */
	struct civil civil = zone_civil(row->at_s);

	if (differ->options->diff.is_excel) {
		zone_print(&differ->out.text, row->at_s, ZONE_MOMENT);
		(void)buf_print(&differ->out.text, ":%02u", civil.second);
	} else {
		time_print(&differ->out.text, row->at_s);
	}
	(void)buf_put_char(&differ->out.text, differ->separator);

	/* 0 is an empty cell: most cells of the table would be 0 */
	const uint64_t of[] = {row->count, row->of};

	for (size_t i = 0; i < 2; i++) {
		if (of[i] > 0)
			(void)buf_print(
			    text, "%llu", (unsigned long long)of[i]);
		(void)buf_put_char(text, differ->separator);
	}
	csv_cell(differ, row->url);
	csv_cell(differ, row->from);
	csv_put(text, row->text, differ->separator);
	(void)buf_print(text, "\r\n");
	(void)out_line(&differ->out);
}

/* Rows: the pages that changed. */

/* A page in one line: when, what, and its URL, which is cut in its middle at a
 * terminal, and its headline, if that is known. */
static void
text_row(struct differ *differ, const struct change *change,
    const struct move *move, const char *word, int64_t at_s, struct slice title)
{
	struct out *out = &differ->out;
	struct buf *text = &out->text;
	size_t others = TIME_WIDTH + WORD_WIDTH;
	struct buf dates = BUF_UP_TO(1 << 13);

	(void)buf_print(text, "  %-*s%-*s ", TIME_WIDTH - 2,
	    zone_text(at_s, ZONE_MOMENT).text, WORD_WIDTH - 1, word);
	if (move != NULL) {
		size_t half = out->columns > others + ARROW_WIDTH
		    ? (out->columns - others - ARROW_WIDTH) / 2
		    : 0;

		/* the former URL may have half of the line */
		others += ARROW_WIDTH +
		    out_cut(out, url_short(move->from.url, differ->site),
			others + ARROW_WIDTH + half);
		(void)buf_print(text, ARROW);
	}
	if (change->kind == DELTA_REDATED && move == NULL) {
		(void)buf_print(&dates, "  ");
		date_print(&dates, &change->before);
		(void)buf_print(&dates, ARROW);
		date_print(&dates, &change->after);
	}
	if (title.len > 0) {
		/* at a terminal it gets at most half of what is left */
		size_t left = out->columns > others ? out->columns - others : 0;

		(void)buf_print(&dates, "  ");
		(void)vis_put_middle(&dates, title,
		    left == 0                    ? SIZE_MAX
			: left / 2 > TITLE_LEAST ? left / 2
						 : TITLE_LEAST);
	}
	(void)out_cut(out, url_short(change->url, differ->site),
	    others + slice_chars(buf_text(&dates)));
	(void)buf_put_slice(text, buf_text(&dates));
	(void)buf_put_char(text, '\n');
	buf_release(&dates);
}

/* Changes come with the time of their reading; a move belongs to the reading
 * that saw the new URL. */
static bool
diff_on_change(void *arg, const struct document_row *row,
    const struct change *change, const struct move *move)
{
	struct differ *differ = arg;
	/* the number in which the change counts; NULL: in none that is shown */
	const struct number *number = NULL;
	int64_t at_s = move != NULL
	    ? move->to.at_s
	    : delta_at_s(change->kind, row->at_s, row->since_s);
	struct page_says says = {0};

	for (size_t i = 0; i < NUMBERS; i++)
		if (numbers[i].kind ==
		    (move != NULL ? STATS_MOVED : (int)change->kind))
			number = &numbers[i];
	if (number == NULL || at_s < differ->span.since_s ||
	    at_s >= differ->span.until_s ||
	    section_is_ignored(differ->rules, change->url) ||
	    !is_section(differ,
		stats_section(differ->stats, differ->rules, change->url)))
		return true;
	/* a look for the page of each row would cost as much as the row */
	if (differ->has_titles)
		says = store_page_says(differ->store, change->url);
	switch (differ->options->diff.format) {
	case DIFF_TEXT:
		text_row(differ, change, move,
		    number->kind == DELTA_LEFT || number->kind == DELTA_BACK
			? number->key
			: number->word,
		    at_s, says.title);
		break;
	case DIFF_NDJSON: {
		struct buf *text = &differ->out.text;

		diff_json_begin(differ, "page");
		out_json_string(text, "kind", number->key);
		out_json_time(text, "at", at_s);
		out_json_word(text, "section",
		    stats_section(differ->stats, differ->rules, change->url));
		out_json_word(text, "url", change->url);
		out_json_word(text, "from",
		    move != NULL ? move->from.url : slice_make(NULL, 0));
		if (says.title.len > 0)
			out_json_word(text, "title", says.title);
		if (says.description.len > 0)
			out_json_word(text, "description", says.description);
		out_json_line_end(text);
	} break;
	case DIFF_CSV:
		csv_row(differ,
		    &(struct csv_row){.section = stats_section(differ->stats,
					  differ->rules, change->url),
			.type = slice_of("page"),
			.kind = slice_of(number->key),
			.url = change->url,
			.from = move != NULL ? move->from.url
					     : slice_make(NULL, 0),
			.text = says.title,
			.at_s = at_s});
		return differ->out.error == 0;
	}
	return out_line(&differ->out);
}

/* Sites. */

/* What is doubtful is not told as an event: text_waiting() says that it waits.
 */
static void
show_events(struct differ *differ, const struct site_event_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		const struct site_event *event = &list->items[i];

		if (!diff_is_wanted(differ, event) || event->is_doubtful)
			continue;
		switch (differ->options->diff.format) {
		case DIFF_TEXT: {
			struct buf first = BUF_UP_TO(64), sentence = {0};

			(void)buf_print(&first, "  %-*s", TIME_WIDTH - 2,
			    zone_text(event->at_s, ZONE_MOMENT).text);
			if (site_event_is_note(event->kind))
				(void)buf_print(&sentence, "note: ");
			site_event_sentence(&sentence, event, differ->site);
			/* it belongs to the span because it became known in it
			 */
			if (event->at_s < differ->span.since_s &&
			    event->known_s != 0)
				(void)buf_print(&sentence, " (known since %s)",
				    zone_text(event->known_s, ZONE_MOMENT)
					.text);
			out_sentence(&differ->out, buf_str(&first), TIME_WIDTH,
			    buf_text(&sentence), SENTENCE);
			buf_release(&first);
			buf_release(&sentence);
		} break;
		case DIFF_NDJSON:
			site_event_json(&differ->out.text, event, differ->site);
			(void)buf_put_char(&differ->out.text, '\n');
			(void)out_line(&differ->out);
			break;
		case DIFF_CSV: {
			struct buf sentence = {0}, safe = BUF_UP_TO(SIZE_MAX);

			site_event_sentence(&sentence, event, differ->site);
			/* A robots.txt says in it what it likes; URLs are
			 * ASCII. */
			vis_put(&safe, buf_text(&sentence), SIZE_MAX);
			csv_row(differ,
			    &(struct csv_row){
				.section = slice_of(event->section),
				.type = slice_of(site_event_is_note(event->kind)
					? "note"
					: "event"),
				.kind = site_event_kind_name(event->kind),
				.url = slice_of(event->to != NULL
					? event->to
					: event->document),
				.from = slice_of(event->from),
				.text = buf_text(&safe),
				.at_s = event->at_s,
				.count = event->count,
				.of = event->of});
			buf_release(&safe);
			buf_release(&sentence);
		} break;
		}
	}
}

/* Events and numbers come from two walks over the same span, and are printed
 * together. */
static int
diff_show_site(struct differ *differ, struct slice host)
{
	const struct options_diff *options = &differ->options->diff;
	struct options_stats how = {.by = STATS_SECTION,
	    .since_s = differ->span.since_s,
	    .until_s = differ->span.until_s};
	struct site_event_list list = {0};
	struct stats stats;
	struct site_past past;
	enum events_gap gap;
	bool has_any = false;
	bool is_waiting = false;
	int status = EXIT_DONE;

	differ->site = host;
	differ->rules = options_of_site(differ->options, host)->sections.rules;
	differ->span.sections = how.sections = differ->rules;
	differ->span.renamings = how.renamings =
	    options_of_site(differ->options, host)->moves.renamings;
	past_open(&past, differ->store, store_site_find(differ->store, host),
	    &differ->span, PAST_KNOWN | PAST_COUNTS);
	gap = past_events(&past, &differ->span, &list);
	stats_gather(
	    &stats, differ->store, host, &how, differ->options->now_s, &past);
	past_release(&past);
	/* people are told once of what happened at many places */
	if (options->format == DIFF_TEXT)
		site_event_list_fold(&list);
	differ->stats = &stats;
	/* Did anything happen that is wanted?  Numbers count if no kind of
	 * event was asked for. */
	for (size_t i = 0; i < list.count; i++) {
		const struct site_event *event = &list.items[i];

		if (!diff_is_wanted(differ, event))
			continue;
		is_waiting |= event->is_doubtful;
		has_any |= !event->is_doubtful &&
		    !site_event_is_note(event->kind);
	}
	for (size_t i = 0; i < NUMBERS; i++)
		has_any |= options->kinds == NULL &&
		    diff_sum_of(differ, &stats, numbers[i].kind) > 0;
	differ->is_different = differ->is_different || has_any;
	if (options->format == DIFF_TEXT && !has_any && !differ->is_named &&
	    !is_waiting && !awaits_reading(differ, &stats)) {
		differ->quiet++;
	} else {
		if (options->format == DIFF_TEXT)
			text_heading(differ, &stats);
		else if (options->format == DIFF_NDJSON) {
			struct buf *text = &differ->out.text;

			diff_json_begin(differ, "site");
			out_json_time(text, "since", differ->span.since_s);
			out_json_time(text, "until", differ->span.until_s);
			out_json_number(text, "listed", stats.numbers.listed);
			for (size_t i = 0; i < NUMBERS; i++)
				out_json_number(text, numbers[i].key,
				    diff_sum_of(
					differ, &stats, numbers[i].kind));
			out_json_flag(text, "complete", gap == EVENTS_WHOLE);
			(void)out_end_json(&differ->out);
			for (size_t i = 0; i < stats.count; i++) {
				const struct stats_row *row = &stats.rows[i];

				if (!is_section(differ, slice_of(row->name)))
					continue;
				diff_json_begin(differ, "section");
				out_json_string(text, "section", row->name);
				for (size_t k = 0; k < NUMBERS; k++)
					out_json_number(text, numbers[k].key,
					    row->counts[numbers[k].kind]);
				(void)out_end_json(&differ->out);
			}
		}
		/* events first, then what waits, then numbers by section */
		show_events(differ, &list);
		if (options->format == DIFF_TEXT) {
			text_waiting(differ, &list, &stats);
			text_sections(differ, &stats);
			if (gap != EVENTS_WHOLE)
				out_sentence(&differ->out, "  ", 2,
				    slice_of(gap == EVENTS_UNCOUNTED
					    ? "note: some changes of this "
					      "site are not counted yet, "
					      "or an older version counted "
					      "them: sections, moves, "
					      "bursts and silences were "
					      "not looked for"
					    : "note: more changes than are "
					      "compared: sections, moves, "
					      "bursts and silences were "
					      "not looked for"),
				    SENTENCE);
		}
		if (options->wants_rows) {
			struct selection selection = {.has_since = true,
			    .since_s = differ->span.since_s,
			    .site = slice_dup(host),
			    .options = differ->options};

			status = selection_changes(&selection, differ->store, 0,
			    diff_on_change, differ);
			selection_release(&selection);
		}
	}
	if (list.has_more)
		complain("%.*s: more than %d events: the others are not shown",
		    (int)host.len, host.p, EVENTS_MOST);
	stats_release(&stats);
	site_event_list_release(&list);
	return status;
}

/* Sites without news are counted, so that nobody takes them for forgotten. */
static int
diff_show(struct differ *differ, const struct strings *hosts)
{
	int status = EXIT_DONE;

	if (differ->options->diff.format == DIFF_CSV) {
		static const char *const names[] = {"site", "section", "type",
		    "kind", "at", "count", "of", "url", "from", "text"};
		struct buf *text = &differ->out.text;

		if (differ->options->diff.is_excel)
			(void)buf_print(text, "\xEF\xBB\xBF");
		for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
			if (i > 0)
				(void)buf_put_char(
				    &differ->out.text, differ->separator);
			(void)buf_print(text, "%s", names[i]);
		}
		(void)buf_print(text, "\r\n");
	}
	for (size_t i = 0;
	     i < hosts->count && status == EXIT_DONE && differ->out.error == 0;
	     i++)
		status = diff_show_site(differ, slice_of(hosts->items[i]));
	/* so that nobody takes silence for a fault */
	if (differ->quiet > 0 && !differ->options->output.is_quiet) {
		(void)buf_print(&differ->out.text,
		    "%s without events or changes\n",
		    human_of(differ->quiet, "site").text);
		(void)out_line(&differ->out);
	}
	return status;
}

int
command_diff(struct options *options)
{
	struct differ differ = {.options = options,
	    .span = {.now_s = options->now_s, .wants_doubtful = true},
	    .is_named = options->targets.args.count > 0};
	struct strings hosts = {0};
	int status;

	if (options->output.is_json)
		options->diff.format = DIFF_NDJSON;
	if (options->diff.is_excel)
		options->diff.format = DIFF_CSV;
	/* What Excel takes for the end of a cell depends on how decimals are
	 * written.
	 */
	locale_t locale = options->diff.is_excel
	    ? newlocale(LC_NUMERIC_MASK, "", (locale_t)0)
	    : (locale_t)0;
	bool has_comma = false;

	if (locale != (locale_t)0) {
		has_comma = *nl_langinfo_l(RADIXCHAR, locale) == ',';
		freelocale(locale);
	}
	differ.separator = has_comma ? ';' : ',';
	status = choose_kinds(&differ, options->diff.kinds) ? EXIT_DONE
							    : EXIT_USAGE;
	/* "/blog/" and "/blog" are the same section */
	for (size_t i = 0;
	     status == EXIT_DONE && i < options->diff.sections.count; i++) {
		struct slice name = slice_of(options->diff.sections.items[i]);

		if (name.len > 1 && name.p[name.len - 1] == '/')
			name.len--;
		strings_add(&differ.sections, name);
		if (options_has_section(options, name))
			continue;
		status = complain_with(EXIT_USAGE,
		    "'--section': no site has a section '%s': it is as many "
		    "folders of a URL as --section-depth says, or a name of "
		    "--section-paths",
		    options->diff.sections.items[i]);
	}
	if (status == EXIT_DONE &&
	    !choose_span(
		options, WEEK_S, &differ.span.since_s, &differ.span.until_s))
		status = EXIT_USAGE;
	if (status == EXIT_DONE)
		status = selection_open(options, &differ.store);
	if (status == EXIT_DONE)
		status = choose_hosts(options, differ.store, &hosts);
	if (status == EXIT_DONE)
		differ.has_titles = store_number(differ.store, STORE_HAS_TITLES,
					0, 0) > 0;
	if (status == EXIT_DONE) {
		out_init(&differ.out, &options->output);
		differ.out.is_raw = options->diff.format != DIFF_TEXT;
		status = diff_show(&differ, &hosts);
		status = out_end(&differ.out, status);
	}
	if (status == EXIT_DONE && options->diff.wants_exit_code &&
	    differ.is_different)
		status = EXIT_FINDINGS;
	strings_release(&hosts);
	strings_release(&differ.sections);
	return selection_close(differ.store, status);
}
