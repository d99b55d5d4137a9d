/*
 * A loop without a clock and a fetcher without a network, behind the headers
 * of the real ones: the driver runs in virtual time, the same every time.
 */
#ifndef FRESHET_FAKE_H
#define FRESHET_FAKE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/addr.h"
#include "base/buf.h"
#include "base/slice.h"

#define BEGIN_S 1767225600 /* 2026-01-01: when the scenario begins */

/* What a URL answers from now on. Strings are owned by the answer. */
struct fake_answer {
	char *url;
	int status;
	char *location, *etag, *last_modified, *type, *encoding;
	int64_t retry_after_s; /* -1: none */
	int64_t ms; /* until the answer is there */
	unsigned failures; /* connection errors before it */
	bool is_truncated; /* by so many bytes: */
	size_t cut;
	char *peer; /* its address, NULL: 93.184.216.34 */
	struct buf body;
};

/* fake_serve(answer): takes it over; replaces that URL's older answer. */
void fake_serve(const struct fake_answer *);
void fake_forget(void);

/* fake_serve_by(fn): where nothing is served, answer what it says (its strings
 * are borrowed until the next question); NULL: nothing is there. */
typedef struct fake_answer *fake_answer_fn(const char *url);
void fake_serve_by(fake_answer_fn *);

/* fake_log(): where requests are written down as they are made. */
struct buf *fake_log(void);

/* fake_reset(): the beginning of time, for another scenario. */
void fake_reset(void);

/* fake_sleep(seconds): time passes between two runs. */
void fake_sleep(int64_t seconds);

/* fake_jump(seconds): somebody sets the wall clock, and nothing else. */
void fake_jump(int64_t seconds);

/* fake_suspend(seconds): the machine is suspended for so long: its monotonic
 * clock stands still, and its timers with it; the world goes on. */
void fake_suspend(int64_t seconds);

/* fake_time(out): "12.500", seconds since the scenario began. */
void fake_time(struct buf *);
int64_t fake_elapsed_s(void);

#endif
