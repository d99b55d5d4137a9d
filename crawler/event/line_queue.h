/* Lines that were read and not answered yet, to be said again to the next
 * holder of the store when this one leaves. */
#ifndef FRESHET_LINE_QUEUE_H
#define FRESHET_LINE_QUEUE_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/slice.h"

/* What may wait for an answer, or to be written; a line is on its way more. */
#define LINE_QUEUE_BYTES ((size_t)1 << 20)

struct line_queue {
	struct buf text; /* from `at` on */
	size_t at;
	uint64_t line; /* the number of the first of them, from 1 */
};

void line_queue_init(struct line_queue *);
void line_queue_release(struct line_queue *);

/* line_queue_put(queue, line): at its end; returns it with its line feed,
 * borrowed until the next call. */
struct slice line_queue_put(struct line_queue *, struct slice line);

/* line_queue_rest(queue): all that wait, borrowed. */
struct slice line_queue_rest(const struct line_queue *);

/* line_queue_pop(queue): its first line was answered.  line_queue_pop_blank:
 * so are blank ones that are the first now. */
void line_queue_pop(struct line_queue *);
void line_queue_pop_blank(struct line_queue *);

#endif
