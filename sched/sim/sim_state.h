/*
 * The web at one moment of a history: what fetches and readings would give,
 * and what the last ones gave; private to the simulator.
 */
#ifndef FRESHET_SIM_STATE_H
#define FRESHET_SIM_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sched/sim/day_sums.h"
#include "sched/sim/history.h"
#include "sched/sim/sim.h"
#include "sched/sim/sim_policy.h"
#include "sched/sim/sim_truth.h"

/* What a document says of an entry. */
struct sim_claim {
	int64_t lastmod_s;
	bool is_day, is_listed;
};

enum sim_life { LIFE_NEVER, LIFE_ALIVE, LIFE_DEAD };

struct sim_page {
	struct sim_claim said; /* shows with the next publication */
	struct sim_claim shown; /* by a reading now */
	struct sim_claim seen; /* by the last reading */
	uint64_t text, held_text; /* held: by the last fetch */
	double since; /* while stale: days since the begin */
	size_t next_delay; /* of truth: the first change not yet fetched */
	uint32_t next_pending, next_dirty; /* pages of its document */
	uint32_t class;
	uint8_t life, held_life; /* enum sim_life */
	bool is_counted, is_stale; /* in the sums */
	bool is_pending; /* said differs from shown, perhaps */
	bool is_dirty; /* shown differs from seen, perhaps */
	bool is_known; /* to the policy */
};

struct sim_document {
	struct sim_claim shown, seen; /* by its index */
	uint32_t first_pending, first_dirty; /* pages, or HISTORY_NONE */
	uint32_t first_child, next_child; /* of an index */
	uint32_t listed, dated; /* as shown */
	uint32_t pages_from, pages_to; /* in by_document */
	uint32_t class;
	bool is_withdrawn;
	bool was_now; /* the last reading gave its own time */
	size_t moves; /* that readings showed */
};

struct sim_state {
	const struct history *history; /* borrowed */
	struct sim_truth truth;
	struct sim_page *pages; /* owned */
	struct sim_document *documents; /* owned */
	uint32_t *by_document; /* owned: pages */
	struct day_sums sums;
	struct sim_move *moves; /* owned: of the last reading */
	size_t move_count, move_cap;
	size_t next_event;
};

void sim_state_init(struct sim_state *, const struct history *);
void sim_state_release(struct sim_state *);

/* sim_days(state, t_s): days since the begin. */
double sim_days(const struct sim_state *, int64_t t_s);

/* sim_state_pass(state, now_s): let all happen up to and with now_s. */
void sim_state_pass(struct sim_state *, int64_t now_s);

/*
 * sim_state_read(state, now_s, document, reading):
 * Read the document; the moves live in the state until the next one.
 */
void sim_state_read(
    struct sim_state *, int64_t now_s, uint32_t document, struct sim_reading *);

/* sim_state_fetch(state, now_s, page): fetch it, and hold what it is. */
enum sim_outcome sim_state_fetch(
    struct sim_state *, int64_t now_s, uint32_t page);

#endif
