/* Which constraints a virtual table takes over (xBestIndex). */
#ifndef FRESHET_VTAB_PLAN_H
#define FRESHET_VTAB_PLAN_H

#include <stdbool.h>
#include <stddef.h>

struct sqlite3_index_info;
struct sqlite3_value;

#define VTAB_TERMS_MAX 16
#define VTAB_OPS_MAX 3

/* A constraint that can be pushed down. */
struct vtab_term {
	int column;
	unsigned char
	    ops[VTAB_OPS_MAX]; /* SQLITE_INDEX_CONSTRAINT_*, 0: none */
	const char *name; /* in EXPLAIN QUERY PLAN */
};

/*
 * vtab_plan(info, terms, count):
 * Take the first usable constraint for each term: its value becomes an
 * argument of xFilter, in the order of the terms; bit i of the answer, which
 * is idxNum too, stands for terms[i].  SQLite looks at each row again, so a
 * wider answer is allowed.  Comparisons under another collation than BINARY
 * are left to SQLite.  -1: there is no memory.
 */
int vtab_plan(
    struct sqlite3_index_info *, const struct vtab_term *terms, size_t count);

/* vtab_orders(info, columns, count): does it want exactly this order,
 * ascending, or a beginning of it? */
bool vtab_orders(
    const struct sqlite3_index_info *, const int *columns, size_t count);

#endif
