/*
 * Policies: the simulator tells a policy what was seen, and asks the policy
 * what to request.  The scheduler is a policy, and so is each baseline.  A
 * policy is told only what it may know.
 */
#ifndef FRESHET_SIM_POLICY_H
#define FRESHET_SIM_POLICY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/generator.h"
#include "tests/sim/history.h"

/* What a policy may read in the history; bits. */
enum sim_knows {
	/* only weights, documents and costs, which all policies know */
	SIM_KNOWS_NOTHING = 0,
	SIM_KNOWS_RATES = 1, /* changes_per_day */
	SIM_KNOWS_DATES = 2, /* history_dates up to the present time */
	SIM_KNOWS_TRUTH = 4, /* the events, future ones too */
};

struct sim_setup {
	const struct history *history; /* borrowed, longer than the policy */
	double requests_per_day;
	int64_t tick_s;
	/* the policy asks for readings, and pays for them */
	bool reads_documents;
	/* of all sitemaps; or each has one that dates as its world does */
	const struct generator *generator;
	bool has_generators;
	uint64_t seed; /* for policies that use random numbers */
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
	uint32_t dated; /* entries with a date */
	bool is_failed; /* 404 and the like: nothing is known, no moves */
	/* the price of the reading, in page fetches; 0: it was free */
	double cost;
	const struct sim_move *moves; /* borrowed; in order of number */
	size_t move_count;
};

enum sim_outcome {
	/* another text than at its last fetch; or the first fetch */
	SIM_CHANGED,
	SIM_SAME,
	SIM_DEAD, /* there is no such page now (404) */
	SIM_FAILED, /* no answer: nothing is known */
};

struct sim_request {
	bool is_document; /* only if reads_documents */
	uint32_t number;
};

/*
 * The simulator calls new() first.  If the history starts_known, it then
 * calls, at begin_s, page() for each page (is_fetched), and reading() once for
 * each document, free and with all entries as SIM_NEW.  In each tick it calls
 * reading() for each document whose free reading is due; then, while there is
 * budget, next(), and outcome() or reading() with the answer.  Before a
 * reading that lists a page for the first time, it calls page().  now_s never
 * goes back.
 */
struct sim_policy {
	const char *name; /* "ours", "fifo", ... */
	const char *text; /* one line for tables and help */
	unsigned knows; /* enum sim_knows */
	bool reads; /* the policy asks for readings, when reads_documents */
	/* readings only tell the policy which pages exist */
	bool ignores_dates;
	void *(*new)(const struct sim_setup *);
	void (*free)(void *);
	/* The policy knows the page from now on. */
	void (*page)(void *, int64_t now_s, uint32_t page, bool is_fetched);
	/* NULL: the policy ignores readings. */
	void (*reading)(void *, int64_t now_s, const struct sim_reading *);
	void (*outcome)(void *, int64_t now_s, uint32_t page, enum sim_outcome);
	/* Somebody says that the page has changed; NULL: the policy ignores
	 * that. */
	void (*hint)(void *, int64_t now_s, uint32_t page);
	/* Choose the next request; false: the policy wants no more requests in
	 * this tick. */
	bool (*next)(void *, int64_t now_s, struct sim_request *);
	/*
	 * What the policy has learned about the dates of a document: two
	 * numbers from 0 to 1; false: nothing.  NULL: the policy does not
	 * learn.
	 */
	bool (*honesty)(
	    void *, uint32_t document, double *precision, double *recall);
};

/* sim_policies(count): all policies in the order of tables, `ours` first. */
const struct sim_policy *const *sim_policies(size_t *count);

#endif
