/* Inside the store: values in and out of statements. */
#ifndef FRESHET_DB_VALUE_H
#define FRESHET_DB_VALUE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/hash.h"
#include "base/slice.h"
#include "base/w3cdate.h"

struct sqlite3_stmt;
struct store;

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

/*
 * What whoever reads a row counts on, whatever is in the file: an id (1 to
 * DB_ID_MAX, so that blocks have ids of their own), a time that can be computed
 * with (|t| <= DATE_BOUND_S), a number up to DB_COUNT_MAX, one of 32 bits, one
 * with a fraction from 0 to DB_REAL_MAX; text of printable ASCII: a URL
 * (without spaces, 1 to URL_MAX_BYTES bytes) or a line (up to DB_LINE_MAX).
 * NULL is 0, and no text.  What is anything else fails the store as damaged
 * (db_damaged), and 0, or no text, comes back.
 */
#define DB_ID_MAX (INT64_MAX >> 16)
#define DB_COUNT_MAX (UINT64_C(1) << 48)
#define DB_REAL_MAX 1e30
#define DB_LINE_MAX 256
int64_t db_id(struct store *, struct sqlite3_stmt *, int column);
int64_t db_time(struct store *, struct sqlite3_stmt *, int column);
uint64_t db_count(struct store *, struct sqlite3_stmt *, int column);
uint32_t db_small(struct store *, struct sqlite3_stmt *, int column);
double db_real(struct store *, struct sqlite3_stmt *, int column);
struct slice db_url(struct store *, struct sqlite3_stmt *, int column);
struct slice db_line(struct store *, struct sqlite3_stmt *, int column);

/* db_whole_url(store, stmt, column): db_url, which moreover is a normalised
 * URL; empty: the store has failed. */
struct slice db_whole_url(struct store *, struct sqlite3_stmt *, int column);

#endif
