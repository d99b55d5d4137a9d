/*
 * A reading is a pure function of bytes, scope and previous segment
 * (DESIGN 3.1): inflate, decode, parse, normalise, judge, sort, merge.
 * No clock, no file, no network, no database: it runs the same in a
 * sandboxed reader, in a test, in a fuzzer and in this process.
 */
#ifndef FRESHET_READ_H
#define FRESHET_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "crawler/parse/scope.h"
#include "store/segment/block.h"
#include "store/segment/reading.h"

/* read_pull: the next bytes of the body as it came over the wire, at most n;
 * 0 at the end, -1 when they cannot be had. */
typedef ssize_t read_pull_fn(void *arg, void *p, size_t n);

struct read_job {
	const struct scope *scope;
	read_pull_fn *body;
	void *body_arg;
	block_pull_fn *previous; /* called only if scope->has_previous */
	void *previous_arg;
	block_fn *segment; /* called as blocks become ready; thrown away by */
	block_fn *delta; /* the receiver unless read_document says DIAG_OK */
	void *blocks_arg;
	int scratch_fd; /* for sorting, -1: none */
};

/*
 * read_document(job, content):
 * Read one document.  *content is initialised; its segment and delta lists
 * stay empty, because blocks go to the job's functions.
 *
 * Children of an index and pages are judged by the location rules; what is
 * refused is a finding, and an entry with its verdict.  What has no normal form
 * is a finding alone.  content->failure says when nothing could be read;
 * content->is_complete is false when entries may be lacking.
 *
 * With scope->is_page the bytes are those of a page that a document lists, and
 * content->page holds the facts about it (crawler/parse/page.h).
 *
 * Returns DIAG_OK when there is a set of entries, empty ones included; else
 * content->failure.  READER_KILLED: body, scratch or previous segment could
 * not be read.
 */
enum diag_code read_document(const struct read_job *, struct content *);

/*
 * read_page_fits(content): can content, which a reader sent, be the answer to a
 * job with scope->is_page, as far as that can be told without the page?  Blocks
 * are not looked at.
 */
bool read_page_fits(const struct content *);

/* read_warm(): make the libraries load now what they would load later, when
 * nothing can be opened any more. */
void read_warm(void);

#endif
