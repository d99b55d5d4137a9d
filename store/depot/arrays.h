/*
 * Rows in PostgreSQL's words: its tables, statements whose parameters are
 * binary arrays, and the rows of a binary COPY.  Pure: libpq stands in depot.c.
 *
 * A table there is the table of the store, in the schema `freshet`, with the
 * column `shard` in front, which its primary key begins with.  INTEGER is
 * bigint, REAL double precision, TEXT text, BLOB bytea.  Sources: PostgreSQL
 * 15, chapter 55 (formats of messages), COPY (binary format), array_send().
 */
#ifndef FRESHET_ARRAYS_H
#define FRESHET_ARRAYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "store/depot/rows.h"

/* arrays_ddl(sql, schema): append what makes all tables of the store, in the
 * schema of the search path.  A column that is no key may be NULL there: SQLite
 * checks it, and rows of another version may lack it. */
void arrays_ddl(struct buf *sql, const struct rows_schema *);

/* A statement for rows; $1 is the shard, then comes an array of each column. */
struct arrays {
	char *sql; /* owned */
	int count; /* of parameters */
	uint32_t types[ROWS_COLUMNS_MAX + 1]; /* OIDs of the parameters */
	char *values[ROWS_COLUMNS_MAX + 1]; /* owned; in binary */
	int lengths[ROWS_COLUMNS_MAX + 1]; /* of the values, in bytes */
	size_t bytes; /* of all values */
	size_t rows; /* so many must be removed, changed or added */
};

/*
 * arrays_make(arrays, rows, shard): the statement that does what the rows say;
 * nothing is borrowed.  Text with a NUL, or that is no UTF-8, which PostgreSQL
 * would refuse, has U+FFFD in place of these bytes; returns how many such texts
 * there were.
 * arrays_release(arrays): free what the struct owns.
 */
size_t arrays_make(struct arrays *, const struct rows *, uint32_t shard);
void arrays_release(struct arrays *);

/* arrays_copy_out(sql, table, shard): append the COPY that tells all rows of
 * the shard, with all columns. */
void arrays_copy_out(
    struct buf *sql, const struct rows_table *, uint32_t shard);

/* What a binary COPY has told so far. */
struct arrays_copy {
	const struct rows_table *table; /* borrowed */
	bool has_begun, has_ended; /* the header, the trailer were read */
};

/*
 * arrays_copy_rows(copy, bytes, fn, arg):
 * Call fn for each row of a piece of a COPY; pieces end where rows end.  The
 * row is an INSERT, and its cells are borrowed until fn returns.  fn returns
 * DIAG_OK, or a code that ends the loop.
 *
 * Returns DIAG_OK, STORE_DAMAGED (these are no rows of the table), or what fn
 * returned.
 */
enum diag_code arrays_copy_rows(
    struct arrays_copy *, struct slice bytes, rows_fn *, void *arg);

#endif
