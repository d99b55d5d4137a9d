/* Lines that were sent and not answered yet. */
#include "crawler/event/line_queue.h"

#include <string.h>

void
line_queue_init(struct line_queue *queue)
{
	*queue = (struct line_queue){.line = 1};
	buf_init(&queue->text, SIZE_MAX);
}

void
line_queue_release(struct line_queue *queue)
{
	buf_release(&queue->text);
}

struct slice
line_queue_rest(const struct line_queue *queue)
{
	return slice_from(buf_text(&queue->text), queue->at);
}

/* first(queue): the first line with its line feed; empty when there is none. */
static struct slice
first(const struct line_queue *queue)
{
	struct slice rest = line_queue_rest(queue);
	const char *end = rest.len == 0 ? NULL : memchr(rest.p, '\n', rest.len);

	return slice_make(
	    rest.p, end == NULL ? rest.len : (size_t)(end - rest.p) + 1);
}

struct slice
line_queue_put(struct line_queue *queue, struct slice line)
{
	size_t from = queue->text.len;

	(void)buf_put_slice(&queue->text, line);
	(void)buf_put_char(&queue->text, '\n');
	return slice_from(buf_text(&queue->text), from);
}

void
line_queue_pop(struct line_queue *queue)
{
	queue->at += first(queue).len;
	queue->line++;
	/* Move the waiting lines to the front of the buf when many lines
	 * were answered. */
	struct slice rest = line_queue_rest(queue);

	if (queue->at < LINE_QUEUE_BYTES && rest.len > 0)
		return;
	if (rest.len > 0)
		memmove(queue->text.p, rest.p, rest.len);
	queue->text.len = rest.len;
	queue->at = 0;
}

void
line_queue_pop_blank(struct line_queue *queue)
{
	struct slice line;

	while (line = first(queue), line.len > 0 && slice_trim(line).len == 0)
		line_queue_pop(queue);
}
