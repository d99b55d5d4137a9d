/*
 * The request log: what was asked of each host, by the minute, so that it can
 * be shown afterwards that nobody was asked more than agreed (HOSTILE J17).
 */
#ifndef FRESHET_REQUEST_LOG_H
#define FRESHET_REQUEST_LOG_H

#include <stdint.h>

#include "base/slice.h"
#include "store/store.h"

/* Requests of one minute. */
struct request_log_note {
	int64_t minute_s; /* when it began; a multiple of 60 */
	int64_t last_s; /* the last of them */
	uint32_t requests;
	uint32_t overlaps; /* begun before the one before had ended */
	int64_t least_gap_ms; /* from one to the next; -1: there are not two */
	int64_t delay_ms; /* the least that held for any of them */
};

/* store_request_log_add(store, host, note): to what is known of that minute, in
 * the transaction that is open, or a new one. */
void store_request_log_add(
    struct store *, struct slice host, const struct request_log_note *);

/* store_request_log_last(store, host, *delay_ms): when it was asked last, and
 * the delay that held then; 0: never. */
int64_t store_request_log_last(
    struct store *, struct slice host, int64_t *delay_ms);

#endif
