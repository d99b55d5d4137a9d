/* A job on its way through the readers, and the queue of such tasks; for
 * readers.c and reader_link.c. */
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
	struct reader_task *next; /* in its queue */
	bool was_second; /* the reader had another job when it got this one */
	bool is_again; /* given once already: only an idle reader may take it */
	uint32_t at_work; /* the number of the site: see at_work.h */
	bool is_too_large; /* an empty frame was sent instead */
	enum diag_code result;
	struct content content; /* owned */
};

struct reader_task *reader_task_new(
    const struct reader_job *, readers_done_fn *, void *arg);
void reader_task_free(struct reader_task *);

/* reader_task_deliver(task): call done and free the task. */
void reader_task_deliver(struct reader_task *);

/*
 * reader_task_rewind(task): prepare to read the body and the previous segment
 * from the start, and drop what an incomplete answer brought. False: that is
 * not possible.
 */
bool reader_task_rewind(struct reader_task *);

/*
 * reader_task_validation(task, validation, content): validate content, which
 * the reader sent at the end, after the blocks that validation has seen. NULL,
 * or what is wrong.
 */
const char *reader_task_validation(
    struct reader_task *, struct validation *, const struct content *);

/* reader_task_fail(task, code, why): the result is this failure. */
void reader_task_fail(struct reader_task *, enum diag_code, struct slice why);

/* reader_task_finish(task, content): take over content and add the blocks that
 * were collected; the result is its failure. */
void reader_task_finish(struct reader_task *, struct content *);

/* reader_task_run(task, scratch_fd): read the document in this process. */
void reader_task_run(struct reader_task *, int scratch_fd);

/* reader_scratch(fd, dir): make *fd, which is -1 at first, an empty scratch
 * file; *fd stays -1 if there can be none. */
void reader_scratch(int *fd, const char *dir);

/* The queue owns its tasks; a zeroed queue is empty. */
struct reader_queue {
	struct reader_task *first;
	struct reader_task *last;
	unsigned count;
};

void reader_queue_add(struct reader_queue *, struct reader_task *);
void reader_queue_add_first(struct reader_queue *, struct reader_task *);
struct reader_task *reader_queue_take(struct reader_queue *);

/*
 * reader_queue_take_of(queue, site_id): the first task of that site, or NULL.
 */
struct reader_task *reader_queue_take_of(
    struct reader_queue *, int64_t site_id);
void reader_queue_release(struct reader_queue *);

#endif
