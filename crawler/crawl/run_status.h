/*
 * The driver: what it does at this moment, and what it did in the last minute,
 * for people who watch it.  The machine of run_machine.c says when a request
 * begins and ends, and what was read.
 *
 * All costs are bounded: each list has RUN_STATUS_ROWS rows, and the store is
 * not asked.  One call of run_status() looks at each host and each request
 * under way in memory once.
 */
#ifndef FRESHET_RUN_STATUS_H
#define FRESHET_RUN_STATUS_H

#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/slice.h"

struct fetch_result;
struct reading;
struct run;

#define RUN_STATUS_ROWS 20

/* What ended within a span of time. */
struct run_rate {
	uint32_t span_s;
	uint64_t requests; /* answered, or without an answer */
	uint64_t bytes; /* of bodies, on the wire */
	uint64_t readings; /* committed; failed ones, too */
	uint64_t failed; /* of these readings: failed or refused */
};

/* All texts are borrowed, and valid until the loop goes on. */
struct run_status {
	struct run_rate rates[2]; /* of the last 10 s and of the last 60 s */
	uint64_t in_flight; /* requests */
	uint64_t open; /* documents and pages that are begun and not done */
	uint64_t hosts_open; /* hosts that have a request or wait for one */
	struct run_asked {
		struct slice url; /* cut if it is very long, as below */
		int64_t ms; /* since the request was begun */
	} asked[RUN_STATUS_ROWS]; /* the oldest come first */
	size_t asked_count;
	/* hosts that answer slowly, have failed, asked for a pause, or want a
	 * longer delay than usual; those that cost most time come first */
	struct run_slow {
		struct slice host;
		const char
		    *why; /* "dead", "paused", "failing", "slow", "delay" */
		int64_t
		    answer_ms; /* until an answer begins, smoothed; 0: none */
		int64_t delay_ms; /* between two requests */
		int64_t wait_ms; /* until the pause is over; 0: none */
	} slow[RUN_STATUS_ROWS];
	size_t slow_count;
	struct run_failed {
		int64_t at_s;
		struct slice url; /* cut if it is very long */
		enum diag_code code;
	} failed[RUN_STATUS_ROWS]; /* the latest comes first */
	size_t failed_count;
};

#define SLOTS 61 /* the second under way, and the 60 before */
#define URL_ROOM 512 /* bytes of a URL that are shown */
/* What ended in one second. */
struct work_second {
	int64_t second; /* of the loop's clock */
	struct run_rate sum;
};

struct request_under_way {
	uint32_t task;
	int64_t since_ms;
};

struct failure {
	int64_t at_s;
	enum diag_code code;
	size_t len;
	char url[URL_ROOM];
};

struct run_activity {
	struct request_under_way *asked; /* owned; in no order */
	size_t asked_count, asked_cap;
	struct work_second slots[SLOTS]; /* by second modulo SLOTS */
	struct failure failures[RUN_STATUS_ROWS]; /* a ring */
	uint64_t failure_count; /* of all times */
};

/* run_status(run, *status): fill in the whole struct. */
void run_status(struct run *, struct run_status *);

/* The rest is for the driver. */

/* activity_ended(run, task, result): a request that activity.asked has is over;
 * NULL: it was not sent.
 * activity_read(run, url, reading, at_s): a reading was committed. */
void activity_ended(struct run *, uint32_t task, const struct fetch_result *);
void activity_read(
    struct run *, struct slice url, const struct reading *, int64_t at_s);

#endif
