/* What a site did lately, and how often its dates are right. */
#ifndef FRESHET_STATS_GATHER_H
#define FRESHET_STATS_GATHER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strings.h"
#include "crawler/cli/options.h"
#include "crawler/cli/out.h"
#include "crawler/events/site_counts.h"
#include "crawler/inspect/rhythm.h"
#include "sched/scheduler_next.h"
#include "store/segment/entry.h"
#include "store/site.h"
#include "store/site_tally.h"

struct frontier;
struct site_past;
struct section_rules;
struct store;

/* The changes of an hour, day or week; or of a section or sitemap. */
struct stats_row {
	int64_t at_s; /* start of the hour, day or week */
	char *name; /* owned: "/blog", or a URL; NULL: an hour, day or week */
	uint64_t counts[STATS_KINDS];
	uint64_t sum; /* of a section or sitemap: of all its counts */
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
	bool has_end; /* what happened at to_s or later does not count */
	int64_t known_s; /* the first reading of the site; 0: none */
	/* owned; sorted by time, or most changes first */
	struct stats_row *rows;
	size_t count, cap;
	struct stats_source *sources; /* owned; most checks first */
	size_t source_count, source_cap;
	/* sections with one page alone, which count in the folder above */
	struct string_set lone;
	uint64_t counts[STATS_KINDS]; /* of all rows */
	bool has_rhythm; /* the time of new pages was asked for */
	struct rhythm_facts rhythm;
	bool has_too_many; /* there were too many changes to look for moves */
	/* readings, with those of robots.txt, if they were asked for */
	uint64_t read, unchanged, failed;
	struct site_totals totals; /* now */
	struct site_numbers numbers; /* now */
	double checks; /* of all sources */
	/* mean of all sources, weighted by checks; 0: no checks */
	double precision;
};

/* stats_gather(stats, store, host, options, now_s, past): count the changes of
 * the site; a URL that changed in only one of several documents that list it
 * does not count (site_tally.h).  `past` has the counts, opened with the rules
 * of these options at now_s and for such a span; NULL: it is opened here.
 * stats_section(stats, sections, url): the section in which a page counts; call
 * it if the rows are sections.
 * stats_last_s(options): how far back it counts if no time is given.
 * stats_ask(stats, frontier, store, now_s): add its sources.
 * stats_release(stats): free; zeroed is allowed. */
void stats_gather(struct stats *, struct store *, struct slice host,
    const struct options_stats *, int64_t now_s, struct site_past *);
struct slice stats_section(
    const struct stats *, const struct section_rules *, struct slice url);
int64_t stats_last_s(const struct options_stats *);
void stats_ask(
    struct stats *, struct frontier *, struct store *, int64_t now_s);
void stats_release(struct stats *);

#endif
