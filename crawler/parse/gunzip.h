/*
 * The two gzip layers of a document are removed by their magic bytes (SPEC
 * section 7).
 *
 *	wire bytes -> [Content-Encoding layer] -> [file layer] -> document
 */
#ifndef FRESHET_GUNZIP_H
#define FRESHET_GUNZIP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/diag.h"
#include "base/late.h"
#include "base/slice.h"
#include "crawler/parse/scope.h"

/* gunzip_out_fn: takes decoded bytes, which are borrowed; false stops the
 * stream. */
typedef bool gunzip_out_fn(void *arg, struct slice bytes);

#define GUNZIP_MAGIC "\x1f\x8b"

struct gunzip;

struct gunzip_outcome {
	enum diag_code failure; /* DIAG_OK, or what ended the stream */
	unsigned layers; /* gzip layers entered so far */
};

struct gunzip_options {
	const struct read_limits *limits;
	uint64_t max_bytes; /* the limit for the output of each layer */
	struct slice path; /* of the URL, for the diagnostics about ".gz" */
	struct slice content_type; /* empty: unknown */
	struct slice content_encoding; /* empty: none */
	/* Take less time, and be less strict: ISA-L unpacks members, and not
	 * zlib.  Whoever is told of COMPRESSION_ERROR or GZIP_TRUNCATED reads
	 * the bytes again without this. */
	bool is_fast;
	struct gunzip_outcome *outcome; /* borrowed; kept up to date */
	gunzip_out_fn *out;
	void *arg;
	struct diag_sink sink;
};

/* gunzip_new(options): the slices are borrowed until gunzip_free. */
struct gunzip *gunzip_new(const struct gunzip_options *);
void gunzip_free(struct gunzip *);

/* gunzip_feed(gunzip, bytes): false when no more bytes are wanted, because of
 * an error or the size limit, or because out said so. gunzip_finish: the wire
 * bytes end here; true: the document is complete. Bytes that a layer unpacked
 * before it failed are passed on, too; a caller that wants only whole documents
 * drops these bytes. The result does not depend on how the bytes are cut into
 * feeds. To the sink, each at most once: UNSUPPORTED_ENCODING,
 * CONTENT_ENCODING_MISMATCH, COMPRESSION_ERROR, GZIP_TRUNCATED,
 * GZIP_TOO_MANY_LAYERS, GZIP_DOUBLE, GZIP_MULTIMEMBER, GZIP_TRAILING_GARBAGE,
 * GZ_EXTENSION_NOT_GZIP, GZIP_UNDECLARED, FILE_TOO_LARGE. Source: SPEC R-79 to
 * HOSTILE Z1 to Z20. */
bool gunzip_feed(struct gunzip *, struct slice bytes);
bool gunzip_finish(struct gunzip *);

/* gunzip_pack(bytes, out): append them in gzip, without a name and a time, so
 * that the same bytes are packed alike. */
void gunzip_pack(struct slice bytes, struct buf *out);

/*
 * What makes gzip members with ISA-L, one after another, of any length.
 * packer_begin(packer, extra, out): begin a member; `extra` are the bytes of
 * the field FEXTRA of its header, 65,535 at most, PACKER_EXTRA bytes behind the
 * beginning of the member; empty: it has none.
 * packer_put(packer, bytes, is_last, out): pack bytes; the last ones, of which
 * there may be none, end the member.  Both append to out, which has no ceiling.
 */
#define PACKER_EXTRA 12
struct packer;
struct packer *packer_new(void);
void packer_free(struct packer *);
void packer_begin(struct packer *, struct slice extra, struct buf *out);
void packer_put(
    struct packer *, struct slice bytes, bool is_last, struct buf *out);

/* gunzip_warm(): load ISA-L, which is_fast needs, if it is not loaded yet. */
void gunzip_warm(void);

/* gunzip_libraries(libraries): zlib and ISA-L, which does not say its version.
 */
#define GUNZIP_LIBRARIES 2
void gunzip_libraries(struct library libraries[GUNZIP_LIBRARIES]);

#endif
