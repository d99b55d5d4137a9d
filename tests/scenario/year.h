/*
 * A year of the whole daemon: its core, frontier, driver and store, in virtual
 * time, between a world that changes and breaks, and fetchers that are no
 * better.
 */
#ifndef FRESHET_YEAR_H
#define FRESHET_YEAR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/hash.h"
#include "crawler/daemon/daemon.h"
#include "crawler/frontier/frontier_lease.h"
#include "crawler/frontier/frontier_result.h"
#include "sched/sim/random.h"
#include "store/store.h"
#include "tests/scenario/year_asked.h"
#include "tests/scenario/year_store.h"

#define PAGES 10 /* of a sitemap */
#define DELAY_MS 2000 /* of every host, but for those that ask for more */
#define SLOW_MS 7000 /* as these do: is_slow */
#define LEAST_S (12 * 3600) /* between readings */
#define MOST_S 86400
#define BURST_MS 300000 /* of budgets: what comes in that time, at once */
#define DEAD 13 /* never answers */
#define MISSING 7 /* is not there for a twelfth of the time */

struct year;

/* year_proof.c: what must hold. */
struct proof {
	struct digester *digester; /* owned: of the log */
	struct asked asked;
	uint64_t requests, readings, takes, jumps, lives;
	struct outcomes acked; /* the leases whose answers were believed */
	uint64_t used[2]; /* bytes: most in the second fifth, in the last */
	uint64_t faults; /* of the daemon */
};
void proof_begin(struct proof *);
void proof_fail(struct proof *, const char *what, struct slice where);
/* proof_drain(proof): the requests in the log are looked at, and it is
 * emptied into the digest. */
void proof_drain(struct proof *);
/* proof_life(year): the store is whole, and says what was acknowledged. */
void proof_life(struct year *);
void proof_day(struct year *);
void proof_end(struct year *);

/* year_fetcher.c: who takes pages. */
struct errand_page {
	char token[FRONTIER_TOKEN_SIZE];
	char *url; /* owned */
	int64_t at_s; /* answered then, since the beginning; NEVER */
	uint8_t times; /* it will be said so often */
	bool is_over; /* for the model: answered */
	int64_t until_s; /* of the lease, by the wall clock */
};
struct fetchers {
	struct loop_timer *timer;
	struct frontier_consumer
	    consumers[2]; /* all at once; one after the other */
	struct errand_page *out; /* owned */
	size_t count, cap;
	struct random random;
};

struct year {
	struct run_options options;
	struct frontier_options counter;
	struct run *run;
	struct frontier *frontier;
	struct daemon *daemon;
	struct site_rules rules;
	struct loop_timer *timer; /* of days */
	struct loop_timer *fate; /* of what befalls the machine */
	struct random random; /* of that */
	struct proof proof;
	struct fetchers fetchers;
	const char *path; /* of the store */
	int64_t span_s;
	int64_t wrong_s; /* the clock is that far ahead */
	unsigned step; /* how much has befallen it */
	bool is_killed, is_over;
};

unsigned year_site(struct slice url); /* SITES: none */
/* year_look(year): which of the documents that wait may wait longer; often. */
void year_look(struct year *);

#endif
