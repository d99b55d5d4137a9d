/* Memory allocation that never fails: the process ends instead. */
#ifndef FRESHET_MEM_H
#define FRESHET_MEM_H

#include <stddef.h>

/* mem_alloc(n), mem_zero(n), mem_resize(p, n), mem_copy(s): Like malloc,
 * calloc(1), realloc and strdup, but never NULL, except for a copy of NULL.
 * Without memory the process ends with status 8, which is safe because the
 * store is crash-safe. free() frees the memory. */
void *mem_alloc(size_t n);
void *mem_zero(size_t n);
void *mem_resize(void *p, size_t n);
char *mem_copy(const char *s);

/* mem_grow(p, cap, need, item_size): make room for `need` items of item_size
 * bytes in the array p, which has room for *cap. The room doubles. Returns the
 * array, which may have moved. */
void *mem_grow(void *p, size_t *cap, size_t need, size_t item_size);

/* MEM_PUSH(items, count, cap): a pointer to one more item, behind the last of
 * the array, which has room for cap items and grows as by mem_grow(); its bytes
 * are undefined.  `*MEM_PUSH(list->items, list->count, list->cap) = item;`
 * appends. The item must not be computed of the array or its count in the same
 * statement. */
#define MEM_PUSH(items, count, cap)                                         \
	((items) = (count) < (cap)                                          \
		? (items)                                                   \
		: mem_grow((items), &(cap), (count) + 1, sizeof(*(items))), \
	    &(items)[(count)++])

/* mem_limit(count, max): check that count + 1 does not exceed max, the largest
 * value of the number that counts. If it does, the process ends as it does
 * without memory; max is above 2,000 million, so memory ends first on nearly
 * every machine. */
void mem_limit(size_t count, size_t max);

/* mem_keep(bytes): for a process that frees and allocates much again and again.
 * Pieces of memory up to `bytes` are kept when they are freed, about twice that
 * in all, so that the kernel need not clear them each time; and in large pages,
 * if the kernel has them. Call it before anything large is allocated. */
void mem_keep(int bytes);

#endif
