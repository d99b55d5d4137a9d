/* Sorting rows by their members. */
#ifndef FRESHET_SORT_H
#define FRESHET_SORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "slice.h"

/* The type of a member. An enum is as the integer that it is kept in; of text,
 * NULL counts as empty. */
enum sort_type {
	SORT_END,
	SORT_BOOL,
	SORT_INT,
	SORT_UNSIGNED,
	SORT_INT64,
	SORT_UINT64,
	SORT_DOUBLE,
	SORT_TEXT,
	SORT_SLICE
};

/* A member that rows are sorted by. The first of a list counts most; the list
 * ends with a zeroed key. */
struct sort_key {
	size_t at; /* its offset in the row */
	enum sort_type type;
	bool is_falling; /* the largest first */
};

/* The compiler knows the type of the member, and refuses any other. */
/* clang-format off */
#define SORT_KEY(row, member)                                     \
	.at = offsetof(row, member),                              \
	.type = _Generic(((row *)0)->member,                      \
	    bool: SORT_BOOL, int: SORT_INT, unsigned: SORT_UNSIGNED, \
	    int64_t: SORT_INT64, uint64_t: SORT_UINT64,           \
	    double: SORT_DOUBLE, char *: SORT_TEXT, const char *: SORT_TEXT, \
	    struct slice: SORT_SLICE)
/* clang-format on */

/* sort_compare(a, b, keys): the order of two rows, as qsort_r() wants it;
 * `keys` is a const struct sort_key *. */
int sort_compare(const void *a, const void *b, void *keys);

/* In a sorted array, which may be NULL if it is empty:
 * sort_from(row, rows, count, size, keys): the index of the first row that does
 * not come before `row`; count: all do.
 * sort_find(row, rows, count, size, keys): a row whose keys are those of `row`;
 * NULL: there is none. */
size_t sort_from(const void *row, const void *rows, size_t count, size_t size,
    const struct sort_key *keys);
void *sort_find(const void *row, const void *rows, size_t count, size_t size,
    const struct sort_key *keys);

/* sort_rows(rows, count, size, keys): sort an array, which may be NULL if it is
 * empty. Rows with equal keys come in any order. */
void sort_rows(
    void *rows, size_t count, size_t size, const struct sort_key *keys);

#endif
