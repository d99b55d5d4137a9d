/* Numbers that wait in line: first come, first served. */
#ifndef FRESHET_LINE_H
#define FRESHET_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zeroed: empty. */
struct line {
	uint32_t *items; /* owned */
	size_t begin, count, cap; /* items[begin] to items[begin + count - 1] */
};

/* line_put(line, number): at the end.  O(1), amortised. */
void line_put(struct line *, uint32_t number);

/* line_take(line, number): the first; false: nobody waits. */
bool line_take(struct line *, uint32_t *number);

void line_release(struct line *); /* and empty */

#endif
