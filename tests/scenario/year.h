/* A year of the whole daemon: its core, frontier, driver and store, in
 * virtual time.  Its world changes and breaks, and the fetchers of pages are
 * unreliable. */
#ifndef FRESHET_YEAR_H
#define FRESHET_YEAR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/hash.h"
#include "crawler/daemon/daemon.h"
#include "crawler/frontier/frontier_lease.h"
#include "crawler/frontier/frontier_result.h"
#include "store/store.h"
#include "tests/scenario/year_asked.h"
#include "tests/scenario/year_store.h"
#include "tests/sim/random.h"

#define PAGES 10 /* of a sitemap */
#define DELAY_MS 2000 /* of every host but slow ones (is_slow) */
#define SLOW_MS 7000 /* of slow hosts */
#define LEAST_S (12 * 3600) /* between readings */
#define MOST_S 86400
/* The requests that a budget allows in this time may be sent at once. */
#define BURST_MS 300000
#define DEAD 13 /* site that never answers */
#define MISSING 7 /* document that is missing for a twelfth of the time */

struct year;

/* year_proof.c: checks of what happened. */
struct proof {
	struct digester *digester; /* owned; digest of the log */
	struct asked asked;
	uint64_t requests, readings, takes, own, jumps, lives;
	struct outcomes acked; /* the leases whose answers were acknowledged */
	/* memory: the most in the second fifth, and in the last */
	uint64_t used[2];
	uint64_t faults; /* of the daemon */
};
void proof_begin(struct proof *);
void proof_fail(struct proof *, const char *what, struct slice where);
/* proof_drain(proof): check the requests in the log, and empty it into the
 * digest. */
void proof_drain(struct proof *);
/* proof_life(year): check that the store is whole, and has everything that
 * was acknowledged. */
void proof_life(struct year *);
void proof_day(struct year *);
void proof_end(struct year *);

/* year_fetcher.c: fetchers that lease pages. */
struct leased_page {
	char token[FRONTIER_TOKEN_SIZE];
	char *url; /* owned */
	int64_t at_s; /* time of the answer, since the beginning; NEVER */
	uint8_t times; /* the answer will be sent so often */
	bool is_over; /* answered, as far as the model is concerned */
	int64_t until_s; /* end of the lease, by the wall clock */
};
struct fetchers {
	struct loop_timer *timer;
	/* all at once; one after the other */
	struct frontier_consumer consumers[2];
	struct leased_page *out; /* owned */
	size_t count, cap;
	struct random random;
};

struct year {
	struct run_options options;
	struct frontier_options counter;
	struct run *run;
	struct frontier *frontier;
	struct daemon *daemon;
	struct daemon_counts counts;
	struct site_rules rules;
	struct loop_timer *timer; /* of days */
	struct loop_timer *fate; /* of what happens to the machine */
	struct random random; /* for what happens */
	struct proof proof;
	struct fetchers fetchers;
	struct page_fetch *own; /* owned; NULL: it fetches no pages now */
	bool own_is_over;
	const char *path; /* of the store */
	int64_t span_s;
	int64_t wrong_s; /* the clock is ahead by so much */
	unsigned step; /* how many things have happened */
	bool is_killed, is_over;
};

unsigned year_site(struct slice url); /* SITES: no site has that URL */
/* year_look(year): check which documents have waited too long; called often. */
void year_look(struct year *);

#endif
