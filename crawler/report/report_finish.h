/* The end of a report: its order, its groups and its sums. */
#ifndef FRESHET_REPORT_FINISH_H
#define FRESHET_REPORT_FINISH_H

#include "crawler/report/report_build.h"

/* Values that only the command knows; borrowed as long as the report. */
struct report_facts {
	const char *profile;
	const char *const *targets;
	size_t target_count;
	const char *const *urls; /* the targets as URLs */
	/* the hosts of the targets; NULL: not known */
	const char *const *hosts;
	/* as crawler_sandbox() returns it; NULL: not known */
	const char *sandbox;
	const char *agent; /* robots.txt was judged for it */
	struct report_accept *accept; /* NULL: nothing is accepted */
	/* the run stopped early: what it did not read may list anything */
	bool is_cut;
	int64_t began_s;
	int64_t spent_ms;
};

/* report_builder_finish(builder, store, facts): order the documents by the
 * links in the store (NULL: there are none), and count. Call once. The builder
 * owns the report; the caller sets exit_status. */
struct report *report_builder_finish(
    struct report_builder *, struct store *, const struct report_facts *);

#endif
