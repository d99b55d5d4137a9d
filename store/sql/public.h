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

#include <stddef.h>

#include "base/buf.h"

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

/* public_table(i): the i-th table, NULL behind the last. */
const struct public_table *public_table(size_t i);

#endif
