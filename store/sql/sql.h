/* Queries over the public tables (public.h), for people and programs. */
#ifndef FRESHET_SQL_H
#define FRESHET_SQL_H

#include <stdint.h>

#include "base/buf.h"
#include "base/slice.h"
#include "store/store.h"

struct sqlite3;
struct sqlite3_stmt;

/* One statement that only reads, within one snapshot of the store. */
struct sql {
	struct sqlite3 *db; /* of the store */
	struct sqlite3_stmt *stmt; /* owned */
	int columns; /* of the result */
	enum diag_code failure; /* STORE_DAMAGED, DISK_FULL, ... */
};

enum sql_result {
	SQL_IS_ROW,
	SQL_IS_DONE,
	SQL_IS_WRONG, /* the query is wrong, `why` says how */
	SQL_IS_FAILED /* the store has failed: see `failure` */
};

/* sql_begin(store, query, *sql, why): Prepare a query on a store that is open
 * for reading.  Large sorts spill into temporary files.  Returns SQL_IS_DONE,
 * or SQL_IS_WRONG or SQL_IS_FAILED with one line in `why`.  The store can serve
 * nothing else afterwards.  Call sql_end in any case, before store_close. */
enum sql_result sql_begin(
    struct store *, struct slice query, struct sql **, struct buf *why);

/* sql_step(sql, why): step to the next row, to the end, or to a failure. */
enum sql_result sql_step(struct sql *, struct buf *why);
void sql_end(struct sql *);

/* The name of a column of the result, from 0. */
struct slice sql_name(const struct sql *, int column);

enum sql_type { SQL_IS_NULL, SQL_IS_NUMBER, SQL_IS_TEXT, SQL_IS_BLOB };

/* A value of the current row.  The text is borrowed until the next step; that
 * of a number is its digits, or "Inf". */
struct sql_value {
	enum sql_type type;
	struct slice text;
};

struct sql_value sql_value(const struct sql *, int column);

#endif
