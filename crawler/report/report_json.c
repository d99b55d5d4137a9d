/* A report as one JSON object a line. */
#include <inttypes.h>

#include "base/out_json.h"
#include "base/vis.h"
#include "crawler/cli/out.h"
#include "crawler/report/report_format.h"
#include "crawler/report/report_phrases.h"

static void
put_word(struct buf *out, const char *key, const char *word)
{
	out_json_word(out, key, slice_of(word));
}

/* A number; null for 0. */
static void
put_some(struct buf *out, const char *key, uint64_t n)
{
	if (n == 0)
		put_word(out, key, NULL);
	else
		out_json_number(out, key, n);
}

/* A time; null for 0. */
static void
put_date(struct buf *out, const char *key, const struct date *date)
{
	if (date->precision == DATE_NONE) {
		put_word(out, key, NULL);
		return;
	}
	out_json_key(out, key);
	(void)buf_put_char(out, '"');
	date_print(out, date);
	(void)buf_put_char(out, '"');
}

/* The word of the Search Console API; NULL: it has none. */
static const char *
api_type(const struct report_document *document)
{
	switch (document->kind) {
	case KIND_INDEX:
	case KIND_URLSET:
		return "sitemap";
	case KIND_TEXT:
		return "urlList";
	case KIND_RSS:
		return "rssFeed";
	case KIND_ATOM:
		return "atomFeed";
	case KIND_ROBOTS:
		return "notSitemap";
	case KIND_UNKNOWN:
	case KIND_COUNT:
		break;
	}
	return document->status == REPORT_NOT_FETCHED ? NULL : "notSitemap";
}

/* Search Console's words as one word. */
static const char *
status_token(enum report_status status)
{
	switch (status) {
	case REPORT_SUCCESS:
		return "success";
	case REPORT_HAS_ERRORS:
		return "has-errors";
	case REPORT_NOT_FETCHED:
		return "couldnt-fetch";
	}
	return NULL;
}

/* The entries of a document; for an index those of its children, as the API
 * counts them. */
static uint64_t
submitted(const struct report *report, size_t i)
{
	uint64_t sum = 0;

	if (report->documents[i].kind != KIND_INDEX)
		return report->documents[i].accepted;
	for (size_t k = 0; k < report->document_count; k++)
		if (report->documents[k].parent == i &&
		    report->documents[k].kind != KIND_INDEX)
			sum += report->documents[k].accepted;
	return sum;
}

/* How many are new; null without a baseline. */
static void
put_news(struct buf *out, const struct report *report,
    const struct report_finding *finding)
{
	if (report->has_baseline)
		out_json_number(out, "new", finding->count - finding->known);
	else
		put_word(out, "new", NULL);
}

/* The samples, with the document's path if has_path. */
static void
put_samples(struct buf *out, const struct report *report, bool has_path,
    const struct report_finding *finding)
{
	out_json_key(out, "samples");
	(void)buf_put_char(out, '[');
	for (size_t i = 0; i < finding->sample_count; i++) {
		const struct report_sample *sample = &finding->samples[i];
		const struct report_document *document = has_path
		    ? report_sample_document(report, sample)
		    : NULL;

		(void)buf_print(out, i > 0 ? ",{" : "{");
		if (document != NULL)
			put_word(out, "path", document->url);
		put_some(out, "line", sample->line);
		put_some(out, "entry", sample->entry);
		put_word(out, "loc", sample->loc);
		put_word(out, "text", sample->text);
		put_word(out, "meant", sample->meant);
		if (report->has_baseline)
			out_json_flag(out, "new", sample->is_new);
		else
			put_word(out, "new", NULL);
		(void)buf_put_char(out, '}');
	}
	(void)buf_put_char(out, ']');
}

static void
put_findings(struct buf *out, const struct report *report,
    const struct report_document *document)
{
	out_json_key(out, "findings");
	(void)buf_put_char(out, '[');
	for (size_t i = 0; i < document->finding_count; i++) {
		const struct report_finding *finding = &document->findings[i];

		(void)buf_print(out, i > 0 ? ",{" : "{");
		put_word(out, "code", diag_name(finding->code));
		put_word(out, "severity", severity_name(finding->severity));
		out_json_number(out, "count", finding->count);
		put_news(out, report, finding);
		put_samples(out, report, false, finding);
		(void)buf_put_char(out, '}');
	}
	(void)buf_put_char(out, ']');
}

static void
put_document(struct buf *out, const struct report *report, size_t i)
{
	const struct report_document *document = &report->documents[i];

	(void)buf_print(out, "{\"v\":1");
	put_word(out, "record", "document");
	put_word(out, "path", document->url);
	put_word(out, "type", api_type(document));
	out_json_flag(out, "isSitemapsIndex", document->kind == KIND_INDEX);
	out_json_time(out, "lastDownloaded",
	    document->status == REPORT_NOT_FETCHED ? 0 : document->read_s);
	out_json_number(out, "warnings", document->warnings);
	out_json_number(out, "errors", document->errors);
	uint64_t n = 0;

	if (report->documents[i].kind != KIND_ROBOTS)
		n = submitted(report, i);
	out_json_key(out, "contents");
	(void)buf_put_char(out, '[');
	if (n > 0)
		(void)buf_print(
		    out, "{\"type\":\"web\",\"submitted\":%" PRIu64 "}", n);
	(void)buf_put_char(out, ']');
	put_word(out, "target",
	    document->target < report->target_count
		? report->targets[document->target]
		: NULL);
	put_word(out, "parent",
	    document->parent < report->document_count
		? report->documents[document->parent].url
		: NULL);
	put_some(out, "listed_line", document->listed_line);
	put_some(out, "listed_entry", document->listed_entry);
	/* Values that the API has no name for. */
	put_word(out, "status", status_token(document->status));
	put_word(out, "kind", document_kind_name(document->kind));
	put_word(out, "file", document->file);
	put_word(out, "final_url", document->final_url);
	put_some(out, "http_status", (uint64_t)document->http_status);
	put_word(out, "failure",
	    document->failure == DIAG_OK ? NULL : diag_name(document->failure));
	out_json_flag(out, "complete", document->is_complete);
	out_json_number(out, "gzip_layers", document->gzip_layers);
	out_json_number(out, "wire_bytes", document->wire_bytes);
	out_json_number(out, "decoded_bytes", document->decoded_bytes);
	put_some(out, "max_bytes", document->max_bytes);
	put_some(out, "max_entries", document->max_entries);
	out_json_number(out, "seen", document->seen);
	out_json_number(out, "accepted", document->accepted);
	out_json_number(out, "refused", document->refused);
	out_json_number(out, "dated", document->dated);
	put_date(out, "newest", &document->newest);
	put_word(out, "lastmod_shape", document->lastmod_shape);
	out_json_number(out, "infos", document->infos);
	put_findings(out, report, document);
	(void)buf_print(out, "}\n");
}

static void
put_page(struct buf *out, const struct report *report,
    const struct report_page *page)
{
	(void)buf_print(out, "{\"v\":1");
	put_word(out, "record", "page");
	report_put_page_json(out, report, page);
	(void)buf_print(out, "}\n");
}

/* A URL that some of several agents may not fetch. */
static void
put_closed(struct buf *out, const struct report *report,
    const struct report_closed *closed)
{
	(void)buf_print(out, "{\"v\":1");
	put_word(out, "record", "closed");
	put_word(out, "path", closed->url);
	put_word(out, "sitemap", report->documents[closed->document].url);
	out_json_key(out, "allowed");
	(void)buf_put_char(out, '{');
	for (size_t i = 0; i < report->agent_count; i++) {
		(void)buf_print(out, i > 0 ? "," : "");
		json_put(out, slice_of(report->agents[i].name));
		(void)buf_print(out, ":%s",
		    (closed->agents >> i & 1) == 0 ? "true" : "false");
	}
	(void)buf_print(out, "}}\n");
}

static void
put_group(struct buf *out, const struct report *report,
    const struct report_finding *finding)
{
	const struct diag_info *info = diag_info(finding->code);

	(void)buf_print(out, "{\"v\":1");
	put_word(out, "record", "finding");
	put_word(out, "code", info->code);
	put_word(out, "severity", severity_name(finding->severity));
	out_json_number(out, "count", finding->count);
	put_news(out, report, finding);
	put_word(out, "trigger", info->trigger);
	put_word(out, "search_console", info->search_console);
	put_word(out, "remedy", info->remedy);
	put_word(out, "rule", info->rule);
	put_samples(out, report, true, finding);
	(void)buf_print(out, "}\n");
}

static void
put_summary(struct buf *out, const struct report *report)
{
	(void)buf_print(out, "{\"v\":1");
	put_word(out, "record", "summary");
	put_word(out, "profile", report->profile);
	out_json_key(out, "targets");
	(void)buf_put_char(out, '[');
	for (size_t i = 0; i < report->target_count; i++) {
		if (i > 0)
			(void)buf_put_char(out, ',');
		json_put(out, slice_of(report->targets[i]));
	}
	(void)buf_put_char(out, ']');
	out_json_number(out, "sitemaps", report->sitemaps);
	out_json_number(out, "indexes", report->indexes);
	out_json_number(out, "success", report->success);
	out_json_number(out, "has_errors", report->has_errors);
	out_json_number(out, "couldnt_fetch", report->not_fetched);
	out_json_number(out, "lost_targets", report->lost);
	out_json_number(out, "urls", report->urls);
	out_json_number(out, "refused", report->refused);
	out_json_number(out, "dated", report->dated);
	out_json_number(out, "pages", report->page_count);
	out_json_number(out, "errors", report->errors);
	out_json_number(out, "warnings", report->warnings);
	out_json_number(out, "infos", report->infos);
	out_json_number(out, "ignored", report->ignored);
	if (report->has_baseline) {
		out_json_number(out, "new",
		    report->errors + report->warnings + report->infos -
			report->known);
		out_json_number(out, "known", report->known);
		out_json_number(out, "gone", report->gone);
	} else {
		put_word(out, "new", NULL);
		put_word(out, "known", NULL);
		put_word(out, "gone", NULL);
	}
	out_json_number(out, "compared", report->compared);
	out_json_number(out, "uncompared", report->uncompared);
	put_word(out, "agent",
	    report->agent_count > 0 ? report->agents[0].name : "freshet");
	out_json_key(out, "agents");
	(void)buf_put_char(out, '[');
	for (size_t i = 0; i < report->agent_count; i++) {
		(void)buf_print(out, i > 0 ? ",{" : "{");
		put_word(out, "agent", report->agents[i].name);
		out_json_number(out, "forbidden", report->agents[i].forbidden);
		(void)buf_put_char(out, '}');
	}
	(void)buf_put_char(out, ']');
	put_word(out, "sandbox", report->sandbox);
	out_json_time(out, "began", report->began_s);
	(void)buf_print(
	    out, ",\"seconds\":%.3f", (double)report->spent_ms / 1000.0);
	out_json_number(out, "exit", (uint64_t)report->exit_status);
	(void)buf_print(out, "}\n");
}

void
report_json(const struct report *report, struct out *out)
{
	for (size_t i = 0; i < report->document_count; i++) {
		put_document(&out->text, report, i);
		if (!out_line(out))
			return;
	}
	for (size_t i = 0; i < report->page_count; i++) {
		put_page(&out->text, report, &report->pages[i]);
		(void)out_line(out);
	}
	for (size_t i = 0; i < report->closed_count; i++) {
		put_closed(&out->text, report, &report->closed_pages[i]);
		(void)out_line(out);
	}
	for (size_t i = 0; i < report->group_count; i++) {
		put_group(&out->text, report, &report->groups[i]);
		(void)out_line(out);
	}
	put_summary(&out->text, report);
	(void)out_line(out);
}
