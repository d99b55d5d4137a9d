/* What `sim` tells of each policy, and what it holds them against. */
#ifndef FRESHET_SIM_FIGURES_H
#define FRESHET_SIM_FIGURES_H

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

#endif
