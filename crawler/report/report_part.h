/* The report while it grows; included by report_*.c of it only. */
#ifndef FRESHET_REPORT_PART_H
#define FRESHET_REPORT_PART_H

#include "base/idmap.h"
#include "base/names.h"
#include "crawler/parse/return_links.h"
#include "crawler/report/report.h"
#include "crawler/report/report_build.h"
#include "crawler/report/report_shape.h"
#include "crawler/report/report_urls.h"

#define NO_PART UINT32_MAX

/* One document; its samples name it by its place in the order it came. */
struct report_part {
	struct report_document document;
	const struct profile *profile; /* borrowed */
	int64_t id; /* in the store; 0: it has none */
	uint32_t parent; /* part, NO_PART: none */
	uint32_t place; /* in the report */
	size_t finding_cap;
	int64_t *days; /* owned: of its dates, if they are few */
	size_t day_count;
	bool has_strangers; /* it lists URLs whose robots.txt is not known yet,
			     * and is judged in the end */
};

struct report_builder {
	struct report_part *parts; /* owned */
	size_t count;
	size_t cap;
	struct idmap by_id; /* document id -> part */
	struct names problems; /* URLs, each of a part that has no id: */
	uint32_t *problem_parts; /* owned: by their numbers */
	size_t problem_cap;
	struct report_urls *urls; /* owned */
	struct report_blocked *blocked; /* owned; NULL: nobody judges */
	bool is_finishing; /* all robots.txt that come were read */
	struct return_links *links; /* owned */
	bool has_links;
	const char *nowhere; /* borrowed, or NULL */
	struct report report; /* documents and groups are owned */
	size_t group_cap;
	size_t page_cap;
	char **texts; /* owned: all strings of the report */
	size_t text_count;
	size_t text_cap;
	size_t text_bytes;
};

/* report_text_own(builder, text): a copy that lives as long as the builder. */
const char *report_text_own(struct report_builder *, struct slice);

/* report_text_keep(builder, text): a copy that lives as long as the builder;
 * NULL when there are too many of them already. */
const char *report_text_keep(struct report_builder *, struct slice);

/* report_part_find(part, code): its finding of that code, made when it is
 * new; valid until the next one is made. */
struct report_finding *report_part_find(struct report_part *, enum diag_code);

/* report_part_fail(part, code): it cost the document, or keeps it from being
 * had: an error, whatever the profile calls it. */
void report_part_fail(struct report_part *, enum diag_code);

/* report_part_drop(part, code): what it found of that code is judged anew. */
void report_part_drop(struct report_part *, enum diag_code);

/* report_part_sample(builder, finding, part, line, text): one more place, as
 * long as there is room. */
void report_part_sample(struct report_builder *, struct report_finding *,
    uint32_t part, uint32_t line, struct slice text);

/* report_part_frozen(builder, part, days, of): lastmod-frozen: "20 of 20 dates
 * are of 2024-01-03"; of: whose they are, behind "dates". */
void report_part_frozen(struct report_builder *, uint32_t part,
    const struct report_day *, const char *of);

#endif
