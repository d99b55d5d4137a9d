/* A report as JUnit XML, for systems that show tests. */
#include <inttypes.h>

#include "base/human.h"
#include "crawler/chart/markup.h"
#include "crawler/cli/out.h"
#include "crawler/report/report_phrases.h"

/* Does the finding fail the check?  What the baseline knows is printed, and
 * fails nothing; without --fail-on, errors do. */
static bool
is_failure(const struct report *report, const struct report_finding *finding)
{
	enum severity gate = report->fail_on == SEVERITY_NONE ? SEVERITY_ERROR
							      : report->fail_on;

	return finding->severity >= gate &&
	    (finding->known == 0 || finding->known < finding->count);
}

static bool
does_fail(const struct report *report, const struct report_document *document)
{
	for (size_t i = 0; i < document->finding_count; i++)
		if (is_failure(report, &document->findings[i]))
			return true;
	/* the owner may have accepted why it was not read */
	return document->status != REPORT_SUCCESS && !report->has_rules;
}

static bool
junit_is_of(const struct report *report, const struct report_document *document,
    size_t target)
{
	/* a target out of range counts as the last one */
	return document->target == target ||
	    (target + 1 == report->target_count &&
		document->target >= report->target_count);
}

static void
put_finding(struct buf *out, const struct report *report,
    const struct report_finding *finding)
{
	const struct diag_info *info = diag_info(finding->code);

	markup_print(
	    out, "%s: %s", severity_names[finding->severity], info->code);
	if (finding->count > 1)
		markup_print(
		    out, ", %s", human_of(finding->count, "time").text);
	markup_print(out, ": %t", info->trigger);
	for (size_t i = 0; i < finding->sample_count; i++) {
		const struct report_sample *sample = &finding->samples[i];
		bool has_line = sample->line > 0 || sample->entry > 0;

		if (!has_line && sample->seen[0] == '\0')
			continue;
		markup_put(out, "\n ");
		report_put_line(out, sample);
		markup_print(out, has_line ? ": %t" : " %t", sample->seen);
	}
	markup_print(
	    out, "\n  remedy: %t\n", report_remedy(report, finding).text);
}

/* The failure, named after the worst finding, which comes first. */
static void
put_failure(struct buf *out, const struct report *report,
    const struct report_document *document)
{
	const char *type = document->finding_count > 0
	    ? diag_name(document->findings[0].code)
	    : diag_name(document->failure);

	markup_print(out, "<failure type=\"%t\" message=\"%t", type,
	    report_status_names[document->status]);
	for (size_t i = 0, shown = 0; i < document->finding_count; i++)
		if (is_failure(report, &document->findings[i]))
			(void)buf_print(out, "%s%s", shown++ == 0 ? ": " : ", ",
			    diag_name(document->findings[i].code));
	(void)buf_print(out, "\">");
	for (size_t i = 0; i < document->finding_count; i++)
		if (is_failure(report, &document->findings[i]))
			put_finding(out, report, &document->findings[i]);
	(void)buf_print(out, "</failure>\n");
}

/* A suite for each target, so that a system which shows tests has a line for
 * each site. */
static void
put_suite(struct out *out, const struct report *report, size_t target)
{
	struct buf *text = &out->text;
	uint64_t all = 0, fails = 0;

	for (size_t i = 0; i < report->document_count; i++) {
		if (!junit_is_of(report, &report->documents[i], target))
			continue;
		all++;
		fails += does_fail(report, &report->documents[i]);
	}
	markup_print(text, "<testsuite name=\"%t\"", report->targets[target]);
	(void)buf_print(text,
	    " tests=\"%" PRIu64 "\" failures=\"%" PRIu64
	    "\" errors=\"0\" skipped=\"0\" time=\"0\" timestamp=\"",
	    all, fails);
	time_print(text, report->began_s);
	text->len--; /* the usual schema of JUnit has no time zone */
	(void)buf_print(text, "\">\n");
	for (size_t i = 0; i < report->document_count; i++) {
		if (!junit_is_of(report, &report->documents[i], target))
			continue;
		const struct report_document *document = &report->documents[i];
		markup_print(text,
		    "<testcase name=\"%t\" classname=\"freshet.%s\" "
		    "time=\"0\">\n",
		    document->url, document_kind_name(document->kind));
		if (does_fail(report, document))
			put_failure(text, report, document);
		/* The findings that do not fail the document. */
		markup_print(
		    text, "<system-out>%s", report_kind_titles[document->kind]);
		if (document->status != REPORT_NOT_FETCHED) {
			(void)buf_print(text, ", ");
			report_put_size(text, document);
		}
		(void)buf_put_char(text, '\n');
		for (size_t k = 0; k < document->finding_count; k++)
			if (!is_failure(report, &document->findings[k]))
				put_finding(
				    text, report, &document->findings[k]);
		markup_put(text, "</system-out>\n</testcase>\n");
		if (!out_line(out))
			return;
	}
	(void)buf_print(text, "</testsuite>\n");
}

void
report_junit(const struct report *report, struct out *out)
{
	uint64_t fails = 0;

	for (size_t i = 0; i < report->document_count; i++)
		fails += does_fail(report, &report->documents[i]);
	(void)buf_print(&out->text,
	    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
	    "<testsuites name=\"freshet check\" tests=\"%zu\" "
	    "failures=\"%" PRIu64 "\" errors=\"0\" time=\"%.3f\">\n",
	    report->document_count, fails, (double)report->spent_ms / 1000.0);
	for (size_t i = 0; i < report->target_count; i++)
		put_suite(out, report, i);
	(void)buf_print(&out->text, "</testsuites>\n");
	(void)out_line(out);
}
