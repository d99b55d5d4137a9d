/* The tables of the store, and the migrations that make them. */
#ifndef FRESHET_SCHEMA_H
#define FRESHET_SCHEMA_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/diag.h"

struct sqlite3;

#define SCHEMA_APPLICATION_ID 0x66727368 /* "frsh" */
#define SCHEMA_VERSION 20

/* A step is a script that ends with `PRAGMA user_version = N`, where N is the
 * number of the step, from 1.  It begins and ends no transaction: all steps
 * that a store lacks run in one (schema_migrate).  Rows of several versions lie
 * in the same tables of PostgreSQL: docs/internals/machines.md says what a step
 * may not do. */
struct schema {
	const char *const *steps;
	int count;
	const char *whole; /* what all steps make, for an empty file; or NULL */
};

extern const struct schema schema_current;

/* schema_check(db, schema, is_read_only, why): Is the file a store, or an empty
 * file that can become one?  Returns DIAG_OK, STORE_DAMAGED (no store, damaged,
 * newer), STORE_UNUSABLE (read-only and empty or older), or what schema_code
 * returns. */
enum diag_code schema_check(struct sqlite3 *, const struct schema *,
    bool is_read_only, struct buf *why);

/* A script for an empty database, which makes what all steps of schema_current
 * make; like a step, it ends with PRAGMA user_version, and has no transaction.
 * schema_dump writes schema_whole.c while freshet is built. */
extern const char schema_whole[];

/* schema_version(db): the number of the last step that ran; 0 if the file
 * cannot be read. */
int schema_version(struct sqlite3 *);

/* schema_migrate(db, schema): run the steps after schema_version, or the whole
 * for an empty file; all or none. */
enum diag_code schema_migrate(struct sqlite3 *, const struct schema *);

/* schema_code(sqlite): the diagnostic for one of SQLite's result codes. */
enum diag_code schema_code(int sqlite_code);

#endif
