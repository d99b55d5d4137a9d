/* What a world is made of before there are pages; private to world*.c. */
#ifndef FRESHET_WORLD_PLAN_H
#define FRESHET_WORLD_PLAN_H

#include <stdint.h>

#include "sched/sim/world.h"

/* What is drawn from numbers of its own, so that no draw of one kind moves
 * with another: what changes must not depend on how it is dated. */
enum world_stream {
	STREAM_SITES, /* sizes and rates */
	STREAM_PARTS, /* who dates how */
	STREAM_HONESTY,
	STREAM_RATES,
	STREAM_WEIGHTS,
	STREAM_LIVES,
	STREAM_CHANGES,
	STREAM_DATES,
	STREAM_FALSE, /* dates that move without a change */
	STREAM_DEPLOYS,
	STREAM_INDEXES,
	STREAM_SHOCKS, /* when much of a site changes together */
	STREAM_SHARES, /* which pages a shock reaches */
	STREAM_MOVES,
	STREAM_COUNT = 64 /* room: a new one must not move the others */
};

struct world_site {
	enum world_part part;
	uint32_t pages;
	double log_rate; /* of the median page */
	double recall, precision; /* of noisy kinds */
};

struct world_plan {
	const struct world_options *options; /* borrowed */
	struct world_site *sites; /* owned */
	uint32_t site_count;
	int64_t begin_s, turn_s, end_s;
};

void world_plan_init(struct world_plan *, const struct world_options *);
void world_plan_release(struct world_plan *);

/* world_random(plan, random, stream, i): the i-th source of that stream. */
struct random;
void world_random(
    const struct world_plan *, struct random *, enum world_stream, uint64_t i);

/* world_when(plan, days): a time so many days after the begin. */
int64_t world_when(const struct world_plan *, double days);

/* world_add_pages(plan, history, site, document, count): with all events. */
void world_add_pages(const struct world_plan *, struct history *, uint32_t site,
    uint32_t document, uint32_t count);

#endif
