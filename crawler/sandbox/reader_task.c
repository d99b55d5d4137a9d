/* A job on its way through the readers, and the queue of such tasks. */
#include "crawler/sandbox/reader_task.h"

#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/at_work.h"
#include "base/mem.h"
#include "crawler/event/scratch.h"
#include "crawler/parse/read.h"
#include "crawler/sandbox/reader.h"

struct reader_task *
reader_task_new(const struct reader_job *job, readers_done_fn *done, void *arg)
{
	struct reader_task *task = mem_zero(sizeof(*task));

	task->job = *job;
	task->at_work = at_work_now();
	task->done = done;
	task->arg = arg;
	content_init(&task->content);
	return task;
}

static void
release_job(struct reader_job *job)
{
	(void)close(job->body_fd);
	scope_release(&job->scope);
	if (job->previous_free != NULL)
		job->previous_free(job->previous_arg);
}

void
reader_task_free(struct reader_task *task)
{
	if (task == NULL)
		return;
	release_job(&task->job);
	content_release(&task->content);
	free(task);
}

#ifdef FRESHET_TEST_HOOKS
/* FRESHET_TEST_BUG=SIGNAL:TEXT: main gets that signal after it has read a
 * document whose URL contains the text. */
static void
test_bug(const struct reader_job *job)
{
	const char *plan = getenv("FRESHET_TEST_BUG");
	struct slice url = url_text(&job->scope.location.requested);
	char *text;
	long number;

	if (plan == NULL || !job->scope.location.has_location)
		return;
	number = strtol(plan, &text, 10);
	if (*text == ':' &&
	    memmem(url.p, url.len, text + 1, strlen(text + 1)) != NULL)
		(void)raise((int)number);
}
#else
static void
test_bug(const struct reader_job *job)
{
	(void)job;
}
#endif

void
reader_task_deliver(struct reader_task *task)
{
	struct content content = task->content;
	readers_done_fn *done = task->done;
	enum diag_code result = task->result;
	void *arg = task->arg;

	at_work_site(task->at_work);
	test_bug(&task->job);
	release_job(&task->job);
	free(task);
	done(arg, result, &content);
}

/* forget(task): drop what an incomplete answer brought. */
static void
forget(struct reader_task *task)
{
	content_release(&task->content);
	content_init(&task->content);
}

/* rewind_previous(job): false: the previous segment cannot be read again. */
static bool
rewind_previous(struct reader_job *job)
{
	if (job->previous_rewind == NULL)
		return false;
	job->previous_arg = job->previous_rewind(job->previous_arg);
	return true;
}

bool
reader_task_rewind(struct reader_task *task)
{
	struct reader_job *job = &task->job;

	forget(task);
	/* The reader shares the file offset of the body. */
	if (lseek(job->body_fd, 0, SEEK_SET) != 0)
		return false;
	if (!job->scope.has_previous)
		return true;
	return rewind_previous(job);
}

static struct slice
pull_nothing(void *arg)
{
	(void)arg;
	return slice_make(NULL, 0);
}

/* begin_previous(job, pull): read the previous segment from its first block;
 * false: that is not possible. */
static bool
begin_previous(struct reader_job *job, block_pull_fn **pull)
{
	*pull = job->scope.has_previous ? job->previous : pull_nothing;
	return !job->scope.has_previous || rewind_previous(job);
}

/* This reads the previous segment, from which entries may have been kept, a
 * second time; that is rare, because the rules of a site rarely change. */
const char *
reader_task_validation(struct reader_task *task, struct validation *validation,
    const struct content *content)
{
	struct reader_job *job = &task->job;
	const char *wrong = validation_content(validation, content);
	block_pull_fn *pull;

	if (wrong != NULL || !validation_has_doubts(validation))
		return wrong;
	if (!begin_previous(job, &pull))
		return "entries kept from nowhere";
	task->content.kind = content->kind;
	task->content.failure = content->failure;
	task->content.is_complete = content->is_complete;
	wrong = validation_entries(
	    validation, &task->content, pull, job->previous_arg);
	if (wrong != NULL || content->failure != DIAG_OK)
		return wrong;
	if (!begin_previous(job, &pull))
		return "changes to nothing";
	return validation_changes(
	    validation, &task->content, pull, job->previous_arg);
}

void
reader_task_fail(
    struct reader_task *task, enum diag_code code, struct slice why)
{
	forget(task);
	task->result = code;
	task->content.failure = code;
	findings_add(&task->content.findings, code, 0, why);
}

void
reader_task_finish(struct reader_task *task, struct content *content)
{
	task->result = content->failure;
	if (task->result == DIAG_OK) {
		content->segment = task->content.segment;
		content->delta = task->content.delta;
		task->content.segment = (struct block_list){0};
		task->content.delta = (struct block_list){0};
	}
	content_release(&task->content);
	task->content = *content;
}

static void
on_segment(void *arg, const struct block *block)
{
	struct reader_task *task = arg;

	block_list_add(&task->content.segment, block);
}

static void
on_delta(void *arg, const struct block *block)
{
	struct reader_task *task = arg;

	block_list_add(&task->content.delta, block);
}

void
reader_task_run(struct reader_task *task, int scratch_fd)
{
	struct reader_body body = {task->job.body_fd, task->job.body_len};
	struct read_job job = {.scope = &task->job.scope,
	    .body = reader_body_pull,
	    .body_arg = &body,
	    .previous = task->job.previous,
	    .previous_arg = task->job.previous_arg,
	    .segment = on_segment,
	    .delta = on_delta,
	    .blocks_arg = task,
	    .scratch_fd = scratch_fd};
	struct content content;

	(void)read_document(&job, &content); /* content has the code, too */
	reader_task_finish(task, &content);
}

void
reader_scratch(int *fd, const char *dir)
{
	struct stat st;

	if (*fd < 0) {
		*fd = scratch_fd(dir);
		return;
	}
	if (fstat(*fd, &st) == 0 &&
	    (st.st_size == 0 || ftruncate(*fd, 0) == 0) &&
	    lseek(*fd, 0, SEEK_SET) == 0)
		return;
	(void)close(*fd);
	*fd = -1;
}

/* The queue of tasks that wait. */

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
