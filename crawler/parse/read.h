/*
 * A reading is a pure function of bytes, scope and previous segment (DESIGN
 * section 3): inflate, decode, parse, normalise, judge, sort, merge. It uses no
 * clock, no network, no database and no file but those in its job: it runs the
 * same in a sandboxed reader, in a test, in a fuzzer and in the main process.
 */
#ifndef FRESHET_READ_H
#define FRESHET_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "crawler/parse/scope.h"
#include "store/segment/block.h"
#include "store/segment/reading.h"

/* read_pull_fn: store the next bytes of the body, as it came over the wire, at
 * most n. Returns their number; 0 at the end, -1 if they cannot be read. */
typedef ssize_t read_pull_fn(void *arg, void *p, size_t n);

/* read_rewind_fn: the next bytes of the body are its first again. False: it
 * cannot be read again. */
typedef bool read_rewind_fn(void *arg);

struct read_job {
	const struct scope *scope;
	read_pull_fn *body;
	read_rewind_fn *rewind; /* called at most once */
	void *body_arg;
	block_pull_fn *previous; /* called only if scope->has_previous */
	void *previous_arg;
	/* Both are called when blocks are ready. The receiver drops the blocks
	 * unless read_document() returns DIAG_OK. */
	block_fn *segment;
	void *segment_arg;
	block_fn *delta;
	void *delta_arg;
	bool is_bare; /* the segment: BLOCK_BARE */
	/* for sorting, or for a sitemap with other dates; -1: none */
	int scratch_fd;
};

/*
 * read_document(job, content): Read one document. *content is initialised by
 * the function; its segment and delta lists stay empty, because blocks go to
 * the functions of the job.
 *
 * The location rules judge the children of an index and pages; a refused URL
 * causes a finding, and is kept as an entry with its verdict. An entry without
 * a normal form causes a finding only. content->failure says why nothing could
 * be read; content->is_complete is false if entries may be missing.
 *
 * The scanner (scan.h) reads the document unless the scope forbids that. If the
 * scanner steps aside, what it collected is dropped, the body is rewound, and
 * libxml2 reads the document. Both give the same content, except is_scanned and
 * aside.
 *
 * With scope->is_page the bytes are those of a page that a document lists, and
 * content->page holds the facts about it (page.h). With scope->wants_text its
 * main text is written to scratch_fd; page_text_load() reads it.
 *
 * With scope->is_robots the bytes are those of a robots.txt that is packed, or
 * looks like a page: see read_robots_get().
 *
 * With scope->dates, which are as redate.h has them, the bytes are those of a
 * sitemap, which is written to scratch_fd with these dates, packed if it was.
 * content->seen is the number of its entries, content->accepted that of those
 * that changed, and decoded_digest that of its bytes before. Its failure is
 * PARSE_ERROR if the dates are not those of its entries, READER_KILLED if it
 * could not be written.
 *
 * Returns DIAG_OK if there is a set of entries, which may be empty; otherwise
 * content->failure. READER_KILLED: the body, the scratch file or the previous
 * segment could not be read.
 */
enum diag_code read_document(const struct read_job *, struct content *);

/* read_robots_get(content, wall, text): a robots.txt as it was read with
 * scope->is_robots. *text: its bytes, unpacked, cut one byte behind
 * ROBOTS_MAX_BYTES; borrowed from content. *wall: the number of the bot wall of
 * which it is a page, for page_wall_name(); 0: of none. False: this cannot be
 * the answer to such a job; content may come from a reader. */
bool read_robots_get(
    const struct content *, unsigned *wall, struct slice *text);

/* read_warm(): make the libraries load what they would load at their first use,
 * as long as the process can open files. */
void read_warm(void);

#endif
