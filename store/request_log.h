/*
 * The request log: the requests to each host, by the minute, so that users can
 * show that no host got more requests than agreed (HOSTILE J17).
 */
#ifndef FRESHET_REQUEST_LOG_H
#define FRESHET_REQUEST_LOG_H

#include <stdint.h>

#include "base/slice.h"
#include "store/store.h"

/* Requests of one minute. */
struct request_log_note {
	int64_t minute_s; /* its start; a multiple of 60 */
	int64_t last_s; /* the last request */
	uint32_t requests;
	uint32_t overlaps; /* started before the previous one ended */
	int64_t least_gap_ms; /* between two requests; -1: there was one */
	int64_t delay_ms; /* the least delay that a request had to keep */
};

/* store_request_log_add(store, host, note): add to what is known of the minute;
 * durable with the next store_flush. */
void store_request_log_add(
    struct store *, struct slice host, const struct request_log_note *);

/* store_request_log_last(store, host, *delay_ms): the time of the last request
 * to a host, and the delay that it had to keep; 0: there was none. */
int64_t store_request_log_last(
    struct store *, struct slice host, int64_t *delay_ms);

#endif
