/* The store's own structures; included by the files of store/ only. */
#ifndef FRESHET_STORE_INTERNAL_H
#define FRESHET_STORE_INTERNAL_H

#include <sqlite3.h>

#include "store/statements.h"
#include "store/store.h"

/* A reading that waits for its COMMIT. */
struct pending {
	struct reading *reading; /* owned */
	int64_t reading_id;
	store_done_fn *done;
	void *arg;
};

struct store {
	sqlite3 *db;
	char *path; /* owned */
	int lock_fd; /* -1: read-only */
	bool is_read_only;
	bool is_writing; /* a transaction is open */
	enum diag_code failed;
	uint64_t min_free_bytes;
	sqlite3_stmt *statements[STATEMENT_COUNT]; /* owned, made when used */
	struct pending *pending; /* owned */
	size_t pending_count, pending_cap;
	size_t pending_bytes;
};

/*
 * store_statement(store, which): ready to be bound; NULL when the store has
 * failed.  store_begin: the same, in a transaction that a flush will commit.
 */
sqlite3_stmt *store_statement(struct store *, enum statement);
sqlite3_stmt *store_begin(struct store *, enum statement);

/* store_step(store, statement): true when there is a row; on any error the
 * store has failed.  The statement is reset unless there is a row. */
bool store_step(struct store *, sqlite3_stmt *);

/* store_run(store, statement): a statement without rows. */
void store_run(struct store *, sqlite3_stmt *);

/* store_fail(store, result): what an SQLite result means for the store. */
void store_fail(struct store *, int result);

/* Binding and reading values that SQLite has no call for. */
void store_bind_slice(sqlite3_stmt *, int at, struct slice);
void store_bind_string(sqlite3_stmt *, int at, const char *);
void store_bind_blob(sqlite3_stmt *, int at, struct slice);
void store_bind_date(
    sqlite3_stmt *, int at, const struct date *); /* 3 columns */
struct slice store_column_slice(sqlite3_stmt *, int at);
char *store_column_string(sqlite3_stmt *, int at); /* owned, NULL for NULL */
void store_column_date(sqlite3_stmt *, int at, struct date *); /* 3 columns */

/* store_document_row(statement, document): the columns of DOCUMENT_GET. */
void store_document_row(sqlite3_stmt *, struct document *);

/* A block's row: its owner (document or reading) and its number. */
#define BLOCK_BITS 16
int64_t store_block_id(int64_t owner, uint32_t number);

#endif
