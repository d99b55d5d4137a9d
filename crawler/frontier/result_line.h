/* The result of one fetch, as a line of JSON: the input of `done`. */
#ifndef FRESHET_RESULT_LINE_H
#define FRESHET_RESULT_LINE_H

#include <stdint.h>

#include "base/slice.h"
#include "crawler/frontier/frontier_lease.h"
#include "crawler/frontier/frontier_result.h"

struct ndjson;

/* A URL of 32 KiB with every byte escaped, headers of 64 KiB, and more. */
#define RESULT_MAX_BYTES ((size_t)1 << 20)

struct result_line {
	struct ndjson *object; /* owned; result borrows from it */
	struct frontier_result result;
};

/*
 * result_line_parse(line, text, now_s): read one line, without its line feed;
 * the text may be anything.  Members (json.md): lease, url, status,
 * content_hash, etag, last_modified, location, bytes, ms or seconds, at,
 * retry_after, noindex.  A member that is null is absent; so is a validator
 * that could not be sent back.  A status may be digits in a string: curl prints
 * 000.  With "rest": "last_modified" that member is the text behind the object.
 *
 * Returns NULL, or one static word that says why the line is no result:
 * "too-long", "not-json" (also: cut, a key twice, NUL, no UTF-8), "bad-MEMBER".
 * Call result_line_release() in any case.
 */
const char *result_line_parse(
    struct result_line *, struct slice text, int64_t now_s);
void result_line_release(struct result_line *);

#endif
