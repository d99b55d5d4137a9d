/* The crawls of one run of a scenario: the first one, and those that join. */
#ifndef FRESHET_CRAWLS_H
#define FRESHET_CRAWLS_H

#include <stdbool.h>
#include <stdint.h>

#include "crawler/crawl/run.h"

#define MAX_CRAWLS 8
#define MAX_TARGETS 16
#define MAX_PAGES 16

struct crawl_plan {
	struct slice targets[MAX_TARGETS]; /* borrowed */
	size_t target_count;
	int64_t at_ms; /* time since the first crawl began */
	bool is_read; /* single documents of the store are read, no crawl */
	bool is_order; /* pages are ordered; the crawl is dropped after them */
	bool is_more; /* the documents go to the crawl before, which is not over
			 yet */
	int64_t drop_ms; /* time when the crawl is dropped; -1: never */
};

/* A page of a host that a fetcher gets; or, without a host, a look at the run:
 * see run_status(); or a hold. */
struct crawl_page {
	bool is_hold;
	struct slice host; /* borrowed */
	int64_t at_ms; /* time since the first crawl began */
	/* of a hold: its length; of a page: so many more pages of the host wait
	 * for the fetcher */
	int64_t wait_ms;
};

struct crawls {
	struct crawl_plan plans[MAX_CRAWLS];
	size_t count;
	struct crawl_page pages[MAX_PAGES];
	size_t page_count;
	uint64_t max_urls;
	bool is_forced;
};

/* crawls_run(crawls, options): run all crawls until they are over, and log
 * them; log lines of the second crawl begin with "2: ".  False: a target is
 * invalid. */
bool crawls_run(const struct crawls *, const struct run_options *);

#endif
