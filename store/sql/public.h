/*
 * The public tables: what queries see, stable between versions.
 *
 * The tables of the store (schema.h) may change with every version.  The public
 * tables may not: columns are only added.  They are virtual tables for segments
 * and deltas, and temporary views for the rest.  A view hides the table of the
 * store with the same name; main.NAME is the table.
 */
#ifndef FRESHET_PUBLIC_H
#define FRESHET_PUBLIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/slice.h"
#include "base/w3cdate.h"

#define PUBLIC_VERSION 1 /* grows when a column goes or changes its meaning */

struct public_column {
	const char *name;
	const char *type;
	const char *sql; /* the expression, of views */
	const char *about;
};

enum public_kind {
	PUBLIC_VIEW,
	/* Virtual tables; INDEX: of what indexes list. */
	PUBLIC_URLS,
	PUBLIC_INDEX_URLS,
	PUBLIC_CHANGES,
	PUBLIC_INDEX_CHANGES
};

struct public_table {
	const char *name;
	enum public_kind kind;
	const char *from; /* of views */
	const struct public_column *columns;
	size_t count;
	const char *about;
};

/* Columns of the virtual tables, in their order. */
enum url_column {
#define URL_COLUMN(column, name, type, about) URL_##column,
#define CHANGE_COLUMN(column, name, type, about)
#include "store/sql/public.def"
#undef URL_COLUMN
#undef CHANGE_COLUMN
	URL_COLUMNS_COUNT
};

enum change_column {
#define URL_COLUMN(column, name, type, about)
#define CHANGE_COLUMN(column, name, type, about) CHANGE_##column,
#include "store/sql/public.def"
#undef URL_COLUMN
#undef CHANGE_COLUMN
	CHANGE_COLUMNS_COUNT
};

/* The tables; one without a name stands behind the last. */
extern const struct public_table public_tables[];

/* public_put_views(sql): append what makes the views in PostgreSQL, by
 * functions of store/depot/public.sql. */
void public_put_views(struct buf *sql);

/* The tables on a connection, and what the virtual ones share. */

struct sqlite3;
struct sqlite3_context;
struct sqlite3_index_info;
struct sqlite3_value;
struct sqlite3_vtab;

/* What the tables and functions of one connection share. */
struct vtab_shared {
	uint64_t blocks_read; /* decoded by this connection */
};

/* What a virtual table is made of: the client data of its module. */
struct vtab_base {
	struct sqlite3 *db; /* borrowed: the connection */
	struct vtab_shared *shared; /* borrowed from the connection */
	const struct public_table *table;
};

/* vtab_connect(), vtab_disconnect(): xConnect and xDisconnect of all tables,
 * whose client data is a vtab_base. */
int vtab_connect(struct sqlite3 *, void *base, int argc,
    const char *const *argv, struct sqlite3_vtab **, char **why);
int vtab_disconnect(struct sqlite3_vtab *);

/* vtab_base(table): what the table is made of; borrowed. */
const struct vtab_base *vtab_base(struct sqlite3_vtab *);

/* Planning: which constraints of a query a table handles (xBestIndex). */

#define VTAB_TERMS_MAX 16

/* A constraint that a table can handle. */
struct vtab_term {
	int column;
	/* SQLITE_INDEX_CONSTRAINT_*; GE and LE stand for GT and LT, too */
	unsigned char op;
	const char *name; /* in EXPLAIN QUERY PLAN */
	bool is_text; /* the column is text: anything else narrows nothing */
};

/*
 * vtab_plan(info, terms, count):
 * Take the first usable constraint for each term: its value becomes an argument
 * of xFilter, in the order of the terms.  SQLite checks each row again, so a
 * table may return more rows.  Comparisons with another collation than BINARY
 * are left to SQLite.
 *
 * Returns the plan, which is idxNum, too: bit i stands for terms[i].  -1: there
 * is no memory.
 */
int vtab_plan(
    struct sqlite3_index_info *, const struct vtab_term *terms, size_t count);

/* vtab_orders(info, columns, count): does the query want these columns, or the
 * first of them, in ascending order? */
bool vtab_orders(
    const struct sqlite3_index_info *, const int *columns, size_t count);

/* vtab_register(db): Make the public tables (public.h), for the life of the
 * connection: virtual tables, temporary views, and the functions
 * freshet_time(s), freshet_date(s, nanos, form), freshet_precision(form),
 * freshet_severity(code), freshet_blocks_read(), and, for the tables' own
 * queries, freshet_may_hold(filter, loc).  The main database of the connection
 * must be a store of this version; nothing is written to it.  Returns SQLite's
 * code. */
int vtab_register(struct sqlite3 *);

/* vtab_text(value): the text of the value, borrowed; empty for NULL. */
struct slice vtab_text(struct sqlite3_value *);

/* vtab_put_*: set the result of xColumn, and return SQLITE_OK.  Empty text,
 * DATE_NONE, the time 0 and VERDICT_ACCEPTED become NULL, and so does a number
 * that is not there. */
int vtab_put_text(struct sqlite3_context *, struct slice);
int vtab_put_number(struct sqlite3_context *, bool is_there, int64_t);
int vtab_put_time(struct sqlite3_context *, int64_t epoch_s);
int vtab_put_date(struct sqlite3_context *, const struct date *);
int vtab_put_precision(struct sqlite3_context *, const struct date *);
int vtab_put_refused(struct sqlite3_context *, unsigned verdict);

/* The virtual tables url and index_url, change and index_change. */
extern const struct sqlite3_module vtab_url, vtab_change;

#endif
