/*
 * The end of a socket pair at which a process waits for frames and answers
 * them: that of a reader, and of the helper of libfreshet.  Requests and
 * answers block.  A peer whose frames make no sense has been subverted, so the
 * process ends with READER_EXIT_PROTOCOL.
 */
#ifndef FRESHET_FRAME_STREAM_H
#define FRESHET_FRAME_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/slice.h"

#define FRAME_PENDING 4 /* frames with descriptors; main sends at most two */

/* The descriptors that came with one frame. */
struct frame_fds {
	int body;
	int scratch; /* -1: none */
};

struct frame_stream {
	int fd;
	bool takes_fds; /* false: frames have no descriptors */
	struct buf in;
	size_t in_at; /* offset of the bytes that were not taken yet */
	struct buf out;
	/* received before their frames */
	struct frame_fds pending[FRAME_PENDING];
	unsigned pending_count;
};

void frame_stream_init(struct frame_stream *, int fd, bool takes_fds);
void frame_stream_release(struct frame_stream *);

/* frame_stream_error(): end this process. */
_Noreturn void frame_stream_error(void);

/* frame_stream_take(stream, type, payload): wait for the next frame, whose
 * payload is borrowed until the next call; false: the peer has gone.
 * frame_stream_fds(stream, fds): take the descriptors of that frame. */
bool frame_stream_take(
    struct frame_stream *, uint8_t *type, struct slice *payload);
void frame_stream_fds(struct frame_stream *, struct frame_fds *);

/*
 * frame_stream_end(stream, mark): end a frame that frame_begin() began in
 * stream->out.  Small frames are sent together; false: the peer has gone.
 * frame_stream_send(stream): send what is left.
 */
bool frame_stream_end(struct frame_stream *, size_t mark);
bool frame_stream_send(struct frame_stream *);

#endif
