/* Memory allocation that never fails: the process ends instead. */
#include "base/mem.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* There is no memory for a message either, so the code writes without
 * allocating. */
static _Noreturn void
out_of_memory(void)
{
	static const char text[] = "freshet: out of memory\n";

	(void)!write(2, text, sizeof(text) - 1);
	_exit(8);
}

void *
mem_alloc(size_t n)
{
	void *p = malloc(n == 0 ? 1 : n);

	if (p == NULL)
		out_of_memory();
	return p;
}

void *
mem_zero(size_t n)
{
	void *p = calloc(1, n == 0 ? 1 : n);

	if (p == NULL)
		out_of_memory();
	return p;
}

void *
mem_resize(void *p, size_t n)
{
	p = realloc(p, n == 0 ? 1 : n);
	if (p == NULL)
		out_of_memory();
	return p;
}

char *
mem_copy(const char *s)
{
	size_t n = strlen(s) + 1;

	return memcpy(mem_alloc(n), s, n);
}

void *
mem_grow(void *p, size_t *cap, size_t need, size_t item_size)
{
	size_t want = *cap < 8 ? 8 : *cap;

	if (need <= *cap)
		return p;
	while (want < need) {
		if (want > SIZE_MAX / 2 / item_size)
			out_of_memory();
		want *= 2;
	}
	p = mem_resize(p, want * item_size);
	*cap = want;
	return p;
}

void
mem_limit(size_t count, size_t max)
{
	if (count >= max)
		out_of_memory();
}
