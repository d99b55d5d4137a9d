/* Index policies with true parameters; private to them. */
#ifndef FRESHET_VALUED_H
#define FRESHET_VALUED_H

#include <stdbool.h>
#include <stdint.h>

#include "sched/gains.h"
#include "sched/sim/baseline.h"
#include "sched/sim/by_worth.h"
#include "sched/sim/known.h"

enum valued_belief { BELIEVES_NO_DATE, BELIEVES_ALL, BELIEVES_TRUTH };

/* When documents are read, in joint mode (scheduling.md, "Readings"). */
struct valued_reads {
	struct gains *gains; /* owned; by document */
	struct gain *page_gains; /* owned; by page */
	uint32_t *pages; /* owned; numbers, by document */
	size_t *first; /* owned; in pages, of each document */
	int64_t *read_s; /* owned; by document: the last reading */
	struct ranking due; /* documents by their next evaluation */
	double saved; /* requests that readings may cost: half of all */
	int64_t saved_s; /* when `saved` was computed */
};

struct valued {
	struct baseline baseline; /* its order is not used */
	struct known known;
	struct by_worth queue;
	struct value_rates *rates; /* owned; by page, until turn_s */
	uint8_t *moves; /* owned; by page, since its last fetch */
	struct valued_reads *reads; /* owned; NULL: readings are given */
	int64_t turn_s; /* the truth about some dates changes */
	enum valued_belief belief;
	bool is_lite;
};

/* Nothing happens, and there is never one to read, unless it was called. */
void valued_reads_init(struct valued *);
void valued_reads_release(struct valued *);

/* valued_reads_next(valued, now_s, document): one worth a reading. */
bool valued_reads_next(struct valued *, int64_t now_s, uint32_t *document);

/* A document was read; a page was fetched. */
void valued_reads_seen(
    struct valued *, int64_t now_s, const struct sim_reading *);
void valued_reads_fetched(struct valued *, int64_t now_s, uint32_t page);

#endif
