/*
 * The web at one moment of a history: what fetches and readings would return
 * now, and what the last ones returned.  Private to the simulator.
 */
#ifndef FRESHET_SIM_STATE_H
#define FRESHET_SIM_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/sim/day_sums.h"
#include "tests/sim/history.h"
#include "tests/sim/sim.h"
#include "tests/sim/sim_policy.h"
#include "tests/sim/sim_truth.h"

/* What a document says of an entry. */
struct sim_claim {
	int64_t lastmod_s;
	bool is_day, is_listed;
};

enum sim_life { LIFE_NEVER, LIFE_ALIVE, LIFE_DEAD };

struct sim_page {
	struct sim_claim said; /* what the next publication shows */
	struct sim_claim shown; /* what a reading shows now */
	struct sim_claim seen; /* what the last reading showed */
	uint64_t text, held_text; /* now; at the last fetch */
	double since; /* while stale: since when, in days since the beginning */
	/* the first change not yet fetched, an index in the truth */
	size_t next_delay;
	uint32_t next_pending, next_dirty; /* pages of its document */
	uint32_t class;
	uint8_t life, held_life; /* enum sim_life */
	bool is_counted, is_stale; /* in the sums */
	bool is_pending; /* `said` may differ from `shown` */
	bool is_dirty; /* `shown` may differ from `seen` */
	bool is_known; /* the policy knows the page */
};

struct sim_document {
	struct sim_claim shown, seen; /* what its index says of it */
	uint32_t first_pending, first_dirty; /* pages, or HISTORY_NONE */
	uint32_t first_child, next_child; /* of an index */
	uint32_t listed, dated; /* as shown */
	uint32_t pages_from, pages_to; /* in by_document */
	uint32_t class;
	bool is_withdrawn;
	bool was_now; /* the last reading gave its own time as every date */
	size_t moves; /* moved dates that readings have shown */
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
	/* sim_state_pass calls it for each hint of a known page; or NULL */
	void (*on_hint)(void *arg, int64_t t_s, uint32_t page);
	void *arg;
};

void sim_state_init(struct sim_state *, const struct history *);
void sim_state_release(struct sim_state *);

/* sim_days(state, t_s): days since the begin. */
double sim_days(const struct sim_state *, int64_t t_s);

/* sim_state_pass(state, now_s): apply all events up to now_s, including those
 * at now_s. */
void sim_state_pass(struct sim_state *, int64_t now_s);

/*
 * sim_state_read(state, now_s, document, reading):
 * Read the document; reading->moves is valid until the next reading.
 */
void sim_state_read(
    struct sim_state *, int64_t now_s, uint32_t document, struct sim_reading *);

/* sim_state_fetch(state, now_s, page): fetch the page, and remember its
 * text. */
enum sim_outcome sim_state_fetch(
    struct sim_state *, int64_t now_s, uint32_t page);

#endif
