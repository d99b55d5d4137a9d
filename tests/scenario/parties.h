/* The parties of one crawl of a scenario: the first, and those that join. */
#ifndef FRESHET_PARTIES_H
#define FRESHET_PARTIES_H

#include <stdbool.h>
#include <stdint.h>

#include "crawler/crawl/run.h"

#define MAX_PARTIES 8
#define MAX_TARGETS 16

struct party_plan {
	struct slice targets[MAX_TARGETS]; /* borrowed */
	size_t target_count;
	int64_t at_ms; /* after the first began */
	bool is_read; /* of documents of the store, not a crawl */
	bool is_more; /* given to the party before, which is not over yet */
	int64_t drop_ms; /* nobody waits for it from then on; -1: never */
};

struct parties {
	struct party_plan plans[MAX_PARTIES];
	size_t count;
	uint64_t max_urls;
	bool is_forced;
};

/* parties_run(parties, options): crawl until all are over, and log it; lines
 * of the second party begin with "2: ".  False: a target is none. */
bool parties_run(const struct parties *, const struct run_options *);

#endif
