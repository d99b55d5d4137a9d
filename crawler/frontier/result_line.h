/* What a fetcher says of one page, as a line of JSON: for `done`. */
#ifndef FRESHET_RESULT_LINE_H
#define FRESHET_RESULT_LINE_H

#include <stdint.h>

#include "base/slice.h"
#include "crawler/frontier/frontier_lease.h"
#include "crawler/frontier/frontier_result.h"

struct ndjson;

/* A URL of 32 KiB with every byte escaped, headers of 64 KiB, and room. */
#define RESULT_MAX_BYTES ((size_t)1 << 20)

struct result_line {
	struct ndjson *object; /* owned; result borrows from it */
	struct frontier_result result;
};

/*
 * result_line_parse(line, text, now_s): read one line, without its line feed,
 * whatever is in it.  Members (docs/json.md): lease, url, status, content_hash,
 * etag, last_modified, location, bytes, ms or seconds, at, retry_after; one
 * that is null is absent, and so is a validator that could not be sent back.  A
 * status may be digits in a string: curl prints 000.  With "rest":
 * "last_modified" that is what stands behind the object on its line.
 *
 * Returns NULL, or why it is no result, in one static word: "too-long",
 * "not-json" (also: cut, a key twice, NUL, no UTF-8), or "bad-MEMBER".
 * result_line_release in any case.
 */
const char *result_line_parse(
    struct result_line *, struct slice text, int64_t now_s);
void result_line_release(struct result_line *);

#endif
