/*
 * The simulator: a policy against a history, tick by tick, in virtual time.
 * The same history, options and policy give the same result.
 */
#ifndef FRESHET_SIM_H
#define FRESHET_SIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct history;
struct sim_policy;

#define SIM_NEVER INT64_MAX /* as read_every_s: no document is read again */

struct sim_options {
	/* >= 0; what a tick does not use is not saved up */
	double requests_per_day;
	int64_t tick_s; /* > 0; 3,600 */
	int64_t start_s; /* the first tick, counted from begin_s; >= 0: 0 */
	/* The simulator reads each document in this interval; 0: the policy
	 * asks for readings (joint mode) and pays for them. */
	int64_t read_every_s; /* 6 hours */
	/* a reading costs budget: the cost of the document */
	bool is_reading_paid;
	/* share of that cost for a reading without moves: 1 */
	double unchanged_cost;
	double failure_share; /* of fetches that get no answer: 0 */
	/* when the policy is asked about honesty, counted from begin_s: 30
	 * days */
	int64_t honesty_s;
	uint64_t seed;
	/* of all sitemaps; or each has one that dates as its world does */
	const struct generator *generator;
	bool has_generators;
	void (*on_day)(void *arg, size_t day, size_t day_count); /* or NULL */
	void *arg;
};

struct sim_options sim_options_default(void);

/*
 * sim_late_start(history, seed):
 * A start_s for that seed: 0 for seed 1, else a time in the first tenth of the
 * history.  A trace is a single history; runs that begin at different times
 * show how much of a difference between policies is chance.
 */
int64_t sim_late_start(const struct history *, uint64_t seed);

/* sim_is_closed(history): all pages are known at begin_s, and stay: no reading
 * is needed to know them. */
bool sim_is_closed(const struct history *);

/* One day of one class.  Weights are times days: a page of weight 2 that is
 * fresh for half a day adds 1 to `fresh` and 2 to `weight`. */
struct sim_day {
	double weight; /* of pages that are listed */
	/* of listed pages whose copy is what a fetch would return */
	double fresh;
	double age; /* weight x days since the first change not fetched */
	double fetches; /* requests for pages, answered or not */
	double found; /* fetches that found a change, without first fetches */
	double first; /* fetches of pages that were never fetched before */
	double failed; /* fetches without an answer, or with 404 */
	double readings;
	/* the cost of the readings in page fetches, whether a budget paid it or
	 * not */
	double readings_cost;
	double moves; /* dates that readings showed to have moved */
};

/* One change of a page that had been fetched before and was listed. */
struct sim_delay {
	float at_days; /* since begin_s */
	float delay_days; /* until the next fetch; INFINITY: there was none */
	float weight;
	uint32_t class, page;
};

/* What a policy had learned of the dates of a document at some time. */
struct sim_honesty {
	bool is_known;
	double precision, recall;
	size_t moves; /* moves of the dates that the policy was shown */
};

struct sim_result {
	size_t class_count, day_count, document_count;
	struct sim_day *days; /* owned; [day * class_count + class] */
	struct sim_delay *delays; /* owned; in no order */
	size_t delay_count, delay_cap;
	struct sim_honesty *honesty_then; /* owned; at honesty_s, by document */
	struct sim_honesty *honesty_end; /* owned; at end_s */
};

/*
 * sim_run(result, policy, history, options):
 * Replay the sorted history from begin_s to end_s.  The last day may be
 * shorter than others.  The caller releases the result.
 *
 * A page counts while it is listed, whether or not the policy knows the page.
 * A page is fresh while a fetch would return what its last fetch returned: the
 * same text, or 404.
 */
void sim_run(struct sim_result *, const struct sim_policy *,
    const struct history *, const struct sim_options *);
void sim_result_release(struct sim_result *);

#endif
