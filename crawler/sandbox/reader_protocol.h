/*
 * Frames between main and a reader, over one stream socket pair (frames.h).
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
#include <stdint.h>

#include "base/buf.h"
#include "base/slice.h"
#include "crawler/parse/scope.h"
#include "crawler/sandbox/frames.h"
#include "store/segment/reading.h"

enum frame_type {
	FRAME_JOB = 1,
	FRAME_PREVIOUS,
	FRAME_SEGMENT,
	FRAME_DELTA,
	FRAME_END
};

/* The limit for numbers of entries, findings and bytes: more than any document
 * has, and small enough that sums over all documents do not overflow. */
#define FRAME_MAX_COUNT (UINT64_C(1) << 40)

/* frame_put_* append a payload; frame_put_job() appends a whole JOB frame, and
 * returns false if the frame would be too large. frame_get_* trust nothing:
 * they check enums, counts and sizes. Slices are borrowed from the payload;
 * scope and content are initialised, and owned by the caller, only if the
 * function returned true. */
bool frame_put_job(struct buf *out, uint64_t body_len, const struct scope *);
bool frame_get_job(struct slice payload, uint64_t *body_len, struct scope *);
void frame_put_block(struct buf *out, const struct block *);
bool frame_get_block(struct slice payload, struct block *);
void frame_put_content(struct buf *out, const struct content *);
bool frame_get_content(struct slice payload, struct content *);

#endif
