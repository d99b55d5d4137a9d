/* Bytes that come in pieces, split into lines. */
#ifndef FRESHET_SPLITTER_H
#define FRESHET_SPLITTER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/slice.h"

/* To drop all that waits, its user sets `at` and looked_at to text.len. */
struct splitter {
	struct buf text; /* what came, and is not taken yet from byte `at` on */
	size_t at;
	size_t looked_at; /* no line ends between `at` and this byte */
	size_t max_bytes; /* that may wait */
};

/* splitter_init(splitter, max_bytes): no more than max_bytes ever wait. The
 * caller releases `text`. */
void splitter_init(struct splitter *, size_t max_bytes);

/* splitter_put(splitter, bytes): append a copy; false, and nothing is appended,
 * if too much would wait. */
bool splitter_put(struct splitter *, struct slice bytes);

/* splitter_peek(splitter, line): the next whole line, without its line feed;
 * false if there is none.  The line is borrowed until splitter_put.
 * splitter_next(splitter, line): take it as well. */
bool splitter_peek(struct splitter *, struct slice *line);
bool splitter_next(struct splitter *, struct slice *line);

/* splitter_rest(splitter): all that waits, borrowed likewise. */
struct slice splitter_rest(const struct splitter *);

#endif
