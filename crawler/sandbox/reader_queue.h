/* Jobs that wait, first in, first out; private to readers*.c. */
#ifndef FRESHET_READER_QUEUE_H
#define FRESHET_READER_QUEUE_H

#include "crawler/sandbox/reader_task.h"

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
