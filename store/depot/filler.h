/* Rows out of a database with the tables of the store, and into another. */
#ifndef FRESHET_FILLER_H
#define FRESHET_FILLER_H

#include <stdbool.h>

#include "base/diag.h"
#include "store/depot/rows.h"

struct sqlite3;
struct sqlite3_stmt;

/* rows_select(db, table): a statement for all rows of the table with all
 * columns, in the order of the primary key; NULL: the table cannot be read. */
struct sqlite3_stmt *rows_select(struct sqlite3 *, const struct rows_table *);

/*
 * rows_each(db, schema, fn, arg):
 * Call fn for each row of all tables, as an INSERT of one row, table after
 * table; its cells are borrowed until fn returns.
 *
 * Returns DIAG_OK, or what fn or schema_code made of it.
 */
enum diag_code rows_each(
    struct sqlite3 *, const struct rows_schema *, rows_fn *, void *arg);

struct filler;

/*
 * filler_new(db, schema): a filler of this database, which has the tables of
 * this version and no open transaction.  As long as the filler is there, SQLite
 * checks no references, since rows come in any order.  Both are borrowed.
 * filler_free(filler): roll back what was not committed.
 */
struct filler *filler_new(struct sqlite3 *, const struct rows_schema *);
void filler_free(struct filler *);

/*
 * filler_begin(filler): begin a transaction, which removes all rows first, also
 * those that a new store has.
 * filler_put(filler, row): a rows_fn: add the row of an INSERT.
 * filler_commit(filler): COMMIT.
 *
 * All return DIAG_OK, DISK_FULL, or STORE_DAMAGED: the row is there already, a
 * value has the wrong type or is missing.  Then the transaction is rolled back,
 * and filler_why() says what was wrong.
 */
enum diag_code filler_begin(struct filler *);
enum diag_code filler_put(void *filler, const struct rows *);
enum diag_code filler_commit(struct filler *);
const char *filler_why(struct filler *);

#endif
