/* Memory allocation that never fails: the process ends instead. */
#include "base/mem.h"

#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAD_BYTES (128 << 10) /* malloc's own: what it takes ahead */

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
	size_t n = s == NULL ? 0 : strlen(s) + 1;

	return s == NULL ? NULL : memcpy(mem_alloc(n), s, n);
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

/* malloc gets the address space at once, so that the kernel can be told. Large
 * pages are worth more than their clearing: the processor's table of small
 * pages is too short for records that are sorted or hashed. */
void
mem_keep(int bytes)
{
	const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	/* volatile, or the compiler leaves malloc out */
	void *volatile room;
	uintptr_t start, end;

	(void)mallopt(M_MMAP_THRESHOLD, bytes);
	(void)mallopt(M_TRIM_THRESHOLD, 2 * bytes);
	start = ((uintptr_t)sbrk(0) + page - 1) & ~(page - 1);
	(void)mallopt(M_TOP_PAD, bytes);
	/* Where a limit leaves no room for so much, there is none to keep. */
	room = malloc((size_t)bytes / 2);
	free(room);
	(void)mallopt(M_TOP_PAD, PAD_BYTES);
	end = (uintptr_t)sbrk(0);
	/* the malloc of a sanitizer does not use this part of the memory */
	if (end > start)
		(void)madvise((void *)start, end - start, MADV_HUGEPAGE);
}
