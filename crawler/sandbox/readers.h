/*
 * Main's side of the readers: jobs go out, readings come in, dead readers are
 * replaced. Each reader has up to two jobs in flight. A reader that dies,
 * exceeds its time or breaks the protocol fails the job that it works at; its
 * other job is given again.
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

/* When a reader process is replaced: after jobs_each readings, or after each
 * document. SITE is DOCUMENT, because which readers a site has is not kept. */
enum isolation { ISOLATE_OFF, ISOLATE_SITE, ISOLATE_DOCUMENT };

struct readers_options {
	unsigned count; /* processes; 0: read in this process */
	uint32_t job_wall_ms; /* wall clock limit of one job: 60,000 */
	uint32_t jobs_each; /* readings before a reader is replaced: 256 */
	enum isolation isolation;
	uint64_t max_result_bytes; /* of one reading: 64 MiB */
	const char *scratch_dir; /* must outlive the readers; see scratch_fd */
};

struct reader_job {
	int body_fd; /* read-only, at offset 0, owned */
	uint64_t body_len;
	/* the scratch file of the job, borrowed, which the caller reads when it
	 * is done; 0: the readers' own, which nobody reads */
	int out_fd;
	struct scope scope; /* owned */
	block_pull_fn *previous; /* the previous segment; see read.h */
	void *previous_arg;
	void (*previous_free)(void *previous_arg); /* NULL: nothing to free */
	/* Begin the previous segment anew. It and `previous` may be NULL if
	 * scope.has_previous is false. */
	void (*previous_rewind)(void *previous_arg);
};

/* readers_done_fn: takes over content. result is read_document's, or
 * DIAG_READER_CRASHED (the reader died: "signal 11", "exit status 1", "out of
 * memory", "no sandbox", "fork server gone", "cannot fork"), or
 * DIAG_READER_KILLED ("CPU limit", "wall clock limit", "job too large" for a
 * frame, or how the answer broke the protocol); these two are also among the
 * findings, with that text. content has blocks with DIAG_OK only. The function
 * may free the readers. */
typedef void readers_done_fn(
    void *arg, enum diag_code result, struct content *content);

/* readers_new(loop, forkserver, options): forkserver may be NULL if count is 0.
 * Readers are forked when there are jobs for them. If the fork server is gone
 * (HOSTILE P4), every job fails. */
struct readers *readers_new(
    struct loop *, struct forkserver *, const struct readers_options *);

/* readers_free(readers): drop jobs that are not done, without calling done, and
 * end the processes. */
void readers_free(struct readers *);

/* readers_submit(readers, job, done, arg): take over the job. done is called
 * once, from the loop, and never from within readers_submit. */
void readers_submit(
    struct readers *, const struct reader_job *, readers_done_fn *, void *arg);

/* readers_are_lost(readers, error): is the fork server gone, or can it
 * not fork while no reader is left? Then no document is to blame for the
 * failure of its job. *error is the errno of fork; 0: the fork server is gone.
 */
bool readers_are_lost(const struct readers *, int *error);

/* readers_backlog(readers): the number of jobs that are not done. */
unsigned readers_backlog(const struct readers *);

#endif
