/*
 * The public tables: what queries see, stable between versions.
 *
 * The tables of the store (schema.h) may change with every version of it;
 * these may not: columns are only added.  Virtual tables lie over segments
 * and deltas, temporary views over the rest; a view that has the name of a
 * table of the store stands before it, main.NAME is the table itself.
 */
#ifndef FRESHET_PUBLIC_H
#define FRESHET_PUBLIC_H

#include <stddef.h>

#include "base/buf.h"

#define PUBLIC_VERSION 1 /* grows when a column goes or changes its meaning */

struct public_column {
	const char *name;
	const char *type;
	const char *sql; /* of views */
	const char *about;
};

enum public_kind {
	PUBLIC_VIEW,
	/* virtual: what indexes list, and what all others do */
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

/* public_table(i): NULL past the last. */
const struct public_table *public_table(size_t i);

/* public_declare(out, table): what a virtual table declares.
 * public_view(out, table): the statement that makes a view.
 * public_schema(out): the one that makes freshet_schema, which lists all. */
void public_declare(struct buf *out, const struct public_table *);
void public_view(struct buf *out, const struct public_table *);
void public_schema(struct buf *out);

#endif
