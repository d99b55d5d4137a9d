/* Inside the store: numbers with a fraction into statements. */
#ifndef FRESHET_DB_REAL_H
#define FRESHET_DB_REAL_H

struct sqlite3_stmt;

/* db_bind_real(stmt, i, value): parameter i, from 1; NaN is NULL. */
void db_bind_real(struct sqlite3_stmt *, int i, double);

#endif
