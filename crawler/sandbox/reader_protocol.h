/*
 * Frames between main and a reader, over one stream socket pair.
 *
 *	u32 length of payload | u8 type | payload
 *
 *	main -> reader   JOB (length of the body, scope; its first byte carries
 *	                 the descriptors of the body and, if there is one, of
 *	                 the scratch file), PREVIOUS (one block; an empty one
 *	                 ends them) for jobs that have a previous segment
 *	reader -> main   SEGMENT, DELTA (one block each), END (the content)
 *
 * Both directions follow the order of the jobs. A reader sends END when it has
 * taken all PREVIOUS frames of the job, whether it needed them or not.
 */
#ifndef FRESHET_READER_PROTOCOL_H
#define FRESHET_READER_PROTOCOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/slice.h"
#include "crawler/parse/scope.h"
#include "store/segment/reading.h"

enum frame_type {
	FRAME_JOB = 1,
	FRAME_PREVIOUS,
	FRAME_SEGMENT,
	FRAME_DELTA,
	FRAME_END
};

/* The types behind FRAME_END are those of libfreshet and its helper
 * (crawler/library/library_protocol.h), in frames of the same form. */
#define FRAME_TYPE_MAX 71

#define FRAME_HEAD 5
#define FRAME_MAX_BYTES (16u << 20)

/* The limit for numbers of entries, findings and bytes: more than any document
 * has, and small enough that sums over all documents do not overflow. */
#define FRAME_MAX_COUNT (UINT64_C(1) << 40)

/*
 * frame_begin, frame_end: build one frame at the end of out. frame_begin
 * returns the mark that frame_end needs to write the length. frame_end returns
 * false and removes the frame if it is longer than FRAME_MAX_BYTES or does not
 * fit in out: frames contain foreign data of any length.
 */
size_t frame_begin(struct buf *out, unsigned type);
bool frame_end(struct buf *out, size_t mark);

/*
 * frame_take(in, type, payload): take the first whole frame of *in, which moves
 * past it. 1: taken; 0: more bytes are needed; -1: no frame begins like this.
 */
int frame_take(struct slice *in, uint8_t *type, struct slice *payload);

/*
 * frame_put_* append a payload; frame_put_job() appends a whole JOB frame, and
 * returns false if the frame would be too large. frame_get_* trust nothing:
 * they check enums, counts and sizes. Slices are borrowed from the payload;
 * scope and content are initialised, and owned by the caller, only if the
 * function returned true.
 */
bool frame_put_job(struct buf *out, uint64_t body_len, const struct scope *);
bool frame_get_job(struct slice payload, uint64_t *body_len, struct scope *);
void frame_put_block(struct buf *out, const struct block *);
bool frame_get_block(struct slice payload, struct block *);
void frame_put_content(struct buf *out, const struct content *);
bool frame_get_content(struct slice payload, struct content *);

/*
 * The end of a socket pair at which a process waits for frames and answers
 * them: that of a reader, and of the helper of libfreshet.  Requests and
 * answers block.  A peer whose frames make no sense has been subverted, so the
 * process ends with READER_EXIT_PROTOCOL.
 */

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
