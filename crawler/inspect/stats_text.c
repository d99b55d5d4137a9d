/* What a site did lately, for people and for programs. */
#include "crawler/inspect/stats_text.h"

#include <stdio.h>
#include <string.h>

#include "base/human.h"
#include "base/out_json.h"
#include "base/url.h"
#include "base/verdict.h"
#include "base/zone.h"
#include "crawler/inspect/explain_json.h"
#include "store/site_changes.h"

/* The largest number of bars; a bar may stand for several rows. */
#define COLUMNS 60
#define NAMED 20 /* sections or sitemaps that are shown */
#define SOURCES 8
#define NAME_WIDTH 28
#define NUMBER_WIDTH 8
#define BAR_WIDTH 10
/* With fewer checks the precision is that of the prior. */
#define FEW_CHECKS 3

static const char *const labels[STATS_KINDS] = {"new", "removed", "returned",
    "re-dated", "gone", "refused", "accepted", "moved"};

/* How freshet uses the dates of a source. */
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

/* Bars. */

/* Append a bar of one of eight heights. */
static void
put_bar(struct buf *text, uint64_t n, uint64_t most)
{
	static const char *const heights[] = {
	    "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
	uint64_t height = n == 0 ? 0 : 1 + n * 6 / most;

	(void)buf_print(text, "%s", heights[height]);
}

/* The number of bars; *each is the number of rows of each bar. */
static size_t
columns_of(const struct stats *stats, size_t *each)
{
	*each = (stats->count + COLUMNS - 1) / COLUMNS;
	return (stats->count + *each - 1) / *each;
}

static uint64_t
column(const struct stats *stats, int kind, size_t at)
{
	size_t each;
	uint64_t sum = 0;

	(void)columns_of(stats, &each);
	for (size_t i = at * each; i < (at + 1) * each && i < stats->count; i++)
		sum += stats->rows[i].counts[kind];
	return sum;
}

/* Append "Tue 11-17", "Tue 11-17 14:00" or "week of 11-16". */
static void
put_moment(struct buf *text, enum stats_by by, int64_t at_s)
{
	static const char *const days[] = {
	    "Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"};
	struct civil civil = zone_civil(at_s);

	(void)buf_print(text, "%s %02d-%02d",
	    by == STATS_WEEK ? "week of" : days[zone_weekday(zone_day(at_s))],
	    civil.month, civil.day);
	if (by == STATS_HOUR)
		(void)buf_print(text, " %02d:%02d", civil.hour, civil.minute);
}

static void
put_bars(const struct stats *stats, struct out *out, int kind)
{
	struct buf *text = &out->text;
	uint64_t most = 0;
	size_t most_at = 0;
	size_t each;
	size_t columns = columns_of(stats, &each);
	size_t from = text->len;

	for (size_t i = 0; i < columns; i++)
		if (column(stats, kind, i) > most) {
			most = column(stats, kind, i);
			most_at = i;
		}
	(void)buf_print(text, "%s", labels[kind]);
	out_pad(out, from, 9);
	for (size_t i = 0; i < columns; i++)
		put_bar(text, column(stats, kind, i), most);
	out_grouped(out, stats->counts[kind], 10);
	if (most > 0) {
		(void)buf_print(text, "   max ");
		human_count(text, most);
		(void)buf_print(text, each > 1 ? " from " : " on ");
		put_moment(text, stats->by, stats->rows[most_at * each].at_s);
	}
	(void)buf_put_char(text, '\n');
	(void)out_line(out);
}

static void
put_times(const struct stats *stats, struct out *out)
{
	static const int order[STATS_KINDS] = {DELTA_ADDED, STATS_MOVED,
	    DELTA_REMOVED, DELTA_RETURNED, DELTA_REDATED, DELTA_GONE,
	    DELTA_REFUSED, DELTA_ACCEPTED};

	for (int i = 0; i < STATS_KINDS; i++)
		if (stats->counts[order[i]] > 0 || order[i] == DELTA_ADDED ||
		    order[i] == DELTA_REMOVED || order[i] == DELTA_REDATED)
			put_bars(stats, out, order[i]);
}

/* Sections and sitemaps. */

static void
put_named(const struct stats *stats, struct out *out)
{
	static const int kinds[] = {
	    DELTA_ADDED, STATS_MOVED, DELTA_REMOVED, DELTA_GONE, DELTA_REDATED};
	struct buf *text = &out->text;
	uint64_t most = stats->count > 0 ? stats_sum(&stats->rows[0]) : 0;

	(void)buf_print(text, "%-*s     NEW   MOVED REMOVED    GONE RE-DATED\n",
	    NAME_WIDTH, stats->by == STATS_SECTION ? "SECTION" : "SITEMAP");
	for (size_t i = 0; i < stats->count && i < NAMED; i++) {
		const struct stats_row *row = &stats->rows[i];
		size_t from = text->len;

		out_text(
		    out, url_short(slice_of(row->name), slice_of(stats->host)));
		out_pad(out, from, NAME_WIDTH);
		for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++)
			out_grouped(out, row->counts[kinds[k]], NUMBER_WIDTH);
		(void)buf_print(text, "  ");
		for (uint64_t k = 0;
		     most > 0 && k < stats_sum(row) * BAR_WIDTH / most; k++)
			(void)buf_print(text, "▇");
		(void)buf_put_char(text, '\n');
		(void)out_line(out);
	}
	if (stats->count > NAMED)
		(void)buf_print(text, "and %zu more\n", stats->count - NAMED);
	(void)out_line(out);
}

/* Dates. */

/* Append that there are too few checks. */
static void
put_unchecked(struct buf *text, double checks)
{
	if (!(checks > 0)) {
		(void)buf_print(text,
		    "not checked: nobody fetched a page after its date moved");
		return;
	}
	/* old moves count less, so the sum may be below one */
	(void)buf_print(text, "over ");
	human_plural(text, checks < 1 ? 1 : (uint64_t)checks, "move");
	(void)buf_print(text, ", too few to tell");
}

static void
put_source(struct buf *text, const struct scheduler_terms *terms)
{
	if (terms->is_gated) {
		(void)buf_print(text, "most of them move at every reading → %s",
		    source_verdict(terms));
		return;
	}
	if (terms->checks < FEW_CHECKS) {
		put_unchecked(text, terms->checks);
		return;
	}
	(void)buf_print(text, "right %.0f %% of the time it moves, over ",
	    100 * terms->precision);
	human_count(text, (uint64_t)(terms->checks + 0.5));
	(void)buf_print(text, " moves → %s", source_verdict(terms));
}

/* The number of sources with moves that fetches have checked. */
static size_t
moved_sources(const struct stats *stats)
{
	size_t count = 0;

	for (size_t i = 0; i < stats->source_count; i++)
		count += stats->sources[i].terms.checks > 0;
	return count;
}

/* Append all sources in one line. */
static void
put_all_sources(struct buf *text, const struct stats *stats)
{
	if (stats->checks < FEW_CHECKS) {
		put_unchecked(text, stats->checks);
		return;
	}
	(void)buf_print(text, "right %.0f %% of the time it moves, over ",
	    100 * stats->precision);
	human_count(text, (uint64_t)(stats->checks + 0.5));
	(void)buf_print(text, " moves of ");
	human_plural(text, moved_sources(stats), "sitemap");
}

static bool
has_evidence(const struct stats_source *source)
{
	return source->terms.is_gated || source->terms.checks >= FEW_CHECKS;
}

/* Print the sources of which something is known, one a line. */
static void
put_sources(const struct stats *stats, struct out *out)
{
	struct buf *text = &out->text;
	size_t shown = 0;

	for (size_t i = 0; i < stats->source_count && shown < SOURCES; i++) {
		const struct stats_source *source = &stats->sources[i];

		if (!has_evidence(source))
			continue;
		shown++;
		(void)buf_print(text, "  ");
		out_text(out,
		    url_short(slice_of(source->url), slice_of(stats->host)));
		(void)buf_print(text, ": ");
		put_source(text, &source->terms);
		(void)buf_put_char(text, '\n');
		(void)out_line(out);
	}
	if (shown > 0 && shown < stats->source_count) {
		(void)buf_print(text, "  and %zu more, less checked or not\n",
		    stats->source_count - shown);
		(void)out_line(out);
	}
}

static void
put_honesty(const struct stats *stats, struct out *out)
{
	struct buf *text = &out->text;

	(void)buf_print(text, "lastmod honesty: ");
	if (stats->source_count == 0)
		(void)buf_print(text, "no sitemap has dates");
	else if (stats->source_count == 1)
		put_source(text, &stats->sources[0].terms);
	else
		put_all_sources(text, stats);
	(void)buf_put_char(text, '\n');
	(void)out_line(out);
	if (stats->source_count > 1)
		put_sources(stats, out);
}

static void
put_heading(const struct stats *stats, struct out *out)
{
	struct buf *text = &out->text;

	out_text(out, slice_of(stats->host));
	(void)buf_print(text, "  ");
	zone_date(text, stats->from_s);
	(void)buf_print(text, " → ");
	zone_date(text, stats->to_s);
	(void)buf_print(text, "  ");
	human_plural(
	    text, stats->read + stats->unchanged + stats->failed, "reading");
	(void)buf_print(text, ": ");
	human_count(text, stats->read);
	(void)buf_print(text, " read, ");
	human_count(text, stats->unchanged);
	(void)buf_print(text, " unchanged, ");
	human_count(text, stats->failed);
	(void)buf_print(text, " failed\n");
	(void)out_line(out);
}

/* Print how many listed URLs are refused, if any. */
static void
put_refused(const struct stats *stats, struct out *out)
{
	struct buf *text = &out->text;

	if (stats->numbers.refused == 0)
		return;
	(void)buf_print(text, "of ");
	human_plural(text, stats->numbers.listed, "listed URL");
	(void)buf_print(text, " ");
	verdict_put_refused(
	    text, stats->numbers.refused, stats->totals.refused_by);
	(void)buf_put_char(text, '\n');
	(void)out_line(out);
}

void
stats_text(const struct stats *stats, struct out *out)
{
	put_heading(stats, out);
	if (stats->by <= STATS_HOUR)
		put_times(stats, out);
	else
		put_named(stats, out);
	put_refused(stats, out);
	if (stats->has_too_many) {
		(void)buf_print(&out->text, "more than ");
		human_count(&out->text, CHANGES_MOST);
		(void)buf_print(&out->text,
		    " changes in that time: which pages moved was not "
		    "looked for\n");
		(void)out_line(out);
	}
	put_honesty(stats, out);
}

/* For programs. */

static void
json_begin(struct buf *text, const struct stats *stats, const char *type)
{
	(void)buf_print(text, "{\"v\":1");
	out_json_word(text, "type", slice_of(type));
	out_json_word(text, "site", slice_of(stats->host));
}

static void
json_end(struct out *out)
{
	(void)buf_print(&out->text, "}\n");
	(void)out_line(out);
}

static void
json_counts(struct buf *text, const uint64_t *counts)
{
	static const char *const keys[STATS_KINDS] = {"new", "removed",
	    "returned", "redated", "gone", "refused", "accepted", "moved"};

	for (int kind = 0; kind < STATS_KINDS; kind++)
		out_json_number(text, keys[kind], counts[kind]);
}

static void
json_row(
    const struct stats *stats, const struct stats_row *row, struct out *out)
{
	struct buf *text = &out->text;

	json_begin(text, stats, "changes");
	if (stats->by == STATS_SECTION)
		out_json_word(text, "section", slice_of(row->name));
	else if (stats->by == STATS_SITEMAP)
		out_json_word(text, "sitemap", slice_of(row->name));
	else
		out_json_time(text, "at", row->at_s);
	json_counts(text, row->counts);
	json_end(out);
}

static void
json_source(const struct stats *stats, const struct stats_source *source,
    struct out *out)
{
	const struct scheduler_terms *terms = &source->terms;
	struct buf *text = &out->text;

	json_begin(text, stats, "source");
	out_json_word(text, "sitemap", slice_of(source->url));
	explain_trust_json(text, terms);
	out_json_word(text, "verdict", slice_of(source_verdict(terms)));
	json_end(out);
}

void
stats_json(const struct stats *stats, struct out *out)
{
	struct buf *text = &out->text;

	for (size_t i = 0; i < stats->count; i++)
		json_row(stats, &stats->rows[i], out);
	for (size_t i = 0; i < stats->source_count; i++)
		json_source(stats, &stats->sources[i], out);
	json_begin(text, stats, "summary");
	out_json_time(text, "from", stats->from_s);
	out_json_time(text, "to", stats->to_s);
	json_counts(text, stats->counts);
	(void)buf_print(
	    text, ",\"compared\":%s", stats->has_too_many ? "false" : "true");
	out_json_number(text, "listed", stats->numbers.listed);
	out_json_number(text, "listed_refused", stats->numbers.refused);
	out_json_number(text, "read", stats->read);
	out_json_number(text, "unchanged", stats->unchanged);
	out_json_number(text, "failed", stats->failed);
	out_json_real(text, "precision", stats->precision);
	out_json_real(text, "checks", stats->checks);
	json_end(out);
}
