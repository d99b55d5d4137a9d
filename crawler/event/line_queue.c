/* Lines that were sent and not answered yet. */
#include "crawler/event/line_queue.h"

void
line_queue_init(struct line_queue *queue)
{
	queue->line = 1;
	splitter_init(&queue->lines, SIZE_MAX);
}

void
line_queue_release(struct line_queue *queue)
{
	splitter_release(&queue->lines);
}

struct slice
line_queue_put(struct line_queue *queue, struct slice line)
{
	struct slice rest;

	(void)splitter_put(&queue->lines, line);
	(void)splitter_put(&queue->lines, slice_of("\n"));
	rest = splitter_rest(&queue->lines);
	return slice_from(rest, rest.len - line.len - 1);
}

struct slice
line_queue_rest(const struct line_queue *queue)
{
	return splitter_rest(&queue->lines);
}

void
line_queue_pop(struct line_queue *queue)
{
	struct slice line;

	queue->line += splitter_next(&queue->lines, &line);
}

void
line_queue_pop_blank(struct line_queue *queue)
{
	struct slice line;

	while (splitter_peek(&queue->lines, &line) && slice_trim(line).len == 0)
		line_queue_pop(queue);
}
