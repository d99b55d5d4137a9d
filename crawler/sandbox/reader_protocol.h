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
 * Both directions are in the order of the jobs, and a reader says END when it
 * has taken all of the job's PREVIOUS frames, wanted or not.
 */
#ifndef FRESHET_READER_PROTOCOL_H
#define FRESHET_READER_PROTOCOL_H

#include <stdbool.h>
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

#define FRAME_HEAD 5
#define FRAME_MAX_BYTES (16u << 20)

/* Entries, findings, bytes: more than any document has, so few that sums over
 * all documents fit. */
#define FRAME_MAX_COUNT (UINT64_C(1) << 40)

/*
 * frame_begin/end: build one frame at the end of out.  frame_begin answers
 * the mark that frame_end needs to fill in the length.  frame_end says false,
 * and takes the frame away again, when what is in it is longer than a frame
 * or than out may be: what strangers say is in frames, as long as it is.
 */
size_t frame_begin(struct buf *out, enum frame_type);
bool frame_end(struct buf *out, size_t mark);

/*
 * frame_take(in, type, payload): the first whole frame of *in, which moves
 * past it.  1: taken; 0: more bytes are needed; -1: no frame can begin so.
 */
int frame_take(struct slice *in, uint8_t *type, struct slice *payload);

/* The payloads, and a whole JOB, which may not fit.  get believes nothing:
 * enums, counts and sizes are checked; slices are borrowed from the payload,
 * scope and content are owned and initialised when true came back only. */
bool frame_put_job(struct buf *out, uint64_t body_len, const struct scope *);
bool frame_get_job(struct slice payload, uint64_t *body_len, struct scope *);
void frame_put_block(struct buf *out, const struct block *);
bool frame_get_block(struct slice payload, struct block *);
void frame_put_content(struct buf *out, const struct content *);
bool frame_get_content(struct slice payload, struct content *);

#endif
