/* Values in and out of statements. */
#include "store/db_value.h"

#include <assert.h>
#include <sqlite3.h>
#include <string.h>

#include "base/url.h"
#include "store/db.h"
#include "store/schema.h"
#include "store/segment/entry.h"

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

/* It is none that this program writes. */
static void
bad_number(struct store *store, struct sqlite3_stmt *stmt, int column)
{
	db_damaged(store, stmt, "%s is %.30s",
	    sqlite3_column_name(stmt, column),
	    (const char *)sqlite3_column_text(stmt, column));
}

int64_t
db_id(struct store *store, struct sqlite3_stmt *stmt, int column)
{
	int64_t value = db_int(stmt, column);

	if (value >= !db_is_null(stmt, column) && value <= DB_ID_MAX)
		return value;
	bad_number(store, stmt, column);
	return 0;
}

int64_t
db_time(struct store *store, struct sqlite3_stmt *stmt, int column)
{
	int64_t value = db_int(stmt, column);

	if (value >= -DATE_BOUND_S && value <= DATE_BOUND_S)
		return value;
	bad_number(store, stmt, column);
	return 0;
}

static uint64_t
number(
    struct store *store, struct sqlite3_stmt *stmt, int column, uint64_t most)
{
	int64_t value = db_int(stmt, column);

	if (value >= 0 && (uint64_t)value <= most)
		return (uint64_t)value;
	bad_number(store, stmt, column);
	return 0;
}

uint64_t
db_count(struct store *store, struct sqlite3_stmt *stmt, int column)
{
	return number(store, stmt, column, DB_COUNT_MAX);
}

uint32_t
db_small(struct store *store, struct sqlite3_stmt *stmt, int column)
{
	return (uint32_t)number(store, stmt, column, UINT32_MAX);
}

double
db_real(struct store *store, struct sqlite3_stmt *stmt, int column)
{
	double value = sqlite3_column_double(stmt, column);

	if (value >= 0 && value <= DB_REAL_MAX)
		return value;
	bad_number(store, stmt, column);
	return 0;
}

/* Is it printable ASCII, from that character on? */
static bool
is_ascii(struct slice text, char least)
{
	for (size_t i = 0; i < text.len; i++)
		if (text.p[i] < least || text.p[i] > '~')
			return false;
	return true;
}

static bool
is_visible(struct slice text)
{
	return text.len > 0 && text.len <= URL_MAX_BYTES && is_ascii(text, '!');
}

/* No more of it than is told. */
static struct slice
bad_text(struct store *store, struct sqlite3_stmt *stmt, int column,
    const char *what)
{
	struct slice text = db_text(stmt, column);
	int len = text.len > 100 ? 100 : (int)text.len;

	db_damaged(store, stmt, "%s '%.*s' %s",
	    sqlite3_column_name(stmt, column), len, text.p, what);
	return slice_make(NULL, 0);
}

struct slice
db_url(struct store *store, struct sqlite3_stmt *stmt, int column)
{
	struct slice text = db_text(stmt, column);

	if (db_is_null(stmt, column) || is_visible(text))
		return text;
	return bad_text(
	    store, stmt, column, "has bytes, or a length, that it cannot have");
}

struct slice
db_line(struct store *store, struct sqlite3_stmt *stmt, int column)
{
	struct slice text = db_text(stmt, column);

	if (text.len <= DB_LINE_MAX && is_ascii(text, ' '))
		return text;
	return bad_text(
	    store, stmt, column, "has bytes, or a length, that it cannot have");
}

struct slice
db_whole_url(struct store *store, struct sqlite3_stmt *stmt, int column)
{
	struct slice text = db_text(stmt, column);
	struct profile profile = profile_default(PROFILE_LENIENT);
	struct url url;
	bool is_one;

	profile.max_loc_chars = URL_MAX_BYTES;
	url_init(&url);
	is_one = is_visible(text) &&
	    url_parse(&url, text, NULL, &profile, (struct diag_sink){0}) ==
		DIAG_OK &&
	    slice_equal(url_text(&url), text);
	url_release(&url);
	return is_one ? text
		      : bad_text(store, stmt, column, "is no normalised URL");
}
