/* A report as SARIF 2.1.0 (OASIS), for code scanning. */
#include <ctype.h>
#include <string.h>

#include "base/human.h"
#include "base/out_json.h"
#include "crawler/cli/out.h"
#include "crawler/report/report_phrases.h"

struct sarif {
	const struct report *report;
	struct out *out;
	/* the worst findings of each code; NULL: there are none */
	const struct report_finding *groups[DIAG_COUNT];
	uint32_t rules[DIAG_COUNT]; /* place among the rules */
};

/* By enum severity. */
static const char *const sarif_levels[] = {"none", "note", "warning", "error"};

/* Begin an element of a list in a line of its own. The elements before it may
 * have left the buf, so whether a comma is due is the caller's to say. */
static void
next_line(struct buf *out, bool has_before)
{
	(void)buf_put_slice(out, slice_of(has_before ? ",\n" : "\n"));
}

static void
put_message(struct buf *out, const char *key, const char *text)
{
	out_json_begin(out, key, '{');
	out_json_string(out, "text", text);
	out_json_end(out, '}');
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

static void
put_physical(struct sarif *sarif, uint32_t document, uint32_t line)
{
	struct buf *out = &sarif->out->text;

	out_json_begin(out, "physicalLocation", '{');
	out_json_begin(out, "artifactLocation", '{');
	put_uri(out, report_file(&sarif->report->documents[document]));
	out_json_number(out, "index", document);
	out_json_end(out, '}');
	if (line > 0) {
		out_json_begin(out, "region", '{');
		out_json_number(out, "startLine", line);
		out_json_end(out, '}');
	}
	out_json_end(out, '}');
}

/* A document that was not read has its result where its index lists it: that
 * line is what people can change. */
static void
put_result(struct sarif *sarif, uint32_t document,
    const struct report_finding *finding)
{
	struct buf *out = &sarif->out->text;
	const struct report_document *at = &sarif->report->documents[document];
	uint32_t line = 0;

	out_json_begin(out, NULL, '{');
	out_json_string(out, "ruleId", diag_name(finding->code));
	out_json_number(out, "ruleIndex", sarif->rules[finding->code]);
	out_json_string(out, "level", sarif_levels[finding->severity]);
	/* A tool that keeps results of its own may compare them itself; this
	 * says what freshet compared. */
	if (sarif->report->has_baseline)
		out_json_string(out, "baselineState",
		    finding->known == finding->count ? "unchanged"
			: finding->known > 0         ? "updated"
						     : "new");
	struct buf text = BUF_UP_TO(1 << 16);

	(void)buf_print(&text, "%s", diag_info(finding->code)->trigger);
	if (finding->count > 1)
		(void)buf_print(
		    &text, " (%s)", human_of(finding->count, "time").text);
	if (finding->sample_count > 0 && finding->samples[0].seen[0] != '\0') {
		(void)buf_print(&text, ": ");
		vis_put(&text, slice_of(finding->samples[0].seen), SIZE_MAX);
	}
	put_message(out, "message", buf_str(&text));
	buf_release(&text);
	out_json_begin(out, "locations", '[');
	out_json_begin(out, NULL, '{');
	if (finding->sample_count > 0)
		line = finding->samples[0].line;
	at = report_annotated(sarif->report, at, &line);
	put_physical(sarif, (uint32_t)(at - sarif->report->documents), line);
	(void)buf_print(out, "}]");
	if (finding->sample_count >= 2) {
		out_json_begin(out, "relatedLocations", '[');
		for (size_t i = 1; i < finding->sample_count; i++) {
			const struct report_sample *sample = &finding
								  ->samples[i];

			out_json_begin(out, NULL, '{');
			put_physical(sarif, document, sample->line);
			/* locations must be unique, and two samples may be
			 * equal */
			out_json_number(out, "id", i);
			if (sample->seen[0] != '\0')
				put_message(out, "message", sample->seen);
			out_json_end(out, '}');
		}
		out_json_end(out, ']');
	}

	out_json_number(
	    out, "occurrenceCount", finding->count > 0 ? finding->count : 1);
	out_json_end(out, '}');
}

/* The level of a rule is its worst one, since a code may have another in the
 * profile of each site. */
static void
put_rule(struct sarif *sarif, const struct report_finding *group)
{
	struct buf *out = &sarif->out->text;
	const struct diag_info *info = diag_info(group->code);

	out_json_begin(out, NULL, '{');
	out_json_string(out, "id", info->code);
	put_message(out, "shortDescription", info->trigger);
	/* All findings of the code have one text here. */
	put_message(out, "help", report_remedy(sarif->report, group).text);
	/* The part of the installed diagnostics.md that is about the code: a
	 * program for all sites has no address of its own in the web. */
	out_json_key(out, "helpUri");
	(void)buf_print(out, "\"file://");
	put_encoded(out, slice_of(FRESHET_DOC_DIR), "-._~/");
	(void)buf_print(out, "/reference/diagnostics.md#%s\"", info->code);
	out_json_begin(out, "defaultConfiguration", '{');
	out_json_string(out, "level", sarif_levels[group->severity]);
	out_json_end(out, '}');
	out_json_begin(out, "properties", '{');
	out_json_string(out, "rule", info->rule);
	if (info->search_console[0] != '(')
		out_json_string(out, "searchConsole", info->search_console);
	(void)buf_print(out, "}}");
}

/* The rules that are used, in the order of the catalogue. */
static void
put_rules(struct sarif *sarif)
{
	const struct report *report = sarif->report;
	uint32_t count = 0;

	for (size_t i = report->group_count; i-- > 0;)
		sarif->groups[report->groups[i].code] = &report->groups[i];
	out_json_begin(&sarif->out->text, "rules", '[');
	/* By the catalogue, so that two reports of a site differ only in what
	 * they found. */
	for (int code = DIAG_OK + 1; code < DIAG_COUNT; code++) {
		if (sarif->groups[code] == NULL)
			continue;
		next_line(&sarif->out->text, count > 0);
		sarif->rules[code] = count++;
		put_rule(sarif, sarif->groups[code]);
	}
	out_json_end(&sarif->out->text, ']');
}

static void
put_results(struct sarif *sarif)
{
	const struct report *report = sarif->report;
	struct buf *out = &sarif->out->text;
	bool has_any = false;

	out_json_begin(out, "results", '[');
	for (size_t i = 0; i < report->document_count; i++)
		for (size_t k = 0; k < report->documents[i].finding_count;
		     k++) {
			next_line(out, has_any);
			has_any = true;
			put_result(sarif, (uint32_t)i,
			    &report->documents[i].findings[k]);
			if (!out_line(sarif->out))
				return;
		}
	out_json_end(out, ']');
}

/* All documents: the index of a location is the document's number. */
static void
put_artifacts(struct sarif *sarif)
{
	const struct report *report = sarif->report;
	struct buf *out = &sarif->out->text;

	out_json_begin(out, "artifacts", '[');
	for (size_t i = 0; i < report->document_count; i++) {
		next_line(out, i > 0);
		out_json_begin(out, NULL, '{');
		out_json_begin(out, "location", '{');
		put_uri(out, report_file(&report->documents[i]));
		out_json_end(out, '}');
		/* A document that was not read has no length, which is not the
		 * same as 0. */
		if (report->documents[i].decoded_bytes > 0)
			out_json_number(
			    out, "length", report->documents[i].decoded_bytes);
		out_json_end(out, '}');
		if (!out_line(sarif->out))
			return;
	}
	out_json_end(out, ']');
}

void
report_sarif(const struct report *report, struct out *out)
{
	struct sarif sarif = {.report = report, .out = out};
	struct buf *text = &out->text;

	(void)buf_print(text,
	    "{\"$schema\":\"https://json.schemastore.org/sarif-2.1.0.json\","
	    "\"version\":\"2.1.0\",\"runs\":[{\"tool\":{\"driver\":{"
	    "\"name\":\"freshet\",\"version\":\"" FRESHET_VERSION "\"");
	put_rules(&sarif);
	(void)buf_print(text, "}},\"invocations\":[{");
	/* findings are no failure of the tool: SARIF 3.20.14 */
	out_json_flag(text, "executionSuccessful", report->exit_status <= 1);
	out_json_number(text, "exitCode", (uint64_t)report->exit_status);
	out_json_time(text, "startTimeUtc", report->began_s);
	out_json_time(text, "endTimeUtc",
	    report->began_s + (report->spent_ms + 999) / 1000);
	(void)buf_print(text, "}]");
	put_artifacts(&sarif);
	put_results(&sarif);
	out_json_string(text, "columnKind", "unicodeCodePoints");
	out_json_begin(text, "properties", '{');
	out_json_string(text, "profile", report->profile);
	if (report->agent != NULL)
		out_json_string(text, "agent", report->agent);
	(void)buf_print(text, "}}]");
	(void)out_end_json(out);
}
