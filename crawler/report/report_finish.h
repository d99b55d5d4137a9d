/* The end of a report: its order, its groups and its sums. */
#ifndef FRESHET_REPORT_FINISH_H
#define FRESHET_REPORT_FINISH_H

#include "crawler/report/report_build.h"

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
