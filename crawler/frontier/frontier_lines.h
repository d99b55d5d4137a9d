/* Lines of JSON, as `due` and `done` print them (json.md). */
#ifndef FRESHET_FRONTIER_LINES_H
#define FRESHET_FRONTIER_LINES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/slice.h"
#include "crawler/frontier/frontier_lease.h"
#include "crawler/frontier/frontier_result.h"

struct frontier_spent;

/* How lines of pages and answers begin; all others have a "type" there. */
#define FRONTIER_LINE_BEGIN "{\"v\":1,\"lease\":"

/* frontier_line_page(out, page): a leased page. */
void frontier_line_page(struct buf *, const struct frontier_page *);

/* The reply to one line of input. */
struct frontier_reply {
	uint64_t line; /* its number, from 1; 0: none */
	struct slice lease, url; /* as given, or empty */
	enum frontier_ack ack;
	const char *reason; /* NULL: none */
	int64_t next_due_s;
};

/* frontier_line_ack(out, reply): the reply to a result, or to a lease that was
 * given back. */
void frontier_line_ack(struct buf *, const struct frontier_reply *);

/* frontier_line_more(out, pages, due_s, spent): how many pages came, when there
 * may be more (FRONTIER_NEVER: nobody knows), and which budget is used up until
 * then. */
void frontier_line_more(
    struct buf *, uint32_t pages, int64_t due_s, const struct frontier_spent *);

/* frontier_line_unknown(out, frontier, sites, tags): a line for each site, a
 * host, and each tag that the frontier does not know; false if it knows none of
 * the sites, or none of the tags. */
bool frontier_line_unknown(struct buf *, struct frontier *,
    const struct strings *sites, const struct strings *tags);

/* The result of one fetch, as a line of JSON: the input of `done`. */

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
 * The caller frees line.object in any case.
 */
const char *result_line_parse(
    struct result_line *, struct slice text, int64_t now_s);

#endif
