/*
 * Both gzip layers undone by their magic bytes (SPEC section 7).
 *
 *	wire bytes -> [Content-Encoding layer] -> [file layer] -> document
 */
#ifndef FRESHET_GUNZIP_H
#define FRESHET_GUNZIP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/library.h"
#include "base/slice.h"
#include "crawler/parse/scope.h"

/* gunzip_out: takes decoded bytes, borrowed; false stops the stream. */
typedef bool gunzip_out_fn(void *arg, struct slice bytes);

struct gunzip;

struct gunzip_options {
	const struct read_limits *limits;
	uint64_t max_bytes; /* of output, in each layer */
	struct slice path; /* of the URL, for the .gz notes */
	struct slice content_type; /* empty: none */
	struct slice content_encoding; /* empty: none */
	gunzip_out_fn *out;
	void *arg;
	struct diag_sink sink;
};

/* gunzip_new(options): the slices stay borrowed until gunzip_free. */
struct gunzip *gunzip_new(const struct gunzip_options *);
void gunzip_free(struct gunzip *);

/*
 * gunzip_feed(gunzip, bytes): false when nothing more is wanted: an error,
 * the size limit, or out said so.  gunzip_finish: the end of the wire bytes.
 * What a layer held before it failed has been passed on too: who wants whole
 * documents only throws it away.  The result is the same however the bytes
 * are cut into feeds.
 * To the sink, each at most once: UNSUPPORTED_ENCODING,
 * CONTENT_ENCODING_MISMATCH, COMPRESSION_ERROR, GZIP_TRUNCATED,
 * GZIP_TOO_MANY_LAYERS, GZIP_DOUBLE, GZIP_MULTIMEMBER,
 * GZIP_TRAILING_GARBAGE, GZ_EXTENSION_NOT_GZIP, GZIP_UNDECLARED,
 * FILE_TOO_LARGE.  Source: SPEC, HOSTILE Z1 to Z20.
 */
bool gunzip_feed(struct gunzip *, struct slice bytes);
void gunzip_finish(struct gunzip *);

/* gunzip_failure(gunzip): the error that ended it, or DIAG_OK. */
enum diag_code gunzip_failure(const struct gunzip *);
bool gunzip_is_complete(const struct gunzip *); /* after finish */
unsigned gunzip_layers(const struct gunzip *); /* gzip layers entered */
uint64_t gunzip_total(const struct gunzip *); /* bytes passed to out */

/* gunzip_library(library): zlib. */
void gunzip_library(struct library *);

#endif
