/* What a site did lately, for people and for programs. */
#include "crawler/inspect/stats_text.h"

#include <string.h>

#include "base/human.h"
#include "base/out_json.h"
#include "base/zone.h"
#include "crawler/inspect/explain_text.h"
#include "store/site_changes.h"

/* The largest number of bars; a bar may stand for several rows. */
#define BARS 60
#define LABEL_WIDTH 9
#define WINDOW_WIDTH 20 /* of labels, if one is about a window */
#define SUM_WIDTH 10 /* where there is no terminal */
#define MAX_WIDTH 13 /* of "   max " and " from " */
#define NAMED 20 /* sections or sitemaps that are shown */
#define SOURCES 8
#define NAME_WIDTH 28
#define NUMBER_WIDTH 8
#define BAR_WIDTH 10
#define NAME_LEAST 20 /* columns of a name beside bars */
/* With fewer checks the precision is that of the prior. */
#define FEW_CHECKS 3

static const char *const labels[STATS_KINDS] = {"new", "removed", "returned",
    "re-dated", "gone", "refused", "accepted", "left the window",
    "back in the window", "moved"};

static const char *
source_verdict(const struct scheduler_terms *terms)
{
	if (terms->is_gated)
		return "dates count for nothing";
	if (terms->is_distrusted)
		return "dates carry no weight";
	if (terms->is_believed)
		return "a date that moves is worth a fetch";
	return "dates carry some weight";
}

static void
put_bar(struct buf *text, uint64_t n, uint64_t most)
{
	static const char *const heights[] = {
	    "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
	uint64_t height = n == 0 ? 0 : 1 + n * 6 / most;

	(void)buf_print(text, "%s", heights[height]);
}

/* The bars of one line. */
struct bars {
	size_t count;
	size_t each; /* rows of each bar */
	size_t label_width; /* columns of what stands before them */
	size_t sum_width; /* columns of the sum behind them */
};

/* At a terminal there are as many bars as fit beside the rest of the line. */
static struct bars
bars_of(const struct stats *stats, const struct out *out)
{
	/* only sites with windows need the wide column */
	bool has_windows = stats->counts[DELTA_LEFT] +
		stats->counts[DELTA_BACK] >
	    0;
	struct bars bars = {.sum_width = SUM_WIDTH,
	    .label_width = has_windows ? WINDOW_WIDTH : LABEL_WIDTH};
	size_t most = BARS, others;
	uint64_t largest = 0;
	struct buf sum = BUF_UP_TO(64);

	if (out->columns > 0) {
		for (int kind = 0; kind < STATS_KINDS; kind++)
			if (stats->counts[kind] > largest)
				largest = stats->counts[kind];
		human_put(&sum, largest, NULL);
		bars.sum_width = sum.len + 2;
		others = bars.label_width + bars.sum_width + MAX_WIDTH +
		    sum.len +
		    (stats->by == STATS_HOUR ? strlen("Tue 11-17 14:00")
			    : stats->by == STATS_WEEK ? strlen("week of 11-17")
						      : strlen("Tue 11-17"));
		most = out->columns > others ? out->columns - others : 1;
		most = most < BARS ? most : BARS;
		buf_release(&sum);
	}
	bars.each = (stats->count + most - 1) / most;
	bars.count = (stats->count + bars.each - 1) / bars.each;
	return bars;
}

/* A bar may stand for several rows, if there are more rows than columns. */
static uint64_t
text_sum_of(
    const struct stats *stats, int kind, const struct bars *bars, size_t at)
{
	size_t end = (at + 1) * bars->each;
	uint64_t sum = 0;

	for (size_t i = at * bars->each; i < end && i < stats->count; i++)
		sum += stats->rows[i].counts[kind];
	return sum;
}

/* Bars of different kinds have scales of their own: what is rare would be
 * invisible beside what is frequent. */
static void
put_bars(const struct stats *stats, struct out *out, int kind)
{
	struct buf *text = &out->text;
	struct bars bars = bars_of(stats, out);
	uint64_t most = 0;
	size_t most_at = 0;

	for (size_t i = 0; i < bars.count; i++)
		if (text_sum_of(stats, kind, &bars, i) > most) {
			most = text_sum_of(stats, kind, &bars, i);
			most_at = i;
		}
	(void)buf_print(text, "%-*s", (int)bars.label_width, labels[kind]);
	for (size_t i = 0; i < bars.count; i++)
		put_bar(text, text_sum_of(stats, kind, &bars, i), most);
	out_grouped(out, stats->counts[kind], bars.sum_width);
	if (most > 0) {
		(void)buf_print(text, "   max %s%s", human_of(most, NULL).text,
		    bars.each > 1 ? " from " : " on ");
		/* Append "Tue 11-17", "Tue 11-17 14:00" or "week of 11-16". */
		int64_t at_s = stats->rows[most_at * bars.each].at_s;
		struct civil civil = zone_civil(at_s);

		(void)buf_print(text, "%s %02d-%02d",
		    stats->by == STATS_WEEK
			? "week of"
			: rhythm_weekdays[zone_weekday(zone_day(at_s))],
		    civil.month, civil.day);
		if (stats->by == STATS_HOUR)
			(void)buf_print(
			    text, " %02d:%02d", civil.hour, civil.minute);
	}
	(void)buf_put_char(text, '\n');
	(void)out_line(out);
}

/* Sections are sorted by all their changes together, so the bar shows these,
 * too. */
static void
put_named(const struct stats *stats, struct out *out)
{
	static const int kinds[] = {DELTA_ADDED, STATS_MOVED, DELTA_REMOVED,
	    DELTA_GONE, DELTA_REDATED, DELTA_LEFT, DELTA_BACK};
	struct buf *text = &out->text;
	uint64_t most = stats->count > 0 ? stats->rows[0].sum : 0;
	bool has_windows = stats->counts[DELTA_LEFT] +
		stats->counts[DELTA_BACK] >
	    0;
	const char *heads = has_windows
	    ? "     NEW   MOVED REMOVED    GONE RE-DATED    LEFT    BACK"
	    : "     NEW   MOVED REMOVED    GONE RE-DATED";
	size_t columns = sizeof(kinds) / sizeof(kinds[0]) -
	    (has_windows ? 0 : 2);
	size_t others = strlen(heads);
	/* A narrow terminal has no room for bars: numbers say the same. */
	bool has_bars = out->columns == 0 ||
	    out->columns >= others + 2 + BAR_WIDTH + NAME_LEAST;
	size_t width = NAME_WIDTH;

	if (has_bars)
		others += 2 + BAR_WIDTH;
	/* At a terminal the names have as many columns as the longest needs, if
	 * they fit. */
	for (size_t i = 0; out->columns > 0 && i < stats->count && i < NAMED;
	     i++) {
		size_t chars = slice_chars(url_short(
		    slice_of(stats->rows[i].name), slice_of(stats->host)));

		width = chars > width ? chars : width;
	}
	if (out->columns > 0 && width + others > out->columns)
		width = out->columns - others;
	(void)buf_print(text, "%-*s%s\n", (int)width,
	    stats->by == STATS_SECTION ? "SECTION" : "SITEMAP", heads);
	for (size_t i = 0; i < stats->count && i < NAMED; i++) {
		const struct stats_row *row = &stats->rows[i];
		size_t used = out_cut(out,
		    url_short(slice_of(row->name), slice_of(stats->host)),
		    out->columns - width);

		(void)buf_print(
		    text, "%*s", (int)(used < width ? width - used : 0), "");
		for (size_t k = 0; k < columns; k++)
			out_grouped(out, row->counts[kinds[k]], NUMBER_WIDTH);
		(void)buf_print(text, has_bars ? "  " : "");
		for (uint64_t k = 0;
		     has_bars && most > 0 && k < row->sum * BAR_WIDTH / most;
		     k++)
			(void)buf_print(text, "▇");
		(void)buf_put_char(text, '\n');
		(void)out_line(out);
	}
	if (stats->count > NAMED)
		(void)buf_print(text, "and %zu more\n", stats->count - NAMED);
	(void)out_line(out);
}

#define UNSEEN "?"

void
stats_heat(const struct rhythm_facts *facts, struct out *out)
{
	struct buf *text = &out->text;
	uint64_t most = 0, hourless = 0;
	bool is_unseen = false;

	for (int day = 0; day < 7; day++) {
		hourless += facts->hourless[day];
		for (int hour = 0; hour < 24; hour++) {
			if (facts->pages[day][hour] > most)
				most = facts->pages[day][hour];
			is_unseen = is_unseen ||
			    (facts->pages[day][hour] == 0 &&
				facts->seen[day][hour] == 0);
		}
	}
	(void)buf_print(text, "    ");
	for (int hour = 0; hour < 24; hour += 3)
		(void)buf_print(text, "%-6d", hour);
	(void)buf_print(text, hourless > 0 ? "    day\n" : "\n");
	for (int day = 0; day < 7; day++) {
		(void)buf_print(text, "%s ", rhythm_weekdays[day]);
		for (int hour = 0; hour < 24; hour++) {
			uint64_t pages = facts->pages[day][hour];
			/* An hour that nobody saw is not one without new
			 * pages. */
			if (pages == 0 && facts->seen[day][hour] == 0 &&
			    out->has_color)
				(void)buf_print(
				    text, "\x1b[2m" UNSEEN "\x1b[0m ");
			else if (pages == 0)
				(void)buf_print(text, "%s ",
				    facts->seen[day][hour] == 0 ? UNSEEN : ".");
			else {
				put_bar(text, pages, most);
				(void)buf_put_char(text, ' ');
			}
		}
		if (hourless > 0)
			(void)buf_print(text, "%7s",
			    human_scaled(facts->hourless[day], human_counts)
				.text);
		(void)buf_put_char(text, '\n');
		(void)out_line(out);
	}
	if (most > 0)
		(void)buf_print(
		    text, "█ %s  ", human_of(most, "new page").text);
	(void)buf_print(text, ". none");
	if (is_unseen)
		(void)buf_print(text, "  " UNSEEN " nobody looked that often");
	(void)buf_put_char(text, '\n');
	if (hourless > 0)
		(void)buf_print(text, "day: pages whose hour is not known\n");
	(void)out_line(out);
}

static void
stats_say(struct out *out, const char *first, struct buf *words)
{
	if (words->len > 0)
		out_sentence(out, first, 4, buf_text(words), SIZE_MAX);
	buf_clear(words);
}

/* A rhythm in words is a summary; the table above it shows what the words rest
 * on. */
static void
put_week(const struct stats *stats, struct out *out)
{
	const struct rhythm_facts *facts = &stats->rhythm;
	struct buf line = BUF_UP_TO(SIZE_MAX);

	stats_heat(facts, out);
	rhythm_words(facts, &line);
	stats_say(out, "rhythm: ", &line);
	if (facts->placeless > 0)
		(void)buf_print(&line,
		    "%s came with a new sitemap, or while nobody looked for "
		    "more than a day",
		    human_of(facts->placeless, "new page").text);
	stats_say(out, "not placed: ", &line);
	if (facts->all > 0)
		rhythm_lag_words(facts, &line);
	stats_say(out, "found: ", &line);
	rhythm_redated_words(facts, &line);
	stats_say(out, "dates: ", &line);
	buf_release(&line);
}

static bool
put_right(struct buf *text, double precision, double checks)
{
	if (checks >= FEW_CHECKS)
		(void)buf_print(text,
		    "right %.0f %% of the time it moves, over %s moves",
		    100 * precision,
		    human_of((uint64_t)(checks + 0.5), NULL).text);
	else if (checks > 0)
		/* old moves count less, so the sum may be below one */
		(void)buf_print(text, "over %s, too few to tell",
		    human_of(checks < 1 ? 1 : (uint64_t)checks, "move").text);
	else
		(void)buf_print(text,
		    "not checked: it takes pages fetched by 'due' and 'done'");
	return checks >= FEW_CHECKS;
}

/* Few checks say nothing, so that a percentage would look like knowledge. */
static void
put_source(struct buf *text, const struct scheduler_terms *terms)
{
	/* Dates that all move at every reading need no check to be found
	 * wrong. */
	if (terms->is_gated)
		(void)buf_print(text, "most of them move at every reading");
	if (terms->is_gated || put_right(text, terms->precision, terms->checks))
		(void)buf_print(text, " → %s", source_verdict(terms));
}

static void
text_put_sources(const struct stats *stats, struct out *out)
{
	struct buf *text = &out->text;
	size_t shown = 0;
	struct buf line = BUF_UP_TO(SIZE_MAX);

	/* The most checked ones come first. */
	for (size_t i = 0; i < stats->source_count && shown < SOURCES; i++) {
		const struct stats_source *source = &stats->sources[i];

		if (!source->terms.is_gated &&
		    source->terms.checks < FEW_CHECKS)
			continue;
		shown++;
		(void)buf_put_slice(&line,
		    url_short(slice_of(source->url), slice_of(stats->host)));
		(void)buf_print(&line, ": ");
		put_source(&line, &source->terms);
		stats_say(out, "  ", &line);
	}
	/* Sitemaps of which nothing is known are no line each. */
	if (shown > 0 && shown < stats->source_count) {
		(void)buf_print(text, "  and %zu more, less checked or not\n",
		    stats->source_count - shown);
		(void)out_line(out);
	}
	buf_release(&line);
}

void
stats_text(const struct stats *stats, struct out *out)
{
	struct buf line = BUF_UP_TO(SIZE_MAX);
	size_t checked = 0; /* sources with moves that fetches have checked */

	(void)buf_print(&line,
	    "%s  %s → %s  %s: %s read, %s unchanged, %s failed", stats->host,
	    zone_text(stats->from_s, ZONE_DATE).text,
	    zone_text(stats->to_s, ZONE_DATE).text,
	    human_of(stats->read + stats->unchanged + stats->failed, "reading")
		.text,
	    human_of(stats->read, NULL).text,
	    human_of(stats->unchanged, NULL).text,
	    human_of(stats->failed, NULL).text);
	stats_say(out, "", &line);
	if (stats->by <= STATS_HOUR) {
		static const int order[STATS_KINDS] = {DELTA_ADDED, STATS_MOVED,
		    DELTA_REMOVED, DELTA_RETURNED, DELTA_REDATED, DELTA_GONE,
		    DELTA_LEFT, DELTA_BACK, DELTA_REFUSED, DELTA_ACCEPTED};

		for (int i = 0; i < STATS_KINDS; i++)
			if (stats->counts[order[i]] > 0 ||
			    order[i] == DELTA_ADDED ||
			    order[i] == DELTA_REMOVED ||
			    order[i] == DELTA_REDATED)
				put_bars(stats, out, order[i]);
	} else if (stats->by == STATS_WEEKDAY)
		put_week(stats, out);
	else
		put_named(stats, out);
	if (stats->numbers.refused != 0) {
		(void)buf_print(&out->text, "of %s ",
		    human_of(stats->numbers.listed, "listed URL").text);
		verdict_put_refused(&out->text, stats->numbers.refused,
		    stats->totals.refused_by);
		out_end_line(out);
	}
	for (size_t i = 0; i < stats->source_count; i++)
		checked += stats->sources[i].terms.checks > 0;
	if (stats->has_too_many)
		(void)buf_print(&out->text,
		    "more than %s changes in that time: which pages moved was "
		    "not looked for\n",
		    human_of(CHANGES_MOST, NULL).text);
	if (stats->source_count == 0)
		(void)buf_print(&line, "no sitemap has dates");
	else if (stats->source_count == 1)
		put_source(&line, &stats->sources[0].terms);
	else if (put_right(&line, stats->precision, stats->checks))
		(void)buf_print(
		    &line, " of %s", human_of(checked, "sitemap").text);
	stats_say(out, "lastmod honesty: ", &line);
	if (stats->source_count > 1)
		text_put_sources(stats, out);
	/* The generators whose dates are known for something. */
	for (const struct generator *one = generator_rows; one->name != NULL;
	     one++) {
		uint64_t count = 0;

		for (size_t i = 0; i < stats->source_count; i++)
			count += stats->sources[i].terms.generator == one;
		if (count > 0)
			(void)buf_print(&line,
			    "%s began with what %s is known for: %s",
			    human_of(count, "sitemap").text, one->name,
			    dates_source_texts[one->source]);
		stats_say(out, "dates: ", &line);
	}
	buf_release(&line);
}

static void
json_begin(struct buf *text, const struct stats *stats, const char *type)
{
	out_json_line(text, type);
	out_json_string(text, "site", stats->host);
}

static const char *const keys[STATS_KINDS] = {"new", "removed", "returned",
    "redated", "gone", "refused", "accepted", "left", "back", "moved"};

static void
json_words(struct buf *text, const char *key, const struct rhythm_facts *facts,
    void (*put)(const struct rhythm_facts *, struct buf *))
{
	struct buf words = BUF_UP_TO(SIZE_MAX);

	put(facts, &words);
	out_json_word(text, key, buf_text(&words));
	buf_release(&words);
}

/* The words are those of the text, so that a program may show them. */
static void
json_rhythm(const struct stats *stats, struct out *out)
{
	const struct rhythm_facts *facts = &stats->rhythm;
	struct buf *text = &out->text;

	json_begin(text, stats, "rhythm");
	out_json_flag(text, "has_rhythm", facts->has_rhythm);
	json_words(text, "words", facts, rhythm_words);
	struct buf days = BUF_UP_TO(64);

	for (int day = 0; day < 7; day++)
		if (facts->has_rhythm && facts->is_usual[day])
			(void)buf_print(&days, "%s%s", days.len > 0 ? "," : "",
			    rhythm_weekdays[day]);
	out_json_word(text, "weekdays", buf_text(&days));
	buf_release(&days);
	out_json_number_if(text, "hour_from", facts->hour_from >= 0,
	    (uint64_t)facts->hour_from);
	out_json_number_if(
	    text, "hour_to", facts->hour_from >= 0, (uint64_t)facts->hour_to);
	out_json_number(text, "at_once", facts->at_once);
	out_json_number(text, "new", facts->all);
	out_json_number(text, "not_placed", facts->placeless);
	out_json_number(text, "dated", facts->dated);
	out_json_number(text, "lag_s", (uint64_t)facts->lag_s);
	out_json_number(text, "most_lag_s", (uint64_t)facts->most_lag_s);
	out_json_number(text, "interval_s", (uint64_t)facts->interval_s);
	out_json_number(text, "redatings", facts->redatings);
	json_words(text, "redating_words", facts, rhythm_redated_words);
	(void)out_end_json(out);
}

/* Each hour of the week, those without pages too, and as hour -1 the pages of a
 * day whose hour is not known; as JSON, or as rows of the table. */
static void
put_hours(const struct stats *stats, struct out *out, bool is_json)
{
	const struct rhythm_facts *facts = &stats->rhythm;
	struct buf *text = &out->text;

	for (int i = 0; i < 7 * 25; i++) {
		int day = i / 25, hour = i % 25 - 1;
		uint64_t pages = hour < 0 ? facts->hourless[day]
					  : facts->pages[day][hour];
		unsigned seen = hour < 0 ? facts->seen_days[day]
					 : facts->seen[day][hour];

		if (is_json) {
			json_begin(text, stats, "weekday");
			out_json_string(text, "weekday", rhythm_weekdays[day]);
			out_json_number_if(
			    text, "hour", hour >= 0, (uint64_t)hour);
			out_json_number(text, "new", pages);
			out_json_number(text, "seen", seen);
			(void)out_end_json(out);
			continue;
		}
		csv_put(text, slice_of(stats->host), ',');
		(void)buf_print(text, hour < 0 ? ",%s," : ",%s,%d",
		    rhythm_weekdays[day], hour);
		(void)buf_print(
		    text, ",%llu,%u\r\n", (unsigned long long)pages, seen);
		(void)out_line(out);
	}
}

void
stats_json(const struct stats *stats, struct out *out)
{
	struct buf *text = &out->text;

	if (stats->by == STATS_WEEKDAY) {
		put_hours(stats, out, true);
		json_rhythm(stats, out);
	}
	for (size_t i = 0; stats->by != STATS_WEEKDAY && i < stats->count;
	     i++) {
		const struct stats_row *row = &stats->rows[i];

		json_begin(text, stats, "changes");
		if (stats->by == STATS_SECTION)
			out_json_string(text, "section", row->name);
		else if (stats->by == STATS_SITEMAP)
			out_json_string(text, "sitemap", row->name);
		else
			out_json_time(text, "at", row->at_s);
		for (int kind = 0; kind < STATS_KINDS; kind++)
			out_json_number(text, keys[kind], row->counts[kind]);
		(void)out_end_json(out);
	}
	for (size_t i = 0; i < stats->source_count; i++) {
		const struct stats_source *source = &stats->sources[i];
		const struct scheduler_terms *terms = &source->terms;

		json_begin(text, stats, "source");
		out_json_string(text, "sitemap", source->url);
		explain_trust_json(text, terms);
		out_json_string(text, "verdict", source_verdict(terms));
		(void)out_end_json(out);
	}
	json_begin(text, stats, "summary");
	out_json_time(text, "from", stats->from_s);
	out_json_time(text, "to", stats->to_s);
	for (int kind = 0; kind < STATS_KINDS; kind++)
		out_json_number(text, keys[kind], stats->counts[kind]);
	out_json_flag(text, "compared", !stats->has_too_many);
	out_json_number(text, "listed", stats->numbers.listed);
	out_json_number(text, "listed_refused", stats->numbers.refused);
	out_json_number(text, "read", stats->read);
	out_json_number(text, "unchanged", stats->unchanged);
	out_json_number(text, "failed", stats->failed);
	out_json_real(text, "precision", stats->precision);
	out_json_real(text, "checks", stats->checks);
	(void)out_end_json(out);
}

void
stats_csv_heading(enum stats_by by, struct out *out)
{
	struct buf *text = &out->text;

	if (by == STATS_WEEKDAY) {
		(void)buf_print(text, "site,weekday,hour,new,seen\r\n");
		return;
	}
	(void)buf_print(text, "site,%s",
	    by == STATS_SECTION       ? "section"
		: by == STATS_SITEMAP ? "sitemap"
				      : "at");
	for (int kind = 0; kind < STATS_KINDS; kind++)
		(void)buf_print(text, ",%s", keys[kind]);
	(void)buf_print(text, "\r\n");
}

void
stats_csv(const struct stats *stats, struct out *out)
{
	struct buf *text = &out->text;

	if (stats->by == STATS_WEEKDAY) {
		put_hours(stats, out, false);
		return;
	}
	for (size_t i = 0; i < stats->count; i++) {
		const struct stats_row *row = &stats->rows[i];

		csv_put(text, slice_of(stats->host), ',');
		(void)buf_put_char(text, ',');
		if (row->name != NULL)
			csv_put(text, slice_of(row->name), ',');
		else
			time_print(text, row->at_s);
		for (int kind = 0; kind < STATS_KINDS; kind++)
			(void)buf_print(text, ",%llu",
			    (unsigned long long)row->counts[kind]);
		(void)buf_print(text, "\r\n");
		(void)out_line(out);
	}
}
