/*
 * Frames over a stream socket pair, between two processes of which one is or
 * has a reader: main and its readers (reader_protocol.h), libfreshet and its
 * helper (crawler/library/library_protocol.h).
 *
 *	u32 length of payload | u8 type | payload
 *
 * Nothing here ends the process, because libfreshet runs in somebody else's
 * program.  So this file needs no more than base/buf.c and base/wire.c.
 */
#ifndef FRESHET_FRAMES_H
#define FRESHET_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/slice.h"

#define FRAME_HEAD 5
#define FRAME_MAX_BYTES (16u << 20)
#define FRAME_TYPE_MAX 71

/* frame_begin, frame_end: build one frame at the end of out. frame_begin
 * returns the mark that frame_end needs to write the length. frame_end returns
 * false and removes the frame if it is longer than FRAME_MAX_BYTES or does not
 * fit in out: frames contain foreign data of any length. */
size_t frame_begin(struct buf *out, unsigned type);
bool frame_end(struct buf *out, size_t mark);

/* frame_take(in, type, payload): take the first whole frame of *in, which moves
 * past it. 1: taken; 0: more bytes are needed; -1: no frame begins like this.
 */
int frame_take(struct slice *in, uint8_t *type, struct slice *payload);

/* The descriptors that came with the first byte of a frame. */
struct frame_fds {
	int count; /* -1: some had no room here, or what came was none */
	int fd[2]; /* -1 from `count` on */
};

/* frame_send_bytes(fd, bytes, fds, count, flags): one sendmsg, with `count`
 * descriptors.  frame_receive_bytes(fd, p, n, fds, flags): one recvmsg; fds may
 * be NULL, for a peer that sends none.  Both return what the call does, and
 * repeat a call that a signal interrupted. */
ssize_t frame_send_bytes(
    int fd, struct slice, const int *fds, size_t count, int flags);
ssize_t frame_receive_bytes(
    int fd, void *p, size_t n, struct frame_fds *, int flags);

#define FRAME_PENDING 4 /* frames with descriptors; main sends at most two */
#define FRAME_RECEIVE_BYTES (64 << 10) /* of one call */
#define FRAME_SEND_BYTES (64 << 10) /* smaller frames are sent together */

/* One end of a socket pair. */
struct frame_stream {
	int fd; /* borrowed */
	bool takes_fds; /* false: frames have no descriptors */
	struct buf in;
	size_t in_at; /* offset of the bytes that were not taken yet */
	struct buf out;
	/* received before their frames; the first is of the frame that was
	 * taken last, whose reader removes it */
	struct frame_fds pending[FRAME_PENDING];
	unsigned pending_count;
};

/* frame_stream_init(stream, fd, takes_fds): the caller releases `in` and `out`
 * in the end. */
void frame_stream_init(struct frame_stream *, int fd, bool takes_fds);

/*
 * frame_stream_receive(stream, flags): receive what there is, for
 * frame_stream_next().  1: bytes came; 0: the peer has closed the socket; -1:
 * errno says why there is nothing, EPROTO for descriptors that make no sense.
 * frame_stream_next(stream, type, payload): as frame_take(), of what was
 * received; the payload is borrowed until the next call.
 */
int frame_stream_receive(struct frame_stream *, int flags);
int frame_stream_next(
    struct frame_stream *, uint8_t *type, struct slice *payload);

/* frame_stream_take(stream, type, payload): wait for the next frame.  As
 * frame_stream_receive(); -1 with EPROTO also for bytes that are no frame. */
int frame_stream_take(
    struct frame_stream *, uint8_t *type, struct slice *payload);

/* frame_stream_send(stream): send what stream->out has.  False with errno: the
 * peer has gone. */
bool frame_stream_send(struct frame_stream *);

#endif
