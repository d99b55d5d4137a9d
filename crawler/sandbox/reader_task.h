/* A job on its way through the readers; private to readers*.c. */
#ifndef FRESHET_READER_TASK_H
#define FRESHET_READER_TASK_H

#include <stdbool.h>

#include "base/diag.h"
#include "base/slice.h"
#include "crawler/sandbox/reader_validation.h"
#include "crawler/sandbox/readers.h"
#include "store/segment/reading.h"

struct reader_task {
	struct reader_job job; /* owned */
	readers_done_fn *done;
	void *arg;
	struct reader_task *next; /* in its reader_queue */
	bool was_second; /* given to a reader that had a job */
	bool is_again; /* given once already: goes to an idle reader only */
	uint32_t at_work; /* the site, see at_work.h */
	bool is_too_large; /* an empty frame went instead of it */
	enum diag_code result;
	struct content content; /* owned */
};

struct reader_task *reader_task_new(
    const struct reader_job *, readers_done_fn *, void *arg);
void reader_task_free(struct reader_task *);

/* reader_task_deliver(task): call done and free the task. */
void reader_task_deliver(struct reader_task *);

/* reader_task_rewind(task): body and previous segment from the start, what an
 * unfinished answer brought is dropped; false when that cannot be. */
bool reader_task_rewind(struct reader_task *);

/*
 * reader_task_validation(task, audit, content): what its reader said at the
 * end, content, after the blocks that the audit has seen.  NULL, or how it
 * lied.
 */
const char *reader_task_validation(
    struct reader_task *, struct validation *, const struct content *);

/* reader_task_fail(task, code, why): that is its result. */
void reader_task_fail(struct reader_task *, enum diag_code, struct slice why);

/* reader_task_finish(task, content): content is taken over, to it come the
 * blocks that were collected; its failure is the result. */
void reader_task_finish(struct reader_task *, struct content *);

/* reader_task_run(task, scratch_fd): read it in this process. */
void reader_task_run(struct reader_task *, int scratch_fd);

/* reader_scratch(fd, dir): make *fd, -1 at first, an empty scratch file; it
 * stays -1 when there is none. */
void reader_scratch(int *fd, const char *dir);

/* Owns its tasks; zeroed: empty. */
struct reader_queue {
	struct reader_task *first;
	struct reader_task *last;
	unsigned count;
};

void reader_queue_add(struct reader_queue *, struct reader_task *);
void reader_queue_add_first(struct reader_queue *, struct reader_task *);
struct reader_task *reader_queue_take(struct reader_queue *);

/* reader_queue_take_of(queue, site_id): the first of that site, or NULL. */
struct reader_task *reader_queue_take_of(
    struct reader_queue *, int64_t site_id);
void reader_queue_release(struct reader_queue *);

#endif
