/* Numbers as people read them. */
#ifndef FRESHET_HUMAN_H
#define FRESHET_HUMAN_H

#include <stdint.h>

#include "base/buf.h"

/* human_count: "612,204". human_short: "412 k", "1.2 M". human_bytes:
 * "38.1 MB". human_clock: "0:07", "1:02:03" from milliseconds; human_spent:
 * "0.3 s", "42 s", "1:02:03". */
void human_count(struct buf *, uint64_t);
void human_short(struct buf *, uint64_t);
void human_bytes(struct buf *, uint64_t);
void human_clock(struct buf *, int64_t ms);
void human_spent(struct buf *, int64_t ms);

/* human_span(out, seconds): "40 s", "12 min", "3.5 h", "4.0 d". */
void human_span(struct buf *, double seconds);

/* human_plural(out, n, one): "1 document", "2 documents". */
void human_plural(struct buf *, uint64_t n, const char *one);

/* The same texts by value, as arguments of a buf_print(): human_n of
 * human_count, human_of of human_plural, human_size of human_bytes, human_time
 * of human_spent. The text lives until the end of the full expression (C11
 * 6.2.4). A word of human_of() that does not fit is cut. */
struct human {
	char text[64];
};

struct human human_n(uint64_t);
struct human human_of(uint64_t n, const char *one);
struct human human_size(uint64_t bytes);
struct human human_time(int64_t ms);

/* human_waiting(out, documents, urls): "3 sitemaps, 1,204 URLs", for what waits
 * for a second reading. */
void human_waiting(struct buf *, uint64_t documents, uint64_t urls);

#endif
