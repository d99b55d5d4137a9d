/* The output of a command that asked for a crawl. */
#include "crawler/control/crawl_output.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/human.h"
#include "base/mem.h"
#include "base/out_json.h"
#include "base/verdict.h"
#include "base/vis.h"
#include "crawler/cli/out.h"
#include "crawler/crawl/totals.h"
#include "crawler/event/exit.h"

#define TEXT_MAX 1000
#define SHOWN 10 /* failed documents in the summary */
#define SUMMARY_TEXT_MAX 160
#define SAMPLE_MAX 74

/* What is known of one diagnostic code, and where it was seen first. */
struct code_place {
	char *url; /* owned; NULL: never seen */
	char *text;
	uint32_t line;
	uint64_t count;
	/* the worst severity, by the profiles of the sites */
	enum severity severity;
};

struct lost_document {
	char *url; /* owned */
	char *text; /* owned */
	enum diag_code code;
	bool is_refused;
};

struct crawl_output {
	struct crawl_output_options options;
	struct buf line, tame; /* empty: their memory is used again */
	/* For the summary.  Indexed by diagnostic code. */
	struct code_place places[DIAG_COUNT];
	struct lost_document lost[SHOWN];
	size_t lost_shown;
	uint64_t lost_count;
};

struct crawl_output *
crawl_output_new(const struct crawl_output_options *options)
{
	struct crawl_output *output = mem_zero(sizeof(*output));

	output->options = *options;
	buf_init(&output->line, SIZE_MAX);
	buf_init(&output->tame, SIZE_MAX);
	return output;
}

void
crawl_output_free(struct crawl_output *output)
{
	if (output == NULL)
		return;
	for (int i = 0; i < DIAG_COUNT; i++) {
		free(output->places[i].url);
		free(output->places[i].text);
	}
	for (size_t i = 0; i < output->lost_shown; i++) {
		free(output->lost[i].url);
		free(output->lost[i].text);
	}
	buf_release(&output->line);
	buf_release(&output->tame);
	free(output);
}

/* The closing summary, for people. */

/* first_text(findings, code): the text of the code's first sample, or "". */
static const char *
first_text(const struct findings *findings, enum diag_code code)
{
	const struct finding *finding = findings_get(findings, code);

	if (finding == NULL || finding->sample_count == 0 ||
	    finding->samples[0].text == NULL)
		return "";
	return finding->samples[0].text;
}

/* Count the document, and keep its findings, with the severities of the
 * profile. */
static void
summary_note(struct crawl_output *output, struct slice url,
    const struct reading *reading, const struct profile *profile)
{
	const struct findings *findings = &reading->content.findings;

	for (size_t i = 0; i < findings->count; i++) {
		const struct finding *finding = &findings->items[i];
		struct code_place *place = &output->places[finding->code];

		place->count += finding->count;
		if (profile_severity(profile, finding->code) > place->severity)
			place->severity = profile_severity(
			    profile, finding->code);
		if (place->url != NULL || finding->code == reading->failure)
			continue;
		place->url = slice_dup(url);
		place->text = mem_copy(first_text(findings, finding->code));
		place->line = finding->sample_count > 0
		    ? finding->samples[0].line
		    : 0;
	}
	if (reading->failure != DIAG_OK) {
		/* A document that could not be read; the first SHOWN are kept.
		 */
		struct lost_document *lost;

		output->lost_count++;
		if (output->lost_shown != SHOWN) {
			lost = &output->lost[output->lost_shown++];
			*lost = (struct lost_document){.url = slice_dup(url),
			    .text = mem_copy(first_text(
				&reading->content.findings, reading->failure)),
			    .code = reading->failure,
			    .is_refused = reading->outcome == OUTCOME_REFUSED};
		}
	}
}

/* summary_put_part(out, n, what): "   12 failed"; nothing if n is 0. */
static void
summary_put_part(struct buf *out, uint64_t n, const char *what)
{
	if (n == 0)
		return;
	(void)buf_print(out, "   %s %s", human_n(n).text, what);
}

static void
put_totals(struct buf *out, const struct run_totals *totals, int64_t spent_ms)
{
	(void)buf_print(out, "%s of %s, %s",
	    human_of(totals->done, "document").text,
	    human_of(totals->sites, "site").text,
	    human_of(totals->listed, "URL").text);
	/* " (12 refused by R-58)", if any URL is. */
	enum verdict most;
	uint64_t refused = totals_refused(totals, &most);

	if (refused != 0) {
		(void)buf_print(out, " (");
		verdict_put_refused(out, refused, most);
		(void)buf_put_char(out, ')');
	}

	(void)buf_print(out, "\n ");
	summary_put_part(out, totals->read, "read");
	if (totals->partial > 0)
		(void)buf_print(
		    out, " (%s not to the end)", human_n(totals->partial).text);
	summary_put_part(out, totals->unchanged, "unchanged");
	summary_put_part(out, totals->already, "read before");
	summary_put_part(out, totals->failed, "failed");
	summary_put_part(out, totals->refused, "refused");
	(void)buf_print(out, "   in %s, %s, %s\n ", human_time(spent_ms).text,
	    human_of(totals->requests, "request").text,
	    human_size(totals->wire_bytes).text);
	if (totals->first_sites > 0 && totals->first_sites == totals->sites)
		(void)buf_print(out, "   read for the first time");
	else if (totals->first_sites > 0)
		summary_put_part(out, totals->first_sites,
		    "of the sites for the first time");
	summary_put_part(out, totals->changes[DELTA_ADDED], "new");
	summary_put_part(out, totals->changes[DELTA_RETURNED], "back again");
	summary_put_part(
	    out, totals->changes[DELTA_BACK], "back in the window");
	summary_put_part(out, totals->changes[DELTA_REDATED], "re-dated");
	summary_put_part(out, totals->changes[DELTA_REMOVED], "removed");
	summary_put_part(out, totals->changes[DELTA_GONE], "gone");
	summary_put_part(out, totals->changes[DELTA_LEFT], "left the window");
	summary_put_part(out, totals->changes[DELTA_REFUSED], "now refused");
	summary_put_part(out, totals->changes[DELTA_ACCEPTED], "now accepted");
	summary_put_part(out, totals->refused_entries,
	    totals->refused_entries == 1 ? "entry refused" : "entries refused");
	if (out->p[out->len - 1] == ' ')
		(void)buf_print(out, "   nothing new");
	(void)buf_put_char(out, '\n');
	if (totals->waiting > 0) {
		(void)buf_print(out, "waiting for a second reading: ");
		human_waiting(out, totals->waiting, totals->waiting_urls);
		(void)buf_put_char(out, '\n');
	}
}

/* put_sample(out, code, text): the text of the sample, in 80 columns. */
static void
put_sample(struct buf *out, enum diag_code code, const char *text)
{
	if (text[0] == '\0')
		return;
	/* Is the sample's text a sentence of the program, and no text of the
	 * document? */
	if (code == DIAG_MASS_DROP || code == DIAG_VERDICT_CHANGED) {
		struct buf shown;

		buf_init(&shown, SIZE_MAX);
		vis_put(&shown, slice_of(text), SIZE_MAX);
		out_wrapped(out, "      ", buf_str(&shown));
		buf_release(&shown);
		return;
	}
	(void)buf_print(out, "      ");
	vis_put(out, slice_of(text), SAMPLE_MAX);
	(void)buf_put_char(out, '\n');
}

/* put_codes(out, output, severity, title): the codes of one severity. */
static void
put_codes(struct buf *out, const struct crawl_output *output,
    enum severity severity, const char *title)
{
	bool has_title = false;

	for (int i = DIAG_OK + 1; i < DIAG_COUNT; i++) {
		enum diag_code code = (enum diag_code)i;

		if (output->places[i].url == NULL ||
		    output->places[i].severity != severity)
			continue;
		if (!has_title)
			(void)buf_print(out, "%s\n", title);
		has_title = true;
		(void)buf_print(out, "  %-24s %s  ", diag_name(code),
		    human_n(output->places[i].count).text);
		vis_put(out, slice_of(output->places[i].url), SUMMARY_TEXT_MAX);
		if (output->places[i].line > 0)
			(void)buf_print(
			    out, " line %u", output->places[i].line);
		(void)buf_put_char(out, '\n');
		put_sample(out, code, output->places[i].text);
	}
}

static void
summary_put(struct buf *out, const struct crawl_output *output,
    const struct run_totals *totals, int64_t spent_ms)
{
	put_totals(out, totals, spent_ms);
	if (output->lost_count != 0) {
		human_plural(out, output->lost_count, "document");
		(void)buf_print(out, " could not be read:\n");
		for (size_t i = 0; i < output->lost_shown; i++) {
			const struct lost_document *lost = &output->lost[i];

			(void)buf_print(out, "  %s  ", diag_name(lost->code));
			vis_put(out, slice_of(lost->url), SUMMARY_TEXT_MAX);
			(void)buf_put_char(out, '\n');
			put_sample(out, lost->code, lost->text);
		}
		if (output->lost_count > output->lost_shown)
			(void)buf_print(out, "  ... and more\n");
	}

	put_codes(
	    out, output, SEVERITY_ERROR, "errors: how often, and where first");
	put_codes(out, output, SEVERITY_WARNING,
	    "warnings: how often, and where first");
	/* Does the summary name any code? */
	bool has = output->lost_count > 0;

	for (int i = DIAG_OK + 1; i < DIAG_COUNT && !has; i++)
		has = output->places[i].url != NULL &&
		    output->places[i].severity >= SEVERITY_WARNING;
	if (has)
		(void)buf_print(
		    out, "freshet help CODE says what each means\n");
}

/* The same as JSON lines, for a document, and for the whole crawl. */

static void
json_changes(struct buf *out, const uint64_t changes[DELTA_KINDS])
{
	out_json_number(out, "added", changes[DELTA_ADDED]);
	out_json_number(out, "removed", changes[DELTA_REMOVED]);
	out_json_number(out, "returned", changes[DELTA_RETURNED]);
	out_json_number(out, "redated", changes[DELTA_REDATED]);
	out_json_number(out, "gone", changes[DELTA_GONE]);
	out_json_number(out, "now_refused", changes[DELTA_REFUSED]);
	out_json_number(out, "now_accepted", changes[DELTA_ACCEPTED]);
	out_json_number(out, "left", changes[DELTA_LEFT]);
	out_json_number(out, "back", changes[DELTA_BACK]);
}

static void
summary_json_document(struct buf *out, struct slice url,
    const struct reading *reading, const struct profile *profile)
{
	const struct content *content = &reading->content;

	out_json_line(out, "document");
	out_json_text(out, "url", url);
	out_json_string(out, "kind", document_kind_name(content->kind));
	out_json_string(out, "outcome", outcome_name(reading->outcome));
	out_json_number(out, "status", (uint64_t)reading->http.status);
	out_json_code(out, "failure", reading->failure);
	out_json_flag(out, "complete", content->is_complete);
	out_json_number(out, "seen", content->seen);
	out_json_number(out, "accepted", content->accepted);
	out_json_number(out, "refused", content->refused);
	out_json_number(out, "entries", content->merge.entries);
	out_json_number(out, "listed_refused", content->merge.refused);
	out_json_number(out, "dated", content->merge.dated);
	json_changes(out, content->merge.changes);
	out_json_number(out, "wire_bytes", reading->http.wire_bytes);
	out_json_number(out, "decoded_bytes", content->decoded_bytes);
	out_json_string(out, "final_url", reading->http.final_url);
	out_json_list(out, "findings");
	for (size_t i = 0; i < content->findings.count; i++) {
		const struct finding *finding = &content->findings.items[i];
		bool has = finding->sample_count > 0;

		out_json_begin(out, NULL);
		out_json_code(out, "code", finding->code);
		out_json_string(out, "severity",
		    severity_name(profile_severity(profile, finding->code)));
		out_json_number(out, "count", finding->count);
		out_json_some(out, "line", has ? finding->samples[0].line : 0);
		out_json_string(
		    out, "text", has ? finding->samples[0].text : NULL);
		out_json_end(out);
	}
	out_json_list_end(out);
	out_json_line_end(out);
}

static void
summary_json_totals(struct buf *out, const struct run_totals *totals,
    const char *sandbox, int64_t spent_ms, int status)
{
	enum verdict most;

	out_json_line(out, "summary");
	out_json_number(out, "sites", totals->sites);
	out_json_begin(out, "documents");
	out_json_number(out, "known", totals->known);
	out_json_number(out, "read", totals->read);
	out_json_number(out, "unchanged", totals->unchanged);
	out_json_number(out, "already", totals->already);
	out_json_number(out, "failed", totals->failed);
	out_json_number(out, "refused", totals->refused);
	out_json_end(out);
	out_json_begin(out, "urls");
	out_json_number(out, "listed", totals->listed);
	out_json_number(out, "refused", totals_refused(totals, &most));
	json_changes(out, totals->changes);
	out_json_end(out);
	out_json_begin(out, "waiting");
	out_json_number(out, "documents", totals->waiting);
	out_json_number(out, "urls", totals->waiting_urls);
	out_json_end(out);
	out_json_number(out, "refused_entries", totals->refused_entries);
	out_json_begin(out, "findings");
	for (int i = DIAG_OK + 1; i < DIAG_COUNT; i++)
		if (totals->codes[i] > 0)
			out_json_number(out, diag_name((enum diag_code)i),
			    totals->codes[i]);
	out_json_end(out);
	out_json_begin(out, "parsers");
	out_json_number(out, "scanned", totals->scanned);
	out_json_number(out, "scanned_bytes", totals->scanned_bytes);
	out_json_number(out, "parsed", totals->parsed);
	out_json_number(out, "parsed_bytes", totals->parsed_bytes);
	out_json_begin(out, "aside");
	for (int i = ASIDE_NO + 1; i < ASIDE_COUNT; i++)
		if (totals->asides[i] > 0)
			out_json_number(
			    out, aside_name((enum aside)i), totals->asides[i]);
	out_json_end(out);
	out_json_end(out);
	out_json_number(out, "wire_bytes", totals->wire_bytes);
	out_json_number(out, "requests", totals->requests);
	out_json_number(out, "longest_gap_ms", totals->gap_ms);
	out_json_number(out, "longest_gap_cpu_ms", totals->gap_cpu_ms);
	out_json_number(out, "longest_commit_ms", totals->commit_ms);
	out_json_string(out, "sandbox", sandbox);
	(void)buf_print(out, ",\"seconds\":%.3f", (double)spent_ms / 1000.0);
	out_json_number(out, "exit", (uint64_t)status);
	out_json_line_end(out);
}

/* The output. */

/* write_lines(output, stream): write the whole lines in output->line, with
 * control characters escaped. */
static void
write_lines(struct crawl_output *output, enum stream stream)
{
	struct vis_lines lines = {.is_inside = false};

	vis_put_lines(&output->tame, buf_text(&output->line), &lines);
	output->options.write(
	    output->options.arg, stream, buf_text(&output->tame));
	buf_clear(&output->tame);
	buf_clear(&output->line);
}

void
crawl_output_document(void *arg, struct slice url,
    const struct reading *reading, const struct profile *profile)
{
	struct crawl_output *output = arg;

	if (!output->options.is_json) {
		summary_note(output, url, reading, profile);
		return;
	}
	summary_json_document(&output->line, url, reading, profile);
	write_lines(output, STREAM_OUT);
}

void
crawl_output_problem(
    void *arg, enum diag_code code, struct slice url, struct slice text)
{
	struct crawl_output *output = arg;
	struct buf *line = &output->line;

	if (output->options.is_quiet)
		return;
	(void)buf_print(line, "freshet: ");
	if (url.len > 0) {
		vis_put(line, url, TEXT_MAX);
		(void)buf_print(line, ": ");
	}
	if (code != DIAG_OK)
		(void)buf_print(line, "%s: ", diag_name(code));
	if (text.len > 0 || code == DIAG_OK)
		vis_put(line, text, TEXT_MAX);
	else
		(void)buf_print(line, "%s", diag_info(code)->trigger);
	(void)buf_put_char(line, '\n');
	write_lines(output, STREAM_ERR);
}

void
crawl_output_end(struct crawl_output *output, const struct run_totals *totals,
    int64_t spent_ms, int status)
{
	if (output->options.is_json)
		summary_json_totals(&output->line, totals,
		    output->options.sandbox, spent_ms, status);
	else if (!output->options.is_quiet)
		summary_put(&output->line, output, totals, spent_ms);
	write_lines(output, STREAM_OUT);
	if (status == EXIT_BUDGET)
		output->options.write(output->options.arg, STREAM_ERR,
		    slice_of("freshet: stopped at a limit; run the same "
			     "command to go on\n"));
}
