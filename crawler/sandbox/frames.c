/* Frames over a stream socket pair. */
#include "crawler/sandbox/frames.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "base/wire.h"

/* Room for the descriptors of one message, aligned for its head. */
union frame_control {
	char room[CMSG_SPACE(2 * sizeof(int))];
	struct cmsghdr align;
};

size_t
frame_begin(struct buf *out, unsigned type)
{
	size_t mark = out->len;

	wire_put_fixed(out, 4, 0);
	wire_put_fixed(out, 1, (uint8_t)type);
	return mark;
}

bool
frame_end(struct buf *out, size_t mark)
{
	size_t len = out->len - mark;
	unsigned i;

	if (out->is_cut || len > FRAME_HEAD + FRAME_MAX_BYTES) {
		out->len = mark;
		out->is_cut = false;
		return false;
	}
	/* The length is known only now, and takes the place left for it. */
	len -= FRAME_HEAD;
	for (i = 0; i < 4; i++)
		out->p[mark + i] = (char)(len >> (8 * i) & 0xff);
	return true;
}

int
frame_take(struct slice *in, uint8_t *type, struct slice *payload)
{
	struct wire wire = {*in, true};
	uint32_t len;
	uint8_t kind;

	if (in->len < FRAME_HEAD)
		return 0;
	len = (uint32_t)wire_get_fixed(&wire, 4);
	kind = (uint8_t)wire_get_fixed(&wire, 1);
	/* A length that no frame has is refused before there is room for it. */
	if (len > FRAME_MAX_BYTES || kind == 0 || kind > FRAME_TYPE_MAX)
		return -1;
	if (wire.in.len < len)
		return 0;
	*type = kind;
	*payload = slice_make(wire.in.p, len);
	*in = slice_from(wire.in, len);
	return 1;
}

ssize_t
frame_send_bytes(
    int fd, struct slice bytes, const int *fds, size_t count, int flags)
{
	union frame_control control = {{0}};
	struct iovec part = {(void *)(uintptr_t)bytes.p, bytes.len};
	struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
	ssize_t n;

	if (count > 0) {
		message.msg_control = control.room;
		message.msg_controllen = CMSG_SPACE(count * sizeof(*fds));
		control.align.cmsg_level = SOL_SOCKET;
		control.align.cmsg_type = SCM_RIGHTS;
		control.align.cmsg_len = CMSG_LEN(count * sizeof(*fds));
		memcpy(CMSG_DATA(&control.align), fds, count * sizeof(*fds));
	}
	/* A peer that has gone is an error, and no signal. */
	do
		n = sendmsg(fd, &message, flags | MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	return n;
}

ssize_t
frame_receive_bytes(int fd, void *p, size_t n, struct frame_fds *fds, int flags)
{
	union frame_control control = {{0}};
	struct iovec part = {p, n};
	struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
	const struct cmsghdr *head;
	size_t size;
	ssize_t got;

	if (fds != NULL) {
		*fds = (struct frame_fds){0, {-1, -1}};
		message.msg_control = control.room;
		message.msg_controllen = sizeof(control.room);
	}
	do
		got = recvmsg(fd, &message, flags);
	while (got < 0 && errno == EINTR);
	if (got <= 0 || fds == NULL)
		return got;
	head = CMSG_FIRSTHDR(&message);
	size = head == NULL ? 0 : head->cmsg_len - CMSG_LEN(0);
	/* A process that may open no further file gets the message without its
	 * descriptors. */
	if ((message.msg_flags & MSG_CTRUNC) != 0 ||
	    (head != NULL &&
		(head->cmsg_level != SOL_SOCKET ||
		    head->cmsg_type != SCM_RIGHTS ||
		    (size != sizeof(int) && size != 2 * sizeof(int))))) {
		fds->count = -1;
		return got;
	}
	if (head != NULL)
		memcpy(fds->fd, CMSG_DATA(head), size);
	fds->count = (int)(size / sizeof(int));
	return got;
}

void
frame_stream_init(struct frame_stream *stream, int fd, bool takes_fds)
{
	*stream = (struct frame_stream){.fd = fd, .takes_fds = takes_fds};
	/* The longest frame fits, and what was received behind it. */
	buf_init(
	    &stream->in, FRAME_HEAD + FRAME_MAX_BYTES + FRAME_RECEIVE_BYTES);
	buf_init(&stream->out, FRAME_SEND_BYTES + FRAME_HEAD + FRAME_MAX_BYTES);
}

int
frame_stream_receive(struct frame_stream *stream, int flags)
{
	struct buf *in = &stream->in;
	struct frame_fds fds = {0, {-1, -1}};
	ssize_t n;

	/* Frames that were taken make room for those that come. */
	if (stream->in_at > 0) {
		in->len -= stream->in_at;
		memmove(in->p, in->p + stream->in_at, in->len);
		stream->in_at = 0;
	}
	/* A frame that is too large is refused by its head, so that only memory
	 * can lack here. */
	errno = ENOMEM;
	if (!buf_reserve(in, FRAME_RECEIVE_BYTES))
		return -1;
	n = frame_receive_bytes(stream->fd, in->p + in->len,
	    FRAME_RECEIVE_BYTES, stream->takes_fds ? &fds : NULL, flags);
	if (n <= 0)
		return (int)n;
	in->len += (size_t)n;
	if (fds.count == 0)
		return 1;
	/* Descriptors come with the first byte of their frame, so they are kept
	 * until the frame is whole. */
	if (fds.count < 0 || stream->pending_count == FRAME_PENDING) {
		errno = EPROTO;
		return -1;
	}
	stream->pending[stream->pending_count++] = fds;
	return 1;
}

int
frame_stream_next(
    struct frame_stream *stream, uint8_t *type, struct slice *payload)
{
	struct slice in = buf_text(&stream->in);
	int taken;

	if (stream->in_at > 0)
		in = slice_from(in, stream->in_at);
	taken = frame_take(&in, type, payload);
	stream->in_at = stream->in.len - in.len;
	return taken;
}

int
frame_stream_take(
    struct frame_stream *stream, uint8_t *type, struct slice *payload)
{
	int got;

	for (;;) {
		/* One call may have received several frames, or a part of one.
		 */
		got = frame_stream_next(stream, type, payload);
		if (got > 0)
			return got;
		errno = EPROTO;
		if (got < 0)
			return got;
		got = frame_stream_receive(stream, 0);
		if (got <= 0)
			return got;
	}
}

bool
frame_stream_send(struct frame_stream *stream)
{
	struct slice left = buf_text(&stream->out);

	while (left.len > 0) {
		ssize_t n = frame_send_bytes(stream->fd, left, NULL, 0, 0);

		if (n < 0)
			return false;
		left = slice_from(left, (size_t)n);
	}
	buf_clear(&stream->out);
	return true;
}
