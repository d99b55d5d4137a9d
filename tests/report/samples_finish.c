/* What follows from the documents of a report. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "crawler/report/report.h"
#include "tests/report/samples.h"

static struct report_finding *
group_of(struct report *report, const struct report_finding *finding)
{
	for (size_t i = 0; i < report->group_count; i++)
		if (report->groups[i].code == finding->code &&
		    report->groups[i].severity == finding->severity)
			return &report->groups[i];
	report->groups[report->group_count] = (struct report_finding){
	    .code = finding->code, .severity = finding->severity};
	return &report->groups[report->group_count++];
}

static void
count_finding(struct report *report, uint32_t number,
    struct report_document *document, const struct report_finding *finding)
{
	struct report_finding *group = group_of(report, finding);
	uint64_t *sums[] = {
	    NULL, &document->infos, &document->warnings, &document->errors};

	*sums[finding->severity] += finding->count;
	group->count += finding->count;
	for (size_t i = 0;
	     i < finding->sample_count && group->sample_count < REPORT_SAMPLES;
	     i++) {
		struct report_sample
		    *sample = &group->samples[group->sample_count++];

		*sample = finding->samples[i];
		sample->document = number;
	}
}

static int
worst_first(const void *a, const void *b)
{
	const struct report_finding *x = a, *y = b;

	if (x->severity != y->severity)
		return x->severity > y->severity ? -1 : 1;
	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	return (x->code > y->code) - (x->code < y->code);
}

static void
count_document(struct report *report, struct report_document *document)
{
	uint64_t *states[] = {
	    &report->success, &report->has_errors, &report->not_fetched};

	report->errors += document->errors;
	report->warnings += document->warnings;
	report->infos += document->infos;
	if (document->failure != DIAG_OK)
		document->status = REPORT_NOT_FETCHED;
	else if (document->errors > 0)
		document->status = REPORT_HAS_ERRORS;
	if (document->kind == KIND_ROBOTS)
		return;
	report->sitemaps++;
	++*states[document->status];
	if (document->kind == KIND_INDEX) {
		report->indexes++;
		return;
	}
	report->urls += document->accepted;
	report->refused += document->refused;
	report->entries += document->entries;
	report->dated += document->dated;
}

void
samples_finish(struct report *report)
{
	report->groups = mem_alloc(3 * DIAG_COUNT * sizeof(*report->groups));
	for (size_t i = 0; i < report->document_count; i++) {
		struct report_document *document = &report->documents[i];

		for (size_t k = 0; k < document->finding_count; k++) {
			struct report_finding *finding = &document->findings[k];

			for (size_t j = 0; j < finding->sample_count; j++)
				finding->samples[j].seen = finding->samples[j]
							       .text;
			count_finding(report, (uint32_t)i, document, finding);
		}
		count_document(report, document);
	}
	qsort(report->groups, report->group_count, sizeof(*report->groups),
	    worst_first);
	report->home = report_home(report);
	report->exit_status = report->errors > 0 ? 1 : 0;
}
