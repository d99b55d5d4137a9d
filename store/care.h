/* Inside the store: what its care has in common. */
#ifndef FRESHET_CARE_H
#define FRESHET_CARE_H

#include <stdbool.h>
#include <stdint.h>

struct sqlite3_stmt;
struct store;

/* care_statement(store, sql): one statement that is used rarely; NULL, and
 * the store has failed, when it cannot be had.  Give it to db_drop. */
struct sqlite3_stmt *care_statement(struct store *, const char *sql);

/* care_run(store, sql): run it; false when the store has failed. */
bool care_run(struct store *, const char *sql);

/* care_number(store, sql): the number that it answers, 0 without one. */
int64_t care_number(struct store *, const char *sql);

/* care_file_bytes(store, suffix): how large its file of that name is now; 0:
 * there is none. */
uint64_t care_file_bytes(const struct store *, const char *suffix);

/*
 * care_snapshot(store): from now on all that is read is of one moment, until
 * care_release.  False when the store cannot be read.
 */
bool care_snapshot(struct store *);
void care_release(struct store *);

#endif
