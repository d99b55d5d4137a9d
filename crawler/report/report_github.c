/* A report as annotations of GitHub Actions (its workflow commands). */
#include <string.h>

#include "base/human.h"
#include "crawler/cli/out.h"
#include "crawler/report/report_phrases.h"

/* Escape '%' and the characters that end a property, which the runner would
 * interpret. vis has removed line feeds. */
static void
put_escaped(struct buf *out, struct slice text, const char *special)
{
	struct buf plain;

	buf_init(&plain, 4 * text.len + 4);
	vis_put(&plain, text, SIZE_MAX);
	for (size_t i = 0; i < plain.len; i++) {
		if (strchr(special, plain.p[i]) != NULL)
			(void)buf_print(
			    out, "%%%02X", (unsigned char)plain.p[i]);
		else
			(void)buf_put_char(out, plain.p[i]);
	}
	buf_release(&plain);
}

/* By enum severity. */
static const char *const github_commands[] = {
    "notice", "notice", "warning", "error"};

static void
github_put_place(struct buf *out, const struct report *report,
    const struct report_sample *sample)
{
	(void)buf_print(out, "%%0A");
	put_escaped(out,
	    report_path(report->home, &report->documents[sample->document]),
	    "%");
	report_put_line(out, sample);
	if (sample->seen[0] != '\0') {
		(void)buf_print(out, ": ");
		put_escaped(out, slice_of(sample->seen), "%");
	}
}

/* GitHub shows so many annotations of each severity. */
#define SHOWN 10

/* The annotation of a code at one of its samples. The first one has them all in
 * its message. */
static void
github_put_finding(struct buf *out, const struct report *report,
    const struct report_finding *finding, size_t i)
{
	const struct diag_info *info = diag_info(finding->code);
	const struct report_sample *sample = &finding->samples[i];

	(void)buf_print(out, "::%s ", github_commands[finding->severity]);
	/* a finding without a sample has no place of its own */
	if (i < finding->sample_count) {
		uint32_t line = sample->line;

		(void)buf_print(out, "file=");
		put_escaped(out,
		    slice_of(report_file(report_annotated(
			report, &report->documents[sample->document], &line))),
		    "%:,");
		(void)buf_put_char(out, ',');
		if (line > 0)
			(void)buf_print(out, "line=%u,", line);
	}
	/* A title tells the annotations of several tools apart. */
	(void)buf_print(out, "title=freshet%%3A %s::", info->code);
	put_escaped(out, slice_of(info->trigger), "%");
	if (i == 0 && finding->count > 1 && finding->known > 0)
		(void)buf_print(out, " (%s, %s new)",
		    human_of(finding->count, "time").text,
		    human_of(finding->count - finding->known, NULL).text);
	else if (i == 0 && finding->count > 1)
		(void)buf_print(
		    out, " (%s)", human_of(finding->count, "time").text);
	if (i > 0)
		github_put_place(out, report, sample);
	for (size_t k = 0; i == 0 && k < finding->sample_count; k++)
		github_put_place(out, report, &finding->samples[k]);
	(void)buf_print(out, "%%0Aremedy: ");
	put_escaped(out, slice_of(report_remedy(report, finding).text), "%");
	(void)buf_put_char(out, '\n');
}

/* The annotations of one severity: one for each code, then the further places
 * of each code, as long as GitHub shows them. */
static void
github_put_findings(
    struct out *out, const struct report *report, size_t from, size_t to)
{
	size_t shown = 0;

	/* One place of each code before a second one of any, as GitHub drops
	 * what comes later. */
	for (size_t k = 0; k < REPORT_SAMPLES; k++)
		for (size_t i = from; i < to; i++) {
			const struct report_finding *finding = &report
								    ->groups[i];

			/* An owner who has a baseline wants to see what is
			 * new. */
			if (finding->count > 0 &&
			    finding->known == finding->count)
				continue;
			if (k > 0 &&
			    (shown >= SHOWN || k >= finding->sample_count ||
				(report->has_baseline &&
				    !finding->samples[k].is_new)))
				continue;
			github_put_finding(&out->text, report, finding, k);
			(void)out_line(out);
			shown++;
		}
}

void
report_github(const struct report *report, struct out *out)
{
	size_t from, to = 0;

	/* its workflow commands must stay as they are */
	out->is_raw = true;
	while (to < report->group_count) {
		from = to;
		while (to < report->group_count &&
		    report->groups[to].severity ==
			report->groups[from].severity)
			to++;
		github_put_findings(out, report, from, to);
	}
	(void)buf_print(&out->text, "freshet: ");
	report_put_verdict(&out->text, report);
	(void)buf_print(&out->text, ", %s%s",
	    human_of(report->urls, "URL").text, report->has_rules ? ", " : "");
	report_put_accepted(&out->text, report);
	if (report->agent != NULL)
		(void)buf_print(
		    &out->text, ", robots.txt for %s", report->agent);
	(void)buf_put_char(&out->text, '\n');
	(void)out_line(out);
}
