/* Inside the store: values in and out of statements. */
#ifndef FRESHET_DB_VALUE_H
#define FRESHET_DB_VALUE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/hash.h"
#include "base/slice.h"
#include "base/w3cdate.h"

struct sqlite3_stmt;

/* db_bind_*: parameter i, from 1.  Bytes stay where they are until the
 * statement was run.  A date takes i, i + 1 and i + 2. */
void db_bind_int(struct sqlite3_stmt *, int i, int64_t);
void db_bind_text(struct sqlite3_stmt *, int i, struct slice);
void db_bind_str(struct sqlite3_stmt *, int i, const char *); /* or NULL */
void db_bind_blob(struct sqlite3_stmt *, int i, struct slice);
void db_bind_date(struct sqlite3_stmt *, int i, const struct date *);

/* Columns of the row at hand, from 0.  Text and blob are borrowed until the
 * next step. */
bool db_is_null(struct sqlite3_stmt *, int column);
int64_t db_int(struct sqlite3_stmt *, int column);
struct slice db_text(struct sqlite3_stmt *, int column);
struct slice db_blob(struct sqlite3_stmt *, int column);
char *db_str(struct sqlite3_stmt *, int column); /* owned; NULL for NULL */
struct date db_date(struct sqlite3_stmt *, int column);
bool db_digest(struct sqlite3_stmt *, int column, struct digest *);

#endif
