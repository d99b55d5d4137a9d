/* The driver's table of tasks. */
#include "crawler/crawl/run_tasks.h"

#include <assert.h>
#include <stdlib.h>

#include "base/idmap.h"
#include "base/mem.h"
#include "crawler/event/loop.h"
#include "crawler/event/spool.h"
#include "store/accept.h"
#include "store/segment/reading.h"

struct tasks {
	struct run *run; /* borrowed, see tasks_new() */
	struct loop_timer *pump; /* borrowed */
	struct task *items; /* owned */
	size_t count, cap;
	/* the first free number; free numbers form a list through task.parent;
	 * NONE: none is free */
	uint32_t free;
	struct idmap by_document; /* document id -> number */
	struct fifo lists[TASK_LISTS];
};

struct tasks *
tasks_new(struct run *run, struct loop_timer *pump)
{
	struct tasks *tasks = mem_zero(sizeof(*tasks));

	tasks->run = run;
	tasks->pump = pump;
	tasks->free = NONE;
	return tasks;
}

void
tasks_free(struct tasks *tasks)
{
	if (tasks == NULL)
		return;
	for (size_t i = 0; i < tasks->count; i++) {
		assert(tasks->items[i].attempt == NULL);
		free(tasks->items[i].url);
	}
	free(tasks->items);
	idmap_release(&tasks->by_document);
	for (int i = 0; i < TASK_LISTS; i++)
		fifo_release(&tasks->lists[i]);
	free(tasks);
}

/* Entries. */

uint32_t
tasks_count(const struct tasks *tasks)
{
	return (uint32_t)tasks->count;
}

struct task *
tasks_at(const struct tasks *tasks, uint32_t number)
{
	assert(number < tasks->count);
	return &tasks->items[number];
}

uint32_t
tasks_of_document(const struct tasks *tasks, int64_t document_id)
{
	uint32_t number = idmap_get(&tasks->by_document, document_id);

	return number == IDMAP_NONE ? NONE : number;
}

uint32_t
tasks_add(struct tasks *tasks, const struct task *task)
{
	uint32_t number = tasks->free;

	if (number != NONE) {
		tasks->free = tasks->items[number].parent;
	} else {
		tasks->items = mem_grow(tasks->items, &tasks->cap,
		    tasks->count + 1, sizeof(*tasks->items));
		number = (uint32_t)tasks->count++;
	}
	tasks->items[number] = *task;
	tasks->items[number].next = TASK_STATES;
	if (task->document_id != 0)
		task_is_of_document(tasks, number);
	return number;
}

void
task_is_of_document(struct tasks *tasks, uint32_t number)
{
	idmap_put(
	    &tasks->by_document, tasks->items[number].document_id, number);
}

void
tasks_remove(struct tasks *tasks, uint32_t number)
{
	struct task *task = tasks_at(tasks, number);

	assert(task->state == TASK_DONE && task->next == TASK_STATES &&
	    task->attempt == NULL);
	if (idmap_get(&tasks->by_document, task->document_id) == number)
		idmap_remove(&tasks->by_document, task->document_id);
	free(task->url);
	*task = (struct task){.state = TASK_DONE,
	    .next = TASK_STATES,
	    .parent = tasks->free,
	    .site = NONE};
	tasks->free = number;
}

struct fifo *
task_list(struct tasks *tasks, enum task_list list)
{
	return &tasks->lists[list];
}

static bool
is_in_use(void *arg, uint32_t number)
{
	const struct tasks *tasks = arg;

	return tasks->items[number].site != NONE;
}

void
tasks_forget_removed(struct tasks *tasks)
{
	fifo_keep(&tasks->lists[LIST_BEGINNING], is_in_use, tasks);
	fifo_keep(&tasks->lists[LIST_SUSPECTS], is_in_use, tasks);
}

/* Attempts. */

void
task_drop_spool(struct attempt *attempt)
{
	if (attempt->spool != NULL)
		spool_put(attempt->spool);
	attempt->spool = NULL;
}

struct attempt *
task_attempt(struct tasks *tasks, uint32_t number)
{
	struct task *task = tasks_at(tasks, number);

	if (task->attempt == NULL) {
		/* The URL of the task is normalised: parsing it cannot fail. */
		struct attempt *attempt = mem_zero(sizeof(*attempt));
		struct profile profile = profile_default(PROFILE_GOOGLE);
		enum diag_code code;

		profile.max_loc_chars = URL_MAX_BYTES;
		attempt->run = tasks->run;
		attempt->number = number;
		url_init(&attempt->current);
		code = url_parse(&attempt->current,
		    slice_of(tasks_at(tasks, number)->url), NULL, &profile,
		    (struct diag_sink){0});
		assert(code == DIAG_OK);
		(void)code;
		task->attempt = attempt;
	}
	return task->attempt;
}

void
task_drop_attempt(struct tasks *tasks, uint32_t number)
{
	struct task *task = tasks_at(tasks, number);

	if (task->attempt != NULL) {
		task_drop_spool(task->attempt);
		url_release(&task->attempt->current);
		string_set_release(&task->attempt->passed);
		findings_release(&task->attempt->findings);
		if (task->attempt->look != NULL) {
			free(task->attempt->look->noindex);
			free(task->attempt->look->canonical);
			free(task->attempt->look);
		}
		assert(task->attempt->job == NULL);
		free(task->attempt->why);
		free(task->attempt->ancestry);
		accept_free(task->attempt->accept);
		location_scope_release(&task->attempt->location);
		reading_free(task->attempt->reading);
		free(task->attempt);
	}
	task->attempt = NULL;
}

/* There may be 100,000 tasks in the host queue. To save memory, tasks have no
 * attempt until they are fetched, unless an earlier hop or try left data in
 * it. */
void
task_rest(struct tasks *tasks, uint32_t number)
{
	const struct attempt *attempt = tasks_at(tasks, number)->attempt;

	if (attempt->hops > 0 || attempt->tries > 0 || attempt->is_spoilt ||
	    attempt->is_settling || attempt->findings.count > 0)
		return;
	task_drop_attempt(tasks, number);
}

void
task_put_back(struct tasks *tasks, struct host_queue *host_queue,
    uint32_t number, uint32_t host)
{
	const struct task *task = tasks_at(tasks, number);
	struct host_queue_item item = {.id = number,
	    .host = host,
	    .class = task->class,
	    .newest_s = task->newest_s};

	host_queue_add(host_queue, &item);
}

/* Posting states. */

void
task_post(struct tasks *tasks, uint32_t number, enum task_state state)
{
	struct task *task = tasks_at(tasks, number);

	if (task->next == state)
		return;
	assert(task->next == TASK_STATES);
	task->next = (uint8_t)state;
	fifo_put(&tasks->lists[LIST_POSTED], number);
}

void
task_start(struct tasks *tasks, uint32_t number)
{
	const struct task *task = tasks_at(tasks, number);

	if ((task->state == TASK_NEW || task->state == TASK_WAITING) &&
	    task->next == TASK_STATES)
		task_post(tasks, number, TASK_NEW);
}

void
task_give_up(struct tasks *tasks, uint32_t number, enum diag_code code,
    struct slice text)
{
	struct attempt *attempt = task_attempt(tasks, number);

	attempt->failure = code;
	free(attempt->why);
	attempt->why = text.p == NULL ? NULL : slice_dup(text);
	task_post(tasks, number, TASK_GIVEN_UP);
}

void
task_leave(
    struct tasks *tasks, uint32_t number, enum diag_code code, const char *text)
{
	if (code == DIAG_FETCH_RATE_LIMITED &&
	    tasks_at(tasks, number)->is_given)
		task_post(tasks, number, TASK_DONE);
	else
		task_give_up(tasks, number, code, slice_of(text));
}

void
task_begin_later(struct tasks *tasks, uint32_t number)
{
	fifo_put(&tasks->lists[LIST_BEGINNING], number);
	loop_timer_set(tasks->pump, 0);
}
