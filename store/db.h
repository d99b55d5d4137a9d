/*
 * Inside the store: its struct, and how it talks to SQLite.
 *
 * The statements of statements.def are prepared once, at their first use.  The
 * first failure is kept in store->failed; after it no function here reads or
 * writes anything.  Nearly all modules of the store include this header,
 * because each of them runs statements of its own.
 */
#ifndef FRESHET_DB_H
#define FRESHET_DB_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/hash.h"
#include "base/slice.h"
#include "base/w3cdate.h"
#include "store/apply.h"
#include "store/link.h"
#include "store/page.h"
#include "store/store.h"

struct sqlite3;
struct sqlite3_stmt;

enum statement {
#define STATEMENT(name, sql) SQL_##name,
#include "store/statements.def"
#undef STATEMENT
	SQL_COUNT
};

#define DB_BUSY_MS 5000 /* how long to wait for a lock of SQLite's */

/*
 * A module above the store that is told of COMMITs (store/depot/recorder.h);
 * its functions are NULL if there is none.
 *
 * after: a COMMIT was made, and nobody was told so yet.  closing: the store
 * will be closed; nothing waits for a COMMIT.
 */
struct commit_watcher {
	void (*after)(void *arg);
	void (*closing)(void *arg);
	void *arg;
};

/*
 * Of a cache (store/depot/depot.h), whose COMMITs are durable after
 * store_acked(); NULL: they are at once.
 *
 * settle: wait for all of them, or fail the store.  is_full: too many are under
 * way.
 */
struct commit_keeper {
	void (*settle)(void *arg);
	bool (*is_full)(void *arg);
	void *arg;
};

/* What the modules of the store share.  Each member at the end belongs to the
 * modules that are named beside it; no other looks into it. */
struct store {
	struct sqlite3 *db; /* owned */
	char *path; /* owned; absolute */
	bool is_read_only;
	bool is_scratch; /* see struct store_options */
	bool is_cache; /* likewise */
	/* the last owner did not close it, and no COMMIT of this one says so */
	bool was_open;
	int64_t idle_s; /* but has done nothing for so long */
	int64_t killed_s; /* see store_killed_s(); 0: not asked, -1: never */
	bool is_writing; /* a transaction is open */
	bool is_reading; /* as store_read_begin says */
	enum diag_code failed; /* the first failure */
	struct buf trouble; /* what was wrong then: see store_trouble */
	uint64_t min_free_bytes; /* see struct store_options */
	int schema_before; /* version of the file when it was opened */
	uint64_t segments_replaced; /* how often since the store was opened */
	struct commit_watcher watcher; /* of store/depot; used by store.c */
	struct commit_keeper keeper; /* likewise */
	uint64_t commits, durable; /* how many were made, and are durable */

	struct statements *statements; /* owned; of db.c */
	struct store_files *files; /* owned; of store.c */
	struct commit_queue *queue; /* owned; of store.c */
	struct link_sets link_sets; /* owned; of link.c */
	struct doubts doubts; /* owned; of apply.c and reach.c */
	struct page_memory page_memory; /* owned; of page.c */
	struct buf listed_url; /* owned; of the latest store_document_list() */
	struct buf page_says; /* owned; of page_says.c: the latest texts */
	/* of hold.c: are hosts in its table; asked once by an owner */
	enum { SIGNING_UNKNOWN, SIGNING_NONE, SIGNING_SOME } signing;
	/* owned; of proof.c; NULL: none was asked for */
	struct rules_table *rules_table;
	/* owned; NULL: see store_keep_hashes() */
	struct url_hashes *url_hashes;
	struct block_source *spare_source; /* owned; of query.c; NULL: none */
};

/* The id of the first block of a document's segment, or of a reading's delta.
 * BLOCK_ID is defined for every owner, since a damaged store may hold any. */
#define BLOCK_ID_SHIFT 16 /* DB_ID_MAX << 16 is an id, too */
#define BLOCKS_MAX (1u << BLOCK_ID_SHIFT)
#define BLOCK_ID(owner) ((int64_t)((uint64_t)(owner) << BLOCK_ID_SHIFT))

/* db_prepare(store): make statements possible; false if a table of this program
 * is missing.  Each is prepared when it is first used.
 * db_finalize(store): free the statements, if there are any. */
bool db_prepare(struct store *);
void db_finalize(struct store *);

/* db_use(store, statement): the one statement of that name, ready to be bound.
 * Returns NULL if it cannot be prepared, and the store has failed then; all
 * functions here accept NULL for a statement. */
struct sqlite3_stmt *db_use(struct store *, enum statement);

/* db_loop(store, statement): A statement of that name that nobody is stepping,
 * for loops whose callbacks may use the store.  Step it at once, and end it
 * with db_done.  Returns NULL as db_use does. */
struct sqlite3_stmt *db_loop(struct store *, enum statement);

/*
 * Statements whose first parameters are numbers, or one text:
 *
 * db_use_id(store, statement, id): db_use() with the first parameter bound.
 * db_use_ints(store, statement, count, ints): the same with the first `count`.
 * db_use_text(store, statement, text): the same with a text.
 * db_loop_id(store, statement, id), db_loop_ints(store, statement, count,
 * ints): db_loop() likewise.
 * db_put_id, db_put_ints: the same as db_use_id and db_use_ints, and
 * db_write().
 */
struct sqlite3_stmt *db_use_id(struct store *, enum statement, int64_t id);
struct sqlite3_stmt *db_use_ints(
    struct store *, enum statement, int count, const int64_t ints[]);
struct sqlite3_stmt *db_use_text(
    struct store *, enum statement, struct slice text);
struct sqlite3_stmt *db_loop_id(struct store *, enum statement, int64_t id);
struct sqlite3_stmt *db_loop_ints(
    struct store *, enum statement, int count, const int64_t ints[]);
void db_put_id(struct store *, enum statement, int64_t id);
void db_put_ints(
    struct store *, enum statement, int count, const int64_t ints[]);

/* db_row(store, stmt): one step; true if there is a row.  At the end, and if
 * the store has failed, by this step or before, the statement is reset. */
bool db_row(struct store *, struct sqlite3_stmt *);

/* db_run(store, stmt): step to the end. */
void db_run(struct store *, struct sqlite3_stmt *);

/* db_write(store, stmt): db_run within the transaction; false if the store has
 * failed. */
bool db_write(struct store *, struct sqlite3_stmt *);

/* db_done(stmt): reset.  A statement that is left in the middle keeps its
 * snapshot, so that the write-ahead log cannot be emptied. */
void db_done(struct sqlite3_stmt *);
int64_t db_last_id(const struct store *);

/*
 * What a statement answers, in one call; it is reset then.
 *
 * db_has(store, stmt): is there a row?
 * db_first(store, stmt): the first number of the first row; 0 if there is none.
 * db_first_id(store, stmt), db_first_time(store, stmt): the same as db_id() and
 * db_time().
 * db_counts(store, stmt, count, counts): its first columns, as db_count();
 * unchanged if there is no row.
 */
bool db_has(struct store *, struct sqlite3_stmt *);
int64_t db_first(struct store *, struct sqlite3_stmt *);
int64_t db_first_id(struct store *, struct sqlite3_stmt *);
int64_t db_first_time(struct store *, struct sqlite3_stmt *);
void db_counts(
    struct store *, struct sqlite3_stmt *, int count, uint64_t counts[]);

/* db_begin(store): open a transaction, unless one is open; false if the store
 * has failed.  Only for stores that are open for writing. */
bool db_begin(struct store *);

/*
 * Statements that are used rarely: SQL text in place of a name.
 *
 * db_make(store, sql, count, ints): a new statement, its first parameters
 * bound; it may have fewer than `count`.  NULL if the store has failed.  Give
 * it to db_drop.
 * db_exec(store, sql): run it; false if the store has failed.
 * db_exec_ints(store, sql, count, ints): likewise, within the transaction.
 * db_number(store, sql, count, ints): the number that it answers; 0 if there is
 * none.
 */
struct sqlite3_stmt *db_make(
    struct store *, const char *sql, int count, const int64_t ints[]);
bool db_exec_ints(
    struct store *, const char *sql, int count, const int64_t ints[]);
void db_drop(struct sqlite3_stmt *);
bool db_exec(struct store *, const char *sql);
int64_t db_number(
    struct store *, const char *sql, int count, const int64_t ints[]);

/* db_snapshot_begin(store): store_read_begin for stores without statements of
 * their own; false if the store cannot be read. */
bool db_snapshot_begin(struct store *);
void db_snapshot_end(struct store *);

/* db_file_bytes(store, suffix): the size of the file whose name is the store's
 * with this suffix, such as "-wal"; 0 if there is none. */
uint64_t db_file_bytes(const struct store *, const char *suffix);

/* db_fail(store, code): the store has failed; only the first code is kept. */
void db_fail(struct store *, enum diag_code);

/* db_damaged(store, stmt, format, ...): Fail as damaged: the row of stmt holds
 * what this program never writes.  store_trouble then tells the table and the
 * id of the row, and the text.  With a NULL stmt the text names the place
 * itself: "document 17: it is not there". */
void db_damaged(struct store *, struct sqlite3_stmt *, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void db_damaged_args(struct store *, struct sqlite3_stmt *, const char *format,
    va_list) __attribute__((format(printf, 3, 0)));

/* What a parameter gets.  Bytes are borrowed until the statement was run. */
struct db_value {
	enum { DB_NULL, DB_INT, DB_REAL, DB_TEXT, DB_BLOB, DB_DATE, DB_END } as;
	union {
		int64_t number;
		double real;
		struct slice bytes;
		const struct date *date; /* takes three parameters */
	};
};

/* Values of parameters, from the first one on.  AS_IF: NULL if it is not;
 * AS_SOME and AS_STR: NULL if the text is empty, or NULL. */
#define DB_ROW(...) ((const struct db_value[]){__VA_ARGS__, {.as = DB_END}})
#define AS_INT(value) ((struct db_value){.as = DB_INT, .number = (value)})
#define AS_REAL(value) ((struct db_value){.as = DB_REAL, .real = (value)})
#define AS_TEXT(slice) ((struct db_value){.as = DB_TEXT, .bytes = (slice)})
#define AS_BLOB(slice) ((struct db_value){.as = DB_BLOB, .bytes = (slice)})
#define AS_DATE(pointer) ((struct db_value){.as = DB_DATE, .date = (pointer)})
#define AS_IF(is, value) ((is) ? (value) : (struct db_value){0})
#define AS_SOME(slice) AS_IF((slice).len > 0, AS_TEXT(slice))
#define AS_STR(text) AS_IF((text) != NULL, AS_TEXT(slice_of(text)))

/* db_bind(stmt, values): the statement, with these values.
 * db_put(store, statement, values): db_use(), db_bind() and db_write().
 * db_bind_int, db_bind_text, db_bind_blob: one parameter, from 1. */
struct sqlite3_stmt *db_bind(
    struct sqlite3_stmt *, const struct db_value values[]);
bool db_put(struct store *, enum statement, const struct db_value values[]);
void db_bind_int(struct sqlite3_stmt *, int i, int64_t);
void db_bind_text(struct sqlite3_stmt *, int i, struct slice);
void db_bind_blob(struct sqlite3_stmt *, int i, struct slice);

/* Columns of the current row, from 0.  Text and blob are borrowed until the
 * next step. */
bool db_is_null(struct sqlite3_stmt *, int column);
int64_t db_int(struct sqlite3_stmt *, int column);
struct slice db_text(struct sqlite3_stmt *, int column);
struct slice db_blob(struct sqlite3_stmt *, int column);
char *db_str(struct sqlite3_stmt *, int column); /* owned; NULL for NULL */
struct date db_date(struct sqlite3_stmt *, int column);

/*
 * Columns whose values callers compute with, so that a damaged store must not
 * choose them freely.  NULL is 0 or no text.  Any other value outside of the
 * range fails the store (db_damaged), and the function returns 0 or no text.
 *
 * db_id	1 to DB_ID_MAX, so that its blocks have ids, too
 * db_time	|t| <= DATE_BOUND_S
 * db_count	up to DB_COUNT_MAX
 * db_small	32 bits
 * db_real	0 to DB_REAL_MAX
 * db_url	1 to URL_MAX_BYTES bytes of printable ASCII without spaces
 * db_whole_url	a normalised URL, never NULL
 * db_line	up to DB_LINE_MAX bytes of printable ASCII
 */
#define DB_ID_MAX (INT64_MAX >> 16)
#define DB_COUNT_MAX (INT64_C(1) << 48)
#define DB_REAL_MAX 1e30
#define DB_LINE_MAX 256
int64_t db_id(struct store *, struct sqlite3_stmt *, int column);
int64_t db_time(struct store *, struct sqlite3_stmt *, int column);
uint64_t db_count(struct store *, struct sqlite3_stmt *, int column);
uint32_t db_small(struct store *, struct sqlite3_stmt *, int column);
double db_real(struct store *, struct sqlite3_stmt *, int column);
struct slice db_url(struct store *, struct sqlite3_stmt *, int column);
struct slice db_line(struct store *, struct sqlite3_stmt *, int column);
struct slice db_whole_url(struct store *, struct sqlite3_stmt *, int column);

#endif
