/*
 * Main's side of the readers: jobs out, readings in, the dead replaced.
 * Two jobs in flight for each reader; a reader that dies, overruns its time
 * or answers nonsense loses the job it was at, the other is given again.
 */
#ifndef FRESHET_READERS_H
#define FRESHET_READERS_H

#include <stdbool.h>
#include <stdint.h>

#include "crawler/event/loop.h"
#include "crawler/parse/scope.h"
#include "crawler/sandbox/forkserver.h"
#include "store/segment/block.h"
#include "store/segment/reading.h"

struct readers;

/* When a reader process is replaced by a new one: as jobs_each says; or also
 * before each document of another site; or after each document. */
enum isolation { ISOLATE_OFF, ISOLATE_SITE, ISOLATE_DOCUMENT };

struct readers_options {
	unsigned count; /* processes; 0: read in this process */
	uint32_t job_wall_ms; /* wall clock of one job: 60,000 */
	uint32_t jobs_each; /* readings before a reader is replaced: 256 */
	enum isolation isolation;
	uint64_t max_result_bytes; /* of one reading: 64 MiB */
	const char *scratch_dir; /* outlives the readers; see scratch_fd */
};

struct reader_job {
	int body_fd; /* read-only, at offset 0, owned */
	uint64_t body_len;
	int64_t site_id; /* under ISOLATE_SITE: no other's with its reader */
	struct scope scope; /* owned */
	block_pull_fn *previous; /* the previous segment; see read.h */
	void *previous_arg;
	void (*previous_free)(void *previous_arg); /* NULL: nothing to do */
	/* a new start of the previous segment when a job is given again:
	 * returns the fresh previous_arg and frees the old one; NULL when
	 * scope.has_previous is false */
	void *(*previous_rewind)(void *previous_arg);
};

/*
 * done: content is owned by the callee; result is read_document's answer, or
 * DIAG_READER_CRASHED (it died: "signal 11", "exit status 1", "out of
 * memory", "no sandbox", "fork server gone", "cannot fork") or
 * DIAG_READER_KILLED ("CPU limit", "wall clock limit", "job too large": for a
 * frame, or how the answer broke the protocol), which are also among its
 * findings with that text.
 * Content has blocks with DIAG_OK only.  done may free the readers.
 */
typedef void readers_done_fn(
    void *arg, enum diag_code result, struct content *content);

/*
 * readers_new: forkserver may be NULL when count is 0.  Readers are forked
 * when there is a job for them.  A fork server that is gone is replaced, three
 * times in a minute at most (HOSTILE P4), and its readers' jobs are given
 * again; then every job fails.
 */
struct readers *readers_new(
    struct loop *, struct forkserver *, const struct readers_options *);

/* readers_free(readers): jobs not done are dropped, done is not called; its
 * processes are ended. */
void readers_free(struct readers *);

/* readers_submit(readers, job, done, arg): takes the job over.  done comes
 * from the loop, once, never from within readers_submit. */
void readers_submit(
    struct readers *, const struct reader_job *, readers_done_fn *, void *arg);

/*
 * readers_are_lost(readers, *error): there is no fork server any more, or it
 * cannot fork and no reader is left, so that it is no document's fault when
 * its job fails; error is the errno of fork, 0: the fork server is gone.
 */
bool readers_are_lost(const struct readers *, int *error);

/* readers_backlog(readers): jobs that wait or run. */
unsigned readers_backlog(const struct readers *);

/* readers_pids(readers, pids, max): of the living, for tests and reports. */
unsigned readers_pids(const struct readers *, int *pids, unsigned max);

/* readers_started(readers): processes, ever. */
unsigned readers_started(const struct readers *);

#endif
