/*
 * Policies: the simulator gives a policy what was seen, and asks it what to
 * request.  The scheduler is a policy, and so is each baseline.  A policy gets
 * only what it may know.
 */
#ifndef FRESHET_SIM_POLICY_H
#define FRESHET_SIM_POLICY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sched/sim/history.h"

/* What a policy may read in the history; bits. */
enum sim_knows {
	SIM_KNOWS_NOTHING = 0, /* weights, documents and costs: everybody */
	SIM_KNOWS_RATES = 1, /* changes_per_day */
	SIM_KNOWS_DATES = 2, /* history_dates at the time it is asked */
	SIM_KNOWS_TRUTH = 4, /* the events, the future's too */
};

struct sim_setup {
	const struct history *history; /* borrowed, longer than the policy */
	double requests_per_day;
	int64_t tick_s;
	bool reads_documents; /* readings are asked for, and paid */
	uint64_t seed; /* for policies that draw */
};

enum sim_move_kind { SIM_NEW, SIM_MOVED, SIM_GONE };

/* One entry of a reading that differs from the reading before. */
struct sim_move {
	uint32_t number; /* page, or document of an index */
	bool is_document;
	enum sim_move_kind kind; /* SIM_MOVED: another date, or none */
	int64_t lastmod_s; /* HISTORY_NO_DATE: none */
	bool is_day;
};

/* What a reading showed. */
struct sim_reading {
	uint32_t document;
	uint32_t listed; /* entries */
	uint32_t dated; /* of them with a date */
	bool is_failed; /* 404 and the like: nothing is known, no moves */
	double cost; /* what it was charged, in page fetches; 0: free */
	const struct sim_move *moves; /* borrowed; in order of number */
	size_t move_count;
};

enum sim_outcome {
	SIM_CHANGED, /* another text than at its last fetch; or the first fetch
		      */
	SIM_SAME,
	SIM_DEAD, /* there is no such page (404), at this time */
	SIM_FAILED, /* no answer: nothing is known */
};

struct sim_request {
	bool is_document; /* only if reads_documents */
	uint32_t number;
};

/*
 * The order of calls: new; at begin_s, if the history starts_known, page for
 * each page (is_fetched) and then one free reading of each document with all
 * its entries as SIM_NEW; then for each tick: the readings that are due and
 * free, then next and its answer while there is budget.  A page that a
 * reading lists for the first time is announced by page before that reading.
 * now_s never goes back.
 */
struct sim_policy {
	const char *name; /* "ours", "fifo", ... */
	const char *text; /* one line for tables and help */
	unsigned knows; /* enum sim_knows */
	bool reads; /* asks for readings, when reads_documents */
	bool ignores_dates; /* uses readings only to know which pages exist */
	void *(*new)(const struct sim_setup *);
	void (*free)(void *);
	/* A page is known from now on. */
	void (*page)(void *, int64_t now_s, uint32_t page, bool is_fetched);
	/* NULL: the policy ignores readings. */
	void (*reading)(void *, int64_t now_s, const struct sim_reading *);
	void (*outcome)(void *, int64_t now_s, uint32_t page, enum sim_outcome);
	/* What to ask for now; false: nothing more in this tick. */
	bool (*next)(void *, int64_t now_s, struct sim_request *);
	/*
	 * What it has learned of a document's dates, each in 0..1; false:
	 * nothing.  NULL: it does not learn.
	 */
	bool (*honesty)(
	    void *, uint32_t document, double *precision, double *recall);
};

/* sim_policies(count): all of them, ours first, in the order of tables. */
const struct sim_policy *const *sim_policies(size_t *count);

#endif
