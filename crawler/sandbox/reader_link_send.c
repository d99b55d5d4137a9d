/* Main's end of one reader: jobs and previous segments on their way out. */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "crawler/sandbox/reader_link_internal.h"
#include "crawler/sandbox/reader_protocol.h"

/*
 * An empty frame instead of one that would be too large.  The reader ends when
 * it takes that one, thus at this task and at no other (reader_link.c,
 * end_of()).
 */
static void
send_too_large(struct reader_link *link, enum frame_type type)
{
	link->tasks[link->sent]->is_too_large = true;
	link->has_more = false;
	/* There is room: what does not fit was taken away. */
	(void)frame_end(&link->out, frame_begin(&link->out, type));
}

static void
send_begin(struct reader_link *link)
{
	const struct reader_job *job = &link->tasks[link->sent]->job;

	link->tasks[link->sent]->is_too_large = false;
	link->is_sending = true;
	link->has_more = job->scope.has_previous;
	link->has_fds = true;
	if (!frame_put_job(&link->out, job->body_len, &job->scope))
		send_too_large(link, FRAME_JOB);
}

static void
send_previous(struct reader_link *link)
{
	const struct reader_job *job = &link->tasks[link->sent]->job;
	struct block block = {.data = job->previous(job->previous_arg)};
	size_t mark = frame_begin(&link->out, FRAME_PREVIOUS);

	frame_put_block(&link->out, &block);
	link->has_more = block.data.len > 0;
	if (!frame_end(&link->out, mark))
		send_too_large(link, FRAME_PREVIOUS);
}

/* What the socket took makes room: a segment may be larger than the buf. */
static void
send_drop_taken(struct reader_link *link)
{
	struct buf *out = &link->out;

	if (link->out_at == 0)
		return;
	out->len -= link->out_at;
	memmove(out->p, out->p + link->out_at, out->len);
	link->out_at = 0;
}

/* Previous blocks are pulled only as the socket takes them; a task begins
 * when nothing of the one before is left, so that out begins with it. */
static void
send_fill(struct reader_link *link)
{
	if (!link->is_sending && link->sent < link->count)
		send_begin(link);
	while (
	    link->has_more && link->out.len - link->out_at < LINK_AHEAD_BYTES) {
		send_drop_taken(link);
		send_previous(link);
	}
}

void
link_clear(struct buf *buf)
{
	buf_clear(buf);
	if (buf->cap > KEPT_BYTES)
		buf_release(buf);
}

static void
send_count(struct reader_link *link, size_t n)
{
	link->has_fds = false;
	link->out_at += n;
	if (link->out_at < link->out.len)
		return;
	link_clear(&link->out);
	link->out_at = 0;
	if (link->has_more)
		return;
	link->is_sending = false;
	link->sent++;
}

/* The descriptors of tasks[sent]: two tasks in flight use two scratch files,
 * turn and turn about. */
static size_t
send_fds(struct reader_link *link, int fds[2])
{
	unsigned number = link->given - link->count + link->sent;
	int *scratch = &link->scratch[number % LINK_JOBS];

	reader_scratch(scratch, link->options.readers->scratch_dir);
	fds[0] = link->tasks[link->sent]->job.body_fd;
	fds[1] = *scratch;
	return fds[1] < 0 ? 1 : 2;
}

static ssize_t
send_some(struct reader_link *link)
{
	union {
		char room[CMSG_SPACE(2 * sizeof(int))];
		struct cmsghdr align;
	} control = {{0}};
	struct iovec bytes = {
	    link->out.p + link->out_at, link->out.len - link->out_at};
	struct msghdr message = {.msg_iov = &bytes, .msg_iovlen = 1};
	int fds[2];
	size_t size;

	if (link->has_fds) {
		size = send_fds(link, fds) * sizeof(fds[0]);
		message.msg_control = control.room;
		message.msg_controllen = CMSG_SPACE(size);
		control.align.cmsg_level = SOL_SOCKET;
		control.align.cmsg_type = SCM_RIGHTS;
		control.align.cmsg_len = CMSG_LEN(size);
		memcpy(CMSG_DATA(&control.align), fds, size);
	}
	return sendmsg(link->fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
}

void
link_send(struct reader_link *link)
{
	unsigned turn;
	bool is_dead = false;
	ssize_t n;

	for (turn = 0; turn < LINK_TURNS; turn++) {
		send_fill(link);
		if (!link->is_sending)
			break;
		n = send_some(link);
		if (n >= 0) {
			send_count(link, (size_t)n);
			continue;
		}
		/* Of a dead one all that it said is read first, then comes
		 * the end of the socket. */
		is_dead = errno != EAGAIN && errno != EWOULDBLOCK &&
		    errno != EINTR;
		break;
	}
	loop_watch_set(link->watch,
	    link->sent == link->count || is_dead ? LOOP_READ
						 : LOOP_READ | LOOP_WRITE);
}
