/* What an owner accepts. */
#include "crawler/report/report_accept.h"

#include <fnmatch.h>
#include <string.h>

#include "base/mem.h"
#include "base/sort.h"
#include "crawler/event/ndjson.h"
#include "crawler/report/report_part.h"

/* The identity of a place within its document. A finding about the whole
 * document has one place, because numbers and dates in its text change. Any
 * other place is identified by the URL that is listed there, and by the text of
 * the finding, unless the text begins with that URL. */
static uint64_t
sample_key(const struct report_accept *accept, enum diag_code code,
    bool has_line, struct slice loc, struct slice text)
{
	/* Does the code say something of the document as a whole, although it
	 * may quote an entry: the first that is too many, say? */
	bool is_of_document = code == DIAG_TOO_MANY_URLS ||
	    code == DIAG_TOO_MANY_SITEMAPS || code == DIAG_TOO_MANY_NEWS ||
	    code == DIAG_MIXED_HOSTS || code == DIAG_ENCODING_NOT_UTF8 ||
	    diag_info(code)->loss == LOSS_DOCUMENT;
	struct buf key = BUF_UP_TO(SIZE_MAX);
	uint64_t hash;

	if (!is_of_document) {
		(void)buf_put_slice(&key, loc);
		(void)buf_put_char(&key, '\n');
		if (loc.len == 0 ? has_line : !slice_starts(text, loc))
			(void)buf_put_slice(&key, text);
	}
	hash = hash_key(buf_text(&key), accept->hash_key);
	buf_release(&key);
	return hash;
}

static void
take_known(struct report_accept *accept, struct slice path,
    const struct ndjson *finding)
{
	enum diag_code code = diag_find(ndjson_text(finding, "code"));
	int64_t count = ndjson_number(finding, "count", 0);
	struct ndjson *sample;
	struct report_known *known;

	/* a later version may have codes that this one does not know */
	if (code == DIAG_OK || count <= 0)
		return;
	known = MEM_PUSH(accept->known, accept->known_count, accept->known_cap);
	*known = (struct report_known){
	    .path = slice_dup(path), .code = code, .count = (uint64_t)count};
	for (size_t i = 0; i < REPORT_SAMPLES &&
	     (sample = ndjson_object(finding, "samples", i)) != NULL;
	     i++) {
		known->samples[known->sample_count++] = sample_key(accept, code,
		    ndjson_number(sample, "line", 0) > 0,
		    ndjson_text(sample, "loc"), ndjson_text(sample, "text"));
		ndjson_free(sample);
	}
}

bool
report_accept_baseline(struct report_accept *accept, struct slice line)
{
	struct ndjson *object = ndjson_parse(line, NULL);
	struct slice record, path;
	struct ndjson *finding;
	bool is_record;

	if (object == NULL)
		return false;
	accept->has_baseline = true;
	record = ndjson_text(object, "record");
	path = ndjson_text(object, "path");
	if (slice_is(record, "document"))
		for (size_t i = 0;
		     (finding = ndjson_object(object, "findings", i)) != NULL;
		     i++) {
			take_known(accept, path, finding);
			ndjson_free(finding);
		}
	if (slice_is(record, "summary"))
		accept->has_summary = true;
	is_record = record.len > 0;
	ndjson_free(object);
	return is_record;
}

static const struct sort_key known_by_path[] = {
    {SORT_KEY(struct report_known, path), false},
    {SORT_KEY(struct report_known, code), false}, {0}};

/* The earlier report names documents by their paths, as people see them,
 * because ids belong to a store. */
static struct report_known *
find_known(
    const struct report_accept *accept, const char *path, enum diag_code code)
{
	struct report_known key = {
	    .path = (char *)(uintptr_t)path, .code = code};

	return sort_find(&key, accept->known, accept->known_count, sizeof(key),
	    known_by_path);
}

static void
accept_compare(const struct report_accept *accept,
    struct report_finding *finding, struct report_known *known)
{
	/* Places can be compared only if the earlier report has all of them. */
	bool is_whole = known->sample_count == known->count;
	uint64_t matched = 0;
	bool used[REPORT_SAMPLES] = {false};

	for (size_t i = 0; i < finding->sample_count; i++) {
		struct report_sample *sample = &finding->samples[i];
		uint64_t key = sample_key(accept, finding->code,
		    sample->line > 0, slice_of(sample->loc),
		    slice_of(sample->text));
		bool is_known = false;

		for (size_t k = 0; k < known->sample_count && !is_known; k++)
			if (!used[k] && known->samples[k] == key)
				is_known = used[k] = true;
		matched += is_known;
		sample->is_new = is_whole && !is_known;
	}
	/* Else only the numbers are compared, so that new places may take the
	 * place of old ones unseen. */
	if (is_whole && finding->sample_count == finding->count)
		finding->known = matched;
	else
		finding->known = finding->count < known->count ? finding->count
							       : known->count;
}

static void
apply_baseline(struct report_accept *accept, struct report_builder *builder,
    struct report_document *document)
{
	struct report *report = &builder->report;

	for (size_t i = 0; i < document->finding_count; i++) {
		struct report_finding *finding = &document->findings[i];
		struct report_known *known = find_known(
		    accept, document->url, finding->code);

		if (known != NULL) {
			accept_compare(accept, finding, known);
			known->is_met = true;
			report->known += finding->known;
			report->gone += known->count - finding->known;
		} else {
			for (size_t k = 0; k < finding->sample_count; k++)
				finding->samples[k].is_new = true;
		}
		struct report_sample sorted[REPORT_SAMPLES];
		size_t n = 0;

		for (int is_new = 1; is_new >= 0; is_new--)
			for (size_t k = 0; k < finding->sample_count; k++)
				if (finding->samples[k].is_new == (is_new == 1))
					sorted[n++] = finding->samples[k];
		/* A format that shows a few places shows new ones. */
		memcpy(finding->samples, sorted, n * sizeof(*sorted));
	}
}

bool
report_accept_ignores(const struct report_accept *accept, enum diag_code code,
    const char *url, const char *file)
{
	const char *path = url + report_origin(slice_of(url)).len;

	for (size_t i = 0; i < accept->ignore_count; i++) {
		const char *pattern = accept->ignores[i].pattern;

		if (accept->ignores[i].code == code &&
		    (pattern == NULL || fnmatch(pattern, url, 0) == 0 ||
			fnmatch(pattern, path, 0) == 0 ||
			fnmatch(pattern, file, 0) == 0))
			return true;
	}
	return false;
}

/* What is ignored is neither new nor gone: the baseline may have it. */
static void
apply_rules(struct report_accept *accept, struct report *report,
    struct report_document *document)
{
	struct report_known *known;
	size_t kept = 0;

	for (size_t i = 0; i < document->finding_count; i++) {
		struct report_finding *finding = &document->findings[i];
		enum severity severity = accept->severities[finding->code];

		if (report_accept_ignores(accept, finding->code, document->url,
			report_file(document))) {
			report->ignored += finding->count;
			known = find_known(
			    accept, document->url, finding->code);
			if (known != NULL) /* it is not gone */
				known->is_met = true;
			continue;
		}
		if (severity != SEVERITY_NONE)
			finding->severity = severity;
		document->findings[kept++] = *finding;
	}
	document->finding_count = kept;
}

void
report_accept_page(const struct report *report, struct report_page *page)
{
	const struct report_document
	    *document = &report->documents[page->document];
	size_t kept = 0;

	page->severity = SEVERITY_NONE;
	for (size_t i = 0; i < page->code_count; i++)
		for (size_t k = 0; k < document->finding_count; k++) {
			const struct report_finding
			    *finding = &document->findings[k];

			if (finding->code != page->codes[i])
				continue;
			page->codes[kept++] = finding->code;
			if (finding->severity > page->severity)
				page->severity = finding->severity;
			break;
		}
	page->code_count = kept;
}

void
report_accept_apply(
    struct report_accept *accept, struct report_builder *builder)
{
	struct report *report = &builder->report;

	report->has_rules = true;
	report->has_baseline = accept->has_baseline;
	sort_rows(accept->known, accept->known_count, sizeof(*accept->known),
	    known_by_path);
	for (size_t i = 0; i < builder->count; i++) {
		struct report_document *document = &builder->parts[i].document;

		apply_rules(accept, report, document);
		if (accept->has_baseline)
			apply_baseline(accept, builder, document);
	}
	for (size_t i = 0; i < accept->known_count; i++)
		if (!accept->known[i].is_met)
			report->gone += accept->known[i].count;
}
