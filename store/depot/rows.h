/*
 * Rows of the store's tables, as values: what a COMMIT changed.
 *
 * The tables are those of store/schema.sql, which is their only definition.
 * Each has a primary key without NULL, so that a row can be named elsewhere.
 */
#ifndef FRESHET_ROWS_H
#define FRESHET_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/diag.h"
#include "base/slice.h"

struct sqlite3;
struct sqlite3_stmt;

/* The types of columns and the kinds of cells, with SQLite's numbers; ROWS_NULL
 * is of cells alone. */
enum rows_kind { ROWS_INTEGER = 1, ROWS_REAL, ROWS_TEXT, ROWS_BLOB, ROWS_NULL };

struct rows_column {
	char *name; /* owned */
	enum rows_kind type;
	int key; /* place in the primary key, from 1; 0: not part of it */
};

/* Sets of columns are bits, the first column lowest. */
#define ROWS_COLUMNS_MAX 64
#define ROWS_BIT(column) (UINT64_C(1) << (column))

struct rows_table {
	char *name; /* owned */
	struct rows_column *columns; /* owned; in the order of the table */
	int count;
	uint64_t all, keys; /* sets of columns */
};

struct rows_schema {
	struct rows_table *tables; /* owned; in the order of their making */
	size_t count;
};

/* rows_schema_new(): the tables of this version; rows_schema_of(db): those of a
 * store of any version; rows_schema_table(schema, name): one of them, NULL if
 * there is none of that name. */
struct rows_schema *rows_schema_new(void);
struct rows_schema *rows_schema_of(struct sqlite3 *);
void rows_schema_free(struct rows_schema *);
const struct rows_table *rows_schema_table(
    const struct rows_schema *, const char *name);

/* rows_put_each(sql, table, columns, form, between): append a text for each
 * column of a set, in which its name, in quotes, takes the place of '?';
 * rows_put_names(sql, table, columns): the names alone; rows_put_key(sql,
 * table): those of the primary key, in its order. */
void rows_put_each(struct buf *sql, const struct rows_table *, uint64_t columns,
    const char *form, const char *between);
void rows_put_names(struct buf *sql, const struct rows_table *, uint64_t);
void rows_put_key(struct buf *sql, const struct rows_table *);

struct rows_cell {
	enum rows_kind kind;
	union {
		int64_t integer;
		double real;
		struct slice bytes; /* of ROWS_TEXT and ROWS_BLOB; borrowed */
	};
};

/* In the order in which the changes of a table are repeated elsewhere: a row
 * may get a UNIQUE value that another row of the COMMIT gave up. */
enum rows_operation { ROWS_DELETE, ROWS_UPDATE, ROWS_INSERT };

/*
 * Rows of one table to which the same is done.  A DELETE has the columns of the
 * primary key, an UPDATE these and those that change, an INSERT has all.  The
 * cells of a row stand in the order of the table.
 */
struct rows {
	const struct rows_table *table;
	enum rows_operation operation;
	uint64_t columns; /* set of the columns that the rows have */
	int width; /* their number */
	size_t count;
	size_t cap; /* of cells */
	struct rows_cell *cells; /* owned by the list; count * width */
};

/* Who gets one row, an INSERT: returns DIAG_OK, or a code that ends the loop
 * and is returned. */
typedef enum diag_code rows_fn(void *arg, const struct rows *);

/* What one COMMIT changed: by tables, then by operation; no row occurs twice.
 * A COMMIT that changed nothing has an empty list. */
struct rows_list {
	struct rows *items; /* owned */
	size_t count, cap;
	/* what cells point to; owned, and never moved */
	char **pieces;
	size_t piece_count, piece_cap;
	char *free; /* in the last piece, and so many bytes more */
	size_t left;
};

/*
 * rows_list_add(list, table, operation, columns, cells): add a row, which is
 * none of the list's; cells are of all columns of the table, and those of the
 * set are copied. Rows of a table come together.
 * rows_list_keep(list, bytes): copy bytes that cells point to.
 * rows_list_sort(list): put the rows into the order of the list; then it is
 * whole.
 * rows_list_free(list): free the list, which was made by mem_zero().
 */
void rows_list_add(struct rows_list *, const struct rows_table *,
    enum rows_operation, uint64_t columns, const struct rows_cell *cells);
struct slice rows_list_keep(struct rows_list *, struct slice bytes);
void rows_list_sort(struct rows_list *);
void rows_list_free(struct rows_list *);

/* rows_cell_of(stmt, column): a column of the current row, from 0; borrowed
 * until the next step. */
struct rows_cell rows_cell_of(struct sqlite3_stmt *, int column);

#endif
