/* The parts of a report while it grows: documents, findings, strings. */
#include "crawler/report/report_part.h"

#include <inttypes.h>
#include <stdbool.h>
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
	strings_add(&builder->texts, text);
	builder->text_bytes += text.len;
	return builder->texts.items[builder->texts.count - 1];
}

const char *
report_text_keep(struct report_builder *builder, struct slice text)
{
	if (text.len == 0)
		return "";
	/* Samples come from strangers: a site may have a million long ones. */
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
	finding = MEM_PUSH(
	    document->findings, document->finding_count, part->finding_cap);
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
		suggestion_try(&suggestion, tags[i]);
	}
	return suggestion.best;
}

void
report_part_sample(struct report_builder *builder,
    struct report_finding *finding, uint32_t part,
    const struct report_place *place, struct slice text)
{
	/* With many documents each has few samples, because a group has room
	 * for eight in all. */
	size_t max = builder->count > LARGE ? PART_SAMPLES : REPORT_SAMPLES;
	struct report_sample sample = {
	    .document = part, .line = place->line, .entry = place->entry};
	struct buf seen = BUF_UP_TO(SIZE_MAX);

	if (finding->sample_count >= max)
		return;
	sample.text = report_text_keep(builder, text);
	if (sample.text == NULL)
		return;
	/* The walk over the lines is long: most faults are no sample. */
	if (sample.line == 0 && sample.entry > 0)
		sample.line = content_line(
		    buf_text(&builder->parts[part].lines), sample.entry - 1);
	if (place->loc.len > 0)
		sample.loc = report_text_keep(builder, place->loc);
	if (finding->code == DIAG_UNKNOWN_TAG)
		sample.meant = report_tag_meant(text);
	/* Most texts say all: only the others are kept a second time. */
	(void)buf_put_slice(&seen, text);
	if (sample.meant != NULL)
		(void)buf_print(&seen, " (did you mean <%s>?)", sample.meant);
	if (sample.loc != NULL && strstr(sample.text, sample.loc) == NULL)
		(void)buf_print(
		    &seen, "%s%s", text.len == 0 ? "" : ", in ", sample.loc);
	sample.seen = seen.len == text.len
	    ? sample.text
	    : report_text_own(builder, buf_text(&seen));
	buf_release(&seen);
	finding->samples[finding->sample_count++] = sample;
}

void
report_part_add(struct report_builder *builder, uint32_t part,
    enum diag_code code, const struct report_place *place, const char *format,
    ...)
{
	struct report_finding *finding = report_part_find(
	    &builder->parts[part], code);
	const struct report_place everywhere = {0};
	struct buf text = BUF_UP_TO(SIZE_MAX);
	va_list args;

	finding->count++;
	if (place == NULL) {
		finding->count = 1;
		finding->sample_count = 0;
		place = &everywhere;
	}
	/* a site may have a million faults of one kind */
	if (finding->sample_count == REPORT_SAMPLES)
		return;
	va_start(args, format);
	(void)buf_vprint(&text, format, args);
	va_end(args);
	report_part_sample(builder, finding, part, place, buf_text(&text));
	buf_release(&text);
}

void
report_part_frozen(struct report_builder *builder, uint32_t number,
    const struct report_day *days, const char *of)
{
	struct date date = {
	    .epoch_s = days->day * DAY_S, .precision = DATE_DAY};

	report_part_add(builder, number, DIAG_LASTMOD_FROZEN, NULL,
	    "%" PRIu64 " of %" PRIu64 " dates%s are of %s", days->count,
	    days->dated, of, date_text(&date).text);
}

/* URLs that several documents list. */

#define URLS_MAX 2000000 /* remembered: 30 MB */
#define PAIRS_MAX 10000

void
report_urls_release(struct report_urls *urls)
{
	for (size_t i = 0; i < urls->count; i++)
		for (size_t k = 0; k < urls->pairs[i].sample_count; k++)
			free(urls->pairs[i].samples[k]);
	free(urls->pairs);
	free(urls->by_url.slots);
	free(urls->by_pair.slots);
}

/* The first document that lists a URL is kept; each later one makes a pair with
 * that. */
void
report_urls_add(struct report_urls *urls, struct slice url, uint32_t document)
{
	/* Pages with and without a slash at the end are one key, so that both
	 * make a pair: the last bit of the number says which one it is. */
	bool has_slash = slice_ends(url, slice_of("/"));
	uint32_t that = document << 1 | has_slash;
	int64_t id = (int64_t)(hash_key(slice_make(url.p, url.len - has_slash),
				   urls->key) >>
		1 |
	    1);
	uint32_t first = idmap_get(&urls->by_url, id), low, high, number;
	struct report_pair *pair;

	if (first == IDMAP_NONE && urls->by_url.count < URLS_MAX)
		idmap_put(&urls->by_url, id, that);
	if (first == IDMAP_NONE || first == that)
		return;
	low = first < that ? first : that;
	high = first < that ? that : first;
	id = (int64_t)((((uint64_t)high & INT32_MAX) << 32) | low);
	number = idmap_get(&urls->by_pair, id);
	/* So many pairs say that sitemaps repeat each other; more of them say
	 * no more. */
	if (number == IDMAP_NONE && urls->count == PAIRS_MAX)
		return;
	if (number == IDMAP_NONE) {
		number = (uint32_t)urls->count;
		*MEM_PUSH(
		    urls->pairs, urls->count, urls->cap) = (struct report_pair){
		    .documents = {low >> 1, high >> 1},
		    .slashes = {low & 1, high & 1}};
		idmap_put(&urls->by_pair, id, number);
	}
	pair = &urls->pairs[number];
	pair->count++;
	if (pair->sample_count < REPORT_PAIR_SAMPLES)
		pair->samples[pair->sample_count++] = slice_dup(url);
}
