/* A job of the readers: what it needs, and what became of it. */
#include "crawler/sandbox/reader_job.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/at_work.h"
#include "base/mem.h"
#include "crawler/event/scratch.h"
#include "crawler/parse/read.h"
#include "crawler/sandbox/reader.h"

void
queued_job_free(struct queued_job *queued)
{
	if (queued == NULL)
		return;
	(void)close(queued->job.body_fd);
	scope_release(&queued->job.scope);
	if (queued->job.previous_free != NULL)
		queued->job.previous_free(queued->job.previous_arg);
	content_release(&queued->content);
	free(queued);
}

void
queued_job_deliver(struct queued_job *queued)
{
	/* done() may free the readers, so that nothing is read after it. */
	struct content content = queued->content;
	readers_done_fn *done = queued->done;
	enum diag_code result = queued->result;
	void *arg = queued->arg;

	/* If what follows ends the process, it was at work for this site. */
	at_work_site(queued->at_work);
#ifdef FRESHET_TEST_HOOKS
	/* FRESHET_TEST_BUG=SIGNAL:TEXT: main gets that signal after it has read
	 * a document whose URL contains the text. */
	const char *plan = getenv("FRESHET_TEST_BUG");
	const struct location_scope *location = &queued->job.scope.location;
	struct slice url = url_text(&location->requested);

	if (plan != NULL && location->has_location) {
		char *text;
		long number = strtol(plan, &text, 10);

		if (*text == ':' &&
		    memmem(url.p, url.len, text + 1, strlen(text + 1)) != NULL)
			(void)raise((int)number);
	}
#endif
	/* The content is the caller's from now on. */
	content_init(&queued->content);
	queued_job_free(queued);
	done(arg, result, &content);
}

bool
reader_job_rewind(struct reader_job *job)
{
	if (job->previous_rewind == NULL)
		return false;
	job->previous_arg = job->previous_rewind(job->previous_arg);
	return true;
}

/* pull_nothing: the previous segment of a document that has none. */
static struct slice
pull_nothing(void *arg)
{
	(void)arg;
	return slice_make(NULL, 0);
}

void
queued_job_fail(
    struct queued_job *queued, enum diag_code code, struct slice why)
{
	content_release(&queued->content);
	content_init(&queued->content);
	queued->result = code;
	queued->content.failure = code;
	findings_add(&queued->content.findings, code, 0, why);
}

void
queued_job_take(struct queued_job *queued, struct content *content)
{
	queued->result = content->failure;
	if (queued->result == DIAG_OK) {
		content->segment = queued->content.segment;
		content->delta = queued->content.delta;
		queued->content.segment = (struct block_list){0};
		queued->content.delta = (struct block_list){0};
	}
	content_release(&queued->content);
	queued->content = *content;
}

/* This reads the previous segment, from which entries may have been kept, a
 * second time; that is rare, because the rules of a site rarely change. */
const char *
queued_job_judge(struct queued_job *queued, struct validation *validation,
    const struct content *content)
{
	struct reader_job *job = &queued->job;
	bool has_doubts;
	const char *wrong = validation_content(
	    validation, content, &has_doubts);
	const bool has_previous = job->scope.has_previous;
	block_pull_fn *pull = has_previous ? job->previous : pull_nothing;

	if (wrong != NULL || !has_doubts)
		return wrong;
	/* Each look reads the previous segment from its first block. */
	if (has_previous && !reader_job_rewind(job))
		return "entries kept from nowhere";
	queued->content.kind = content->kind;
	queued->content.failure = content->failure;
	queued->content.is_complete = content->is_complete;
	wrong = validation_entries(
	    validation, &queued->content, pull, job->previous_arg);
	if (wrong != NULL || content->failure != DIAG_OK)
		return wrong;
	if (has_previous && !reader_job_rewind(job))
		return "changes to nothing";
	return validation_changes(
	    validation, &queued->content, pull, job->previous_arg);
}

void
queued_job_run(struct queued_job *queued, int scratch_fd)
{
	struct reader_body body = {.fd = queued->job.body_fd,
	    .len = queued->job.body_len,
	    .left = queued->job.body_len};
	struct read_job job = {.scope = &queued->job.scope,
	    .body = reader_body_pull,
	    .rewind = reader_body_rewind,
	    .body_arg = &body,
	    .previous = queued->job.previous,
	    .previous_arg = queued->job.previous_arg,
	    .segment = block_list_add,
	    .segment_arg = &queued->content.segment,
	    .delta = block_list_add,
	    .delta_arg = &queued->content.delta,
	    .scratch_fd = scratch_fd};
	struct content content;

	(void)read_document(&job, &content); /* content has the code, too */
	queued_job_take(queued, &content);
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

/* The queue of jobs that wait. */

void
reader_queue_add(
    struct reader_queue *queue, struct queued_job *queued, bool is_first)
{
	queued->next = is_first ? queue->first : NULL;
	if (is_first || queue->last == NULL)
		queue->first = queued;
	else
		queue->last->next = queued;
	if (!is_first || queue->last == NULL)
		queue->last = queued;
	queue->count++;
}

struct queued_job *
reader_queue_take(struct reader_queue *queue)
{
	struct queued_job *queued = queue->first;

	if (queued == NULL)
		return NULL;
	queue->first = queued->next;
	if (queue->first == NULL)
		queue->last = NULL;
	queue->count--;
	queued->next = NULL;
	return queued;
}

struct queued_job *
reader_queue_take_of(struct reader_queue *queue, int64_t site_id)
{
	struct queued_job *before = NULL;
	struct queued_job *queued = queue->first;

	while (queued != NULL && queued->job.site_id != site_id) {
		before = queued;
		queued = queued->next;
	}
	if (before == NULL || queued == NULL)
		return queued == NULL ? NULL : reader_queue_take(queue);
	before->next = queued->next;
	if (queue->last == queued)
		queue->last = before;
	queue->count--;
	queued->next = NULL;
	return queued;
}
