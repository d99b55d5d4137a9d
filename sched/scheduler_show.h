/* What the scheduler believes, term by term, for people; and how it is kept
 * from one run to the next. */
#ifndef FRESHET_SCHEDULER_SHOW_H
#define FRESHET_SCHEDULER_SHOW_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/slice.h"
#include "sched/scheduler.h"

/* Why a request is worth what it is worth (docs/scheduling.md, "Value"). */
struct scheduler_terms {
	double value, price; /* now; INFINITY: its time has come */
	double weight; /* with that of its site */
	double days; /* since its last fetch, or reading; INFINITY: never */
	double changes_per_day;
	double alpha, gamma, q; /* as of struct value_rates */
	double hazard; /* changes expected since then */
	double fresh; /* the probability that there was none: e^-hazard */
	unsigned moves, mass; /* of its date since then */
	double precision, recall, mass_precision; /* of its dates */
	double checks; /* moves of its dates that fetches told about; what is
			* old counts for less and less */
	bool is_gated, is_believed, is_distrusted; /* of its dates: R-116 */
	bool is_out, is_waiting, is_overdue;
	bool is_quota; /* its site's is used up until due_s */
	unsigned failures; /* in a row */
	int64_t again_s; /* after those, not asked for before; 0: it may be */
	int64_t owed_s; /* to be read then for what its last reading
			 * left open; 0: not */
	int64_t due_s; /* looked at again then; SCHEDULER_NEVER: it waits for
			* its turn, or is out */
};

void scheduler_explain_page(
    struct scheduler *, uint32_t page, int64_t now_s, struct scheduler_terms *);

/* scheduler_explain_listed: of asking for one more page that it lists, and
 * never was one: value, price, weight, changes_per_day, is_waiting, is_overdue,
 * due_s. */
void scheduler_explain_listed(struct scheduler *, uint32_t document,
    int64_t now_s, struct scheduler_terms *);

/* scheduler_explain_document: of reading it; its dates are those that it gives
 * (alpha, gamma, q, moves, mass: those that its index gives for it). */
void scheduler_explain_document(struct scheduler *, uint32_t document,
    int64_t now_s, struct scheduler_terms *);

/* scheduler_evaluations(scheduler): values computed since it was made. */
uint64_t scheduler_evaluations(const struct scheduler *);

/*
 * scheduler_save_*(scheduler, number, buf): append what was learned; a few
 * hundred bytes at most.  scheduler_load_*(scheduler, number, bytes): believe
 * that, of what was added before; false, and nothing changed, when another
 * version wrote it, or it is damaged.  Numbers of NaN and below 0 are damage.
 * Not kept: what was out, what a tick's budget was spent on, whether changes
 * found since the last reading were told (they count as if nobody looked), and
 * holds (scheduler_held_s).
 * The scheduler's own: prices and what is shared by all.
 */
void scheduler_save_page(const struct scheduler *, uint32_t, struct buf *);
bool scheduler_load_page(struct scheduler *, uint32_t, struct slice);
void scheduler_save_document(const struct scheduler *, uint32_t, struct buf *);
bool scheduler_load_document(struct scheduler *, uint32_t, struct slice);
void scheduler_save_site(const struct scheduler *, uint32_t, struct buf *);
bool scheduler_load_site(struct scheduler *, uint32_t, struct slice);
void scheduler_save_all(const struct scheduler *, struct buf *);
bool scheduler_load_all(struct scheduler *, struct slice);

#endif
