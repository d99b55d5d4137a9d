/* Sorting rows by their members. */
#include "base/sort.h"

#include <stdlib.h>
#include <string.h>

/* The order of two numbers of that type. */
#define ORDER(type)                              \
	((*(const type *)x > *(const type *)y) - \
	    (*(const type *)x < *(const type *)y))

int
sort_compare(const void *a, const void *b, void *keys)
{
	for (const struct sort_key *key = keys; key->type != SORT_END; key++) {
		const void *x = (const char *)a + key->at;
		const void *y = (const char *)b + key->at;
		const char *s, *other;
		int order = 0;

		switch (key->type) {
		case SORT_BOOL:
			order = ORDER(bool);
			break;
		case SORT_INT:
			order = ORDER(int);
			break;
		case SORT_UNSIGNED:
			order = ORDER(unsigned);
			break;
		case SORT_INT64:
			order = ORDER(int64_t);
			break;
		case SORT_UINT64:
			order = ORDER(uint64_t);
			break;
		case SORT_DOUBLE:
			order = ORDER(double);
			break;
		case SORT_TEXT:
			s = *(const char *const *)x;
			other = *(const char *const *)y;
			order = strcmp(
			    s == NULL ? "" : s, other == NULL ? "" : other);
			break;
		case SORT_SLICE:
			order = slice_order(
			    *(const struct slice *)x, *(const struct slice *)y);
			break;
		case SORT_END:
			break;
		}
		if (order != 0)
			return (order < 0) == key->is_falling ? 1 : -1;
	}
	return 0;
}

void
sort_rows(void *rows, size_t count, size_t size, const struct sort_key *keys)
{
	if (count > 0)
		qsort_r(
		    rows, count, size, sort_compare, (void *)(uintptr_t)keys);
}

size_t
sort_from(const void *row, const void *rows, size_t count, size_t size,
    const struct sort_key *keys)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (sort_compare((const char *)rows + middle * size, row,
			(void *)(uintptr_t)keys) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

void *
sort_find(const void *row, const void *rows, size_t count, size_t size,
    const struct sort_key *keys)
{
	size_t at = sort_from(row, rows, count, size, keys);
	const char *found = at < count ? (const char *)rows + at * size : NULL;

	return found != NULL &&
		sort_compare(found, row, (void *)(uintptr_t)keys) == 0
	    ? (void *)(uintptr_t)found
	    : NULL;
}
