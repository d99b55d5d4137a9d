/*
 * freshet export: URLs or changes, for other programs.
 *
 * What is meant is a selection; each of its entries or changes becomes a row,
 * and the writer of the format takes from the row what its columns are.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/civil.h"
#include "crawler/cli/options_sites.h"
#include "crawler/cli/options_value.h"
#include "crawler/cli/out.h"
#include "crawler/cli/selection.h"
#include "crawler/commands/commands.h"
#include "crawler/event/exit.h"
#include "crawler/inspect/export_format.h"
#include "store/page_says.h"
#include "store/site_changes.h"

/* The limits of one sitemap (SPEC ). */
#define SITEMAP_MAX_URLS 50000
#define SITEMAP_MAX_BYTES 52428800

struct exporter {
	struct out out;
	struct export_writer writer;
	uint64_t urls; /* of a sitemap, which is whole before it is written */
	int64_t until_s; /* changes from then on are left out */
	/* refused URLs are left out, because there is no column to say so */
	bool is_plain;
	uint64_t refused; /* rows, written or not */
	struct store *store;
	/* owned: the filter of the call; those of sites are of the rules */
	struct page_filter *filter;
	struct watch_rules rules;
	const struct site_rules *site; /* the rules of host */
	char *host; /* owned; NULL: no site yet */
	int64_t now_s;
	uint64_t left_out; /* rows that a filter does not want */
};

/* Write a row with what its page says, if a column wants that. */
static bool
export_put_row(struct exporter *exporter, struct export_row *row)
{
	if (exporter->writer.has_texts) {
		struct page_says says = store_page_says(
		    exporter->store, row->loc);

		row->title = says.title;
		row->description = says.description;
	}
	export_put(&exporter->writer, &exporter->out.text, row);
	if (exporter->writer.format == EXPORT_SITEMAP)
		return ++exporter->urls <= SITEMAP_MAX_URLS &&
		    exporter->out.text.len <= SITEMAP_MAX_BYTES;
	return out_line(&exporter->out);
}

/* Does a filter of the site or of the call not want the page? */
static bool
filters_out(struct exporter *exporter, const struct document_row *row,
    struct slice url, const struct date *lastmod, int64_t first_seen_s)
{
	/* rows of a site stand side by side */
	if (exporter->host == NULL || !slice_is(row->site, exporter->host)) {
		free(exporter->host);
		exporter->host = slice_dup(row->site);
		exporter->site = watch_rules_of(&exporter->rules, row->site);
	}
	/* what an index lists is no page */
	if (row->document.kind == KIND_INDEX ||
	    (page_filter_wants(exporter->site->pages, url, lastmod,
		 first_seen_s, exporter->now_s) &&
		page_filter_wants(exporter->filter, url, lastmod, first_seen_s,
		    exporter->now_s)))
		return false;
	exporter->left_out++;
	return true;
}

/* Count a row that a location rule refuses. Returns whether it is left out. */
static bool
leaves_out(struct exporter *exporter, enum verdict verdict)
{
	exporter->refused += verdict != VERDICT_ACCEPTED;
	return exporter->is_plain && verdict != VERDICT_ACCEPTED;
}

/* An entry becomes a row with all columns; the writer takes those that were
 * asked for. */
static bool
put_entry(void *arg, const struct document_row *row, const struct entry *entry)
{
	struct exporter *exporter = arg;
	struct export_row line = {.loc = entry->url,
	    .document = slice_of(row->document.url),
	    .lastmod = entry->lastmod,
	    .first_seen_s = entry->first_seen_s,
	    .redated_s = entry->redated_s,
	    .is_removed = entry->missed > 0,
	    .verdict = (enum verdict)entry->verdict};

	if (filters_out(exporter, row, entry->url, &entry->lastmod,
		entry->first_seen_s) ||
	    leaves_out(exporter, line.verdict))
		return true;
	return export_put_row(exporter, &line);
}

/* A move is one row: the new URL, and where the page was before. */
static bool
export_put_change(void *arg, const struct document_row *row,
    const struct change *change, const struct move *move)
{
	struct exporter *exporter = arg;
	int64_t at_s = move != NULL
	    ? move->to.at_s
	    : delta_at_s(change->kind, row->at_s, row->since_s);

	if (at_s >= exporter->until_s ||
	    filters_out(exporter, row, change->url,
		change->after.precision != DATE_NONE ? &change->after
						     : &change->before,
		at_s) ||
	    leaves_out(exporter, (enum verdict)change->verdict))
		return true;
	/* the row has the columns of changes; the writer leaves the others out
	 */
	struct export_row line = {.loc = change->url,
	    .document = slice_of(row->document.url),
	    .reading = row->reading_id,
	    .at_s = at_s,
	    .kind = move != NULL ? "moved" : delta_rows[change->kind].name,
	    .from = move != NULL ? move->from.url : slice_make(NULL, 0),
	    .verdict = (enum verdict)change->verdict,
	    .before = change->before,
	    .after = change->after};

	return export_put_row(exporter, &line);
}

/* A sitemap that is too large is refused before its first byte, and not in its
 * middle. */
static int
export_write_all(struct exporter *exporter, const struct options *options,
    const struct selection *selection, struct store *store)
{
	bool is_sitemap = exporter->writer.format == EXPORT_SITEMAP;
	unsigned what = (options->listing.wants_all ? WALK_REMOVED : 0) |
	    (options->listing.wants_indexes ? WALK_INDEXES : 0) | WALK_REFUSED |
	    (options->listing.wants_refused ? WALK_ONLY_REFUSED : 0) |
	    (options->listing.by == LIST_BY_DOCUMENT ? WALK_BY_DOCUMENT : 0);
	bool is_too_large;
	int status;

	exporter->is_plain = !options->listing.wants_refused &&
	    (is_sitemap || exporter->writer.format == EXPORT_URLS);
	export_begin(&exporter->writer, &exporter->out.text);
	if (options->export.wants_changes)
		status = selection_changes(
		    selection, store, what, export_put_change, exporter);
	else
		status = selection_entries(
		    selection, store, what, put_entry, exporter);
	if (status == EXIT_DONE)
		export_end(&exporter->writer, &exporter->out.text);
	is_too_large = exporter->urls > SITEMAP_MAX_URLS ||
	    (is_sitemap && exporter->out.text.len > SITEMAP_MAX_BYTES);
	/* no heading stands alone, and no sitemap has holes */
	if (status == EXIT_NO_TARGET || is_too_large ||
	    (is_sitemap && status != EXIT_DONE))
		buf_clear(&exporter->out.text);
	if (is_too_large)
		return complain_with(EXIT_USAGE,
		    "a sitemap holds at most 50,000 URLs in 52,428,800 bytes: "
		    "name one document, or a folder such as 'https://%s/blog/'",
		    selection->site != NULL ? selection->site
					    : "www.example.org");
	/* Say what no column says. */
	const struct export_writer *writer = &exporter->writer;
	bool has_column = false;

	for (size_t i = 0; i < writer->count; i++)
		has_column |= writer->columns[i]->kind == EXPORT_REFUSED;
	if (exporter->left_out > 0 && !options->output.is_quiet)
		complain("%" PRIu64
			 " %s left out by include, exclude, newer or "
			 "depth",
		    exporter->left_out,
		    exporter->left_out == 1 ? "row was" : "rows were");
	if (exporter->refused != 0 && !options->listing.wants_refused) {
		if (exporter->is_plain)
			complain("%" PRIu64
				 " refused %s left out; 'freshet export -f "
				 "csv' has %s, with the rule",
			    exporter->refused,
			    exporter->refused == 1 ? "URL was" : "URLs were",
			    exporter->refused == 1 ? "it" : "them");
		else if (!has_column)
			complain("%" PRIu64
				 " of these URLs %s refused; the column "
				 "'refused' says by which rule",
			    exporter->refused,
			    exporter->refused == 1 ? "is" : "are");
	}

	return status;
}

int
command_export(struct options *options)
{
	struct exporter exporter = {
	    .until_s = INT64_MAX, .now_s = options->now_s};
	struct selection selection = {0};
	struct store *store = NULL;
	enum export_format format = options->output.is_json
	    ? EXPORT_JSONL
	    : options->export.format;
	int status;

	/* what makes no sense together is refused before the store is opened */
	if (format == EXPORT_SITEMAP && options->export.wants_changes)
		return complain_with(EXIT_USAGE,
		    "changes cannot be a sitemap; use -f csv or jsonl");
	if (!options->export.wants_changes &&
	    (options->diff.since != NULL || options->diff.until != NULL))
		return complain_with(EXIT_USAGE, "'--%s' needs '--changes'",
		    options->diff.since != NULL ? "since" : "until");
	if (!export_writer_init(&exporter.writer, format,
		options->export.wants_changes ? EXPORT_CHANGES : EXPORT_ENTRIES,
		options->export.columns))
		return EXIT_USAGE;
	status = selection_open(options, &store);
	if (status == EXIT_DONE)
		status = choose_selection(options, store, &selection);
	/* the time of changes, or that of a list of the past */
	selection.has_since = options->diff.since != NULL ||
	    options->diff.until != NULL;
	selection.day_s = options->now_s - DAY_S;
	if (status == EXIT_DONE && selection.has_since &&
	    !choose_span(options, DAY_S, &selection.since_s, &exporter.until_s))
		status = EXIT_USAGE;
	if (options->export.as_of != NULL)
		selection.has_as_of = value_moment(
		    options->export.as_of, options->now_s, &selection.as_of_s);
	exporter.filter = page_filter_new(
	    (struct page_filter_texts){
		(const char *const *)options->filters.call.items,
		options->filters.call.count},
	    (struct page_filter_texts){0}, false);
	exporter.rules = (struct watch_rules){
	    .options = options, .store = store};
	if (status == EXIT_DONE) {
		out_init(&exporter.out, &options->output);
		exporter.out.is_raw = true;
		exporter.store = store;
		status = export_write_all(
		    &exporter, options, &selection, store);
		status = out_end(&exporter.out, status);
	}
	selection_release(&selection);
	page_filter_free(exporter.filter);
	watch_rules_release(&exporter.rules);
	free(exporter.host);
	return selection_close(store, status);
}
