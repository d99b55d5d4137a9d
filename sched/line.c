/* Numbers in line: see line.h. */
#include "sched/line.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

void
line_put(struct line *line, uint32_t number)
{
	if (line->begin > line->count) {
		memmove(line->items, line->items + line->begin,
		    line->count * sizeof(*line->items));
		line->begin = 0;
	}
	line->items = mem_grow(line->items, &line->cap,
	    line->begin + line->count + 1, sizeof(*line->items));
	line->items[line->begin + line->count++] = number;
}

bool
line_take(struct line *line, uint32_t *number)
{
	if (line->count == 0)
		return false;
	*number = line->items[line->begin++];
	line->count--;
	if (line->count == 0)
		line->begin = 0;
	return true;
}

void
line_release(struct line *line)
{
	free(line->items);
	*line = (struct line){0};
}
