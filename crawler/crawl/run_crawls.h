/* What a crawl asked for, and how far it has come; see run_internal.h. */
#ifndef FRESHET_RUN_CRAWLS_H
#define FRESHET_RUN_CRAWLS_H

#include "base/target.h"
#include "crawler/crawl/crawl_options.h"
#include "crawler/crawl/run_totals.h"

/*
 *	WAITING (its site is busy for another crawl) -> STARTED
 */
struct crawl_target {
	struct target target;
	uint32_t site; /* NONE: waiting */
};

/* NEW -> ROBOTS (until those of its targets are known) -> DOCUMENTS
 *     -> OVER, the first one, or FREE for another one */
enum crawl_state {
	CRAWL_NEW,
	CRAWL_ROBOTS,
	CRAWL_DOCUMENTS,
	CRAWL_OVER,
	CRAWL_FREE
};

struct crawl {
	struct crawl_options options;
	struct run_totals totals;
	struct crawl_target *targets; /* owned */
	size_t target_count, target_cap;
	size_t waiting; /* targets */
	int64_t *given; /* owned: documents that have not begun */
	size_t given_count, given_cap;
	uint64_t serial; /* larger than those of earlier ones */
	size_t robots_open; /* of its targets' robots.txt: not known yet */
	size_t open; /* visits that are not done */
	size_t pending; /* what may open further ones, by and by */
	uint64_t claimed; /* URLs of readings, committed or not */
	uint64_t claims; /* readings with URLs */
	int64_t robots_until_ms; /* nobody waits for them longer */
	int64_t robots_end_ms; /* likewise, however many there are */
	uint32_t *late; /* owned: origins whose robots.txt came later */
	size_t late_count, late_cap;
	int64_t before_id; /* the last reading when it began */
	uint64_t ended; /* run.commits that its end waits for; 0: it goes on */
	uint64_t sealed; /* likewise, of what says that it has ended */
	uint8_t state; /* enum crawl_state */
	bool is_closed; /* it asks for nothing more */
	bool is_dropped;
	bool was_told_time; /* that the clock was set back */
	bool is_sampled; /* its pages were chosen */
};

#endif
