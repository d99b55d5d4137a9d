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

/* What only the command knows; borrowed as long as the report. */
struct report_facts {
	const char *profile;
	const char *const *targets;
	size_t target_count;
	const char *const *urls; /* the same, as URLs of documents are, */
	const char *const *hosts; /* and their hosts; NULL: not told */
	const char *sandbox; /* as crawler_sandbox says; NULL: not told */
	const char *agent; /* robots.txt was judged for it */
	int64_t began_s;
	int64_t spent_ms;
};

/*
 * report_builder_finish(builder, store, facts): order the documents by the
 * links in the store (NULL: there are none), and count.  The report is the
 * builder's; exit_status is left to the caller.  Once.
 */
struct report *report_builder_finish(
    struct report_builder *, struct store *, const struct report_facts *);

#endif
