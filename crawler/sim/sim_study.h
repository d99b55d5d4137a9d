/*
 * What `sim` finds out: policies side by side on one world or trace, at one
 * budget, over some seeds.
 */
#ifndef FRESHET_SIM_STUDY_H
#define FRESHET_SIM_STUDY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sched/sim/history.h"
#include "sched/sim/sim.h"
#include "sched/sim/sim_metrics.h"
#include "sched/sim/sim_policy.h"
#include "sched/sim/world.h"

/* What `sim` tells of each policy, and what it holds them against. */

/* What a page of the output has for each policy; over seeds. */
enum study_figure {
	STUDY_FRESHNESS,
	STUDY_GAP, /* of fifo's distance to the bound */
	STUDY_SHARE, /* of the bound */
	STUDY_BEHIND, /* the first policy, seed by seed; none of itself */
	STUDY_AGE,
	STUDY_DELAY,
	STUDY_DELAY_TOP,
	STUDY_FETCHES,
	STUDY_FOUND,
	STUDY_FAILED,
	STUDY_READINGS,
	STUDY_READINGS_COST,
	STUDY_REQUESTS, /* a day, for the freshness of the first policy */
	STUDY_WITHIN, /* learned honesty: share within 0.1 of the truth */
	STUDY_PRECISION_ERROR,
	STUDY_RECALL_ERROR,
	STUDY_FIGURES
};

/* study_key(figure): its name in JSON. */
const char *study_key(enum study_figure);

/* The most that can be reached. */
enum study_bound {
	STUDY_SIGNALS, /* known parameters, dates pushed for nothing */
	STUDY_BLIND, /* known rates, no dates */
	STUDY_JOINT, /* known parameters, readings paid */
	STUDY_CLAIRVOYANT, /* the future is known */
	STUDY_BOUNDS
};

const char *study_bound_key(enum study_bound);
const char *study_bound_text(enum study_bound);

#define STUDY_HALF SIZE_MAX

/* Learned honesty is judged where there was something to learn from. */
#define STUDY_LEAST_MOVES 50
/* So many sitemaps are shown one by one. */
#define STUDY_FEW 10

/* What is asked for.  All is borrowed. */
struct study_plan {
	const char *name; /* of the world; the trace's file */
	const char *text; /* one line on it */
	const struct world_options *world; /* NULL: it is a trace */
	const struct history *trace; /* NULL: it is a world */
	const struct sim_policy *const *policies;
	size_t policy_count;
	struct sim_options options; /* the seed is set for each run */
	/* Where the policies are to ask for readings: of those that do not,
	 * how often each document is read, and paid. */
	int64_t paid_readings_s;
	unsigned seeds; /* 1 or more; a trace is begun later with each */
	/* The days that do not count: less than there are, or STUDY_HALF. */
	size_t warm_up_days;
	bool wants_equal; /* requests for equal freshness */
};

struct study_row {
	const struct sim_policy *policy;
	struct sim_sample figures[STUDY_FIGURES];
	struct sim_sample *classes; /* owned: freshness of each class */
	struct sim_sample *days; /* owned: freshness of each day */
	struct sim_honesty *honesty; /* owned: at the end of the last seed */
	double *seeds; /* owned: freshness, with each */
	enum study_bound bound; /* what its shares and gaps are of */
};

struct study {
	const struct study_plan *plan; /* borrowed */
	struct study_row *rows; /* owned; fifo is one of them */
	size_t row_count;
	size_t class_count;
	const char *const *class_names; /* borrowed, for ever or the trace's */
	double *class_weights; /* owned: share of the weight, of each class */
	size_t day_count;
	struct sim_window window; /* of days that count */
	size_t page_count, site_count, document_count; /* of the last seed */
	bool has_bound[STUDY_BOUNDS];
	struct sim_sample bounds[STUDY_BOUNDS];
	double *bound_seeds[STUDY_BOUNDS]; /* owned: with each seed */
	enum study_bound best; /* what shares and gaps are of */
	struct history_site *sites; /* owned with its names: of the last seed */
	struct study_document *documents; /* owned: likewise */
};

/* A document of the last seed, and the truth about it at the end. */
struct study_document {
	uint32_t site;
	double precision, recall; /* < 0: unknown */
};

/*
 * study_told_fn: called at each simulated day; done and all are runs, part of
 * the present one is 0 to 1.
 */
struct study_step {
	const char *policy;
	unsigned seed; /* from 1 */
	size_t done, all;
	double part;
};
typedef void study_told_fn(void *arg, const struct study_step *);

/* study_make(study, plan, told, arg): run it all; told may be NULL. */
void study_make(
    struct study *, const struct study_plan *, study_told_fn *told, void *arg);
void study_release(struct study *);

/* study_learner(study): the first policy that learns of dates, for its
 * variants learn alike; NULL if there is none. */
const struct study_row *study_learner(const struct study *);

#endif
