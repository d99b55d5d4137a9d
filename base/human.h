/* Numbers as people read them. */
#ifndef FRESHET_HUMAN_H
#define FRESHET_HUMAN_H

#include <stdint.h>

#include "base/buf.h"

/* human_count(out, n): "612,204".  human_plural(out, n, one): "1 document",
 * "2 documents".  human_span(out, seconds): "40 s", "12 min", "3.5 h",
 * "4.0 d".  human_waiting(out, documents, urls): "3 sitemaps, 1,204 URLs", for
 * what waits for a second reading. */
void human_count(struct buf *, uint64_t);
void human_plural(struct buf *, uint64_t n, const char *one);
void human_span(struct buf *, double seconds);
void human_waiting(struct buf *, uint64_t documents, uint64_t urls);

/* Texts by value, as arguments of a buf_print(): human_n of human_count,
 * human_of of human_plural; human_short: "412 k", "1.2 M"; human_size:
 * "38.1 MB"; human_clock: "0:07", "1:02:03" from milliseconds; human_time:
 * "0.3 s", "42 s", "1:02:03". The text lives until the end of the full
 * expression (C11 6.2.4). A word of human_of() that does not fit is cut. */
struct human {
	char text[64];
};

struct human human_n(uint64_t);
struct human human_of(uint64_t n, const char *one);
struct human human_short(uint64_t);
struct human human_size(uint64_t bytes);
struct human human_clock(int64_t ms);
struct human human_time(int64_t ms);

#endif
