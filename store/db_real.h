/* Inside the store: numbers with a fraction in and out of statements. */
#ifndef FRESHET_DB_REAL_H
#define FRESHET_DB_REAL_H

struct sqlite3_stmt;

/* db_bind_real(stmt, i, value): parameter i, from 1; NaN is NULL.
 * db_real(stmt, column): of the row at hand, from 0. */
void db_bind_real(struct sqlite3_stmt *, int i, double);
double db_real(struct sqlite3_stmt *, int column);

#endif
