/* Waiting for frames and answering them: see frame_stream.h.  Only recvmsg and
 * sendmsg are called, because a reader may call nothing else. */
#include "crawler/sandbox/frame_stream.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "crawler/sandbox/reader.h"
#include "crawler/sandbox/reader_protocol.h"

#define RECEIVE_BYTES (64 << 10)
#define SEND_BYTES (64 << 10) /* smaller frames are sent together */

void
frame_stream_init(struct frame_stream *stream, int fd, bool takes_fds)
{
	*stream = (struct frame_stream){.fd = fd, .takes_fds = takes_fds};
	/* The longest frame fits, and what was received behind it. */
	buf_init(&stream->in, FRAME_HEAD + FRAME_MAX_BYTES + RECEIVE_BYTES);
	buf_init(&stream->out, SEND_BYTES + FRAME_HEAD + FRAME_MAX_BYTES);
}

void
frame_stream_release(struct frame_stream *stream)
{
	buf_release(&stream->in);
	buf_release(&stream->out);
}

_Noreturn void
frame_stream_error(void)
{
	_exit(READER_EXIT_PROTOCOL);
}

/* Receive more bytes; false: the socket was closed. */
static bool
frame_stream_receive(struct frame_stream *stream)
{
	union {
		char room[CMSG_SPACE(2 * sizeof(int))];
		struct cmsghdr align;
	} control;
	struct buf *in = &stream->in;
	struct iovec bytes;
	struct msghdr message = {.msg_iov = &bytes, .msg_iovlen = 1};
	struct cmsghdr *head;
	int values[2] = {-1, -1};
	ssize_t n;

	/* Frames that were taken make room for those that come. */
	if (stream->in_at > 0) {
		in->len -= stream->in_at;
		memmove(in->p, in->p + stream->in_at, in->len);
		stream->in_at = 0;
	}
	if (!buf_reserve(in, RECEIVE_BYTES))
		frame_stream_error();
	bytes.iov_base = in->p + in->len;
	bytes.iov_len = RECEIVE_BYTES;
	if (stream->takes_fds) {
		message.msg_control = control.room;
		message.msg_controllen = sizeof(control.room);
	}
	do
		n = recvmsg(stream->fd, &message, 0);
	while (n < 0 && errno == EINTR);
	if (n <= 0)
		return false;
	in->len += (size_t)n;
	/* Descriptors come with the first byte of their frame, so they are kept
	 * until the frame is whole. */
	head = CMSG_FIRSTHDR(&message);
	if ((message.msg_flags & MSG_CTRUNC) != 0)
		frame_stream_error();
	if (head == NULL)
		return true;
	if (head->cmsg_level != SOL_SOCKET || head->cmsg_type != SCM_RIGHTS ||
	    (head->cmsg_len != CMSG_LEN(sizeof(int)) &&
		head->cmsg_len != CMSG_LEN(2 * sizeof(int))) ||
	    stream->pending_count == FRAME_PENDING)
		frame_stream_error();
	memcpy(values, CMSG_DATA(head), head->cmsg_len - CMSG_LEN(0));
	stream->pending[stream->pending_count++] = (struct frame_fds){
	    values[0], values[1]};
	return true;
}

bool
frame_stream_take(
    struct frame_stream *stream, uint8_t *type, struct slice *payload)
{
	for (;;) {
		struct slice in = buf_text(&stream->in);
		int taken;

		if (stream->in_at > 0)
			in = slice_from(in, stream->in_at);
		taken = frame_take(&in, type, payload);
		if (taken < 0)
			frame_stream_error();
		if (taken > 0) {
			stream->in_at = stream->in.len - in.len;
			return true;
		}
		if (!frame_stream_receive(stream))
			return false;
	}
}

void
frame_stream_fds(struct frame_stream *stream, struct frame_fds *fds)
{
	if (stream->pending_count == 0)
		frame_stream_error();
	*fds = stream->pending[0];
	stream->pending_count--;
	memmove(stream->pending, stream->pending + 1,
	    stream->pending_count * sizeof(*fds));
}

bool
frame_stream_end(struct frame_stream *stream, size_t mark)
{
	/* what is sent has ceilings below that of a frame */
	if (!frame_end(&stream->out, mark))
		frame_stream_error();
	return stream->out.len < SEND_BYTES || frame_stream_send(stream);
}

bool
frame_stream_send(struct frame_stream *stream)
{
	struct buf *out = &stream->out;
	size_t at = 0;

	while (at < out->len) {
		struct iovec bytes = {out->p + at, out->len - at};
		struct msghdr message = {.msg_iov = &bytes, .msg_iovlen = 1};
		ssize_t n = sendmsg(stream->fd, &message, MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return false;
		at += (size_t)n;
	}
	buf_clear(out);
	return true;
}
