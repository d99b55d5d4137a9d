/* Memory that is there, or the process ends (STYLE, Ownership). */
#ifndef FRESHET_MEM_H
#define FRESHET_MEM_H

#include <stddef.h>

/*
 * mem_alloc(n), mem_zero(n), mem_resize(p, n), mem_copy(s):
 * Like malloc, calloc(1), realloc and strdup, but never NULL: without memory
 * the process ends with status 8, which is safe because the store is
 * crash-safe.  free() gives it back.
 */
void *mem_alloc(size_t n);
void *mem_zero(size_t n);
void *mem_resize(void *p, size_t n);
char *mem_copy(const char *s);

/*
 * mem_grow(p, cap, need, item_size):
 * Make room for `need` items of item_size bytes in the array p that holds
 * *cap of them; doubles.  Returns the array, which may have moved.
 */
void *mem_grow(void *p, size_t *cap, size_t need, size_t item_size);

/*
 * mem_limit(count, max):
 * One more than `count` is about to be counted in a number that ends at max.
 * What is beyond ends the process as missing memory does, which it is on
 * nearly every machine: max is above 2,000 million.
 */
void mem_limit(size_t count, size_t max);

#endif
