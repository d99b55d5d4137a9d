/* From what a run says of its documents to the report of `check`. */
#ifndef FRESHET_REPORT_BUILD_H
#define FRESHET_REPORT_BUILD_H

#include "base/profile.h"
#include "crawler/report/report.h"
#include "store/store.h"

struct report_builder;

/* report_builder_new(hash_key, nowhere): nobody else's key, for tables of
 * URLs; and how URLs begin that are none for people, or NULL. */
struct report_builder *report_builder_new(
    uint64_t hash_key, const char *nowhere);
void report_builder_free(struct report_builder *);

/* report_builder_judge(builder, store, agent, most): listed pages are judged by
 * what the robots.txt of their origins that are in the store said to that
 * crawler, in so many steps at most (report_blocked.h): before the first
 * document. */
void report_builder_judge(
    struct report_builder *, struct store *, const char *agent, uint64_t most);

/*
 * report_builder_document(builder, url, reading, profile): a document was
 * read, or could not be; the latest reading of one counts.  The profile is
 * borrowed until the report is finished.
 */
void report_builder_document(void *builder, struct slice url,
    const struct reading *, const struct profile *);

/* report_builder_file(builder, id, path): that document, which was told, is
 * read from a file that is not published yet. */
void report_builder_file(
    struct report_builder *, int64_t id, struct slice path);

/* report_builder_problem(builder, code, url, text, profile): what went wrong
 * with a target before it led to a document. */
void report_builder_problem(struct report_builder *, enum diag_code,
    struct slice url, struct slice text, const struct profile *);

/* report_builder_page(builder, page): a listed_page_fn: a page was looked at;
 * after all documents.  That it is wrong is a finding of its document. */
void report_builder_page(void *builder, const struct listed_page *);

#endif
