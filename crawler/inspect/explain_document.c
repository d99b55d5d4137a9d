/* What `explain` prints of documents and chains. */
#include "crawler/inspect/explain_document.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/human.h"
#include "base/verdict.h"
#include "base/vis.h"
#include "base/zone.h"
#include "crawler/cli/selection.h"
#include "crawler/inspect/explain_print.h"
#include "crawler/inspect/ls_documents.h"
#include "store/lookup.h"

#define COLUMNS 80
#define FINDINGS 8 /* shown of one document */
#define LINES 20 /* Sitemap lines shown of a robots.txt */
#define TEXT_MAX 120 /* bytes of a sample */

void
explain_put_url(const struct explanation *to, struct out *out, const char *text)
{
	struct slice url = slice_of(text);
	struct slice origin = to->unusable == DIAG_OK ? url_origin(&to->url)
						      : slice_make(NULL, 0);

	if (origin.len > 0 && slice_starts(url, origin) &&
	    url.len > origin.len && url.p[origin.len] == '/')
		url = slice_from(url, origin.len);
	out_text(out, url);
}

static const char *
root_words(enum explain_root root)
{
	switch (root) {
	case EXPLAIN_ROOT_TARGET:
		return "a target that was named";
	case EXPLAIN_ROOT_LINE:
		return "robots.txt, which named it until lately";
	case EXPLAIN_ROOT_PLACE:
		return "found at a usual place for sitemaps";
	case EXPLAIN_ROOT_NONE:
		break;
	}
	return "nothing names it any more";
}

static void
put_step(const struct explanation *to, struct out *out,
    const struct explain_step *step)
{
	if (step->url == NULL) {
		(void)buf_print(&out->text, "%s", root_words(step->root));
		return;
	}
	explain_put_url(to, out, step->url);
	if (step->line > 0)
		(void)buf_print(&out->text, " line %" PRIu32, step->line);
	else if (step->reading_id != 0)
		(void)buf_print(
		    &out->text, " (reading %" PRId64 ")", step->reading_id);
}

/* If what was appended since `from` passes the last column, move it to the next
 * line. Returns the column behind it. */
static size_t
fit(struct out *out, size_t column, size_t from)
{
	struct slice step = slice_from(buf_text(&out->text), from);
	size_t columns = slice_chars(step);
	char *copy;

	if (column + columns <= COLUMNS)
		return column + columns;
	copy = slice_dup(slice_trim(step));
	out->text.len = from;
	(void)buf_print(&out->text, "\n" EXPLAIN_INDENT "%s", copy);
	free(copy);
	return strlen(EXPLAIN_INDENT) + columns - 1;
}

void
explain_put_chains(const struct explanation *to, struct out *out,
    const struct explain_place *place, const char *end)
{
	for (size_t i = 0; i < place->chain_count; i++) {
		if (i > 0)
			(void)buf_print(&out->text, EXPLAIN_INDENT);
		/* Append the steps of a chain; a line breaks before an arrow.
		 */
		size_t column = strlen(EXPLAIN_INDENT);
		size_t from = out->text.len;

		for (size_t k = 0; k < place->chains[i].count; k++) {
			if (k > 0)
				(void)buf_print(&out->text, " → ");
			put_step(to, out, &place->chains[i].steps[k]);
			if (k == 0)
				column += slice_chars(
				    slice_from(buf_text(&out->text), from));
			else
				column = fit(out, column, from);
			from = out->text.len;
		}
		(void)buf_print(&out->text, "%s", end);
		(void)fit(out, column, from);

		out_end_line(out);
	}
	if (place->more_chains > 0) {
		(void)buf_print(&out->text,
		    EXPLAIN_INDENT "and %" PRIu64 " more ways",
		    place->more_chains);
		out_end_line(out);
	}
	if (strcmp(place->final, place->document) != 0) {
		(void)buf_print(
		    &out->text, EXPLAIN_INDENT "which redirects to ");
		explain_put_url(to, out, place->final);
		out_end_line(out);
	}
}

struct printer {
	const struct explanation *to;
	struct store *store;
	struct out *out;
	unsigned left;
	uint64_t more; /* findings not shown */
};

static void
put_finding(void *arg, const struct finding_row *row)
{
	struct printer *printer = arg;
	struct out *out = printer->out;
	enum diag_code code = diag_find(row->code);
	struct slice text = slice_trim(row->text);

	if (code == DIAG_OK || printer->left == 0) {
		printer->more++;
		return;
	}
	printer->left--;
	explain_label(out, diag_info(code)->severity[PROFILE_GOOGLE],
	    severity_name(diag_info(code)->severity[PROFILE_GOOGLE]));
	out_text(out, row->code);
	(void)buf_print(&out->text, " (%s), ", diag_info(code)->rule);
	human_plural(&out->text, row->count, "time");
	if (row->line > 0)
		(void)buf_print(&out->text, "; line %" PRIu32, row->line);
	if (text.len > 0) {
		(void)buf_print(&out->text, ": ");
		vis_put(&out->text, text, TEXT_MAX);
	}
	out_end_line(out);
}

/* Why the document is a window; NULL: it is none. */
static const char *
window_words(unsigned window)
{
	switch (window) {
	case WINDOW_HABIT:
		return "in five readings only its oldest entries left";
	case WINDOW_NEWS:
		return "it is a news sitemap";
	case WINDOW_FEED:
		return "it is a feed";
	default:
		return NULL;
	}
}

static void
put_state(struct printer *printer, const struct document_row *row)
{
	const struct document *document = &row->document;
	struct buf *text = &printer->out->text;

	(void)buf_print(
	    text, EXPLAIN_INDENT "%s, ", document_kind_name(document->kind));
	if (row->reading_id == 0) {
		(void)buf_print(text, "never asked for");
		out_end_line(printer->out);
		return;
	}
	(void)buf_print(text, "%s ", outcome_name(row->outcome));
	zone_print(text, row->at_s);
	(void)buf_print(text, " (reading %" PRId64 ")", row->reading_id);
	if (row->status != 0)
		(void)buf_print(text, ", status %d", row->status);
	if (row->failure.len > 0) {
		(void)buf_print(text, ", ");
		(void)buf_put_slice(text, row->failure);
	}
	out_end_line(printer->out);
	if (selection_is_robots(row) || row->failure.len > 0)
		return;
	(void)buf_print(
	    text, EXPLAIN_INDENT "%" PRIu64 " entries, ", document->entries);
	verdict_put_refused(text, document->refused, document->refused_by);
	(void)buf_print(text, ", %" PRIu64 " with lastmod%s", row->dated,
	    document->is_complete ? "" : "; not complete");
	out_end_line(printer->out);
	if (window_words(document->window) == NULL)
		return;
	(void)buf_print(text,
	    EXPLAIN_INDENT "a window: %s; what leaves it is not gone",
	    window_words(document->window));
	out_end_line(printer->out);
}

static bool
put_document(void *arg, const struct document_row *row)
{
	struct printer *printer = arg;

	explain_label(printer->out,
	    row->failure.len > 0 ? SEVERITY_ERROR : SEVERITY_INFO, "document");
	if (selection_is_robots(row)) {
		explain_put_url(printer->to, printer->out, row->document.url);
		out_end_line(printer->out);
	} else {
		struct explain_place place = {.document_id = row->document.id,
		    .document = row->document.url,
		    .final = row->document.final_url != NULL
			? row->document.final_url
			: row->document.url};

		explain_chains(printer->store, &place);
		explain_put_chains(printer->to, printer->out, &place, "");
		explain_release_chains(&place);
	}
	put_state(printer, row);
	if (selection_is_robots(row) && printer->to->robots.robots != NULL) {
		/* The Sitemap lines of a robots.txt. */
		const struct explain_robots *robots = &printer->to->robots;
		struct slice url;
		uint32_t line;
		uint32_t i = 0;

		for (; (url = robots_sitemap(robots->robots, i, &line)).len > 0;
		     i++) {
			if (i >= LINES)
				continue;
			(void)buf_print(&printer->out->text,
			    EXPLAIN_INDENT "line %" PRIu32 " names ", line);
			(void)buf_put_slice(&printer->out->text, url);
			out_end_line(printer->out);
		}
		if (i > LINES) {
			(void)buf_print(&printer->out->text,
			    EXPLAIN_INDENT "and %" PRIu32 " more", i - LINES);
			out_end_line(printer->out);
		}
	}
	printer->left = FINDINGS;
	printer->more = 0;
	store_each_finding(
	    printer->store, row->content_id, put_finding, printer);
	if (printer->more > 0) {
		(void)buf_print(&printer->out->text,
		    EXPLAIN_INDENT "and %" PRIu64 " more codes", printer->more);
		out_end_line(printer->out);
	}
	return true;
}

void
explain_documents(
    const struct explanation *to, struct store *store, struct out *out)
{
	struct printer printer = {.to = to, .store = store, .out = out};

	if (to->documents > 0)
		store_each_document_at(
		    store, url_text(&to->url), put_document, &printer);
}
