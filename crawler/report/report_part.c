/* The parts of a report while it grows: documents, findings, strings. */
#include "crawler/report/report_part.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/civil.h"
#include "base/mem.h"
#include "base/suggestion.h"

#define TEXTS_MAX_BYTES (48u << 20) /* of all samples */
#define LARGE 1000 /* a report with more documents is large */
/* samples of one code in one document, if the report is large */
#define PART_SAMPLES 4
#define SHORT_TAG 4 /* letters */

const char *
report_text_own(struct report_builder *builder, struct slice text)
{
	char *copy = slice_dup(text);

	builder->texts = mem_grow(builder->texts, &builder->text_cap,
	    builder->text_count + 1, sizeof(*builder->texts));
	builder->texts[builder->text_count++] = copy;
	builder->text_bytes += text.len;
	return copy;
}

const char *
report_text_keep(struct report_builder *builder, struct slice text)
{
	if (text.len == 0)
		return "";
	if (builder->text_bytes + text.len > TEXTS_MAX_BYTES)
		return NULL;
	return report_text_own(builder, text);
}

struct report_finding *
report_part_find(struct report_part *part, enum diag_code code)
{
	struct report_document *document = &part->document;
	struct report_finding *finding;

	for (size_t i = 0; i < document->finding_count; i++)
		if (document->findings[i].code == code)
			return &document->findings[i];
	document->findings = mem_grow(document->findings, &part->finding_cap,
	    document->finding_count + 1, sizeof(*document->findings));
	finding = &document->findings[document->finding_count++];
	*finding = (struct report_finding){
	    .code = code, .severity = profile_severity(part->profile, code)};
	return finding;
}

void
report_part_fail(struct report_part *part, enum diag_code code)
{
	struct report_finding *finding = report_part_find(part, code);

	finding->severity = SEVERITY_ERROR;
	if (finding->count == 0)
		finding->count = 1;
}

void
report_part_drop(struct report_part *part, enum diag_code code)
{
	struct report_document *document = &part->document;
	size_t kept = 0;

	for (size_t i = 0; i < document->finding_count; i++)
		if (document->findings[i].code != code)
			document->findings[kept++] = document->findings[i];
	document->finding_count = kept;
}

const char *
report_tag_meant(struct slice tag)
{
	static const char *const tags[] = {
	    "loc", "lastmod", "changefreq", "priority", "url", "sitemap"};
	struct suggestion suggestion;

	suggestion_init(&suggestion, tag);
	/* a short name with two wrong letters is another word */
	if (tag.len <= SHORT_TAG && suggestion.distance > 2)
		suggestion.distance = 2;
	for (size_t i = 0; i < sizeof(tags) / sizeof(tags[0]); i++) {
		/* a known element in a wrong place was not mistyped */
		if (slice_equal_nocase(tag, slice_of(tags[i])))
			return slice_is(tag, tags[i]) ? NULL : tags[i];
		suggestion_try(&suggestion, tags[i], strlen(tags[i]));
	}
	return suggestion.best;
}

void
report_part_sample(struct report_builder *builder,
    struct report_finding *finding, uint32_t part,
    const struct report_place *place, struct slice text)
{
	size_t max = builder->count > LARGE ? PART_SAMPLES : REPORT_SAMPLES;
	const char *kept, *loc = NULL;

	if (finding->sample_count >= max)
		return;
	kept = report_text_keep(builder, text);
	if (place->loc.len > 0)
		loc = report_text_keep(builder, place->loc);
	if (kept != NULL)
		finding->samples[finding->sample_count++] =
		    (struct report_sample){.document = part,
			.line = place->line,
			.entry = place->entry,
			.text = kept,
			.loc = loc,
			.meant = finding->code == DIAG_UNKNOWN_TAG
			    ? report_tag_meant(text)
			    : NULL};
}

void
report_part_link(struct report_builder *builder, uint32_t part,
    enum diag_code code, uint32_t line, struct slice url)
{
	struct report_finding *finding = report_part_find(
	    &builder->parts[part], code);

	finding->count++;
	report_part_sample(
	    builder, finding, part, &(struct report_place){.line = line}, url);
}

struct report_place
report_part_place(
    const struct report_part *part, uint32_t ordinal, struct slice loc)
{
	return (struct report_place){
	    .line = content_line(
		slice_make(part->lines, part->lines_len), ordinal),
	    .entry = ordinal + 1,
	    .loc = loc};
}

void
report_part_once(struct report_builder *builder, uint32_t number,
    enum diag_code code, struct slice text)
{
	struct report_finding *finding = report_part_find(
	    &builder->parts[number], code);

	finding->count = 1;
	finding->sample_count = 0;
	report_part_sample(
	    builder, finding, number, &(struct report_place){0}, text);
}

void
report_part_frozen(struct report_builder *builder, uint32_t number,
    const struct report_day *days, const char *of)
{
	struct date date = {
	    .epoch_s = days->day * DAY_S, .precision = DATE_DAY};
	struct buf text;

	buf_init(&text, 256);
	(void)buf_print(&text, "%" PRIu64 " of %" PRIu64 " dates%s are of ",
	    days->count, days->dated, of);
	date_print(&text, &date);
	report_part_once(builder, number, DIAG_LASTMOD_FROZEN, buf_text(&text));
	buf_release(&text);
}
