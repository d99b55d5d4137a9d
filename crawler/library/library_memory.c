/*
 * The memory of base/buf.c in libfreshet, instead of that of base/mem.c, whose
 * functions end the process: in somebody else's program lack of memory is a
 * status.
 */
#include <stdlib.h>

#include "base/mem.h"

/* NULL: the buf has no room for more; errno is ENOMEM then. */
void *
mem_resize(void *p, size_t n)
{
	return realloc(p, n);
}

/* A number that is too large was refused by the ceiling of its buf. */
void
mem_limit(size_t count, size_t max)
{
	(void)count;
	(void)max;
}
