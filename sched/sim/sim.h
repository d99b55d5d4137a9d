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

#define SIM_NEVER INT64_MAX /* of read_every_s: no document is read again */

struct sim_options {
	double requests_per_day; /* >= 0; what a tick leaves is not saved up */
	int64_t tick_s; /* > 0; 3,600 */
	int64_t start_s; /* >= 0: the first tick, after begin_s: 0 */
	/* Each document is read this often by the simulator; 0: the policy
	 * asks for readings (joint mode), and they are paid. */
	int64_t read_every_s; /* 6 hours */
	bool is_reading_paid; /* by the budget: cost of the document */
	double unchanged_cost; /* of a reading without moves, as share: 1 */
	double failure_share; /* of fetches that get no answer: 0 */
	int64_t honesty_s; /* since begin_s: when honesty is asked: 30 days */
	uint64_t seed;
	void (*on_day)(void *arg, size_t day, size_t day_count); /* or NULL */
	void *arg;
};

struct sim_options sim_options_default(void);

/*
 * sim_late_start(history, seed):
 * A start_s for that seed: 0 for 1, others somewhere in the first tenth of
 * the time.  A trace happened once; runs that begin at different times tell
 * how much of a difference is chance.
 */
int64_t sim_late_start(const struct history *, uint64_t seed);

/* sim_is_closed(history): all pages are known at begin_s, and stay: no reading
 * is needed to know them. */
bool sim_is_closed(const struct history *);

/* One day of one class.  Weights are times days: a page of weight 2 that is
 * fresh for half a day adds 1 to `fresh` and 2 to `weight`. */
struct sim_day {
	double weight; /* of pages that are listed */
	double fresh; /* of those whose copy is what a fetch would give */
	double age; /* weight x days since the first change not fetched */
	double fetches; /* requests for pages, answered or not */
	double found; /* of them with a change, first fetches not counted */
	double first; /* of them of pages never fetched before */
	double failed; /* of them without an answer, or 404 */
	double readings;
	double readings_cost; /* paid or not, in page fetches */
	double moves; /* dates that readings showed to have moved */
};

/* One change of a page that had been fetched before and was listed. */
struct sim_delay {
	float at_days; /* since begin_s */
	float delay_days; /* until the next fetch; INFINITY: none came */
	float weight;
	uint32_t class, page;
};

/* What a policy had learned of the dates of a document at some time. */
struct sim_honesty {
	bool is_known;
	double precision, recall;
	size_t moves; /* that it had been shown */
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
 * Replay the sorted history from begin_s to end_s; a day that end_s cuts
 * counts as it is.  The result is the caller's to release.
 *
 * A page counts while it is listed, known or not.  It is fresh while what
 * its last fetch gave is what a fetch would give now: the same text, or 404.
 */
void sim_run(struct sim_result *, const struct sim_policy *,
    const struct history *, const struct sim_options *);
void sim_result_release(struct sim_result *);

#endif
