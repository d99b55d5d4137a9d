/*
 * Processes that make answers, one each.
 *
 * An answer may read millions of URLs, or a damaged store, so that a process of
 * its own makes it: the server goes on meanwhile, the answer has a deadline,
 * and its memory is given back.  What the process prints on stdout is the
 * answer, its exit status (exit.h) says what came of it, and its stderr why.
 */
#ifndef FRESHET_SERVE_WORKERS_H
#define FRESHET_SERVE_WORKERS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"

struct loop;
struct serve_workers;

struct serve_result {
	int status; /* of exit.h; 128 and more: a signal ended the process */
	bool is_late; /* the deadline passed; there is no status */
	bool is_too_long; /* more than max_bytes; likewise */
	bool has_more; /* of lines: there are some after these */
	uint64_t taken; /* of lines: these */
	struct slice body; /* borrowed; of lines: joined by commas */
	struct slice why; /* borrowed; what stderr got */
};

struct serve_work {
	/* runs in the new process; prints on stdout, which it must not close,
	 * and returns an exit status */
	int (*print)(void *arg);
	/* called from within loop_run, once, unless the workers are freed
	 * before; may call serve_workers_submit() */
	void (*done)(void *arg, const struct serve_result *);
	void *arg;
	/* The answer is lines of JSON, of which some are taken: those that
	 * begin with `only`, or one of those texts between '|' (NULL: all),
	 * `limit` of them after the first
	 * `offset`. */
	bool is_lines;
	const char *only;
	uint64_t offset, limit;
};

struct serve_workers_options {
	struct loop *loop;
	unsigned at_once; /* processes */
	int64_t deadline_ms; /* of each answer, with the time that it waits */
	uint32_t max_bytes; /* of an answer */
	uint64_t memory_bytes; /* of a process; 0: no limit */
};

/* The caller sets the options; the rest is zeroed. */
struct serve_workers {
	struct serve_workers_options options;
	struct worker *waiting; /* owned; the oldest first */
	struct worker *running; /* owned */
	unsigned count; /* that run */
};

/* serve_workers_release(workers): kill what runs, and call no done(). */
void serve_workers_release(struct serve_workers *);

/* serve_workers_submit(workers, work): start the work, or let it wait for its
 * turn.  Only a lack of processes or descriptors fails: then false, and errno
 * says why; done() is not called. */
bool serve_workers_submit(struct serve_workers *, const struct serve_work *);

/* serve_workers_cancel(workers, arg): nobody wants the answer any more for
 * which arg was submitted: end the work, and do not call its done().  Work of
 * others may begin, and their done() be called. */
void serve_workers_cancel(struct serve_workers *, const void *arg);

#endif
