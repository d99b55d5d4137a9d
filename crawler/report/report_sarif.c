/* A report as SARIF 2.1.0 (OASIS), for code scanning. */
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "base/human.h"
#include "base/out_json.h"
#include "base/vis.h"
#include "crawler/cli/out.h"
#include "crawler/report/report_format.h"
#include "crawler/report/report_phrases.h"

struct sarif {
	const struct report *report;
	struct out *out;
	uint32_t rules[DIAG_COUNT]; /* place among the rules, from 1 */
	enum severity worst[DIAG_COUNT];
};

static const char *
level_of(enum severity severity)
{
	switch (severity) {
	case SEVERITY_ERROR:
		return "error";
	case SEVERITY_WARNING:
		return "warning";
	case SEVERITY_INFO:
		return "note";
	case SEVERITY_NONE:
		break;
	}
	return "none";
}

/* Append {"text": ...}. */
static void
put_message(struct buf *out, const char *key, const char *text)
{
	out_json_key(out, key);
	(void)buf_put_char(out, '{');
	out_json_word(out, "text", slice_of(text));
	(void)buf_put_char(out, '}');
}

/* Percent-encode all but letters, digits, the characters in `plain` (but no #
 * behind another: vis_put_lines()) and the escapes that a URL has. */
static void
put_encoded(struct buf *out, struct slice text, const char *plain)
{
	for (size_t i = 0; i < text.len; i++) {
		unsigned char c = (unsigned char)text.p[i];
		bool is_escape = c == '%' && strchr(plain, '%') != NULL &&
		    text.len - i > 2 &&
		    isxdigit((unsigned char)text.p[i + 1]) &&
		    isxdigit((unsigned char)text.p[i + 2]);
		bool is_second = c == '#' && i > 0 && text.p[i - 1] == '#';

		if ((c < 0x80 && isalnum(c)) || is_escape ||
		    (c != '\0' && c != '%' && !is_second &&
			strchr(plain, (char)c) != NULL))
			(void)buf_put_char(out, (char)c);
		else
			(void)buf_print(out, "%%%02X", c);
	}
}

/* A URI reference for a URL or the path of a file. */
static void
put_uri(struct buf *out, const char *url)
{
	struct slice origin = report_origin(slice_of(url));

	out_json_key(out, "uri");
	(void)buf_put_char(out, '"');
	if (origin.len > 0) {
		put_encoded(out, origin, "-._~:/@!$&'()*+,;=[]%");
		put_encoded(out, slice_from(slice_of(url), origin.len),
		    "-._~:/?#@!$&'()*+,;=%");
	} else {
		if (url[0] == '/')
			(void)buf_print(out, "file://");
		put_encoded(out, slice_of(url), "-._~/@!$&'()*+,;=");
	}
	(void)buf_put_char(out, '"');
}

/* The physical location, which is the first member. */
static void
put_physical(struct sarif *sarif, uint32_t document, uint32_t line)
{
	struct buf *out = &sarif->out->text;

	out_json_key(out, "physicalLocation");
	(void)buf_put_char(out, '{');
	out_json_key(out, "artifactLocation");
	(void)buf_put_char(out, '{');
	put_uri(out, report_file(&sarif->report->documents[document]));
	out_json_number(out, "index", document);
	(void)buf_put_char(out, '}');
	if (line > 0)
		(void)buf_print(out, ",\"region\":{\"startLine\":%u}", line);
	(void)buf_put_char(out, '}');
}

/* The samples after the first one. */
static void
put_related(struct sarif *sarif, uint32_t document,
    const struct report_finding *finding)
{
	struct buf *out = &sarif->out->text;

	if (finding->sample_count < 2)
		return;
	out_json_key(out, "relatedLocations");
	(void)buf_put_char(out, '[');
	for (size_t i = 1; i < finding->sample_count; i++) {
		const struct report_sample *sample = &finding->samples[i];

		(void)buf_print(out, i > 1 ? ",{" : "{");
		put_physical(sarif, document, sample->line);
		/* locations must be unique, and two samples may be equal */
		out_json_number(out, "id", i);
		/* Append the text of a sample as a message, if there is any. */
		struct buf seen;

		buf_init(&seen, SIZE_MAX);
		report_put_seen(&seen, sample);
		if (seen.len > 0)
			put_message(
			    &sarif->out->text, "message", buf_str(&seen));
		buf_release(&seen);
		(void)buf_put_char(out, '}');
	}
	(void)buf_put_char(out, ']');
}

static void
put_result(struct sarif *sarif, uint32_t document,
    const struct report_finding *finding)
{
	struct buf *out = &sarif->out->text;
	const struct report_document *at = &sarif->report->documents[document];
	uint32_t line = 0;

	(void)buf_print(out, "\n{");
	out_json_word(out, "ruleId", slice_of(diag_name(finding->code)));
	out_json_number(out, "ruleIndex", sarif->rules[finding->code] - 1);
	out_json_word(out, "level", slice_of(level_of(finding->severity)));
	if (sarif->report->has_baseline)
		out_json_word(out, "baselineState",
		    slice_of(finding->known == finding->count ? "unchanged"
			    : finding->known > 0              ? "updated"
							      : "new"));
	/* Append "trigger (3 times): sample". */
	struct buf text, seen;

	buf_init(&text, 1 << 16);
	(void)buf_print(&text, "%s", diag_info(finding->code)->trigger);
	if (finding->count > 1) {
		(void)buf_print(&text, " (");
		human_plural(&text, finding->count, "time");
		(void)buf_put_char(&text, ')');
	}
	buf_init(&seen, SIZE_MAX);
	if (finding->sample_count > 0)
		report_put_seen(&seen, &finding->samples[0]);
	if (seen.len > 0) {
		(void)buf_print(&text, ": ");
		vis_put(&text, buf_text(&seen), SIZE_MAX);
	}
	buf_release(&seen);
	put_message(&sarif->out->text, "message", buf_str(&text));
	buf_release(&text);
	out_json_key(out, "locations");
	(void)buf_print(out, "[{");
	if (finding->sample_count > 0)
		line = finding->samples[0].line;
	at = report_annotated(sarif->report, at, &line);
	put_physical(sarif, (uint32_t)(at - sarif->report->documents), line);
	(void)buf_print(out, "}]");
	put_related(sarif, document, finding);
	out_json_number(
	    out, "occurrenceCount", finding->count > 0 ? finding->count : 1);
	(void)buf_put_char(out, '}');
}

static void
put_rule(struct sarif *sarif, enum diag_code code)
{
	struct buf *out = &sarif->out->text;
	const struct diag_info *info = diag_info(code);

	(void)buf_print(out, "\n{");
	out_json_word(out, "id", slice_of(info->code));
	put_message(out, "shortDescription", info->trigger);
	put_message(out, "help", info->remedy);
	/* The part of the installed diagnostics.md that is about the code: a
	 * program for all sites has no address of its own in the web. */
	out_json_key(out, "helpUri");
	(void)buf_print(out, "\"file://");
	put_encoded(out, slice_of(FRESHET_DOC_DIR), "-._~/");
	(void)buf_print(out, "/reference/diagnostics.md#%s\"", info->code);
	out_json_key(out, "defaultConfiguration");
	(void)buf_print(
	    out, "{\"level\":\"%s\"}", level_of(sarif->worst[code]));
	out_json_key(out, "properties");
	(void)buf_put_char(out, '{');
	out_json_word(out, "rule", slice_of(info->rule));
	if (info->search_console[0] != '(')
		out_json_word(
		    out, "searchConsole", slice_of(info->search_console));
	(void)buf_print(out, "}}");
}

/* The rules that are used, in the order of the catalogue. */
static void
put_rules(struct sarif *sarif)
{
	const struct report *report = sarif->report;
	uint32_t count = 0;

	for (size_t i = 0; i < report->document_count; i++)
		for (size_t k = 0; k < report->documents[i].finding_count;
		     k++) {
			const struct report_finding
			    *finding = &report->documents[i].findings[k];
			enum severity *worst = &sarif->worst[finding->code];

			sarif->rules[finding->code] = 1;
			if (finding->severity > *worst)
				*worst = finding->severity;
		}
	out_json_key(&sarif->out->text, "rules");
	(void)buf_put_char(&sarif->out->text, '[');
	for (int code = DIAG_OK + 1; code < DIAG_COUNT; code++) {
		if (sarif->rules[code] == 0)
			continue;
		if (count > 0)
			(void)buf_put_char(&sarif->out->text, ',');
		sarif->rules[code] = ++count;
		put_rule(sarif, (enum diag_code)code);
	}
	(void)buf_put_char(&sarif->out->text, ']');
}

static void
put_results(struct sarif *sarif)
{
	const struct report *report = sarif->report;
	struct buf *out = &sarif->out->text;
	bool has_any = false;

	(void)buf_print(out, ",\"results\":[");
	for (size_t i = 0; i < report->document_count; i++)
		for (size_t k = 0; k < report->documents[i].finding_count;
		     k++) {
			if (has_any)
				(void)buf_put_char(out, ',');
			has_any = true;
			put_result(sarif, (uint32_t)i,
			    &report->documents[i].findings[k]);
			if (!out_line(sarif->out))
				return;
		}
	(void)buf_put_char(out, ']');
}

/* All documents: the index of a location is the document's number. */
static void
put_artifacts(struct sarif *sarif)
{
	const struct report *report = sarif->report;
	struct buf *out = &sarif->out->text;

	(void)buf_print(out, ",\"artifacts\":[");
	for (size_t i = 0; i < report->document_count; i++) {
		if (i > 0)
			(void)buf_put_char(out, ',');
		(void)buf_print(out, "\n{\"location\":{");
		put_uri(out, report_file(&report->documents[i]));
		(void)buf_put_char(out, '}');
		if (report->documents[i].decoded_bytes > 0)
			out_json_number(
			    out, "length", report->documents[i].decoded_bytes);
		(void)buf_put_char(out, '}');
		if (!out_line(sarif->out))
			return;
	}
	(void)buf_put_char(out, ']');
}

/* Findings are no failure of the tool: SARIF 3.20.14. */
static void
put_invocation(struct sarif *sarif)
{
	const struct report *report = sarif->report;
	struct buf *out = &sarif->out->text;

	(void)buf_print(out,
	    ",\"invocations\":[{\"executionSuccessful\":%s,"
	    "\"exitCode\":%d,\"startTimeUtc\":\"",
	    report->exit_status <= 1 ? "true" : "false", report->exit_status);
	time_print(out, report->began_s);
	(void)buf_print(out, "\",\"endTimeUtc\":\"");
	time_print(out, report->began_s + (report->spent_ms + 999) / 1000);
	(void)buf_print(out, "\"}]");
}

/* SARIF has no place for pages without faults, so they go to a property bag. */
static void
put_pages(struct sarif *sarif)
{
	const struct report *report = sarif->report;
	struct buf *out = &sarif->out->text;

	if (report->page_count == 0)
		return;
	out_json_key(out, "pages");
	(void)buf_put_char(out, '[');
	for (size_t i = 0; i < report->page_count; i++) {
		(void)buf_print(out, i > 0 ? ",\n{" : "\n{");
		report_put_page_json(out, report, &report->pages[i]);
		(void)buf_put_char(out, '}');
		if (!out_line(sarif->out))
			return;
	}
	(void)buf_put_char(out, ']');
}

void
report_sarif(const struct report *report, struct out *out)
{
	struct sarif sarif = {.report = report, .out = out};

	(void)buf_print(&out->text,
	    "{\"$schema\":\"https://json.schemastore.org/sarif-2.1.0.json\","
	    "\"version\":\"2.1.0\",\"runs\":[{\"tool\":{\"driver\":"
	    "{\"name\":\"freshet\",\"version\":\"%s\"",
	    FRESHET_VERSION);
	put_rules(&sarif);
	(void)buf_print(&out->text, "}}");
	put_invocation(&sarif);
	put_artifacts(&sarif);
	put_results(&sarif);
	(void)buf_print(&out->text,
	    ",\"columnKind\":\"unicodeCodePoints\",\"properties\":{");
	out_json_word(&out->text, "profile", slice_of(report->profile));
	if (report->agent != NULL)
		out_json_word(&out->text, "agent", slice_of(report->agent));
	put_pages(&sarif);
	(void)buf_print(&out->text, "}}]}\n");
	(void)out_line(out);
}
