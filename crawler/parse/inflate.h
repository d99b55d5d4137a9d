/*
 * Raw deflate (RFC 1951), unpacked from bytes that lie in memory as a whole
 * into pieces that stay in the processor's cache. What is accepted is what
 * zlib's inflate() accepts, no more and no less.
 */
#ifndef FRESHET_INFLATE_H
#define FRESHET_INFLATE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/slice.h"

/* inflate_out_fn: takes the next bytes, at least one, which are borrowed; false
 * stops the inflater. */
typedef bool inflate_out_fn(void *arg, struct slice bytes);

enum inflate_end {
	INFLATE_DONE, /* the stream has ended */
	INFLATE_STOPPED, /* out wanted no more */
	INFLATE_BAD /* a fault in the stream, or its end is missing */
};

/*
 * inflate_stream(bytes, out, arg, used): unpack the stream at the beginning of
 * bytes. On INFLATE_DONE, *used is its length, and out has got all that it
 * unpacks to; otherwise out has got a part from the beginning of what zlib
 * makes of the stream, and *used is not written.
 */
enum inflate_end inflate_stream(
    struct slice bytes, inflate_out_fn *, void *arg, size_t *used);

#endif
