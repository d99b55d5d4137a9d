/* The tables, and the steps that lead to them. */
#ifndef FRESHET_SCHEMA_H
#define FRESHET_SCHEMA_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/diag.h"

struct sqlite3;

#define SCHEMA_APPLICATION_ID 0x66727368 /* "frsh" */
#define SCHEMA_VERSION 9

/*
 * A step is a script of statements that ends with `PRAGMA user_version = N`,
 * N being its place from 1 on; it runs in a transaction of its own.
 */
struct schema {
	const char *const *steps;
	int count;
};

extern const struct schema schema_current;

/*
 * schema_check(db, schema, is_read_only, why):
 * Is this a store of ours, or an empty file that can become one?  DIAG_OK,
 * STORE_DAMAGED (not ours, damaged, newer), STORE_UNUSABLE (read-only and
 * empty or older), or what schema_code answers.
 */
enum diag_code schema_check(struct sqlite3 *, const struct schema *,
    bool is_read_only, struct buf *why);

/* schema_version(db): how many steps it has behind it; 0 when it cannot be
 * read. */
int schema_version(struct sqlite3 *);

/* schema_migrate(db, schema): run the steps that are lacking. */
enum diag_code schema_migrate(struct sqlite3 *, const struct schema *);

/* schema_code(sqlite): the diagnostic for one of SQLite's result codes. */
enum diag_code schema_code(int sqlite_code);

#endif
