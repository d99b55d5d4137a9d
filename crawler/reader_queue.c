/* Jobs that wait. */
#include "crawler/reader_queue.h"

#include <stddef.h>

void
reader_queue_add(struct reader_queue *queue, struct reader_task *task)
{
	task->next = NULL;
	if (queue->last == NULL)
		queue->first = task;
	else
		queue->last->next = task;
	queue->last = task;
	queue->count++;
}

void
reader_queue_add_first(struct reader_queue *queue, struct reader_task *task)
{
	task->next = queue->first;
	queue->first = task;
	if (queue->last == NULL)
		queue->last = task;
	queue->count++;
}

struct reader_task *
reader_queue_take(struct reader_queue *queue)
{
	struct reader_task *task = queue->first;

	if (task == NULL)
		return NULL;
	queue->first = task->next;
	if (queue->first == NULL)
		queue->last = NULL;
	queue->count--;
	task->next = NULL;
	return task;
}

void
reader_queue_release(struct reader_queue *queue)
{
	while (queue->first != NULL)
		reader_task_free(reader_queue_take(queue));
}
