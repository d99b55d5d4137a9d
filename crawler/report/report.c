/* What follows from the values of a report. */
#include "crawler/report/report.h"

#include <string.h>

struct slice
report_origin(struct slice url)
{
	static const char *const schemes[] = {"https://", "http://"};

	/* Not url_parse(): a report has paths of files and URLs that are none,
	 * too. */
	for (size_t i = 0; i < 2; i++) {
		size_t len = strlen(schemes[i]);

		if (!slice_starts(url, slice_of(schemes[i])))
			continue;
		while (len < url.len && url.p[len] != '/' &&
		    url.p[len] != '?' && url.p[len] != '#')
			len++;
		return slice_make(url.p, len);
	}
	return slice_make(url.p, 0);
}

struct slice
report_home(const struct report *report)
{
	struct slice home = slice_make("", 0);

	for (size_t i = 0; i < report->document_count; i++) {
		const struct report_document *document = &report->documents[i];
		struct slice origin = report_origin(slice_of(document->url));

		/* What an index lists may lie on any host. */
		if (document->parent < report->document_count)
			continue;
		if (home.len == 0)
			home = origin;
		if (!slice_equal(origin, home))
			return slice_make("", 0);
	}
	return home;
}

struct slice
report_path(struct slice home, const struct report_document *document)
{
	struct slice url = slice_of(document->url);
	struct slice origin = report_origin(url);

	/* A URL without a path would leave nothing to show. */
	if (origin.len > 0 && origin.len < url.len && slice_equal(origin, home))
		return slice_from(url, origin.len);
	return url;
}

bool
report_is_absent(const struct report_document *document)
{
	/* RFC 9309 takes such an answer for a robots.txt that allows
	 * everything. */
	return document->kind == KIND_ROBOTS &&
	    document->status == REPORT_SUCCESS &&
	    document->http_status >= 400 && document->http_status < 500;
}

bool
report_has_others(const struct report_document *document)
{
	/* Without dates there is no share that could be misread. */
	return document->kind != KIND_INDEX && document->dated > 0 &&
	    document->entries != document->seen;
}

enum severity
report_severity(const struct report_document *document)
{
	if (document->status != REPORT_SUCCESS || document->errors > 0)
		return SEVERITY_ERROR;
	return document->warnings > 0 ? SEVERITY_WARNING : SEVERITY_NONE;
}

bool
report_is_bad(const struct report *report)
{
	return report->has_errors + report->not_fetched + report->lost > 0 ||
	    report->sitemaps == 0;
}

bool
report_is_unconfined(const struct report *report)
{
	/* The word of crawler_sandbox() for readers that are locked in. */
	return report->sandbox != NULL &&
	    strcmp(report->sandbox, "jailed") != 0;
}

bool
report_is_aside(
    const struct report *report, const struct report_finding *finding)
{
	/* Whoever fails a check for remarks has something to do about each. */
	if (report->fail_on == SEVERITY_INFO ||
	    finding->severity != SEVERITY_INFO)
		return false;
	return finding->code == DIAG_DIRECTORY_WAIVED ||
	    finding->code == DIAG_ACCEPTED_BY_OWNERSHIP ||
	    finding->code == DIAG_ACCEPTED_BY_ROBOTS_PROOF;
}

bool
report_has_faults(const struct report *report)
{
	for (size_t i = 0; i < report->group_count; i++)
		if (!report_is_aside(report, &report->groups[i]))
			return true;
	return false;
}

const char *
report_file(const struct report_document *document)
{
	return document->file != NULL ? document->file : document->url;
}

unsigned
report_percent(uint64_t part, uint64_t whole)
{
	double share;

	/* One of fifty thousand is not 0 %, and all but one are not 100 %:
	 * people act on these two numbers. */
	if (part >= whole)
		return part == 0 ? 0 : 100;
	share = 100.0 * (double)part / (double)whole;
	if (part > 0 && share < 1)
		return 1;
	return share >= 99 ? 99 : (unsigned)(share + 0.5);
}
