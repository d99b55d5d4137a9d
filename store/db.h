/* Inside the store: what it is made of, and how it talks to SQLite. */
#ifndef FRESHET_DB_H
#define FRESHET_DB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "store/db_value.h"
#include "store/home.h"
#include "store/store.h"

struct sqlite3;
struct sqlite3_stmt;

enum statement {
#define STATEMENT(name, sql) SQL_##name,
#include "store/statements.def"
#undef STATEMENT
	SQL_COUNT
};

/* How deep loops over one statement may lie in each other: a document, and the
 * indexes above it. */
#define DB_LOOPS 8

#define DB_BUSY_MS 5000 /* that a lock of SQLite's is waited for */

/* A reading that waits for its COMMIT. */
struct waiting {
	struct reading *reading; /* owned */
	store_done_fn *done;
	void *arg;
	int64_t reading_id;
};

struct link {
	int64_t child_id;
	struct date lastmod;
};

/* Children of an index whose reading was not committed yet. */
struct link_set {
	int64_t index_id;
	struct link *items; /* owned */
	size_t count;
	size_t cap;
};

struct store {
	struct sqlite3 *db;
	struct sqlite3_stmt *statements[SQL_COUNT];
	struct sqlite3_stmt *loops[SQL_COUNT][DB_LOOPS]; /* see db_loop */
	char *path; /* owned; absolute */
	int lock_fd; /* -1: read-only */
	struct store_home home, lock_home; /* see home.h */
	int schema_before; /* version of the file when it was opened */
	bool is_read_only;
	bool
	    is_scratch; /* nothing is synced, and no file but its own is used */
	bool is_writing; /* a transaction is open */
	enum diag_code failed;
	struct buf trouble; /* what was wrong first: see store_trouble */
	uint64_t min_free_bytes;
	struct waiting *queue; /* owned */
	size_t queue_count;
	size_t queue_cap;
	uint64_t queue_bytes;
	struct link_set *link_sets; /* owned */
	size_t link_set_count;
	size_t link_set_cap;
	int64_t *doubts; /* owned: sites, see reach_doubt */
	size_t doubt_count, doubt_cap;
	bool has_hash_key; /* it was asked for */
	uint64_t hash_key;
	uint64_t segments_replaced; /* how often */
	struct buf page_bytes; /* of the latest store_page_get */
};

/* The first id of a document's segment or a reading's delta. */
#define BLOCK_ID_SHIFT 16 /* DB_ID_MAX << 16 is an id, too */
#define BLOCKS_MAX (1u << BLOCK_ID_SHIFT)
/* defined for what a damaged store takes for an id, too */
#define BLOCK_ID(owner) ((int64_t)((uint64_t)(owner) << BLOCK_ID_SHIFT))

/* db_prepare(store): all statements; false when the tables are not ours. */
bool db_prepare(struct store *);
void db_finalize(struct store *);

/*
 * db_use(store, statement): it, ready to be bound.  db_loop: one more of its
 * kind, for loops whose callbacks may use the store; NULL when it cannot be
 * had; step it at once, and end it with db_done.  db_drop: one that was
 * prepared elsewhere.
 */
struct sqlite3_stmt *db_use(struct store *, enum statement);
struct sqlite3_stmt *db_loop(struct store *, enum statement);
void db_drop(struct sqlite3_stmt *);

/*
 * db_row(store, stmt): one step; true when there is a row.  At the end and on
 * an error, which the store then remembers, it is reset and false comes back.
 * db_run: steps to the end.  db_write: the same, within the transaction.
 */
bool db_row(struct store *, struct sqlite3_stmt *);
void db_run(struct store *, struct sqlite3_stmt *);
bool db_write(struct store *, struct sqlite3_stmt *);
/* db_done(stmt): no more rows are wanted.  A statement that is left in the
 * middle keeps its snapshot, and the write-ahead log from being emptied. */
void db_done(struct sqlite3_stmt *);
int64_t db_last_id(const struct store *);

/* db_look_begin(store): what is read until db_look_end is of one moment; false:
 * it is, already. */
bool db_look_begin(struct store *);
void db_look_end(struct store *);

/* db_begin(store): make sure that a transaction is open; false when the store
 * has failed.  Only for stores that are open for writing. */
bool db_begin(struct store *);

/* db_fail(store, code): remember the first failure.  db_damaged(store, stmt,
 * format, ...): what is in the row at hand cannot be, as store_damaged; its
 * table and id come first. */
void db_fail(struct store *, enum diag_code);
void db_damaged(struct store *, struct sqlite3_stmt *, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* db_fail_prepare(store, sqlite): a statement could not be made. */
void db_fail_prepare(struct store *, int sqlite_code);

#endif
