/* The write-ahead log: cut when nothing is in it that the database lacks. */
#ifndef FRESHET_REST_H
#define FRESHET_REST_H

#include <stdbool.h>

struct store;

/*
 * store_rest(store): write what lies in the write-ahead log into the database,
 * and cut the log to nothing.  Only while nothing waits for a COMMIT.  Nobody
 * is waited for: a reader goes on reading what it began to read, and the log
 * stays as long as it needs it.  What fails here loses nothing; it fails again
 * at a COMMIT, which tells.
 *
 * Returns true when the log is empty.
 */
bool store_rest(struct store *);

/* rest_cut(store): that, by SQLite's result code; for store/ only. */
int rest_cut(const struct store *);

#endif
