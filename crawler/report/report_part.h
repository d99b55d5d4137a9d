/* The parts of a report while it grows: documents, findings, strings. */
#ifndef FRESHET_REPORT_PART_H
#define FRESHET_REPORT_PART_H

#include <stddef.h>
#include <stdint.h>

#include "base/idmap.h"
#include "base/names.h"
#include "base/slice.h"
#include "base/strings.h"
#include "crawler/parse/return_links.h"
#include "crawler/report/report.h"
#include "crawler/report/report_build.h"
#include "crawler/report/report_dates.h"

struct entry;
struct report_blocked;

#define NO_PART UINT32_MAX

/* One document. Its samples hold the number of the part until the report is
 * finished. */
struct report_part {
	struct report_document document;
	const struct profile *profile; /* borrowed */
	int64_t id; /* id in the store; 0: none */
	uint32_t parent; /* number of a part; NO_PART: none */
	uint32_t place; /* place in the report */
	size_t finding_cap;
	struct buf lines; /* content.lines of the document */
	struct date index_lastmod; /* of the document in its index, or none */
	/* the days of its dates, if there are few */
	int64_t days[REPORT_SHAPE_LEAST - 1];
	size_t day_count;
	/* it lists URLs whose robots.txt is not read yet, and is judged at the
	 * end */
	bool has_strangers;
	bool is_looked_up; /* its pages among the files of the folder */
	bool has_dates; /* they are counted in report.ages */
};

#define REPORT_PAIR_SAMPLES 3

/* URLs that two documents both list. */
struct report_pair {
	uint32_t documents[2];
	uint64_t count; /* at least so many */
	char *samples[REPORT_PAIR_SAMPLES]; /* owned */
	size_t sample_count;
	/* which of them lists the page with a slash at its end */
	bool slashes[2];
};

/* Zeroed but for the key: empty. Of the first 2,000,000 URLs it is known which
 * documents list them, too; further pairs than 10,000 are dropped. */
struct report_urls {
	uint64_t key; /* random, for hashes of URLs */
	struct idmap by_url; /* owned */
	struct idmap by_pair; /* owned */
	struct report_pair *pairs; /* owned; in no order */
	size_t count, cap;
};

struct report_builder {
	struct report_part *parts; /* owned */
	size_t count;
	size_t cap;
	struct idmap by_id; /* document id -> part */
	/* URLs with problems; each has a part without an id: */
	struct names problems;
	uint32_t *problem_parts; /* owned; by the numbers of problems */
	size_t problem_cap;
	struct report_urls urls;
	/* owned; NULL: robots.txt is not compared */
	struct report_blocked *blocked;
	struct report_unlisted *unlisted; /* borrowed; NULL: no folder */
	bool is_finishing; /* no further robots.txt is read */
	struct return_links links;
	bool has_links;
	/* pages that named a generator: the first ones are enough */
	unsigned generator_pages;
	const char *nowhere; /* borrowed, or NULL */
	struct report report; /* owns documents and groups */
	size_t group_cap;
	size_t page_cap;
	size_t closed_cap;
	struct strings texts; /* owned: the strings of the report */
	size_t text_bytes;
};

/* report_text_own(builder, text): copy a text. The copy lives as long as the
 * builder. */
const char *report_text_own(struct report_builder *, struct slice);

/* report_text_keep(builder, text): the same for a sample; NULL if the samples
 * take too much memory already. */
const char *report_text_keep(struct report_builder *, struct slice);

/* report_part_find(part, code): the part's finding of that code, added if it is
 * new; valid until the next one is added. */
struct report_finding *report_part_find(struct report_part *, enum diag_code);

/* report_part_fail(part, code): the code costs the document: its finding is an
 * error in any profile. */
void report_part_fail(struct report_part *, enum diag_code);

/* report_part_drop(part, code): remove the finding of that code, to be judged
 * again. */
void report_part_drop(struct report_part *, enum diag_code);

/* Where a sample is; zeroed: in the document. Without a line, that of the entry
 * is looked up if the sample is added. */
struct report_place {
	uint32_t line, entry; /* the first one is 1; 0: unknown */
	struct slice loc; /* the URL that it is about; empty: none */
};

/* report_tag_meant(tag): the element of sitemaps that the name of an unknown
 * one was probably meant to be: "loc" for "Loc". NULL if none is close enough.
 */
const char *report_tag_meant(struct slice);

/* report_part_sample(builder, finding, part, place, text): add a sample if
 * there is room. */
void report_part_sample(struct report_builder *, struct report_finding *,
    uint32_t part, const struct report_place *, struct slice text);

/* report_part_add(builder, part, code, place, format, ...): count a finding of
 * a document, and add its sample, with a text as of printf(), if there is room.
 * place NULL: the document has the finding once, with this sample. */
void report_part_add(struct report_builder *, uint32_t part, enum diag_code,
    const struct report_place *, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* report_part_frozen(builder, part, days, of): add lastmod-frozen: "20 of 20
 * dates are of 2024-01-03". `of` says which dates, behind the word "dates". */
void report_part_frozen(struct report_builder *, uint32_t part,
    const struct report_day *, const char *of);

/* report_urls_add(urls, url, document): a document lists the URL; it may do so
 * again. */
void report_urls_add(struct report_urls *, struct slice url, uint32_t document);
void report_urls_release(struct report_urls *);

/* Listed pages that the robots.txt of their origin forbids. */

/* report_blocked_free(blocked): free what report_builder_judge() made; NULL is
 * allowed. */
void report_blocked_free(struct report_blocked *);

/*
 * These functions do nothing if builder->blocked is NULL.
 * report_blocked_begin(builder, part): the entries of a document follow.
 * report_blocked_add(builder, part, entry): judge an entry; a URL
 * that one of the agents may not fetch becomes a finding of the document; if
 * there are several agents, it stands in report.closed_pages, too.
 * report_blocked_is_over(builder): whether all steps are used, so that no
 * further URL is judged.
 * report_blocked_finish(builder): everything is read: judge the documents whose
 * robots.txt came late, and count in the report how many URLs were compared and
 * how many were not.
 */
void report_blocked_begin(struct report_builder *, uint32_t part);
void report_blocked_add(
    struct report_builder *, uint32_t part, const struct entry *);
bool report_blocked_is_over(const struct report_builder *);
void report_blocked_finish(struct report_builder *);

#endif
