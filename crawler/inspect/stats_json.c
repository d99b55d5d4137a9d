/* Stats: for programs. */
#include <stdio.h>

#include "base/out_json.h"
#include "base/w3cdate.h"
#include "crawler/inspect/explain_due.h"
#include "crawler/inspect/stats.h"

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
json_time(struct buf *text, const char *key, int64_t at_s)
{
	out_json_key(text, key);
	(void)buf_put_char(text, '"');
	time_print(text, at_s);
	(void)buf_put_char(text, '"');
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
		json_time(text, "at", row->at_s);
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
	out_json_word(text, "verdict", slice_of(stats_verdict(terms)));
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
	json_time(text, "from", stats->from_s);
	json_time(text, "to", stats->to_s);
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
