/* A study: policies compared on one world or trace, at one budget, over some
 * seeds. */
#ifndef FRESHET_SIM_STUDY_H
#define FRESHET_SIM_STUDY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/sim/history.h"
#include "tests/sim/sim.h"
#include "tests/sim/sim_metrics.h"
#include "tests/sim/sim_policy.h"
#include "tests/sim/world.h"

/* The figures of each policy, over all seeds. */
enum study_figure {
	STUDY_FRESHNESS,
	STUDY_GAP, /* of the distance between fifo and the bound */
	STUDY_SHARE, /* of the bound */
	/* difference to the first policy, seed by seed; the first has none */
	STUDY_BEHIND,
	STUDY_AGE,
	STUDY_DELAY,
	STUDY_DELAY_TOP,
	STUDY_FETCHES,
	STUDY_FOUND,
	STUDY_FAILED,
	STUDY_READINGS,
	STUDY_READINGS_COST,
	STUDY_REQUESTS, /* a day, for the freshness of the first policy */
	/* share of sitemaps whose learned values are within 0.1 of the truth */
	STUDY_WITHIN,
	STUDY_PRECISION_ERROR,
	STUDY_RECALL_ERROR,
	STUDY_FIGURES
};

/* study_key(figure): its key in JSON. */
const char *study_key(enum study_figure);

/* Bounds: the most that any policy can reach. */
enum study_bound {
	/* rates and precision known, all moves of dates told at once */
	STUDY_SIGNALS,
	STUDY_BLIND, /* rates known, without dates */
	STUDY_JOINT, /* rates and precision known, readings cost requests */
	STUDY_CLAIRVOYANT, /* the future is known */
	STUDY_BOUNDS
};

const char *study_bound_key(enum study_bound);
const char *study_bound_text(enum study_bound);

#define STUDY_HALF SIZE_MAX

/* A sitemap needs this many moves before its learned values are judged. */
#define STUDY_LEAST_MOVES 50
/* At most this many sitemaps are shown one by one. */
#define STUDY_FEW 10

/* What to study; all pointers are borrowed. */
struct study_plan {
	const char *name; /* name of the world, or file of the trace */
	const char *text; /* one line about it */
	const struct world_options *world; /* NULL: a trace */
	const struct history *trace; /* NULL: a world */
	const struct sim_policy *const *policies;
	size_t policy_count;
	struct sim_options options; /* the seed is set for each run */
	/* if readings cost requests: how often each document is read for
	 * policies that do not ask for readings */
	int64_t paid_readings_s;
	unsigned seeds; /* 1 or more; with each one a trace begins later */
	/* number of first days that do not count, fewer than all days; or
	 * STUDY_HALF */
	size_t warm_up_days;
	/* only so many days of each run, which begins anywhere in a trace, and
	 * all of which count; 0: all days */
	size_t first_days;
	bool wants_equal; /* compute requests for equal freshness */
};

struct study_row {
	const struct sim_policy *policy;
	struct sim_sample figures[STUDY_FIGURES];
	struct sim_sample *classes; /* owned: freshness by kind of site */
	struct sim_sample *days; /* owned: freshness of each day */
	struct sim_honesty *honesty; /* owned: at the end of the last seed */
	double *seeds; /* owned: freshness of each seed */
	enum study_bound bound; /* the bound of its shares and gaps */
};

struct study {
	const struct study_plan *plan; /* borrowed */
	struct study_row *rows; /* owned; one of them is fifo's */
	size_t row_count;
	size_t class_count;
	const char *const *class_names; /* borrowed, static or of the trace */
	double *class_weights; /* owned: share of the weight by kind of site */
	size_t day_count;
	struct sim_window window; /* the days that count */
	size_t page_count, site_count, document_count; /* in the last seed */
	bool has_bound[STUDY_BOUNDS];
	struct sim_sample bounds[STUDY_BOUNDS];
	double *bound_seeds[STUDY_BOUNDS]; /* owned: by seed */
	enum study_bound best; /* the bound of shares and gaps */
	/* owned with its names: sites of the last seed */
	struct history_site *sites;
	/* owned: documents of the last seed */
	struct study_document *documents;
};

/* A document of the last seed, and its true values at the end. */
struct study_document {
	uint32_t site;
	double precision, recall; /* below 0: unknown */
};

/* study_step_fn: called at each simulated day. `done` of `all` runs are over;
 * `part` of the present one is, from 0 to 1. */
struct study_step {
	const char *policy;
	unsigned seed; /* from 1 */
	size_t done, all;
	double part;
};
typedef void study_step_fn(void *arg, const struct study_step *);

/* study_make(study, plan, on_step, arg): run the study; on_step may be NULL. */
void study_make(struct study *, const struct study_plan *,
    study_step_fn *on_step, void *arg);
void study_release(struct study *);

/* study_learner(study): the first policy that learns of dates, for its variants
 * learn the same; NULL: there is none. */
const struct study_row *study_learner(const struct study *);

#endif
