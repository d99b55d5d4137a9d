/*
 * What `check` found out about its targets: values only, which every format
 * (text, json, junit, github, sarif, html) prints.
 */
#ifndef FRESHET_REPORT_H
#define FRESHET_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/profile.h"
#include "base/slice.h"
#include "base/w3cdate.h"
#include "crawler/crawl/crawl_options.h"
#include "store/segment/reading.h"

#define REPORT_SAMPLES 8
#define REPORT_PAGE_CODES 4

/* Search Console's three words for a sitemap. */
enum report_status { REPORT_SUCCESS, REPORT_HAS_ERRORS, REPORT_NOT_FETCHED };

/* One place. Strings are owned by the report. */
struct report_sample {
	uint32_t document; /* its number */
	uint32_t line; /* 0: none */
	const char *text; /* hostile; "" when there is none */
};

/* One code, in one document or in all of them. */
struct report_finding {
	enum diag_code code;
	enum severity severity; /* by the document's profile */
	uint64_t count;
	size_t sample_count;
	struct report_sample samples[REPORT_SAMPLES];
};

struct report_document {
	const char *url; /* or the path of a local file */
	const char *file; /* that is read for it, not yet published; or NULL */
	const char *final_url; /* after redirects, NULL: the same */
	uint32_t parent; /* number of the index, UINT32_MAX: none */
	uint32_t target; /* number of the target that led to it */
	enum document_kind kind;
	enum report_status status;
	enum diag_code failure; /* DIAG_OK, or why it was not read */
	int http_status; /* 0: none */
	int64_t read_s; /* when */
	bool is_complete;
	unsigned gzip_layers;
	uint64_t wire_bytes, decoded_bytes;
	uint64_t max_entries, max_bytes; /* the limits it is held to */
	uint64_t seen, accepted, refused;
	uint64_t entries, dated; /* of what was accepted, repeats not counted;
				    of these, with a lastmod */
	struct date newest; /* precision DATE_NONE: no date */
	const char *lastmod_shape; /* "" or: uniform, always now, frozen,
				      future, backwards, absent */
	struct report_finding *findings; /* worst first, then by code */
	size_t finding_count;
	uint64_t errors, warnings, infos; /* occurrences */
};

/* A listed page that was looked at. */
struct report_page {
	const char *url;
	uint32_t document; /* number of one that lists it */
	enum page_end end;
	int status, final_status; /* of its own and of the last answer */
	unsigned hops; /* redirects */
	const char *final_url; /* where they led; NULL: there are none */
	const char *detail; /* why it was not read; "" otherwise */
	bool is_cut; /* its end was not looked at */
	const char *noindex; /* what says so, "": nothing does */
	enum page_canonical canonical;
	const char *canonical_url; /* "": none */
	enum diag_code codes[REPORT_PAGE_CODES]; /* what is wrong with it */
	size_t code_count;
	enum severity severity; /* of the worst of them, else NONE */
};

struct report {
	const char *profile; /* its name */
	const char *const *targets; /* as typed */
	size_t target_count;
	struct report_document *documents; /* robots.txt, indexes, children: a
					      child follows its index */
	size_t document_count;
	struct report_page *pages; /* in the order of their documents */
	size_t page_count;
	struct report_finding *groups; /* all documents, of each code and
					  severity: worst first, then by
					  count */
	size_t group_count;
	struct slice home; /* origin of all documents that no index leads to;
			      empty when they are of several; borrowed */
	uint64_t sitemaps, success, has_errors, not_fetched; /* no robots.txt */
	uint64_t indexes; /* of the sitemaps */
	uint64_t lost; /* targets that led to no document */
	uint64_t urls, refused, entries, dated; /* of all sitemaps but indexes
						 */
	uint64_t errors, warnings, infos;
	uint64_t compared, uncompared; /* listed URLs that were held to rules of
					* robots.txt, and that were not any
					* more, since it was too much */
	const char *sandbox; /* what held the readers; NULL: not told */
	const char *agent; /* whose rules of robots.txt hold; NULL: ours */
	int64_t began_s;
	int64_t spent_ms;
	int exit_status;
	enum severity fail_on; /* SEVERITY_NONE: as SEVERITY_ERROR */
};

#endif
