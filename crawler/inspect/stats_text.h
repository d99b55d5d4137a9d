/* What a site did lately, for people and for programs. */
#ifndef FRESHET_STATS_TEXT_H
#define FRESHET_STATS_TEXT_H

#include "crawler/cli/out.h"
#include "crawler/inspect/stats_gather.h"

/* stats_text(stats, out): append tables and bars for people. */
void stats_text(const struct stats *, struct out *);

/* stats_json(stats, out): append an object for each row and each source, and
 * then a summary. */
void stats_json(const struct stats *, struct out *);

/* stats_csv_heading(by, out): append the names of the columns.
 * stats_csv(stats, out): append the rows of a site. */
void stats_csv_heading(enum stats_by, struct out *);
void stats_csv(const struct stats *, struct out *);

/* stats_heat(facts, out): append how many pages came in each hour of a week, at
 * most 60 columns wide. */
void stats_heat(const struct rhythm_facts *, struct out *);

#endif
