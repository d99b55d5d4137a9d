/* Reports to print, made by hand. */
#include "tests/report/samples.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define NONE UINT32_MAX
#define BEGAN_S 1795219200 /* 2026-11-21T00:00:00Z */
#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

#define HOST "https://www.example.org"

/* found(code, severity, count, line, text): with one sample. */
static struct report_finding
found(enum diag_code code, enum severity severity, uint64_t count,
    uint32_t line, const char *text)
{
	return (struct report_finding){.code = code,
	    .severity = severity,
	    .count = count,
	    .sample_count = 1,
	    .samples = {{.line = line, .text = text}}};
}

/* add_sample(finding, line, text): one more place. */
static void
add_sample(struct report_finding *finding, uint32_t line, const char *text)
{
	finding->samples[finding->sample_count++] = (struct report_sample){
	    .line = line, .text = text};
}

/* sitemap(url, seen, dated, newest_s): read well, under index 1. */
static struct report_document
sitemap(const char *url, uint64_t seen, uint64_t dated, int64_t newest_s)
{
	return (struct report_document){.url = url,
	    .parent = 1,
	    .kind = KIND_URLSET,
	    .http_status = 200,
	    .read_s = BEGAN_S + 1,
	    .is_complete = true,
	    .gzip_layers = 1,
	    .wire_bytes = seen * 12,
	    .decoded_bytes = seen * 140,
	    .max_entries = 50000,
	    .max_bytes = 52428800,
	    .seen = seen,
	    .accepted = seen,
	    .entries = seen,
	    .dated = dated,
	    .newest = {.epoch_s = newest_s,
		.precision = newest_s == 0 ? DATE_NONE : DATE_SECOND,
		.zone = ZONE_EXPLICIT},
	    .lastmod_shape = ""};
}

static void
give(struct report_document *document, struct report_finding *findings,
    size_t count)
{
	document->findings = findings;
	document->finding_count = count;
}

/* copied(items, count, size): a copy that is never freed. */
static void *
copied(const void *items, size_t count, size_t size)
{
	void *copy = mem_alloc(count * size);

	memcpy(copy, items, count * size);
	return copy;
}

/* The dates of these documents: half of the newest day, the others before; and
 * those without. */
static void
count_ages(struct report *report, const struct report_document *documents,
    size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct report_document *document = &documents[i];

		for (uint64_t k = 0;
		     k < document->entries && document->kind != KIND_INDEX;
		     k++) {
			struct date date = document->newest;

			if (k >= document->dated)
				date.precision = DATE_NONE;
			if (k % 2 == 1)
				date.epoch_s -= (int64_t)(k % 40) * 86400;
			report->ages[chart_age(&date, BEGAN_S)]++;
		}
	}
}

static struct report *
report_of(const char *target, struct report_document *documents, size_t count)
{
	struct report *report = mem_zero(sizeof(*report));

	report->profile = "google";
	report->targets = copied(&target, 1, sizeof(target));
	report->target_count = 1;
	report->documents = copied(documents, count, sizeof(*documents));
	report->document_count = count;
	count_ages(report, documents, count);
	report->began_s = BEGAN_S;
	report->spent_ms = 4210;
	samples_finish(report);
	return report;
}

/* The sitemaps of site_sample that say what is wrong with them. */
static void
fill_bad(struct report_document *documents)
{
	static struct report_finding too_many[2], strays[2], missing, redirect,
	    nested;

	too_many[0] = found(DIAG_TOO_MANY_URLS, SEVERITY_ERROR, 3, 150012,
	    "50,003 entries, limit 50,000");
	too_many[1] = found(DIAG_LASTMOD_UNIFORM, SEVERITY_WARNING, 1, 0,
	    "98 % of lastmod fall on 2026-11-20");
	give(&documents[3], too_many, 2);
	strays[0] = found(DIAG_HOST_MISMATCH, SEVERITY_ERROR, 1013, 9,
	    "https://shop.example.com/a?x=1&y=2");
	add_sample(&strays[0], 12, "https://shop.example.com/b");
	add_sample(&strays[0], 15, "https://shop.example.com/c");
	add_sample(&strays[0], 18,
	    "https://shop.example.com/a/rather/long/path/that/goes/on/and/on/"
	    "until/it/ends.html");
	strays[1] = found(
	    DIAG_PARSE_ERROR, SEVERITY_ERROR, 1, 2440, "tag mismatch");
	give(&documents[4], strays, 2);
	missing = found(DIAG_FETCH_NOT_FOUND, SEVERITY_ERROR, 1, 0, "");
	give(&documents[5], &missing, 1);
	redirect = found(DIAG_CROSS_HOST_REDIRECT, SEVERITY_WARNING, 1, 0,
	    "https://cdn.example.net/sitemap-2026-11.xml");
	give(&documents[6], &redirect, 1);
	nested = found(DIAG_NESTED_INDEX, SEVERITY_ERROR, 1, 0, "");
	give(&documents[7], &nested, 1);
}

/* An index with one fault of each kind that the text shows. */
static struct report *
site_sample(void)
{
	static struct report_finding frozen;
	struct report_document documents[9];

	documents[0] = sitemap(HOST "/robots.txt", 0, 0, 0);
	documents[0].kind = KIND_ROBOTS;
	documents[0].parent = NONE;
	documents[0].gzip_layers = 0;
	documents[0].wire_bytes = documents[0].decoded_bytes = 310;
	documents[1] = sitemap(HOST "/sitemap_index.xml.gz", 6, 6, 0);
	documents[1].kind = KIND_INDEX;
	documents[1].parent = NONE;
	documents[1].wire_bytes = 1100;
	documents[2] = sitemap(
	    HOST "/sitemaps/posts-1.xml.gz", 50000, 50000, BEGAN_S - 7300);
	documents[3] = sitemap(
	    HOST "/sitemaps/posts-2.xml.gz", 50003, 50003, BEGAN_S - 7300);
	documents[3].refused = 3;
	documents[3].accepted = 50000;
	documents[3].entries = 50000;
	documents[3].dated = 50000;
	documents[3].lastmod_shape = "uniform";
	documents[4] = sitemap(HOST "/shop/sitemap.xml", 812, 0, 0);
	documents[4].is_complete = false;
	documents[5] = sitemap(HOST "/sitemaps/old.xml.gz", 0, 0, 0);
	documents[5].kind = KIND_UNKNOWN;
	documents[5].failure = DIAG_FETCH_NOT_FOUND;
	documents[5].http_status = 404;
	documents[5].gzip_layers = 0;
	documents[6] = sitemap(HOST "/a/very/long/folder/name/that/no/column/"
				    "has/room/for/sitemap-2026-11.xml",
	    9, 1, BEGAN_S - 40 * 86400);
	documents[6].final_url = "https://cdn.example.net/sitemap-2026-11.xml";
	documents[7] = sitemap(HOST "/nested.xml", 0, 0, 0);
	documents[7].kind = KIND_INDEX;
	documents[8] = sitemap(HOST "/feed.rss", 20, 20, BEGAN_S - 19 * 86400);
	documents[8].kind = KIND_RSS;
	frozen = found(DIAG_LASTMOD_FROZEN, SEVERITY_WARNING, 1, 0,
	    "20 of 20 dates are of 2026-11-01");
	documents[8].lastmod_shape = "frozen";
	give(&documents[8], &frozen, 1);
	documents[8].parent = NONE;
	fill_bad(documents);
	return report_of(HOST "/", documents, LENGTH(documents));
}

static struct report *
well_sample(void)
{
	struct report_document document = sitemap(
	    HOST "/sitemap.xml", 4812, 4800, BEGAN_S - 3 * 86400);

	document.parent = NONE;
	return report_of(HOST "/sitemap.xml", &document, 1);
}

/* Listed pages of every kind. */
static const struct report_page pages[] = {
    {HOST "/", 0, PAGE_ANSWERED, 200, 200, 0, NULL, "", false, "",
	CANONICAL_SELF, HOST "/", {0}, 0, SEVERITY_NONE, NULL, {0}},
    {HOST "/a/rather/long/path/that/goes/on/and/on/until/it/ends.html", 0,
	PAGE_ANSWERED, 200, 200, 0, NULL, "", false,
	"<meta name=robots>: noindex, follow", CANONICAL_SEVERAL, HOST "/a",
	{DIAG_URL_NOINDEX, DIAG_URL_NOT_CANONICAL}, 2, SEVERITY_WARNING, NULL,
	{0}},
    {HOST "/moved", 0, PAGE_LOST, 301, 404, 2, HOST "/new", "status 404", false,
	"", CANONICAL_NONE, "", {DIAG_URL_REDIRECTS, DIAG_URL_FETCH_FAILED}, 2,
	SEVERITY_WARNING, NULL, {0}},
    {HOST "/private/", 0, PAGE_DISALLOWED, 0, 0, 0, NULL,
	"robots.txt line 2: /private", false, "", CANONICAL_NONE, "",
	{DIAG_URL_BLOCKED_BY_ROBOTS}, 1, SEVERITY_WARNING, NULL, {0}},
    {"https://shop.example.org/", 0, PAGE_LOST, 0, 0, 0, NULL,
	"could not resolve host", false, "", CANONICAL_NONE, "",
	{DIAG_URL_FETCH_FAILED}, 1, SEVERITY_WARNING, NULL, {0}},
    {HOST "/left.html", 0, PAGE_ANSWERED, 200, 200, 0, NULL, "", false, "",
	CANONICAL_NONE, "", {DIAG_PAGE_NOT_LISTED}, 1, SEVERITY_WARNING,
	"public/left.html", {0}},
};

/* What one of two agents may not fetch. */
static const struct report_closed closed_pages[] = {
    {HOST "/private/", 0, 1},
    {HOST "/a/rather/long/path/that/goes/on/and/on/until/it/ends.html", 0, 3},
};

static struct report *
pages_sample(void)
{
	static struct report_finding bad[6];
	struct report_document document = sitemap(
	    HOST "/sitemap.xml", 5, 5, BEGAN_S - 3 * 86400);
	struct report *report;

	document.parent = NONE;
	bad[0] = found(DIAG_URL_FETCH_FAILED, SEVERITY_WARNING, 2, 0,
	    HOST "/moved: status 404");
	bad[1] = found(DIAG_URL_REDIRECTS, SEVERITY_WARNING, 1, 0,
	    HOST "/moved leads to " HOST "/new");
	bad[2] = found(DIAG_URL_NOINDEX, SEVERITY_WARNING, 1, 0,
	    HOST "/a/rather/long/path/that/goes/on/and/on/until/it/ends.html: "
		 "<meta name=robots>: noindex, follow");
	bad[3] = found(DIAG_URL_NOT_CANONICAL, SEVERITY_WARNING, 1, 0,
	    HOST "/a/rather/long/path/that/goes/on/and/on/until/it/ends.html "
		 "names several, the first is " HOST "/a");
	bad[4] = found(DIAG_URL_BLOCKED_BY_ROBOTS, SEVERITY_WARNING, 1, 0,
	    HOST "/private/: robots.txt line 2: /private");
	bad[5] = found(DIAG_PAGE_NOT_LISTED, SEVERITY_WARNING, 1, 0,
	    HOST "/left.html: public/left.html");
	give(&document, bad, LENGTH(bad));
	report = report_of(HOST "/sitemap.xml", &document, 1);
	report->compared = 33333334;
	report->uncompared = 26666667;
	report->pages = copied(pages, LENGTH(pages), sizeof(pages[0]));
	report->page_count = LENGTH(pages);
	report->agent = "Googlebot, bingbot";
	report->agents[0] = (struct report_agent){"Googlebot", 61};
	report->agents[1] = (struct report_agent){"bingbot", 1};
	report->agent_count = 2;
	report->closed_pages = copied(
	    closed_pages, LENGTH(closed_pages), sizeof(closed_pages[0]));
	report->closed_count = LENGTH(closed_pages);
	report->closed = 61;
	return report;
}

static struct report *
none_sample(void)
{
	struct report_document document = sitemap(HOST "/robots.txt", 0, 0, 0);

	document.kind = KIND_ROBOTS;
	document.parent = NONE;
	return report_of("www.example.org", &document, 1);
}

static struct report *
local_sample(void)
{
	static struct report_finding bad;
	struct report_document documents[2];

	documents[0] = sitemap("public/sitemap, index 100%.xml", 1, 0, 0);
	documents[0].kind = KIND_INDEX;
	documents[0].parent = NONE;
	documents[1] = sitemap("/srv/web/#1/a:b.xml", 70, 70, BEGAN_S);
	documents[1].parent = 0;
	documents[1].http_status = 0;
	bad = found(DIAG_OUTSIDE_DIRECTORY, SEVERITY_ERROR, 2, 7,
	    "https://www.example.org/50%\n::error::x");
	give(&documents[1], &bad, 1);
	return report_of(
	    "public/sitemap, index 100%.xml", documents, LENGTH(documents));
}

static struct report *
unpublished_sample(void)
{
	static struct report_finding bad;
	struct report_document documents[2];

	documents[0] = sitemap(HOST "/sitemap.xml", 1, 1, BEGAN_S);
	documents[0].kind = KIND_INDEX;
	documents[0].parent = NONE;
	documents[0].file = "public/sitemap.xml";
	documents[1] = sitemap(HOST "/blog/s.xml.gz", 70, 70, BEGAN_S);
	documents[1].parent = 0;
	documents[1].file = "public/blog/s.xml.gz";
	bad = found(
	    DIAG_OUTSIDE_DIRECTORY, SEVERITY_ERROR, 1, 7, HOST "/about");
	give(&documents[1], &bad, 1);
	return report_of("public", documents, LENGTH(documents));
}

static struct report *
many_sample(void)
{
	static struct report_document documents[1301];
	static char names[1301][64];
	static struct report_finding bad;

	bad = found(DIAG_EMPTY_SITEMAP, SEVERITY_WARNING, 1, 0, "");
	documents[0] = sitemap(HOST "/index.xml", 1300, 1300, 0);
	documents[0].kind = KIND_INDEX;
	documents[0].parent = NONE;
	for (size_t i = 1; i < LENGTH(documents); i++) {
		(void)snprintf(
		    names[i], sizeof(names[i]), HOST "/s/%zu.xml", i);
		documents[i] = sitemap(names[i], i, i / 2, BEGAN_S - 86400);
		documents[i].parent = 0;
		if (i % 500 == 0)
			give(&documents[i], &bad, 1);
	}
	return report_of(HOST "/index.xml", documents, LENGTH(documents));
}

struct report *
samples_get(const char *name)
{
	static const struct {
		const char *name;
		struct report *(*make)(void);
	} samples[] = {
	    {"site", site_sample},
	    {"well", well_sample},
	    {"none", none_sample},
	    {"local", local_sample},
	    {"unpublished", unpublished_sample},
	    {"many", many_sample},
	    {"pages", pages_sample},
	};
	char *end;
	unsigned long seed = strtoul(name, &end, 10);

	if (end != name && *end == '\0')
		return samples_random((unsigned)seed);
	for (size_t i = 0; i < LENGTH(samples); i++)
		if (strcmp(name, samples[i].name) == 0)
			return samples[i].make();
	return NULL;
}
