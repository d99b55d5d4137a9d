/* Queries over the public tables (public.h), for people and programs. */
#ifndef FRESHET_SQL_H
#define FRESHET_SQL_H

#include <stdint.h>

#include "base/buf.h"
#include "base/slice.h"
#include "store/store.h"

/* One statement that only reads, within one snapshot of the store. */
struct sql;

enum sql_result {
	SQL_IS_ROW,
	SQL_IS_DONE,
	SQL_IS_WRONG, /* the query is, and why says what is wrong */
	SQL_IS_FAILED /* the store has: sql_failure */
};

/*
 * sql_begin(store, query, *sql, why):
 * Prepare a query on a store that was opened to read from it.  What sorts much
 * spills into temporary files.  Returns SQL_IS_DONE, SQL_IS_WRONG or
 * SQL_IS_FAILED with one line in why.  The store serves nothing else any more;
 * sql_end in any case, before store_close.
 */
enum sql_result sql_begin(
    struct store *, struct slice query, struct sql **, struct buf *why);

/* sql_step(sql, why): the next row, or the end, or what went wrong. */
enum sql_result sql_step(struct sql *, struct buf *why);
void sql_end(struct sql *);

/* sql_failure(sql): STORE_DAMAGED, DISK_FULL, ... after SQL_IS_FAILED. */
enum diag_code sql_failure(const struct sql *);

/* Columns of the result, from 0. */
int sql_columns(const struct sql *);
struct slice sql_name(const struct sql *, int column);

enum sql_type { SQL_IS_NULL, SQL_IS_NUMBER, SQL_IS_TEXT, SQL_IS_BLOB };

/* A value of the row at hand; text is borrowed until the next step, of a
 * number it is its digits; a number that is not finite is "Inf". */
struct sql_value {
	enum sql_type type;
	struct slice text;
};

struct sql_value sql_value(const struct sql *, int column);

#endif
