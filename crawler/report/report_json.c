/* A report as one JSON object a line. */

#include "base/out_json.h"
#include "crawler/cli/out.h"
#include "crawler/report/report_phrases.h"

static void
begin_record(struct buf *out, const char *record)
{
	out_json_line(out, NULL);
	out_json_string(out, "record", record);
}

/* The words of the Search Console API, by enum document_kind. */
static const char *const api_types[] = {[KIND_INDEX] = "sitemap",
    [KIND_URLSET] = "sitemap",
    [KIND_TEXT] = "urlList",
    [KIND_RSS] = "rssFeed",
    [KIND_ATOM] = "atomFeed",
    [KIND_ROBOTS] = "notSitemap",
    [KIND_UNKNOWN] = "notSitemap"};

/* Search Console's words as one word, by enum report_status. */
static const char *const status_tokens[] = {
    "success", "has-errors", "couldnt-fetch"};

static void
put_samples(struct buf *out, const struct report *report, bool has_path,
    const struct report_finding *finding)
{
	out_json_begin(out, "samples", '[');
	for (size_t i = 0; i < finding->sample_count; i++) {
		const struct report_sample *sample = &finding->samples[i];

		out_json_begin(out, NULL, '{');
		if (has_path)
			out_json_string(out, "path",
			    report->documents[sample->document].url);
		out_json_some(out, "line", sample->line);
		out_json_some(out, "entry", sample->entry);
		out_json_string(out, "loc", sample->loc);
		out_json_string(out, "text", sample->text);
		out_json_string(out, "meant", sample->meant);
		if (report->has_baseline)
			out_json_flag(out, "new", sample->is_new);
		else
			out_json_string(out, "new", NULL);
		out_json_end(out, '}');
	}
	out_json_end(out, ']');
}

static void
put_counts(struct buf *out, const struct report *report,
    const struct report_finding *finding)
{
	out_json_string(out, "code", diag_name(finding->code));
	out_json_string(out, "severity", severity_names[finding->severity]);
	out_json_number(out, "count", finding->count);
	out_json_number_if(
	    out, "new", report->has_baseline, finding->count - finding->known);
}

/* The first members are those of the API of Search Console, by its names, so
 * that a program for that reads this. */
static void
json_put_document(struct buf *out, const struct report *report, size_t i)
{
	const struct report_document *document = &report->documents[i];

	begin_record(out, "document");
	out_json_string(out, "path", document->url);
	/* what was not fetched may be anything: the API has no word for it */
	out_json_string(out, "type",
	    document->kind == KIND_UNKNOWN &&
		    document->status == REPORT_NOT_FETCHED
		? NULL
		: api_types[document->kind]);
	out_json_flag(out, "isSitemapsIndex", document->kind == KIND_INDEX);
	out_json_time(out, "lastDownloaded",
	    document->status == REPORT_NOT_FETCHED ? 0 : document->read_s);
	out_json_number(out, "warnings", document->warnings);
	out_json_number(out, "errors", document->errors);
	/* The API counts the entries of a document, and for an index those of
	 * its sitemaps. */
	bool has_entries = document->kind != KIND_ROBOTS &&
	    document->kind != KIND_INDEX;
	uint64_t n = has_entries ? document->accepted : 0;

	for (size_t k = 0;
	     document->kind == KIND_INDEX && k < report->document_count; k++)
		if (report->documents[k].parent == i &&
		    report->documents[k].kind != KIND_INDEX)
			n += report->documents[k].accepted;
	out_json_begin(out, "contents", '[');
	if (n > 0) {
		out_json_begin(out, NULL, '{');
		out_json_string(out, "type", "web");
		out_json_number(out, "submitted", n);
		out_json_end(out, '}');
	}
	out_json_end(out, ']');
	out_json_string(out, "target",
	    document->target < report->target_count
		? report->targets[document->target]
		: NULL);
	out_json_string(out, "parent",
	    document->parent < report->document_count
		? report->documents[document->parent].url
		: NULL);
	out_json_some(out, "listed_line", document->listed_line);
	out_json_some(out, "listed_entry", document->listed_entry);
	/* Values that the API has no name for. */
	out_json_string(out, "status", status_tokens[document->status]);
	out_json_string(out, "kind", document_kind_name(document->kind));
	out_json_string(out, "file", document->file);
	out_json_string(out, "final_url", document->final_url);
	out_json_some(out, "http_status", (uint64_t)document->http_status);
	out_json_string(out, "failure",
	    document->failure == DIAG_OK ? NULL : diag_name(document->failure));
	out_json_flag(out, "complete", document->is_complete);
	out_json_number(out, "gzip_layers", document->gzip_layers);
	out_json_number(out, "wire_bytes", document->wire_bytes);
	out_json_number(out, "decoded_bytes", document->decoded_bytes);
	out_json_some(out, "max_bytes", document->max_bytes);
	out_json_some(out, "max_entries", document->max_entries);
	out_json_number(out, "seen", document->seen);
	out_json_number(out, "accepted", document->accepted);
	out_json_number(out, "refused", document->refused);
	out_json_number(out, "dated", document->dated);
	out_json_date(out, "newest", &document->newest);
	out_json_string(out, "lastmod_shape", document->lastmod_shape);
	out_json_string(out, "generator",
	    document->generator == NULL ? NULL : document->generator->name);
	out_json_string(out, "generator_reason",
	    document->generator == NULL ? NULL : document->generator_reason);
	out_json_number(out, "infos", document->infos);
	out_json_begin(out, "findings", '[');
	for (size_t k = 0; k < document->finding_count; k++) {
		const struct report_finding *finding = &document->findings[k];

		out_json_begin(out, NULL, '{');
		put_counts(out, report, finding);
		put_samples(out, report, false, finding);
		out_json_end(out, '}');
	}
	out_json_end(out, ']');

	out_json_line_end(out);
}

static void
json_put_page(struct buf *out, const struct report *report,
    const struct report_page *page)
{
	static const char *const ends[] = {[PAGE_ANSWERED] = "answered",
	    [PAGE_DISALLOWED] = "disallowed",
	    [PAGE_LOST] = "failed"};
	static const char *const canonicals[] = {
	    "none", "itself", "another", "several", "invalid"};
	bool is_known = page->end == PAGE_ANSWERED;

	out_json_string(out, "path", page->url);
	out_json_string(out, "sitemap",
	    page->unlisted == NULL && page->document < report->document_count
		? report->documents[page->document].url
		: NULL);
	out_json_string(out, "unlisted", page->unlisted);
	out_json_string(out, "outcome", ends[page->end]);
	out_json_some(out, "http_status", (uint64_t)page->status);
	out_json_number(out, "redirects", page->hops);
	out_json_string(out, "final_url", page->final_url);
	out_json_some(out, "final_status", (uint64_t)page->final_status);
	out_json_string(out, "detail", page->detail);
	/* the rest of a page that was cut may forbid it */
	if (page->noindex[0] == '\0' && (!is_known || page->is_cut))
		out_json_string(out, "noindex", NULL);
	else
		out_json_flag(out, "noindex", page->noindex[0] != '\0');
	out_json_string(out, "noindex_by", page->noindex);
	purposes_json(out, page->purposes);
	out_json_string(
	    out, "canonical", is_known ? canonicals[page->canonical] : NULL);
	out_json_string(out, "canonical_url", page->canonical_url);
	out_json_begin(out, "codes", '[');
	for (size_t i = 0; i < page->code_count; i++)
		out_json_code(out, NULL, page->codes[i]);
	out_json_end(out, ']');
}

/* The last line: a report without it was cut, and is no baseline. */
static void
put_summary(struct buf *out, const struct report *report)
{
	begin_record(out, "summary");
	out_json_string(out, "profile", report->profile);
	out_json_begin(out, "targets", '[');
	for (size_t i = 0; i < report->target_count; i++)
		out_json_text(out, NULL, slice_of(report->targets[i]));
	out_json_end(out, ']');
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
	out_json_number_if(out, "new", report->has_baseline,
	    report->errors + report->warnings + report->infos - report->known);
	out_json_number_if(out, "known", report->has_baseline, report->known);
	out_json_number_if(out, "gone", report->has_baseline, report->gone);
	out_json_number(out, "compared", report->compared);
	out_json_number(out, "uncompared", report->uncompared);
	if (report->has_unjudged_links)
		out_json_flag(out, "hreflang_judged", false);
	out_json_string(out, "agent",
	    report->agent_count > 0 ? report->agents[0].name : "freshet");
	out_json_begin(out, "agents", '[');
	for (size_t i = 0; i < report->agent_count; i++) {
		out_json_begin(out, NULL, '{');
		out_json_string(out, "agent", report->agents[i].name);
		out_json_number(out, "forbidden", report->agents[i].forbidden);
		out_json_end(out, '}');
	}
	out_json_end(out, ']');
	out_json_string(out, "sandbox", report->sandbox);
	out_json_time(out, "began", report->began_s);
	/* With milliseconds, which the writer of whole numbers does not have.
	 */
	out_json_key(out, "seconds");
	(void)buf_print(out, "%.3f", (double)report->spent_ms / 1000.0);
	out_json_number(out, "exit", (uint64_t)report->exit_status);
	out_json_line_end(out);
}

void
report_json(const struct report *report, struct out *out)
{
	for (size_t i = 0; i < report->document_count; i++) {
		json_put_document(&out->text, report, i);
		if (!out_line(out))
			return;
	}
	for (size_t i = 0; i < report->page_count; i++) {
		begin_record(&out->text, "page");
		json_put_page(&out->text, report, &report->pages[i]);
		(void)out_end_json(out);
	}
	/* A page that all agents may fetch has no record: there may be
	 * millions. */
	for (size_t i = 0; i < report->closed_count; i++) {
		begin_record(&out->text, "closed");
		out_json_string(
		    &out->text, "path", report->closed_pages[i].url);
		out_json_string(&out->text, "sitemap",
		    report->documents[report->closed_pages[i].document].url);
		out_json_begin(&out->text, "allowed", '{');
		for (size_t k = 0; k < report->agent_count; k++) {
			out_json_string(
			    &out->text, NULL, report->agents[k].name);
			(void)buf_put_char(&out->text, ':');
			out_json_flag(&out->text, NULL,
			    (report->closed_pages[i].agents >> k & 1) == 0);
		}
		out_json_end(&out->text, '}');
		out_json_line_end(&out->text);

		(void)out_line(out);
	}
	for (size_t i = 0; i < report->group_count; i++) {
		const struct diag_info *info = diag_info(
		    report->groups[i].code);

		begin_record(&out->text, "finding");
		put_counts(&out->text, report, &report->groups[i]);
		/* The catalogue stands beside the code, so that a program
		 * needs no copy of it. */
		out_json_string(&out->text, "trigger", info->trigger);
		out_json_string(
		    &out->text, "search_console", info->search_console);
		out_json_string(&out->text, "remedy",
		    report_remedy(report, &report->groups[i]).text);
		out_json_string(&out->text, "rule", info->rule);
		put_samples(&out->text, report, true, &report->groups[i]);
		out_json_line_end(&out->text);

		(void)out_line(out);
	}
	put_summary(&out->text, report);
	(void)out_line(out);
}
