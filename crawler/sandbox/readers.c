/*
 * Main's side of the readers.
 *
 *	submit -> waiting -> a link, in flight -> finished -> done
 *	             ^             |
 *	             +--- again ---+
 *
 * Everything moves in kick(), which a timer calls in the next round of the loop
 * after every change. kick() delivers one result, as the last thing it does,
 * because done may free the readers.
 */
#include "crawler/sandbox/readers.h"

#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
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
#include "crawler/sandbox/reader_validation.h"

/* HOSTILE P10: after a failed fork, try again after 50, 100, ... 1,600 ms; give
 * up after this many failures in a row if there is no reader at all. */
#define MAX_FAILURES 6
#define BACKOFF_MS 50

#define LINK_JOBS 2 /* jobs in flight */

/* Sends of one link before other links have their turn. */
#define LINK_TURNS 16

/* Bytes of previous blocks that may wait for the socket. */
#define LINK_AHEAD_BYTES (96 << 10)

#define KEPT_BYTES (1 << 20) /* memory that an idle link may keep */

/* The longest frame fits behind the bytes that wait. */
#define OUT_BYTES (LINK_AHEAD_BYTES + FRAME_HEAD + FRAME_MAX_BYTES)

#define TAKE_MS 5 /* for one answer, in one round of the loop */

/* A job on its way through the readers. */
struct queued_job {
	struct reader_job job; /* owned */
	readers_done_fn *done;
	void *arg;
	STAILQ_ENTRY(queued_job) link; /* in its queue */
	bool was_second; /* the reader had another job when it got this one */
	bool is_again; /* given once already: only an idle reader may take it */
	uint32_t at_work; /* the number of the site: see at_work.h */
	bool is_too_large; /* an empty frame was sent instead */
	enum diag_code result;
	struct content content; /* owned */
};

STAILQ_HEAD(job_queue, queued_job);

/* Free the job without a call of done; NULL is ignored. */
static void
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

/* Call done and free the job. */
static void
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

/* A block_pull_fn: the previous segment of a document that has none. */
static struct slice
pull_nothing(void *arg)
{
	(void)arg;
	return slice_make(NULL, 0);
}

/* The result of the job is this failure. */
static void
queued_job_fail(
    struct queued_job *queued, enum diag_code code, struct slice why)
{
	content_release(&queued->content);
	content_init(&queued->content);
	queued->result = code;
	queued->content.failure = code;
	findings_add(&queued->content.findings, code, 0, why);
}

/* Take over content, and add the blocks that were collected; the result of
 * the job is content->failure. */
static void
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

/* The answer of a reader is whole, but for its blocks, which are in
 * queued->content: NULL, or what is wrong with it.  This may read the previous
 * segment, from which entries may have been kept, a second time; that is rare,
 * because the rules of a site rarely change. */
static const char *
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
	queued->content.kind = content->kind;
	queued->content.failure = content->failure;
	queued->content.is_complete = content->is_complete;
	/* Each look reads the previous segment from its first block. */
	for (int i = 0;
	     i < 2 && wrong == NULL && (i == 0 || content->failure == DIAG_OK);
	     i++) {
		if (has_previous)
			job->previous_rewind(job->previous_arg);
		wrong = validation_previous(validation, &queued->content,
		    i == 1, pull, job->previous_arg);
	}
	return wrong;
}

/* Read the document in this process. */
static void
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

/* Make *fd, which is -1 at first, an empty scratch file; *fd stays -1 if
 * there can be none. */
static void
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

enum link_state { LINK_OPEN, LINK_FULL, LINK_CLOSED };

/* Main's end of one reader. */
struct reader_link {
	struct readers *readers;
	enum link_state state;
	pid_t pid;
	struct loop_watch *watch; /* owned; NULL: the link is closed */
	struct loop_timer *wall; /* owned */
	struct queued_job *jobs[LINK_JOBS]; /* owned, in order */
	unsigned count;
	unsigned given; /* number of jobs so far */
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

struct readers {
	struct loop *loop;
	struct forkserver *forkserver;
	struct readers_options options;
	struct loop_timer *kick; /* owned */
	struct loop_timer *backoff; /* owned */
	struct loop_watch *watch; /* owned; NULL: the fork server is gone */
	struct reader_link **links; /* owned, as are the link_count links */
	size_t link_count;
	size_t link_cap;
	unsigned spawning;
	unsigned failures; /* of fork, in a row */
	/* errno of fork, if no reader is left and no reader can be forked */
	int fork_error;
	bool is_backing_off;
	struct job_queue waiting, finished; /* owned, and their jobs */
	unsigned waiting_count;
	unsigned backlog; /* jobs that are not done */
	int scratch; /* owned; used if count is 0; -1: none yet */
};

/* readers_wait(readers, queued, is_first): a job waits for a reader, behind or
 * before all others.
 * readers_next(readers): the first one, which waits no more; NULL: none.
 * readers_finished(readers, queued): a job has its result. */
static void
readers_wait(struct readers *readers, struct queued_job *queued, bool is_first)
{
	if (is_first)
		STAILQ_INSERT_HEAD(&readers->waiting, queued, link);
	else
		STAILQ_INSERT_TAIL(&readers->waiting, queued, link);
	readers->waiting_count++;
	loop_timer_set(readers->kick, 0);
}

static struct queued_job *
readers_next(struct readers *readers)
{
	struct queued_job *queued = STAILQ_FIRST(&readers->waiting);

	if (queued == NULL)
		return NULL;
	STAILQ_REMOVE_HEAD(&readers->waiting, link);
	readers->waiting_count--;
	return queued;
}

static void
readers_finished(struct readers *readers, struct queued_job *queued)
{
	STAILQ_INSERT_TAIL(&readers->finished, queued, link);
	loop_timer_set(readers->kick, 0);
}

bool
readers_are_lost(const struct readers *readers, int *error)
{
	bool is_gone = readers->options.count > 0 && readers->watch == NULL;

	*error = is_gone ? 0 : readers->fork_error;
	return *error != 0 || is_gone;
}

static void
fail_waiting(struct readers *readers, const char *why)
{
	struct queued_job *queued;

	while ((queued = readers_next(readers)) != NULL) {
		queued_job_fail(queued, DIAG_READER_CRASHED, slice_of(why));
		readers_finished(readers, queued);
	}
}

/*
 * One link.
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

static const char wall_limit[] = "wall clock limit";

/* send_fill(link): previous blocks are pulled only as the socket takes them. A
 * job begins when the one before is sent completely, so that the job begins
 * at the start of `out`. */
static void
send_fill(struct reader_link *link)
{
	struct buf *out = &link->stream.out;
	const struct reader_job *job;
	unsigned too_large = 0; /* the type of a frame, or 0 */

	if (!link->is_sending && link->sent < link->count) {
		job = &link->jobs[link->sent]->job;
		link->jobs[link->sent]->is_too_large = false;
		link->is_sending = true;
		link->has_more = job->scope.has_previous;
		link->has_fds = true;
		if (!frame_put_job(out, job->body_len, &job->scope))
			too_large = FRAME_JOB;
	}
	while (too_large == 0 && link->has_more &&
	    out->len - link->out_at < LINK_AHEAD_BYTES) {
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
			too_large = FRAME_PREVIOUS;
	}
	if (too_large == 0)
		return;
	/* Send an empty frame instead of one that would be too large. The
	 * reader ends when it takes the empty frame, thus at this job and no
	 * other (see end_of()). There is room: frame_end() removed the frame
	 * that was too large. */
	link->jobs[link->sent]->is_too_large = true;
	link->has_more = false;
	(void)frame_end(out, frame_begin(out, too_large));
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
			struct reader_job *job = &link->jobs[link->sent]->job;
			int *scratch = job->out_fd > 0
			    ? &job->out_fd
			    : &link->scratch[number % LINK_JOBS];

			reader_scratch(
			    scratch, link->readers->options.scratch_dir);
			fds[0] = job->body_fd;
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
		/* An idle link need not keep the memory of a large frame. */
		buf_clear(out);
		if (out->cap > KEPT_BYTES)
			buf_release(out);
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
	loop_timer_set(link->wall, LOOP_NEVER);
	loop_watch_free(link->watch);
	link->watch = NULL;
	/* False only if the server is gone, which the server's socket reports.
	 */
	(void)forkserver_ask(
	    link->readers->forkserver, FORKSERVER_KILL, link->pid);
	loop_timer_set(link->readers->kick, 0);
}

/* link_begin(link): the reader begins with another first job. */
static void
link_begin(struct reader_link *link)
{
	int64_t now_ms = loop_now_ms(link->readers->loop);

	link->answer_bytes = 0;
	validation_begin(link->validation, &link->jobs[0]->job.scope);
	loop_timer_set(link->wall, link->readers->options.job_wall_ms);
	/* A process cannot use more CPU time than passes on the clock, so the
	 * limit that was raised a moment ago is enough for this job, too. */
	if (link->extended_ms != 0 &&
	    now_ms - link->extended_ms < (FORKSERVER_SLACK_S - 1) * 1000)
		return;
	link->extended_ms = now_ms;
	(void)forkserver_ask(
	    link->readers->forkserver, FORKSERVER_EXTEND, link->pid);
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
	if (link->answer_bytes > link->readers->options.max_result_bytes)
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
		struct queued_job *queued = link->jobs[0];
		struct content whole;
		const char *why;

		if (link->sent == 0)
			return "answer before the question";
		if (!frame_get_content(payload, &whole))
			return "bad content";
		why = queued_job_judge(queued, link->validation, &whole);
		if (why != NULL) {
			content_release(&whole);
			return why;
		}
		queued_job_take(queued, &whole);
		(void)link_drop_first(link);
		readers_finished(link->readers, queued);
		if (link->count > 0)
			link_begin(link);
		else if (link->state == LINK_FULL)
			link_state(link, LINK_CLOSED);
		else
			loop_timer_set(link->wall, LOOP_NEVER);
		loop_timer_set(link->readers->kick, 0);
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
			link->why = why;
			link_state(link, LINK_CLOSED);
			return 1;
		}
	}
	/* An idle link need not keep the memory of a large answer. */
	if (link->stream.in_at == link->stream.in.len) {
		link->stream.in_at = 0;
		buf_clear(&link->stream.in);
		if (link->stream.in.cap > KEPT_BYTES)
			buf_release(&link->stream.in);
	}
	return 1;
}

static void
link_on_ready(void *arg, int fd, int ready)
{
	struct reader_link *link = arg;
	int64_t end_ms = loop_now_ms(link->readers->loop) + TAKE_MS;
	int got = 1;

	(void)fd;
	loop_doing(link->readers->loop, "a reader's answer");
	do {
		got = link_receive(link);
		if (link->state == LINK_CLOSED)
			return;
	} while (got > 0 && loop_now_ms(link->readers->loop) < end_ms);
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
	if (link->state == LINK_CLOSED || link->count == 0 ||
	    link->jobs[0] != queued)
		return;
	link->why = wall_limit;
	link_state(link, LINK_CLOSED);
}

static struct reader_link *
reader_link_new(struct readers *readers, pid_t pid, int fd)
{
	struct reader_link *link = mem_zero(sizeof(*link));
	unsigned i;

	link->readers = readers;
	link->state = LINK_OPEN;
	link->pid = pid;
	link->watch = loop_watch_new(
	    readers->loop, fd, LOOP_READ, link_on_ready, link);
	link->wall = loop_timer_new(readers->loop, on_wall, link);
	link->validation = validation_new();
	frame_stream_init(&link->stream, fd, false);
	buf_init(&link->stream.out, OUT_BYTES);
	for (i = 0; i < LINK_JOBS; i++)
		link->scratch[i] = -1;
	return link;
}

/* reader_link_free(link): free the jobs and kill the process. */
static void
reader_link_free(struct reader_link *link)
{
	unsigned i;

	if (link == NULL)
		return;
	if (link->state != LINK_CLOSED)
		(void)forkserver_ask(
		    link->readers->forkserver, FORKSERVER_KILL, link->pid);
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
	buf_release(&link->stream.in);
	buf_release(&link->stream.out);
	free(link);
}

/* reader_link_room(link): how many more jobs the link takes now; LINK_JOBS: the
 * reader is idle. */
static unsigned
reader_link_room(const struct reader_link *link)
{
	return link->state == LINK_OPEN ? LINK_JOBS - link->count : 0;
}

/* reader_link_give(link, queued): give a job to a link that has room. */
static void
reader_link_give(struct reader_link *link, struct queued_job *queued)
{
	assert(reader_link_room(link) > 0);
	queued->was_second = link->count > 0;
	link->jobs[link->count++] = queued;
	if (++link->given == link->readers->options.jobs_each)
		link_state(link, LINK_FULL);
	if (link->count == 1)
		link_begin(link);
	link_send(link);
}

/* end_of(link, status, why): the code and the text for the first job. */
static enum diag_code
end_of(const struct reader_link *link, int status, struct buf *why)
{
	const char *killed = link->why;

	if (killed == NULL && link->jobs[0]->is_too_large)
		killed = "job too large";
	else if (killed == NULL && WIFSIGNALED(status) &&
	    WTERMSIG(status) == SIGXCPU)
		killed = "CPU limit";
	if (killed != NULL)
		(void)buf_print(why, "%s", killed);
	else if (WIFSIGNALED(status))
		(void)buf_print(why, "signal %d", WTERMSIG(status));
	else if (WEXITSTATUS(status) == READER_EXIT_MEMORY)
		(void)buf_print(why, "out of memory");
	else if (WEXITSTATUS(status) == READER_EXIT_NO_SANDBOX)
		(void)buf_print(why, "no sandbox");
	else
		(void)buf_print(why, "exit status %d", WEXITSTATUS(status));
	return killed != NULL ? DIAG_READER_KILLED : DIAG_READER_CRASHED;
}

static void
settle_again(struct reader_link *link, struct queued_job *queued)
{
	struct reader_job *job = &queued->job;

	/* What an incomplete answer brought is dropped. The body and the
	 * previous segment are read from the start; the reader shared the file
	 * offset of the body. */
	content_release(&queued->content);
	content_init(&queued->content);
	if (lseek(job->body_fd, 0, SEEK_SET) == 0) {
		if (job->scope.has_previous)
			job->previous_rewind(job->previous_arg);
		queued->is_again = true;
		/* It was first before, and is the next one for an idle
		 * reader. */
		readers_wait(link->readers, queued, true);
		return;
	}
	queued_job_fail(queued, DIAG_READER_KILLED,
	    slice_of("lost with another, cannot be read again"));
	readers_finished(link->readers, queued);
}

static void
close_drained(struct reader_link *link)
{
	while (link->state != LINK_CLOSED && link_receive(link) > 0)
		continue;
	if (link->state != LINK_CLOSED)
		link_state(link, LINK_CLOSED);
}

/* reader_link_exited(link, status): the process has ended with that status of
 * waitpid; every job is finished, or given again. */
static void
reader_link_exited(struct reader_link *link, int status)
{
	struct queued_job *queued;
	enum diag_code code;
	struct buf why = BUF_UP_TO(256);

	close_drained(link);
	if (link->count == 0)
		return;
	code = end_of(link, status, &why);
	queued = link_drop_first(link);
	/* The first job may have failed because of another job that the same
	 * reader read before, and a reader that was killed from outside did
	 * nothing wrong: in both cases the job is given once more, to a reader
	 * without other jobs.  Nothing that a reader may do ends it with
	 * SIGKILL: someone else killed it, such as the kernel for lack of
	 * memory.  A limit that it passed would only be passed again. */
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
		readers_finished(link->readers, queued);
	}
	while (link->count > 0)
		settle_again(link, link_drop_first(link));
	buf_release(&why);
}

/* Messages of the fork server. */

static void
on_spawned(struct readers *readers, const struct forkserver_message *message)
{
	if (readers->spawning == 0) {
		/* Other readers, which were freed since, asked for this
		 * process. */
		(void)close(message->fd);
		(void)forkserver_ask(
		    readers->forkserver, FORKSERVER_KILL, message->pid);
		return;
	}
	readers->spawning--;
	readers->failures = 0;
	readers->fork_error = 0;
	*MEM_PUSH(readers->links, readers->link_count,
	    readers->link_cap) = reader_link_new(readers, message->pid,
	    message->fd);
}

static void
readers_on_failed(
    struct readers *readers, const struct forkserver_message *message)
{
	if (readers->spawning == 0)
		return;
	readers->spawning--;
	if (readers->is_backing_off)
		return; /* it failed in the same round */
	readers->is_backing_off = true;
	loop_timer_set(readers->backoff, BACKOFF_MS << readers->failures);
	if (++readers->failures < MAX_FAILURES)
		return;
	readers->failures = MAX_FAILURES - 1;
	/* As long as a reader is left, it will come to the jobs. */
	if (readers->link_count > 0)
		return;
	readers->fork_error = message->status;
	fail_waiting(readers, "cannot fork");
}

/* The kernel ends the readers of a server with it (HOSTILE P4).  No document is
 * to blame for that: see readers_are_lost(). */
static void
readers_on_gone(struct readers *readers)
{
	loop_watch_free(readers->watch);
	readers->watch = NULL;
	while (readers->link_count > 0) {
		struct reader_link *link = readers
					       ->links[--readers->link_count];

		close_drained(link);
		while (link->count > 0)
			readers_wait(readers, link_drop_first(link), true);
		reader_link_free(link);
	}
}

static void
on_forkserver(void *arg, int fd, int ready)
{
	struct readers *readers = arg;
	struct forkserver_message message;
	struct reader_link *link;
	size_t i;

	(void)fd;
	(void)ready;
	while (forkserver_take(readers->forkserver, &message)) {
		switch (message.event) {
		case FORKSERVER_SPAWNED:
			on_spawned(readers, &message);
			break;
		case FORKSERVER_FAILED:
			readers_on_failed(readers, &message);
			break;
		case FORKSERVER_EXITED:
			i = 0;
			while (i < readers->link_count &&
			    readers->links[i]->pid != message.pid)
				i++;
			/* It may be a reader of a struct that was freed. */
			if (i == readers->link_count)
				break;
			link = readers->links[i];
			readers->links[i] = readers
						->links[--readers->link_count];
			reader_link_exited(link, message.status);
			reader_link_free(link);
			break;
		case FORKSERVER_GONE:
			readers_on_gone(readers);
			break;
		}
	}
	loop_timer_set(readers->kick, 0);
}

static void
on_backoff(void *arg)
{
	struct readers *readers = arg;

	readers->is_backing_off = false;
	loop_timer_set(readers->kick, 0);
}

/* readers_give(readers, room, reserved): give jobs to links that take exactly
 * `room` more; the last `reserved` jobs wait for readers that are being
 * forked. */
static void
readers_give(struct readers *readers, unsigned room, unsigned reserved)
{
	for (size_t i = 0;
	     i < readers->link_count && readers->waiting_count > reserved;) {
		struct reader_link *link = readers->links[i];

		if (reader_link_room(link) != room) {
			i++;
			continue;
		}
		/* A job that was given before wants a reader for itself. */
		if (STAILQ_FIRST(&readers->waiting)->is_again &&
		    room != LINK_JOBS)
			return;
		reader_link_give(link, readers_next(readers));
	}
}

static void
dispatch(struct readers *readers)
{
	unsigned open_links = 0;
	unsigned room;

	/* There is no fork server any more. */
	if (readers->watch == NULL) {
		fail_waiting(readers, "fork server gone");
		return;
	}
	readers_give(readers, LINK_JOBS, 0);
	for (size_t i = 0; i < readers->link_count; i++)
		open_links += (readers->links[i]->state == LINK_OPEN);
	while (!readers->is_backing_off &&
	    readers->spawning < readers->waiting_count &&
	    open_links + readers->spawning < readers->options.count &&
	    forkserver_ask(readers->forkserver, FORKSERVER_SPAWN, 0))
		readers->spawning++;
	/* What no reader will be forked for is the second job of one. */
	for (room = LINK_JOBS - 1; room > 0; room--)
		readers_give(readers, room, readers->spawning);
}

static void
kick(void *arg)
{
	struct readers *readers = arg;
	struct queued_job *queued;

	if (readers->options.count == 0) {
		queued = readers_next(readers);
		if (queued != NULL) {
			at_work_site(queued->at_work);
			int *scratch = queued->job.out_fd > 0
			    ? &queued->job.out_fd
			    : &readers->scratch;

			reader_scratch(scratch, readers->options.scratch_dir);
			queued_job_run(queued, *scratch);
			readers_finished(readers, queued);
		}
	} else
		dispatch(readers);
	queued = STAILQ_FIRST(&readers->finished);
	if (queued == NULL)
		return;
	STAILQ_REMOVE_HEAD(&readers->finished, link);
	if (!STAILQ_EMPTY(&readers->finished) ||
	    (readers->options.count == 0 && readers->waiting_count > 0))
		loop_timer_set(readers->kick, 0);
	readers->backlog--;
	loop_await(readers->loop, -1);
	queued_job_deliver(queued);
}

struct readers *
readers_new(struct loop *loop, struct forkserver *forkserver,
    const struct readers_options *options)
{
	struct readers *readers = mem_zero(sizeof(*readers));

	assert(options->count == 0 || forkserver != NULL);
	readers->loop = loop;
	readers->forkserver = forkserver;
	readers->options = *options;
	if (options->isolation != ISOLATE_OFF)
		readers->options.jobs_each = 1;
	STAILQ_INIT(&readers->waiting);
	STAILQ_INIT(&readers->finished);
	readers->kick = loop_timer_new(loop, kick, readers);
	readers->backoff = loop_timer_new(loop, on_backoff, readers);
	if (options->count > 0)
		readers->watch = loop_watch_new(
		    loop, forkserver->fd, LOOP_READ, on_forkserver, readers);
	readers->scratch = -1;
	return readers;
}

void
readers_free(struct readers *readers)
{
	struct queued_job *queued;
	size_t i;

	if (readers == NULL)
		return;
	for (i = 0; i < readers->link_count; i++)
		reader_link_free(readers->links[i]);
	free(readers->links);
	STAILQ_CONCAT(&readers->finished, &readers->waiting);
	while ((queued = STAILQ_FIRST(&readers->finished)) != NULL) {
		STAILQ_REMOVE_HEAD(&readers->finished, link);
		queued_job_free(queued);
	}
	loop_watch_free(readers->watch);
	loop_timer_free(readers->backoff);
	loop_timer_free(readers->kick);
	if (readers->scratch >= 0)
		(void)close(readers->scratch);
	free(readers);
}

void
readers_submit(struct readers *readers, const struct reader_job *job,
    readers_done_fn *done, void *arg)
{
	struct queued_job *queued = mem_zero(sizeof(*queued));

	assert(job->body_fd >= 0);
	assert(!job->scope.has_previous || job->previous != NULL);
	queued->job = *job;
	queued->at_work = at_work_now();
	queued->done = done;
	queued->arg = arg;
	content_init(&queued->content);
	readers->backlog++;
	readers_wait(readers, queued, false);
	loop_await(readers->loop, 1);
}

unsigned
readers_backlog(const struct readers *readers)
{
	return readers->backlog;
}
