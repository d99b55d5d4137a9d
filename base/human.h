/* Numbers as people read them. */
#ifndef FRESHET_HUMAN_H
#define FRESHET_HUMAN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

/* human_put(out, n, one): "612,204" if `one` is NULL; else "1 document",
 * "2 documents". */
void human_put(struct buf *, uint64_t n, const char *one);

/* Texts by value, as arguments of a buf_print(): human_of of human_put;
 * human_times: "once", "2 times"; human_span: "40 s", "12 min", "3.5 h",
 * "4.0 d";
 * human_scaled: "412 k", "1.2 M" with human_counts, "38.1 MB" with human_bytes;
 * human_time: "0.3 s", "42 s", "1:02:03" from milliseconds, as a clock also
 * "0:07". The text lives until the end of the full expression (C11 6.2.4). A
 * word of human_of() that does not fit is cut. */
struct human {
	char text[64];
};

extern const char *const human_counts[];
extern const char *const human_bytes[];

struct human human_of(uint64_t n, const char *one);
struct human human_times(uint64_t n);
struct human human_span(double seconds);
struct human human_scaled(uint64_t, const char *const *units);
struct human human_time(int64_t ms, bool is_clock);

#endif
