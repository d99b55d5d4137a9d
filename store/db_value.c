/* Values in and out of statements. */
#include "store/db_value.h"

#include <assert.h>
#include <sqlite3.h>
#include <string.h>

#include "store/entry.h"
#include "store/schema.h"

/* Binding fails for want of memory, or when the limits of the connection are
 * passed, which what comes here never does. */
static void
bound(struct sqlite3_stmt *stmt, int code)
{
	assert(stmt == NULL || schema_code(code) == DIAG_OK);
}

void
db_bind_int(struct sqlite3_stmt *stmt, int i, int64_t value)
{
	bound(stmt, sqlite3_bind_int64(stmt, i, value));
}

void
db_bind_text(struct sqlite3_stmt *stmt, int i, struct slice text)
{
	bound(stmt,
	    sqlite3_bind_text64(stmt, i, text.len == 0 ? "" : text.p, text.len,
		SQLITE_STATIC, SQLITE_UTF8));
}

void
db_bind_str(struct sqlite3_stmt *stmt, int i, const char *text)
{
	if (text != NULL)
		db_bind_text(stmt, i, slice_of(text));
}

void
db_bind_blob(struct sqlite3_stmt *stmt, int i, struct slice bytes)
{
	bound(stmt,
	    sqlite3_bind_blob64(stmt, i, bytes.len == 0 ? "" : bytes.p,
		bytes.len, SQLITE_STATIC));
}

void
db_bind_date(struct sqlite3_stmt *stmt, int i, const struct date *date)
{
	bool has = date->precision != DATE_NONE;

	if (has)
		db_bind_int(stmt, i, date->epoch_s);
	db_bind_int(stmt, i + 1, has ? date->nanos : 0);
	db_bind_int(stmt, i + 2,
	    has ? date->precision | date->zone << FORM_ZONE_SHIFT : 0);
}

bool
db_is_null(struct sqlite3_stmt *stmt, int column)
{
	return sqlite3_column_type(stmt, column) == SQLITE_NULL;
}

int64_t
db_int(struct sqlite3_stmt *stmt, int column)
{
	return sqlite3_column_int64(stmt, column);
}

struct slice
db_text(struct sqlite3_stmt *stmt, int column)
{
	const void *p = sqlite3_column_text(stmt, column);

	/* The length is that of the text only after the text was asked for. */
	return slice_make(p, (size_t)sqlite3_column_bytes(stmt, column));
}

struct slice
db_blob(struct sqlite3_stmt *stmt, int column)
{
	const void *p = sqlite3_column_blob(stmt, column);

	return slice_make(p, (size_t)sqlite3_column_bytes(stmt, column));
}

char *
db_str(struct sqlite3_stmt *stmt, int column)
{
	if (db_is_null(stmt, column))
		return NULL;
	return slice_dup(db_text(stmt, column));
}

struct date
db_date(struct sqlite3_stmt *stmt, int column)
{
	if (db_is_null(stmt, column))
		return (struct date){0};
	return date_unpack(db_int(stmt, column), db_int(stmt, column + 1),
	    db_int(stmt, column + 2));
}

bool
db_digest(struct sqlite3_stmt *stmt, int column, struct digest *digest)
{
	struct slice bytes = db_blob(stmt, column);

	if (bytes.len != sizeof(digest->bytes))
		return false;
	memcpy(digest->bytes, bytes.p, sizeof(digest->bytes));
	return true;
}
