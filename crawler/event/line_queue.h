/* Lines that were sent to the owner of the store and not answered yet.  If that
 * process leaves, they are sent again to the next owner. */
#ifndef FRESHET_LINE_QUEUE_H
#define FRESHET_LINE_QUEUE_H

#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"
#include "crawler/event/splitter.h"

/* The caller adds lines until this many bytes wait for an answer; the last line
 * may exceed the limit. */
#define LINE_QUEUE_BYTES ((size_t)1 << 20)

struct line_queue {
	struct splitter lines;
	uint64_t line; /* the number of the first waiting line, from 1 */
};

void line_queue_init(struct line_queue *);
void line_queue_release(struct line_queue *);

/* line_queue_put(queue, line): append a line, and return it with its line feed,
 * borrowed until the next call. */
struct slice line_queue_put(struct line_queue *, struct slice line);

/* line_queue_rest(queue): all waiting lines, borrowed. */
struct slice line_queue_rest(const struct line_queue *);

/* line_queue_pop(queue): the first line was answered; drop it.
 * line_queue_pop_blank(queue): drop blank lines at the head, which get no
 * answer. */
void line_queue_pop(struct line_queue *);
void line_queue_pop_blank(struct line_queue *);

#endif
