/* Words and sentences that the formats of a report share. */
#include "crawler/report/report_phrases.h"

#include <stdio.h>
#include <string.h>

#include "base/civil.h"
#include "base/human.h"
#include "base/vis.h"
#include "base/zone.h"
#include "crawler/report/report_dates.h"

#define NEAR_PERCENT 99 /* of a limit: sizes are exact from here on */
#define AGE_MAX_DAYS 60 /* a day farther off is clearer as a date */

const char *const report_status_names[] = {[REPORT_SUCCESS] = "success",
    [REPORT_HAS_ERRORS] = "has errors",
    [REPORT_NOT_FETCHED] = "couldn't fetch"};

const char *const report_kind_titles[] = {[KIND_ROBOTS] = "robots.txt",
    [KIND_INDEX] = "sitemap index",
    [KIND_URLSET] = "sitemap",
    [KIND_TEXT] = "text list",
    [KIND_RSS] = "RSS feed",
    [KIND_ATOM] = "Atom feed",
    [KIND_UNKNOWN] = "document"};

static void
put_span(struct buf *out, int64_t n, const char *unit, bool is_past)
{
	(void)buf_print(
	    out, is_past ? "%lld %s ago" : "in %lld %s", (long long)n, unit);
}

void
report_put_age(struct buf *out, const struct date *date, int64_t now_s)
{
	int64_t days = report_day_of(now_s) - report_day_of(date->epoch_s);
	bool is_past = date->epoch_s <= now_s;
	int64_t age_s = is_past ? now_s - date->epoch_s : date->epoch_s - now_s;

	/* A date without a day has no age; one that lies far off is clearer as
	 * a date. */
	if (date->precision == DATE_NONE) {
		(void)buf_put_char(out, '-');
	} else if (date->precision < DATE_DAY) {
		date_print(out, date);
	} else if (age_s >= AGE_MAX_DAYS * DAY_S) {
		struct date day = {
		    .epoch_s = report_day_of(date->epoch_s) * DAY_S,
		    .precision = DATE_DAY,
		    .zone = ZONE_EXPLICIT};

		date_print(out, &day);
		/* Whether the day in UTC is the one that the site wrote. Of a
		 * time zone, the date keeps only that there was one. */
		if (date->zone == ZONE_EXPLICIT &&
		    (date->precision != DATE_DAY ||
			report_day_of(date->epoch_s) * DAY_S != date->epoch_s))
			(void)buf_print(out, " UTC");
	} else if (date->precision == DATE_DAY && days == 0) {
		(void)buf_print(out, "today");
	} else if (date->precision == DATE_DAY) {
		put_span(out, days > 0 ? days : -days, "d", days > 0);
	} else if (age_s < MINUTE_S) {
		(void)buf_print(out, "now");
	} else if (age_s < HOUR_S) {
		put_span(out, age_s / MINUTE_S, "min", is_past);
		/* "30 h ago" says more than "1 d ago". */
	} else if (age_s < 2 * DAY_S) {
		put_span(out, age_s / HOUR_S, "h", is_past);
	} else {
		put_span(out, age_s / DAY_S, "d", is_past);
	}
}

/* Next to the limit every byte is shown, because one byte decides. */
bool
report_is_near_limit(const struct report_document *document)
{
	return document->max_bytes > 0 &&
	    report_percent(document->decoded_bytes, document->max_bytes) >=
	    NEAR_PERCENT;
}

void
report_put_bytes(
    struct buf *out, const struct report_document *document, bool is_limit)
{
	uint64_t bytes = is_limit ? document->max_bytes
				  : document->decoded_bytes;

	/* reading stops at the limit, so that the size is not known */
	for (size_t i = 0; !is_limit && i < document->finding_count; i++)
		if (document->findings[i].code == DIAG_FILE_TOO_LARGE) {
			(void)buf_print(out, "over ");
			break;
		}
	(void)buf_print(out, "%s",
	    report_is_near_limit(document)
		? human_of(bytes, "byte").text
		: human_scaled(bytes, human_bytes).text);
}

void
report_put_size(struct buf *out, const struct report_document *document)
{
	if (document->kind != KIND_ROBOTS) {
		/* Append "50,003 URLs (limit 50,000), 3 refused, ". */
		human_put(out, document->seen,
		    document->kind == KIND_INDEX ? "sitemap" : "URL");
		if (document->max_entries > 0)
			(void)buf_print(out, " (limit %s)",
			    human_of(document->max_entries, NULL).text);
		(void)buf_print(out, ", ");
		if (document->refused > 0)
			(void)buf_print(out, "%s refused, ",
			    human_of(document->refused, NULL).text);
	}
	report_put_bytes(out, document, false);
	if (document->max_bytes > 0) {
		(void)buf_print(out, " (limit ");
		report_put_bytes(out, document, true);
		(void)buf_put_char(out, ')');
	}
}

void
report_put_line(struct buf *out, const struct report_sample *sample)
{
	/* A text list has lines and no entries; of a gzipped sitemap the entry
	 * is found more easily. */
	if (sample->line > 0)
		(void)buf_print(out, " line %u", sample->line);
	if (sample->entry > 0)
		(void)buf_print(out, "%s entry %u", sample->line > 0 ? "," : "",
		    sample->entry);
	if (sample->is_new)
		(void)buf_print(out, " (new)");
}

const struct report_document *
report_annotated(const struct report *report,
    const struct report_document *document, uint32_t *line)
{
	/* A file that is there can be mended itself, even if it could not be
	 * read as a sitemap. */
	if (document->failure == DIAG_OK || document->file != NULL ||
	    document->listed_entry == 0 ||
	    document->parent >= report->document_count)
		return document;
	*line = document->listed_line;
	return &report->documents[document->parent];
}

void
report_put_verdict(struct buf *out, const struct report *report)
{
	uint64_t bad = report->has_errors + report->not_fetched;
	bool is_blind = false; /* robots.txt could not be read */

	for (size_t i = 0; i < report->document_count; i++)
		is_blind |= report->documents[i].status == REPORT_NOT_FETCHED &&
		    report->documents[i].failure != DIAG_NO_SITEMAP_FOUND;
	if (report->sitemaps == 0) {
		(void)buf_print(out,
		    is_blind ? "nothing could be read"
			     : "no sitemap was found");
		return;
	}
	if (bad > 0 && report->sitemaps == 1) {
		(void)buf_print(out,
		    report->indexes > 0 ? "the index needs attention"
					: "the sitemap needs attention");
	} else if (bad > 0) {
		(void)buf_print(out, "%s of %s%s %s attention",
		    human_of(bad, NULL).text,
		    human_of(report->sitemaps, "sitemap").text,
		    report->indexes > 0 ? " and indexes" : "",
		    bad == 1 ? "needs" : "need");
	} else {
		(void)buf_print(out,
		    report->warnings > 0            ? "no errors in "
			: report_has_faults(report) ? "all is well but for "
						      "remarks in "
						    : "all is well with ");
		/* Append "20 sitemaps and 1 index". */
		uint64_t lists = report->sitemaps - report->indexes;

		if (lists > 0 || report->indexes == 0)
			human_put(out, lists, "sitemap");
		if (report->indexes != 0)
			(void)buf_print(out, "%s%s%s", lists > 0 ? " and " : "",
			    human_of(report->indexes, NULL).text,
			    report->indexes == 1 ? " index" : " indexes");
	}
	if (report->lost > 0)
		(void)buf_print(out, ", %s%s",
		    human_of(report->lost, "target").text,
		    report->lost == 1 ? " has none" : " have none");
}

bool
report_put_uncompared(struct buf *out, const struct report *report)
{
	bool has_one = report->uncompared > 0;

	if (has_one)
		(void)buf_print(out,
		    "only the first %s of %s URLs were compared with "
		    "robots.txt",
		    human_of(report->compared, NULL).text,
		    human_of(report->compared + report->uncompared, NULL).text);
	if (report->has_unjudged_links)
		(void)buf_print(out,
		    "%shreflang: whether links are returned was not judged; "
		    "there are too many",
		    has_one ? "; " : "");
	return has_one || report->has_unjudged_links;
}

void
report_put_run(struct buf *out, const struct report *report)
{
	(void)buf_print(out, "read %s in %s, judged by profile %s",
	    zone_text(report->began_s, ZONE_FULL).text,
	    human_time(report->spent_ms, false).text, report->profile);
	if (report->agent != NULL)
		(void)buf_print(out, ", robots.txt for %s", report->agent);
	if (report_is_unconfined(report))
		(void)buf_print(
		    out, "; readers not sandboxed: %s", report->sandbox);
	if (report->uncompared > 0 || report->has_unjudged_links)
		(void)buf_print(out, "; ");
	(void)report_put_uncompared(out, report);
}

const char *
report_title(const struct report *report, size_t i)
{
	/* A folder says nothing to whoever reads the report elsewhere. */
	bool is_path = strstr(report->targets[i], "://") == NULL;

	return is_path && report->target_urls != NULL &&
		report_origin(slice_of(report->target_urls[i])).len > 0
	    ? report->target_urls[i]
	    : report->targets[i];
}

bool
report_put_accepted(struct buf *out, const struct report *report)
{
	uint64_t new = report->errors + report->warnings + report->infos -
	    report->known;

	if (!report->has_baseline && report->ignored == 0)
		return false;
	if (report->has_baseline)
		(void)buf_print(out, "%s, %s known, %s%s",
		    human_of(new, "new finding").text,
		    human_of(report->known, NULL).text,
		    human_of(report->gone, NULL).text,
		    report->ignored > 0 ? " gone; " : " gone");
	if (report->ignored > 0)
		(void)buf_print(out, "%s ignored",
		    human_of(report->ignored, "finding").text);
	return true;
}

bool
report_put_asides(struct buf *out, const struct report *report)
{
	bool has_one = false;

	for (size_t i = 0; i < report->group_count; i++) {
		const struct report_finding *finding = &report->groups[i];

		if (!report_is_aside(report, finding))
			continue;
		(void)buf_print(out, "%s%s, %s",
		    has_one ? "; " : "nothing to do: ",
		    diag_name(finding->code),
		    human_of(finding->count, "time").text);
		has_one = true;
	}
	return has_one;
}

bool
report_put_generators(struct buf *out, const struct report *report)
{
	const char *before = "made by ";

	for (size_t i = 0; i < report->document_count; i++) {
		const struct report_document *document = &report->documents[i];
		bool is_told = document->generator == NULL;

		for (size_t k = 0; k < i && !is_told; k++)
			is_told = report->documents[k].generator ==
			    document->generator;
		if (is_told)
			continue;
		(void)buf_print(out,
		    "%s%s, known by %s ('freshet help %s' says more)", before,
		    document->generator->name, document->generator_reason,
		    document->generator->name);
		before = "; and by ";
	}
	return before[0] == ';';
}

struct report_remedy
report_remedy(const struct report *report, const struct report_finding *finding)
{
	struct slice http = slice_of("http://");
	const struct generator *made_by = NULL;
	const char *advice = NULL;
	struct report_remedy remedy;
	struct slice origin;

	(void)snprintf(remedy.text, sizeof(remedy.text), "%s",
	    diag_info(finding->code)->remedy);
	if (finding->sample_count > 0)
		made_by = report->documents[finding->samples[0].document]
			      .generator;
	switch ((int)finding->code) {
	case DIAG_LASTMOD_BUILD:
	case DIAG_LASTMOD_UNIFORM:
	case DIAG_LASTMOD_ONE_MOMENT:
	case DIAG_LASTMOD_FROZEN:
	case DIAG_LASTMOD_BACKWARDS:
	case DIAG_INDEX_DATES_BUILD:
		if (made_by != NULL)
			advice = made_by->advice;
		break;
	default:
		for (size_t i = 0; made_by != NULL && i < GENERATOR_MENDS; i++)
			if (made_by->mends[i][0] != NULL &&
			    strcmp(made_by->mends[i][0],
				diag_name(finding->code)) == 0)
				advice = made_by->mends[i][1];
		break;
	}
	if (advice != NULL)
		(void)snprintf(remedy.text, sizeof(remedy.text),
		    "%s; with %s: %s", diag_info(finding->code)->remedy,
		    made_by->name, advice);
	/* Was the site asked over http, and does it list almost only https
	 * URLs? */
	if (finding->code != DIAG_SCHEME_MISMATCH ||
	    finding->sample_count == 0 ||
	    finding->count < (report->urls + report->refused) / 10 * 9)
		return remedy;
	origin = report_origin(
	    slice_of(report->documents[finding->samples[0].document].url));
	if (slice_starts(origin, http))
		(void)snprintf(remedy.text, sizeof(remedy.text),
		    "you asked for http, the site says https: check "
		    "https://%.*s",
		    (int)(origin.len - http.len), origin.p + http.len);
	return remedy;
}

/* Listed pages. */

struct slice
report_url_path(const struct report *report, const char *text)
{
	struct slice url = slice_of(text);
	struct slice origin = report_origin(url);

	if (report->document_count > 0 && origin.len > 0 &&
	    origin.len < url.len &&
	    slice_equal(
		origin, report_origin(slice_of(report->documents[0].url))))
		return slice_from(url, origin.len);
	return url;
}

void
report_put_page_status(struct buf *out, const struct report_page *page)
{
	if (page->status == 0)
		(void)buf_print(out,
		    page->end == PAGE_DISALLOWED ? "disallowed" : "no answer");
	else
		(void)buf_print(out, "%d", page->status);
	/* Where redirects led is said only if the page itself answered. */
	if (page->status == 0 || page->final_url == NULL)
		return;
	if (page->end == PAGE_DISALLOWED)
		(void)buf_print(out, " to disallowed");
	else if (page->final_status == 0)
		(void)buf_print(out, " to no answer");
	else
		(void)buf_print(out, " to %d", page->final_status);
}

const char *
report_page_index(const struct report_page *page)
{
	/* What was not read may say anything. */
	if (page->end != PAGE_ANSWERED)
		return "-";
	if (page->noindex[0] != '\0')
		return "noindex";
	return page->is_cut ? "unknown" : "yes";
}

const char *
report_page_canonical(const struct report_page *page)
{
	static const char *const words[] = {[CANONICAL_NONE] = "none",
	    [CANONICAL_SELF] = "itself",
	    [CANONICAL_OTHER] = "another",
	    [CANONICAL_SEVERAL] = "several",
	    [CANONICAL_INVALID] = "no URL"};

	if (page->end != PAGE_ANSWERED)
		return "-";
	return words[page->canonical];
}

bool
report_page_note(const struct report_page *page, size_t i, const char **says,
    const char **what)
{
	bool has_canonical = page->canonical == CANONICAL_OTHER ||
	    page->canonical == CANONICAL_SEVERAL;
	const struct {
		bool is_there;
		const char *says, *what;
	} notes[] = {
	    {page->final_url != NULL, "leads to ", page->final_url},
	    {page->detail[0] != '\0', "", page->detail},
	    {page->noindex[0] != '\0', "", page->noindex},
	    {page->is_cut && page->noindex[0] == '\0',
		"no noindex in its first 512 KiB; the rest was not looked at",
		""},
	    {has_canonical, "names ", page->canonical_url},
	    {page->unlisted != NULL, "no sitemap lists it: ", page->unlisted},
	};

	/* The i-th of those that are there, so that a format has one loop and
	 * no case. */
	for (size_t k = 0; k < sizeof(notes) / sizeof(notes[0]); k++)
		if (notes[k].is_there && i-- == 0) {
			*says = notes[k].says;
			*what = notes[k].what;
			return true;
		}
	return false;
}

void
report_put_pages_verdict(struct buf *out, const struct report *report)
{
	size_t good = 0, unlisted = 0;

	/* Pages that nothing lists are no listed pages, though they stand in
	 * the same table. */
	for (size_t i = 0; i < report->page_count; i++) {
		good += report->pages[i].code_count == 0;
		unlisted += report->pages[i].unlisted != NULL;
	}
	if (report->page_count > unlisted)
		(void)buf_print(out, "%s looked at, %s with nothing wrong%s",
		    human_of(report->page_count - unlisted, "listed page").text,
		    human_of(good, NULL).text, unlisted > 0 ? "; " : "");
	if (unlisted > 0)
		(void)buf_print(out, "%s that no sitemap lists",
		    human_of(unlisted, "page").text);
}
