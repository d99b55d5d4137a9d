/* The results of `check`: values only, which every format prints. */
#ifndef FRESHET_REPORT_H
#define FRESHET_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/generator.h"
#include "base/profile.h"
#include "base/purposes.h"
#include "base/slice.h"
#include "base/w3cdate.h"
#include "crawler/chart/chart.h"
#include "crawler/crawl/crawl_options.h"
#include "store/segment/reading.h"

#define REPORT_SAMPLES 8
#define REPORT_PAGE_CODES 4
#define REPORT_AGENTS_MAX 8
#define REPORT_CLOSED_MAX 1000

/* The words of Google's Search Console for a sitemap. */
enum report_status { REPORT_SUCCESS, REPORT_HAS_ERRORS, REPORT_NOT_FETCHED };

/* One place of a finding. The report owns the strings. */
struct report_sample {
	uint32_t document; /* number of the document */
	uint32_t line; /* 0: no line */
	uint32_t entry; /* number of its entry in the document; 0: none */
	const char *text; /* hostile; "" when there is none */
	/* hostile: what stands there, for people: the text, the element that
	 * was meant, and loc if the text does not name it */
	const char *seen;
	/* hostile: the URL that the entry lists; NULL: the finding is not about
	 * one URL */
	const char *loc;
	/* static: the element that an unknown one was probably meant to be;
	 * NULL: none */
	const char *meant;
	bool is_new; /* the baseline does not have it */
};

/* One code, in one document or in all of them. */
struct report_finding {
	enum diag_code code;
	enum severity severity; /* by the document's profile */
	uint64_t count;
	uint64_t known; /* of these: known by the baseline */
	size_t sample_count;
	struct report_sample samples[REPORT_SAMPLES];
};

struct report_document {
	const char *url; /* or the path of a local file */
	/* path of the file that is read in place of the URL, before it is
	 * published; or NULL */
	const char *file;
	const char *final_url; /* the URL after redirects; NULL: the same */
	uint32_t parent; /* number of its index; UINT32_MAX: none */
	/* of a document that was not read: where its index lists it; 0: not
	 * known */
	uint32_t listed_line, listed_entry;
	uint32_t target; /* number of the target that led to it */
	enum document_kind kind;
	enum report_status status;
	enum diag_code failure; /* DIAG_OK, or why it was not read */
	int http_status; /* 0: no answer */
	int64_t read_s; /* time of the reading */
	bool is_complete;
	unsigned gzip_layers;
	uint64_t wire_bytes, decoded_bytes;
	uint64_t max_entries, max_bytes; /* the limits that hold for it */
	uint64_t seen, accepted, refused;
	/* accepted URLs, without repeats; those with a lastmod */
	uint64_t entries, dated;
	struct date newest; /* precision DATE_NONE: no date */
	/* static: who wrote it, and why that is known; NULL: not known */
	const struct generator *generator;
	const char *generator_reason;
	/* "" or one of: uniform, always now, frozen, future, backwards,
	 * absent */
	const char *lastmod_shape;
	struct report_finding *findings; /* worst first, then by code */
	size_t finding_count;
	uint64_t errors, warnings, infos; /* occurrences */
};

/* A listed page that was fetched. */
struct report_page {
	const char *url;
	uint32_t document; /* number of a document that lists it */
	enum page_end end;
	/* statuses of its own and of the last answer */
	int status, final_status;
	unsigned hops; /* redirects */
	const char *final_url; /* where redirects led; NULL: there were none */
	const char *detail; /* why it was not read; else "" */
	bool is_cut; /* only its beginning was read */
	const char *noindex; /* what forbids indexing; "": nothing */
	enum page_canonical canonical;
	const char *canonical_url; /* "": none */
	enum diag_code codes[REPORT_PAGE_CODES]; /* its faults */
	size_t code_count;
	enum severity severity; /* the worst of them; NONE if there are none */
	/* nothing lists it: its file, before it is published; else NULL */
	const char *unlisted;
	struct purposes purposes; /* what is said of them */
};

/* A crawler for which robots.txt was judged. */
struct report_agent {
	const char *name;
	uint64_t forbidden; /* listed URLs that it may not fetch */
};

/* A listed URL that some of several agents may not fetch. */
struct report_closed {
	const char *url;
	uint32_t document; /* number of the document that lists it */
	unsigned agents; /* bit i: agent i may not */
};

struct out;

struct report {
	const char *profile; /* name of the profile */
	const char *const *targets; /* as typed */
	size_t target_count;
	const char *const *target_urls; /* the targets as URLs, or NULL */
	/* robots.txt, indexes, sitemaps; a child follows its index */
	struct report_document *documents;
	size_t document_count;
	struct report_page *pages; /* sorted by document */
	size_t page_count;
	/* findings of all documents, one for each code and severity: worst
	 * first, then by count */
	struct report_finding *groups;
	size_t group_count;
	/* borrowed: the origin of all documents without an index; empty if
	 * there are several */
	struct slice home;
	/* without robots.txt */
	uint64_t sitemaps, success, has_errors, not_fetched;
	uint64_t indexes; /* indexes among the sitemaps */
	uint64_t lost; /* targets for which no document was found */
	/* of all sitemaps that are no index */
	uint64_t urls, refused, entries, dated;
	uint64_t errors, warnings, infos;
	uint64_t ages[CHART_AGES]; /* of their entries */
	/* findings are ignored, have other severities, or are known */
	bool has_rules;
	uint64_t ignored; /* findings */
	bool has_baseline;
	uint64_t known, gone; /* findings of the baseline: met, not met */
	uint64_t known_of[4]; /* of errors, warnings, infos; by severity */
	/* listed URLs that were compared with robots.txt; those that were not,
	 * because the comparisons were too many  */
	uint64_t compared, uncompared;
	bool has_unjudged_links; /* hreflang links were too many to be judged */
	const char *sandbox; /* the sandbox of the readers; NULL: not known */
	/* robots.txt was judged for them, in words; NULL: for freshet alone */
	const char *agent;
	/* the same; the first one is obeyed for documents */
	struct report_agent agents[REPORT_AGENTS_MAX];
	size_t agent_count;
	/* if there are several agents: URLs that one may not fetch, the first
	 * REPORT_CLOSED_MAX; closed: all of them */
	struct report_closed *closed_pages;
	size_t closed_count;
	uint64_t closed;
	int64_t began_s;
	int64_t spent_ms;
	int exit_status;
	enum severity fail_on; /* SEVERITY_NONE: as for SEVERITY_ERROR */
};

/* report_origin(url): the front "https://host:port" of a URL; empty for a
 * file. */
struct slice report_origin(struct slice url);

/* report_home(report): the value of report.home. */
struct slice report_home(const struct report *);

/* report_path(home, document): the document's URL, without the origin if that
 * is home; borrowed, hostile. */
struct slice report_path(struct slice home, const struct report_document *);

/* report_is_absent(document): whether it is a robots.txt that does not exist,
 * which is no fault. */
bool report_is_absent(const struct report_document *);

/* report_file(document): where the bytes are: the path of a file that is not
 * published yet, else the URL; hostile. */
const char *report_file(const struct report_document *);

/* report_has_others(document): whether more entries were read than kept; its
 * share of dates is a share of the kept ones. */
bool report_has_others(const struct report_document *);

/* report_severity(document): the worst that it has, without remarks. */
enum severity report_severity(const struct report_document *);

/* report_is_bad(report): whether the verdict says that something is wrong. */
bool report_is_bad(const struct report *);

/* report_is_unconfined(report): whether the readers are known to have had no
 * sandbox. */
bool report_is_unconfined(const struct report *);

/* report_is_aside(report, finding): whether the finding only says which rule
 * took an entry, so that the owner has nothing to do. Where remarks fail the
 * check (--fail-on info), no finding is such a one. */
bool report_is_aside(const struct report *, const struct report_finding *);

/* report_has_faults(report): is there a group of findings that is not aside? */
bool report_has_faults(const struct report *);

/* report_percent(part, whole): 100 only for the whole, 0 only for nothing. */
unsigned report_percent(uint64_t part, uint64_t whole);

/* The formats of a report.  Each function appends the whole of it to `out`,
 * which the caller inits and finishes.  Text from sites or from the command
 * line is escaped for its place: it cannot be markup, a control character or a
 * workflow command. */
void report_text(const struct report *, struct out *);
void report_json(const struct report *, struct out *);
void report_junit(const struct report *, struct out *);
void report_github(const struct report *, struct out *);
void report_sarif(const struct report *, struct out *);
void report_html(const struct report *, struct out *);
void report_markdown(const struct report *, struct out *);

#endif
