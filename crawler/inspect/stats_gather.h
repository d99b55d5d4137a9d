/* What a site did lately, and how far its dates are right. */
#ifndef FRESHET_STATS_GATHER_H
#define FRESHET_STATS_GATHER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "crawler/cli/options.h"
#include "crawler/cli/out.h"
#include "sched/scheduler_show.h"
#include "store/segment/entry.h"
#include "store/site_tally.h"
#include "store/site_totals.h"

struct frontier;
struct store;

/* What is counted: by kind of change, and what moved, which is neither new nor
 * removed nor gone. */
enum { STATS_MOVED = DELTA_KINDS, STATS_KINDS };

/* An hour, a day, a week; or a section, or a sitemap. */
struct stats_row {
	int64_t at_s; /* of the first three */
	char *name; /* owned: of the others: "/blog", a URL; or NULL */
	uint64_t counts[STATS_KINDS];
};

/* A sitemap with dates. */
struct stats_source {
	char *url; /* owned */
	struct scheduler_terms terms;
};

struct stats {
	char *host; /* owned */
	enum stats_by by;
	int64_t from_s, to_s;
	struct stats_row *rows; /* owned: by time, else most changes first */
	size_t count, cap;
	struct stats_source *sources; /* owned: most checks first */
	size_t source_count, source_cap;
	uint64_t counts[STATS_KINDS]; /* of all rows */
	bool has_too_many; /* changes: what moved was not looked for */
	uint64_t read, unchanged, failed; /* readings, robots.txt too */
	struct site_totals totals; /* as it is now */
	struct site_numbers numbers; /* likewise */
	double checks; /* of all sources */
	double precision; /* of all, by their checks; 0 without checks */
};

/*
 * stats_gather(stats, store, host, options, now_s): from the readings of the
 * site and what they changed of it, and not only of a document (site_tally.h).
 * stats_ask(stats, frontier, store, now_s): its sources.  stats_release: zeroed
 * is fine.
 */
void stats_gather(struct stats *, struct store *, struct slice host,
    const struct options_stats *, int64_t now_s);
void stats_ask(
    struct stats *, struct frontier *, struct store *, int64_t now_s);
void stats_release(struct stats *);

#endif
