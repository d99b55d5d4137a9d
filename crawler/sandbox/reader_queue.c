/* Jobs that wait. */
#include "crawler/sandbox/reader_queue.h"

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

struct reader_task *
reader_queue_take_of(struct reader_queue *queue, int64_t site_id)
{
	struct reader_task *before = NULL;
	struct reader_task *task = queue->first;

	while (task != NULL && task->job.site_id != site_id) {
		before = task;
		task = task->next;
	}
	if (before == NULL || task == NULL)
		return task == NULL ? NULL : reader_queue_take(queue);
	before->next = task->next;
	if (queue->last == task)
		queue->last = before;
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
