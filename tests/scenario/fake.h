/* A loop without a clock and a fetcher without a network, behind the headers
 * of the real ones: the driver runs in virtual time, and each run gives the
 * same log. */
#ifndef FRESHET_FAKE_H
#define FRESHET_FAKE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/addr.h"
#include "base/buf.h"
#include "base/slice.h"

#define BEGIN_S 1767225600 /* 2026-01-01: when the scenario begins */

/* The answer of a URL from now on.  The answer owns its strings. */
struct fake_answer {
	char *url;
	int status;
	char *location, *etag, *last_modified, *type, *encoding;
	int64_t retry_after_s; /* -1: none */
	int64_t ms; /* time from the request to the answer */
	unsigned failures; /* connection errors before this answer */
	/* every other request is not sent, for want of a descriptor */
	bool is_short;
	bool is_shorted; /* the last one was not */
	bool is_truncated; /* the body is cut; so many bytes are missing: */
	size_t cut;
	char *peer; /* address of the server, NULL: 93.184.216.34 */
	struct buf body;
};

/* fake_serve(answer): takes the answer over; it replaces the older answer of
 * that URL. */
void fake_serve(const struct fake_answer *);
void fake_forget(void);

/* fake_serve_by(fn): a URL without an answer gets what fn returns, whose
 * strings are borrowed until the next call; NULL: nothing is there. */
typedef struct fake_answer *fake_answer_fn(const char *url);
void fake_serve_by(fake_answer_fn *);

/* fake_overlaps(): how many requests began while their host had another one. */
unsigned fake_overlaps(void);

/* fake_log(): the log of requests. */
struct buf *fake_log(void);

/* fake_reset(): start again at the first second, for another scenario. */
void fake_reset(void);

/* fake_sleep(seconds): let time pass between two runs. */
void fake_sleep(int64_t seconds);

/* fake_jump(seconds): somebody sets the wall clock, and nothing else. */
void fake_jump(int64_t seconds);

/* fake_restart(): the process ends and another one begins, which takes its time
 * from the wall clock anew.  Returns by how many seconds its time lies before
 * that of the process that ended. */
int64_t fake_restart(void);

/* fake_suspend(seconds): the machine is suspended: the monotonic clock and
 * the timers stand still, while time goes on elsewhere. */
void fake_suspend(int64_t seconds);

/* fake_time(out): append the seconds since the scenario began: "12.500". */
void fake_time(struct buf *);
int64_t fake_elapsed_s(void);

#endif
