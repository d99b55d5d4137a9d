/*
 * The reader process.
 *
 *	wait for JOB -> read, pulling PREVIOUS, sending SEGMENT and DELTA
 *	     ^                         |
 *	     +--- send END <- take the rest of PREVIOUS
 *
 * The reader trusts no frame: main writes the frames, so a reader whose frames
 * make no sense was probably subverted, and ends.
 */
#include "crawler/sandbox/reader.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "crawler/parse/read.h"
#include "crawler/sandbox/reader_protocol.h"
#include "crawler/sandbox/sandbox.h"

#define RECEIVE_BYTES (64 << 10)
#define SEND_BYTES (64 << 10) /* smaller frames are sent together */
#define MAX_PENDING 4 /* jobs in flight; main sends at most two */

/* RLIMIT_FSIZE for the scratch file. Entries decode to at most hard_bytes, and
 * escapes make them three times as long. */
#define SCRATCH_BYTES (UINT64_C(1) << 30)

/* A document of 50,000 URLs takes about so much, whatever it unpacks to. */
#define KEPT_BYTES (16 << 20)

/* The descriptors of one JOB. */
struct job_fds {
	int body;
	int scratch; /* -1: none */
};

struct reader {
	struct buf in;
	size_t in_at; /* offset of the bytes not taken yet */
	struct buf out;
	/* received before their JOB frames */
	struct job_fds pending[MAX_PENDING];
	unsigned pending_count;
	int fd;
	bool previous_ended;
	reader_inject_fn *inject; /* NULL: there is none, or it is done */
	const char *fault;
};

ssize_t
reader_body_pull(void *arg, void *p, size_t n)
{
	struct reader_body *body = arg;
	ssize_t got;

	if (n > body->left)
		n = (size_t)body->left;
	if (n == 0)
		return 0;
	got = read(body->fd, p, n);
	if (got <= 0)
		return -1;
	body->left -= (uint64_t)got;
	return got;
}

bool
reader_body_rewind(void *arg)
{
	struct reader_body *body = arg;

	body->left = body->len;
	return lseek(body->fd, 0, SEEK_SET) == 0;
}

static _Noreturn void
protocol_error(void)
{
	_exit(READER_EXIT_PROTOCOL);
}

static void
take_fds(struct reader *reader, struct msghdr *message)
{
	struct cmsghdr *head = CMSG_FIRSTHDR(message);
	struct job_fds *fds = &reader->pending[reader->pending_count];
	int values[2] = {-1, -1};

	if ((message->msg_flags & MSG_CTRUNC) != 0)
		protocol_error();
	if (head == NULL)
		return;
	if (head->cmsg_level != SOL_SOCKET || head->cmsg_type != SCM_RIGHTS ||
	    (head->cmsg_len != CMSG_LEN(sizeof(int)) &&
		head->cmsg_len != CMSG_LEN(2 * sizeof(int))) ||
	    reader->pending_count == MAX_PENDING)
		protocol_error();
	memcpy(values, CMSG_DATA(head), head->cmsg_len - CMSG_LEN(0));
	fds->body = values[0];
	fds->scratch = values[1];
	reader->pending_count++;
}

/* receive(reader): read more bytes; false: the socket was closed. */
static bool
receive(struct reader *reader)
{
	union {
		char room[CMSG_SPACE(2 * sizeof(int))];
		struct cmsghdr align;
	} control;
	struct buf *in = &reader->in;
	struct iovec bytes;
	struct msghdr message = {.msg_iov = &bytes, .msg_iovlen = 1};
	ssize_t n;

	if (reader->in_at > 0) {
		in->len -= reader->in_at;
		memmove(in->p, in->p + reader->in_at, in->len);
		reader->in_at = 0;
	}
	if (!buf_reserve(in, RECEIVE_BYTES))
		protocol_error();
	bytes.iov_base = in->p + in->len;
	bytes.iov_len = RECEIVE_BYTES;
	message.msg_control = control.room;
	message.msg_controllen = sizeof(control.room);
	n = recvmsg(reader->fd, &message, 0);
	if (n <= 0)
		return false;
	take_fds(reader, &message);
	in->len += (size_t)n;
	return true;
}

/*
 * take_frame(reader, payload): the type of the next frame; the payload is
 * borrowed until the next call. If the socket was closed, main has ended, and
 * the reader ends.
 */
static uint8_t
take_frame(struct reader *reader, struct slice *payload)
{
	struct slice in;
	uint8_t type;
	int taken;

	for (;;) {
		in = buf_text(&reader->in);
		if (reader->in_at > 0)
			in = slice_from(in, reader->in_at);
		taken = frame_take(&in, &type, payload);
		if (taken < 0)
			protocol_error();
		if (taken > 0)
			break;
		if (!receive(reader))
			_exit(READER_EXIT_OK);
	}
	reader->in_at = reader->in.len - in.len;
	return type;
}

static void
send_all(struct reader *reader)
{
	struct slice left = buf_text(&reader->out);

	while (left.len > 0) {
		struct iovec bytes;
		struct msghdr message = {.msg_iov = &bytes, .msg_iovlen = 1};
		ssize_t n;

		bytes.iov_base = reader->out.p + (reader->out.len - left.len);
		bytes.iov_len = left.len;
		n = sendmsg(reader->fd, &message, MSG_NOSIGNAL);
		if (n < 0)
			_exit(READER_EXIT_OK); /* main has ended */
		left = slice_from(left, (size_t)n);
	}
	buf_clear(&reader->out);
}

static void
put_block(
    struct reader *reader, enum frame_type type, const struct block *block)
{
	size_t mark = frame_begin(&reader->out, type);

	frame_put_block(&reader->out, block);
	if (!frame_end(&reader->out, mark))
		protocol_error();
	if (reader->out.len >= SEND_BYTES)
		send_all(reader);
}

static void
on_segment(void *arg, const struct block *block)
{
	put_block(arg, FRAME_SEGMENT, block);
}

static void
on_delta(void *arg, const struct block *block)
{
	put_block(arg, FRAME_DELTA, block);
}

static struct slice
pull_previous(void *arg)
{
	struct reader *reader = arg;
	struct slice payload;
	struct block block;

	if (reader->previous_ended)
		return slice_of(NULL);
	if (take_frame(reader, &payload) != FRAME_PREVIOUS ||
	    !frame_get_block(payload, &block))
		protocol_error();
	reader->previous_ended = block.data.len == 0;
	return block.data;
}

/* inject(reader, fds, scope, is_after_end): call the fault injection of the
 * tests, if any. */
static void
inject(struct reader *reader, const struct job_fds *fds,
    const struct scope *scope, bool is_after_end)
{
#ifdef FRESHET_TEST_HOOKS
	struct reader_scene scene = {reader->fault, reader->fd, fds->body,
	    fds->scratch, scope, is_after_end};

	if (reader->inject != NULL)
		reader->inject(&scene);
	if (is_after_end)
		reader->inject = NULL;
#else
	(void)reader;
	(void)fds;
	(void)scope;
	(void)is_after_end;
#endif
}

static void
send_content(struct reader *reader, const struct content *content)
{
	size_t mark = frame_begin(&reader->out, FRAME_END);

	frame_put_content(&reader->out, content);
	if (!frame_end(&reader->out, mark))
		protocol_error();
	send_all(reader);
}

static void
do_job(struct reader *reader, struct slice payload)
{
	struct reader_body body;
	struct scope scope;
	struct content content;
	struct job_fds fds;
	struct read_job job = {.scope = &scope,
	    .body = reader_body_pull,
	    .rewind = reader_body_rewind,
	    .body_arg = &body,
	    .previous = pull_previous,
	    .previous_arg = reader,
	    .segment = on_segment,
	    .delta = on_delta,
	    .blocks_arg = reader,
	    .is_bare = true};

	if (reader->pending_count == 0 ||
	    !frame_get_job(payload, &body.len, &scope))
		protocol_error();
	body.left = body.len;
	fds = reader->pending[0];
	reader->pending_count--;
	memmove(reader->pending, reader->pending + 1,
	    reader->pending_count * sizeof(fds));
	inject(reader, &fds, &scope, false);
	body.fd = fds.body;
	job.scratch_fd = fds.scratch;
	reader->previous_ended = !scope.has_previous;
	(void)read_document(&job, &content); /* content has the code, too */
	while (pull_previous(reader).len > 0)
		continue;
	send_content(reader, &content);
	inject(reader, &fds, &scope, true);
	content_release(&content);
	scope_release(&scope);
	(void)close(fds.body);
	if (fds.scratch >= 0)
		(void)close(fds.scratch);
}

_Noreturn void
reader_main(int fd, const struct forkserver_options *options)
{
	struct reader reader = {
	    .fd = fd, .inject = options->inject, .fault = options->fault};
	struct sandbox_options sandbox = {.keep_fd = fd,
	    .memory_bytes = options->reader_memory,
	    .scratch_bytes = SCRATCH_BYTES,
	    .is_required = options->sandbox == SANDBOX_REQUIRED,
	    .is_off = options->sandbox == SANDBOX_OFF};
	struct slice payload;

	if (!sandbox_enter(&sandbox))
		_exit(READER_EXIT_NO_SANDBOX);
	mem_keep(KEPT_BYTES);
	buf_init(&reader.in, FRAME_HEAD + FRAME_MAX_BYTES + RECEIVE_BYTES);
	buf_init(&reader.out, SEND_BYTES + FRAME_HEAD + FRAME_MAX_BYTES);
	for (;;) {
		if (take_frame(&reader, &payload) != FRAME_JOB)
			protocol_error();
		do_job(&reader, payload);
	}
}
