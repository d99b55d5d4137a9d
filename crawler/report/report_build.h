/* From the events of a run to the parts of a report. */
#ifndef FRESHET_REPORT_BUILD_H
#define FRESHET_REPORT_BUILD_H

#include "base/profile.h"
#include "crawler/report/report.h"
#include "store/store.h"

struct report_builder;
struct report_unlisted;

/* report_builder_new(hash_key, nowhere): hash_key is random, for tables of
 * URLs; nowhere is the prefix of URLs that people never see, or NULL. */
struct report_builder *report_builder_new(
    uint64_t hash_key, const char *nowhere);
void report_builder_free(struct report_builder *);

/* report_builder_judge(builder, store, agents, count, most): judge listed pages
 * by the robots.txt files in the store, for these crawlers, with so many steps
 * at most (report_blocked.h). Call before the first document. */
void report_builder_judge(struct report_builder *, struct store *,
    const char *const *agents, size_t count, uint64_t most);

/* report_builder_unlisted(builder, unlisted): what the documents list is
 * compared with the files of a folder, borrowed (report_unlisted.h). Call
 * before the first document. */
void report_builder_unlisted(struct report_builder *, struct report_unlisted *);

/* report_builder_document(builder, url, reading, profile): add a reading of a
 * document, also a failed one; the latest reading of a document counts. The
 * profile is borrowed until the report is finished. */
void report_builder_document(void *builder, struct slice url,
    const struct reading *, const struct profile *);

/* report_builder_file(builder, id, path): an added document is read from a file
 * that is not published yet. */
void report_builder_file(
    struct report_builder *, int64_t id, struct slice path);

/* report_builder_problem(builder, code, url, text, profile): add what went
 * wrong with a target before it led to a document. */
void report_builder_problem(struct report_builder *, enum diag_code,
    struct slice url, struct slice text, const struct profile *);

/* report_builder_page(builder, page): a listed_page_fn: add a page that was
 * fetched, after all documents. Its faults are findings of its document. A page
 * that nothing lists is added only if it may be indexed; the fault of such a
 * page is a finding of the index above all others. */
void report_builder_page(void *builder, const struct listed_page *);

#endif
