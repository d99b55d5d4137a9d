/* A job on its way through the readers, and the queue of such jobs; for
 * readers.c. */
#ifndef FRESHET_READER_JOB_H
#define FRESHET_READER_JOB_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/slice.h"
#include "crawler/sandbox/reader_validation.h"
#include "crawler/sandbox/readers.h"
#include "store/segment/reading.h"

struct queued_job {
	struct reader_job job; /* owned */
	readers_done_fn *done;
	void *arg;
	struct queued_job *next; /* in its queue */
	bool was_second; /* the reader had another job when it got this one */
	bool is_again; /* given once already: only an idle reader may take it */
	uint32_t at_work; /* the number of the site: see at_work.h */
	bool is_too_large; /* an empty frame was sent instead */
	enum diag_code result;
	struct content content; /* owned */
};

/* queued_job_deliver(queued): call done and free the job. */
void queued_job_deliver(struct queued_job *);

/* queued_job_fail(queued, code, why): the result is this failure. */
void queued_job_fail(struct queued_job *, enum diag_code, struct slice why);

/*
 * queued_job_judge(queued, validation, content): the answer of a reader is
 * whole, but for its blocks, which are in queued->content: NULL, or what is
 * wrong with it.
 * queued_job_take(queued, content): take over content, and add the blocks that
 * were collected; the result of the job is content->failure.
 */
const char *queued_job_judge(
    struct queued_job *, struct validation *, const struct content *);
void queued_job_take(struct queued_job *, struct content *);

/* reader_job_rewind(job): prepare to read the previous segment from the start;
 * false: that is not possible. */
bool reader_job_rewind(struct reader_job *);

/* queued_job_free(queued): without a call of done; NULL is ignored. */
void queued_job_free(struct queued_job *);

/* queued_job_run(queued, scratch_fd): read the document in this process. */
void queued_job_run(struct queued_job *, int scratch_fd);

/* reader_scratch(fd, dir): make *fd, which is -1 at first, an empty scratch
 * file; *fd stays -1 if there can be none. */
void reader_scratch(int *fd, const char *dir);

/* The queue owns its jobs; a zeroed queue is empty. */
struct reader_queue {
	struct queued_job *first;
	struct queued_job *last;
	unsigned count;
};

/* reader_queue_add(queue, queued, is_first): at the end of the queue, or before
 * all others. */
void reader_queue_add(
    struct reader_queue *, struct queued_job *, bool is_first);
struct queued_job *reader_queue_take(struct reader_queue *);

/*
 * reader_queue_take_of(queue, site_id): the first job of that site, or NULL.
 */
struct queued_job *reader_queue_take_of(struct reader_queue *, int64_t site_id);

#endif
