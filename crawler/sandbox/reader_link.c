/*
 * Main's end of one reader.
 *
 *	OPEN --jobs_each jobs given--> FULL --all answered--> CLOSED
 *	  |                              |                       ^
 *	  +-- its socket ends, it breaks the protocol, or  ------+
 *	      is at one job for too long
 *
 * OPEN: the link takes jobs. FULL: the link takes no more jobs, but the
 * reader answers those it has. CLOSED: the socket is not read any more, and the
 * process was killed; reader_link_exited then ends the jobs, and the link can
 * be freed. The reader works at the first job. Only link_state() sets the
 * state.
 */
#include "crawler/sandbox/reader_link.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/at_work.h"
#include "base/mem.h"
#include "crawler/event/scratch.h"
#include "crawler/parse/read.h"
#include "crawler/sandbox/reader.h"
#include "crawler/sandbox/reader_protocol.h"

struct queued_job *
queued_job_new(const struct reader_job *job, readers_done_fn *done, void *arg)
{
	struct queued_job *queued = mem_zero(sizeof(*queued));

	queued->job = *job;
	queued->at_work = at_work_now();
	queued->done = done;
	queued->arg = arg;
	content_init(&queued->content);
	return queued;
}

static void
release_job(struct reader_job *job)
{
	(void)close(job->body_fd);
	scope_release(&job->scope);
	if (job->previous_free != NULL)
		job->previous_free(job->previous_arg);
}

static void
queued_job_free(struct queued_job *queued)
{
	if (queued == NULL)
		return;
	release_job(&queued->job);
	content_release(&queued->content);
	free(queued);
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
queued_job_deliver(struct queued_job *queued)
{
	struct content content = queued->content;
	readers_done_fn *done = queued->done;
	enum diag_code result = queued->result;
	void *arg = queued->arg;

	at_work_site(queued->at_work);
	test_bug(&queued->job);
	release_job(&queued->job);
	free(queued);
	done(arg, result, &content);
}

/* link_forget(queued): drop what an incomplete answer brought. */
static void
link_forget(struct queued_job *queued)
{
	content_release(&queued->content);
	content_init(&queued->content);
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

/*
 * Prepare to read the body and the previous segment
 * from the start, and drop what an incomplete answer brought. False: that is
 * not possible.
 */
static bool
queued_job_rewind(struct queued_job *queued)
{
	struct reader_job *job = &queued->job;

	link_forget(queued);
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
static const char *
queued_job_validation(struct queued_job *queued, struct validation *validation,
    const struct content *content)
{
	struct reader_job *job = &queued->job;
	const char *wrong = validation_content(validation, content);
	block_pull_fn *pull;

	if (wrong != NULL || !validation_has_doubts(validation))
		return wrong;
	if (!begin_previous(job, &pull))
		return "entries kept from nowhere";
	queued->content.kind = content->kind;
	queued->content.failure = content->failure;
	queued->content.is_complete = content->is_complete;
	wrong = validation_entries(
	    validation, &queued->content, pull, job->previous_arg);
	if (wrong != NULL || content->failure != DIAG_OK)
		return wrong;
	if (!begin_previous(job, &pull))
		return "changes to nothing";
	return validation_changes(
	    validation, &queued->content, pull, job->previous_arg);
}

void
queued_job_fail(
    struct queued_job *queued, enum diag_code code, struct slice why)
{
	link_forget(queued);
	queued->result = code;
	queued->content.failure = code;
	findings_add(&queued->content.findings, code, 0, why);
}

/* Take over content and add the blocks that
 * were collected; the result of the job is content->failure. */
static void
queued_job_finish(struct queued_job *queued, struct content *content)
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

static void
link_on_segment(void *arg, const struct block *block)
{
	struct queued_job *queued = arg;

	block_list_add(&queued->content.segment, block);
}

static void
link_on_delta(void *arg, const struct block *block)
{
	struct queued_job *queued = arg;

	block_list_add(&queued->content.delta, block);
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
	    .segment = link_on_segment,
	    .delta = link_on_delta,
	    .blocks_arg = queued,
	    .scratch_fd = scratch_fd};
	struct content content;

	(void)read_document(&job, &content); /* content has the code, too */
	queued_job_finish(queued, &content);
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
reader_queue_add(struct reader_queue *queue, struct queued_job *queued)
{
	queued->next = NULL;
	if (queue->last == NULL)
		queue->first = queued;
	else
		queue->last->next = queued;
	queue->last = queued;
	queue->count++;
}

void
reader_queue_add_first(struct reader_queue *queue, struct queued_job *queued)
{
	queued->next = queue->first;
	queue->first = queued;
	if (queue->last == NULL)
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

void
reader_queue_release(struct reader_queue *queue)
{
	while (queue->first != NULL)
		queued_job_free(reader_queue_take(queue));
}

/* Sends of one link before other links have their turn. */
#define LINK_TURNS 16

/* Bytes of previous blocks that may wait for the socket. */
#define LINK_AHEAD_BYTES (96 << 10)

#define KEPT_BYTES (1 << 20) /* memory that an idle link may keep */

/* The longest frame fits behind the bytes that wait. */
#define OUT_BYTES (LINK_AHEAD_BYTES + FRAME_HEAD + FRAME_MAX_BYTES)

#define TAKE_MS 5 /* for one answer, in one round of the loop */
#define DEATH_MS 1000 /* to wait for a process that was killed */

enum link_state { LINK_OPEN, LINK_FULL, LINK_CLOSED };

struct reader_link {
	struct reader_link_options options;
	enum link_state state;
	pid_t pid;
	struct loop_watch *watch; /* owned; NULL: the link is closed */
	struct loop_timer *wall; /* owned */
	struct queued_job *jobs[LINK_JOBS]; /* owned, in order */
	unsigned count;
	unsigned given; /* number of jobs so far */
	int64_t site_id; /* the site of the link's first job */
	int64_t extended_ms;
	const char *why; /* why main killed the reader; NULL: main did not */

	/* .out has the unsent bytes of jobs[sent], from out_at on */
	struct frame_stream stream;
	size_t out_at;
	uint64_t answer_bytes; /* received for the first job */
	struct validation *validation; /* owned; for the first job */

	unsigned sent; /* jobs that were sent completely */
	bool is_sending; /* jobs[sent] is sent in part */
	bool has_more; /* jobs[sent] has more previous blocks to pull */
	bool has_fds; /* its descriptors go with the next byte */
	int scratch[LINK_JOBS]; /* owned; used in turn */
};

static const char wall_limit[] = "wall clock limit";

/*
 * send_too_large(link, type): send an empty frame instead of one that would be
 * too large. The reader ends when it takes the empty frame, thus at this job
 * and no other (see end_of()).
 */
static void
send_too_large(struct reader_link *link, enum frame_type type)
{
	link->jobs[link->sent]->is_too_large = true;
	link->has_more = false;
	/* There is room: frame_end() removed the frame that was too large. */
	(void)frame_end(
	    &link->stream.out, frame_begin(&link->stream.out, type));
}

/*
 * send_fill(link): previous blocks are pulled only as the socket takes them. A
 * job begins when the one before is sent completely, so that the job begins
 * at the start of `out`.
 */
static void
send_fill(struct reader_link *link)
{
	struct buf *out = &link->stream.out;
	const struct reader_job *job;

	if (!link->is_sending && link->sent < link->count) {
		job = &link->jobs[link->sent]->job;
		link->jobs[link->sent]->is_too_large = false;
		link->is_sending = true;
		link->has_more = job->scope.has_previous;
		link->has_fds = true;
		if (!frame_put_job(out, job->body_len, &job->scope))
			send_too_large(link, FRAME_JOB);
	}
	while (link->has_more && out->len - link->out_at < LINK_AHEAD_BYTES) {
		/* Remove the bytes that were sent, because a segment may
		 * be larger than the buf. */
		if (link->out_at != 0) {
			out->len -= link->out_at;
			memmove(out->p, out->p + link->out_at, out->len);
			link->out_at = 0;
		}
		job = &link->jobs[link->sent]->job;
		struct block block = {.data = job->previous(job->previous_arg)};
		size_t mark = frame_begin(out, FRAME_PREVIOUS);

		frame_put_block(out, &block);
		link->has_more = block.data.len > 0;
		if (!frame_end(out, mark))
			send_too_large(link, FRAME_PREVIOUS);
	}
}

/* link_clear(buf): drop the bytes, and free the memory if it is large. */
static void
link_clear(struct buf *buf)
{
	buf_clear(buf);
	if (buf->cap > KEPT_BYTES)
		buf_release(buf);
}

/* link_send(link): send as much as the socket takes now. */
static void
link_send(struct reader_link *link)
{
	struct buf *out = &link->stream.out;
	bool is_dead = false;
	unsigned turn;
	ssize_t n;

	for (turn = 0; turn < LINK_TURNS; turn++) {
		int fds[2] = {-1, -1};
		size_t fd_count = 0;

		send_fill(link);
		if (!link->is_sending)
			break;
		if (link->has_fds) {
			/* The descriptors of jobs[sent].  Two jobs in flight
			 * use two scratch files in turn. */
			unsigned number = link->given - link->count +
			    link->sent;
			int *scratch = &link->scratch[number % LINK_JOBS];

			reader_scratch(
			    scratch, link->options.readers->scratch_dir);
			fds[0] = link->jobs[link->sent]->job.body_fd;
			fds[1] = *scratch;
			fd_count = fds[1] < 0 ? 1 : 2;
		}
		n = frame_send_bytes(link->stream.fd,
		    slice_from(buf_text(out), link->out_at), fds, fd_count,
		    MSG_DONTWAIT);
		if (n < 0) {
			/* The reader is dead: read everything that it sent, up
			 * to the end of the socket. */
			is_dead = errno != EAGAIN && errno != EWOULDBLOCK;
			break;
		}
		link->has_fds = false;
		link->out_at += (size_t)n;
		if (link->out_at < out->len)
			continue;
		link_clear(out);
		link->out_at = 0;
		/* Without further blocks the next job has its turn. */
		if (!link->has_more) {
			link->is_sending = false;
			link->sent++;
		}
	}
	loop_watch_set(link->watch,
	    link->sent == link->count || is_dead ? LOOP_READ
						 : LOOP_READ | LOOP_WRITE);
}

static void
link_state(struct reader_link *link, enum link_state state)
{
	link->state = state;
	if (state != LINK_CLOSED)
		return;
	loop_timer_stop(link->wall);
	loop_watch_free(link->watch);
	link->watch = NULL;
	/*
	 * False only if the server is gone, which the server's socket reports.
	 */
	(void)forkserver_kill(link->options.forkserver, link->pid);
	link->options.changed(link->options.arg);
}

static void
link_kill(struct reader_link *link, const char *why)
{
	if (link->state == LINK_CLOSED)
		return;
	link->why = why;
	link_state(link, LINK_CLOSED);
}

/* link_begin(link): the reader begins with another first job. */
static void
link_begin(struct reader_link *link)
{
	int64_t now_ms = loop_now_ms(link->options.loop);

	link->answer_bytes = 0;
	validation_begin(link->validation, &link->jobs[0]->job.scope);
	loop_timer_set(link->wall, link->options.readers->job_wall_ms);
	/* A process cannot use more CPU time than passes on the clock, so the
	 * limit that was raised a moment ago is enough for this job, too. */
	if (link->extended_ms != 0 &&
	    now_ms - link->extended_ms < (FORKSERVER_SLACK_S - 1) * 1000)
		return;
	link->extended_ms = now_ms;
	(void)forkserver_extend(link->options.forkserver, link->pid);
}

/* link_drop_first(link): remove the first job, which is answered or lost. */
static struct queued_job *
link_drop_first(struct reader_link *link)
{
	struct queued_job *queued = link->jobs[0];

	assert(link->count > 0);
	link->count--;
	memmove(
	    link->jobs, link->jobs + 1, link->count * sizeof(link->jobs[0]));
	if (link->sent > 0)
		link->sent--;
	return queued;
}

/* The functions on_*() return NULL, or how the frame breaks the protocol. */

static const char *
on_block(
    struct reader_link *link, struct block_list *list, struct slice payload)
{
	struct block block;
	const char *why;

	if (!frame_get_block(payload, &block) || block.data.len == 0 ||
	    block.first_url.len == 0 || block.count == 0)
		return "bad block";
	if (list->count > 0 &&
	    slice_order(slice_of(list->items[list->count - 1].last_url),
		block.first_url) >= 0)
		return "blocks out of order";
	link->answer_bytes += payload.len;
	if (link->answer_bytes > link->options.readers->max_result_bytes)
		return "answer too large: what it lists, and what changed, "
		       "takes more than 64 MiB; smaller sitemaps are read";
	why = list == &link->jobs[0]->content.segment
	    ? validation_segment(link->validation, &block)
	    : validation_delta(link->validation, &block);
	if (why == NULL)
		block_list_add(list, &block);
	return why;
}

static const char *
on_frame(struct reader_link *link, uint8_t type, struct slice payload)
{
	struct content *content;

	if (link->count == 0)
		return "answer without a question";
	at_work_site(link->jobs[0]->at_work);
	content = &link->jobs[0]->content;
	if (type == FRAME_SEGMENT)
		return on_block(link, &content->segment, payload);
	if (type == FRAME_DELTA)
		return on_block(link, &content->delta, payload);
	if (type == FRAME_END) {
		const struct reader_link_options *options = &link->options;
		struct queued_job *queued;
		struct content whole;
		const char *why;

		if (link->sent == 0)
			return "answer before the question";
		if (!frame_get_content(payload, &whole))
			return "bad content";
		why = queued_job_validation(
		    link->jobs[0], link->validation, &whole);
		if (why != NULL) {
			content_release(&whole);
			return why;
		}
		queued = link_drop_first(link);
		queued_job_finish(queued, &whole);
		options->finished(options->arg, queued);
		if (link->count > 0)
			link_begin(link);
		else if (link->state == LINK_FULL)
			link_state(link, LINK_CLOSED);
		else
			loop_timer_stop(link->wall);
		options->changed(options->arg);
		return NULL;
	}
	return "bad frame";
}

/* link_receive(link): read what is there, and act on each whole frame. 1: there
 * may be more; 0: nothing is there now; -1: the socket is closed. */
static int
link_receive(struct reader_link *link)
{
	int got = frame_stream_receive(&link->stream, MSG_DONTWAIT);
	const char *why = NULL;
	struct slice payload;
	uint8_t type;

	if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
		return 0;
	if (got <= 0)
		return -1;
	for (;;) {
		got = frame_stream_next(&link->stream, &type, &payload);
		if (got == 0)
			break;
		why = got < 0 ? "bad frame" : on_frame(link, type, payload);
		if (why != NULL) {
			link_kill(link, why);
			return 1;
		}
	}
	/* An idle link need not keep the memory of a large answer. */
	if (link->stream.in_at == link->stream.in.len) {
		link->stream.in_at = 0;
		link_clear(&link->stream.in);
	}
	return 1;
}

static void
link_on_ready(void *arg, int fd, int ready)
{
	struct reader_link *link = arg;
	int64_t end_ms = loop_now_ms(link->options.loop) + TAKE_MS;
	int got = 1;

	(void)fd;
	loop_doing(link->options.loop, "a reader's answer");
	do {
		got = link_receive(link);
		if (link->state == LINK_CLOSED)
			return;
	} while (got > 0 && loop_now_ms(link->options.loop) < end_ms);
	if (got < 0)
		link_state(link, LINK_CLOSED);
	else if ((ready & LOOP_WRITE) != 0)
		link_send(link);
}

static void
on_wall(void *arg)
{
	struct reader_link *link = arg;
	const struct queued_job *queued = link->jobs[0];

	/* Main itself may have been stopped. So first read what the reader has
	 * sent: it may have answered in time. */
	while (link->state != LINK_CLOSED && link_receive(link) > 0)
		continue;
	if (link->count > 0 && link->jobs[0] == queued)
		link_kill(link, wall_limit);
}

struct reader_link *
reader_link_new(const struct reader_link_options *options, pid_t pid, int fd)
{
	struct reader_link *link = mem_zero(sizeof(*link));
	unsigned i;

	link->options = *options;
	link->state = LINK_OPEN;
	link->pid = pid;
	link->watch = loop_watch_new(
	    options->loop, fd, LOOP_READ, link_on_ready, link);
	link->wall = loop_timer_new(options->loop, on_wall, link);
	link->validation = validation_new();
	frame_stream_init(&link->stream, fd, false);
	buf_init(&link->stream.out, OUT_BYTES);
	for (i = 0; i < LINK_JOBS; i++)
		link->scratch[i] = -1;
	return link;
}

void
reader_link_free(struct reader_link *link)
{
	unsigned i;

	if (link == NULL)
		return;
	if (link->state != LINK_CLOSED)
		(void)forkserver_kill(link->options.forkserver, link->pid);
	loop_watch_free(link->watch);
	loop_timer_free(link->wall);
	(void)close(link->stream.fd);
	while (link->count > 0)
		queued_job_free(link_drop_first(link));
	for (i = 0; i < LINK_JOBS; i++) {
		if (link->scratch[i] >= 0)
			(void)close(link->scratch[i]);
	}
	validation_free(link->validation);
	frame_stream_release(&link->stream);
	free(link);
}

unsigned
reader_link_room(const struct reader_link *link)
{
	return link->state == LINK_OPEN ? LINK_JOBS - link->count : 0;
}

unsigned
reader_link_load(const struct reader_link *link)
{
	return link->count;
}

bool
reader_link_is_open(const struct reader_link *link)
{
	return link->state == LINK_OPEN;
}

pid_t
reader_link_pid(const struct reader_link *link)
{
	return link->pid;
}

bool
reader_link_site(const struct reader_link *link, int64_t *site_id)
{
	*site_id = link->site_id;
	return link->given > 0;
}

void
reader_link_retire(struct reader_link *link)
{
	assert(link->state == LINK_OPEN && link->count == 0);
	link_state(link, LINK_CLOSED);
}

void
reader_link_give(struct reader_link *link, struct queued_job *queued)
{
	assert(reader_link_room(link) > 0);
	if (link->given == 0)
		link->site_id = queued->job.site_id;
	queued->was_second = link->count > 0;
	link->jobs[link->count++] = queued;
	if (++link->given == link->options.readers->jobs_each)
		link_state(link, LINK_FULL);
	if (link->count == 1)
		link_begin(link);
	link_send(link);
}

/* end_of(link, status, why): the code and the text for the first job. */
static enum diag_code
end_of(const struct reader_link *link, int status, struct buf *why)
{
	if (link->why != NULL) {
		(void)buf_put_slice(why, slice_of(link->why));
		return DIAG_READER_KILLED;
	}
	if (link->jobs[0]->is_too_large) {
		(void)buf_put_slice(why, slice_of("job too large"));
		return DIAG_READER_KILLED;
	}
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU) {
		(void)buf_put_slice(why, slice_of("CPU limit"));
		return DIAG_READER_KILLED;
	}
	if (WIFSIGNALED(status))
		(void)buf_print(why, "signal %d", WTERMSIG(status));
	else if (WEXITSTATUS(status) == READER_EXIT_MEMORY)
		(void)buf_put_slice(why, slice_of("out of memory"));
	else if (WEXITSTATUS(status) == READER_EXIT_NO_SANDBOX)
		(void)buf_put_slice(why, slice_of("no sandbox"));
	else
		(void)buf_print(why, "exit status %d", WEXITSTATUS(status));
	return DIAG_READER_CRASHED;
}

static void
settle_again(struct reader_link *link, struct queued_job *queued)
{
	const struct reader_link_options *options = &link->options;

	if (queued_job_rewind(queued)) {
		queued->is_again = true;
		options->again(options->arg, queued);
		return;
	}
	queued_job_fail(queued, DIAG_READER_KILLED,
	    slice_of("lost with another, cannot be read again"));
	options->finished(options->arg, queued);
}

static void
close_drained(struct reader_link *link)
{
	while (link->state != LINK_CLOSED && link_receive(link) > 0)
		continue;
	if (link->state != LINK_CLOSED)
		link_state(link, LINK_CLOSED);
}

void
reader_link_exited(struct reader_link *link, int status)
{
	const struct reader_link_options *options = &link->options;
	struct queued_job *queued;
	enum diag_code code;
	struct buf why;

	close_drained(link);
	if (link->count == 0)
		return;
	buf_init(&why, 256);
	code = end_of(link, status, &why);
	queued = link_drop_first(link);
	/*
	 * The first job may have failed because of another job that the same
	 * reader read before, and a reader that was killed from outside did
	 * nothing wrong: in both cases the job is given once more, to a reader
	 * without other jobs.  Nothing that a reader may do ends it with
	 * SIGKILL: someone else killed it, such as the kernel for lack of
	 * memory.  A limit that it passed would only be passed again.
	 */
	if ((queued->was_second ||
		(link->why == NULL && WIFSIGNALED(status) &&
		    WTERMSIG(status) == SIGKILL)) &&
	    !queued->is_again &&
	    !(link->why == wall_limit ||
		(WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)) &&
	    !queued->is_too_large) {
		settle_again(link, queued);
	} else {
		queued_job_fail(queued, code, buf_text(&why));
		options->finished(options->arg, queued);
	}
	while (link->count > 0)
		settle_again(link, link_drop_first(link));
	buf_release(&why);
}

void
reader_link_lost(struct reader_link *link)
{
	const struct reader_link_options *options = &link->options;
	struct pollfd hung_up = {.fd = link->stream.fd};
	struct queued_job *queued;

	/*
	 * The kernel kills the reader because its parent died, but perhaps not
	 * at once: until then the reader moves the offset of the body, which is
	 * shared.
	 */
	while (poll(&hung_up, 1, DEATH_MS) < 0 && errno == EINTR)
		continue;
	close_drained(link);
	if (link->count > 0 && link->why != NULL) {
		queued = link_drop_first(link);
		queued_job_fail(
		    queued, DIAG_READER_KILLED, slice_of(link->why));
		options->finished(options->arg, queued);
	}
	while (link->count > 0)
		settle_again(link, link_drop_first(link));
}
