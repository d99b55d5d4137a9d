/*
 * The public tables on a connection to a store, and what the virtual ones
 * share: declaring, planning, values, functions.
 */
#include "store/sql/vtab_base.h"

#include <assert.h>
#include <sqlite3ext.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/mem.h"
#include "store/segment/bloom.h"
#include "store/segment/entry.h"
#include "store/sql/public.h"

SQLITE_EXTENSION_INIT3

#define SQL_TEXT_MAX (64 << 10)

struct vtab_table {
	sqlite3_vtab sqlite; /* first */
	struct sqlite3 *db; /* borrowed */
	const struct vtab_base *base; /* borrowed */
};

int
vtab_connect(struct sqlite3 *db, void *aux, int argc, const char *const *argv,
    struct sqlite3_vtab **out, char **why)
{
	const struct vtab_base *base = aux;
	struct vtab_table *table;
	struct buf text;
	int code;

	(void)argc;
	(void)argv;
	(void)why;
	buf_init(&text, SQL_TEXT_MAX);
	(void)buf_print(&text, "CREATE TABLE \"%s\"(", base->table->name);
	for (size_t i = 0; i < base->table->count; i++)
		(void)buf_print(&text, "%s\"%s\" %s", i > 0 ? ", " : "",
		    base->table->columns[i].name, base->table->columns[i].type);
	(void)buf_put_char(&text, ')');
	code = sqlite3_declare_vtab(db, buf_str(&text));
	buf_release(&text);
	if (code != SQLITE_OK)
		return code;
	/* The tables are safe in views and triggers, since they only read. */
	(void)sqlite3_vtab_config(db, SQLITE_VTAB_INNOCUOUS);
	table = mem_zero(sizeof(*table));
	table->db = db;
	table->base = base;
	*out = &table->sqlite;
	return SQLITE_OK;
}

int
vtab_disconnect(struct sqlite3_vtab *table)
{
	free(table);
	return SQLITE_OK;
}

struct sqlite3 *
vtab_db(struct sqlite3_vtab *table)
{
	return ((struct vtab_table *)table)->db;
}

const struct vtab_base *
vtab_base(struct sqlite3_vtab *table)
{
	return ((struct vtab_table *)table)->base;
}

/* Planning. */

int
vtab_plan(struct sqlite3_index_info *info, const struct vtab_term *terms,
    size_t count)
{
	struct buf names;
	int bits = 0;
	int argument = 0;

	assert(count <= VTAB_TERMS_MAX);
	buf_init(&names, 1024);
	for (size_t i = 0; i < count; i++) {
		int at = 0;

		/* Find the term's constraint. LIKE and GLOB ignore the
		 * collation of their operands. */
		for (; at < info->nConstraint; at++) {
			const struct sqlite3_index_constraint
			    *c = &info->aConstraint[at];

			if (c->usable && c->iColumn == terms[i].column &&
			    memchr(terms[i].ops, c->op, VTAB_OPS_MAX) != NULL &&
			    (c->op == SQLITE_INDEX_CONSTRAINT_LIKE ||
				c->op == SQLITE_INDEX_CONSTRAINT_GLOB ||
				strcmp(sqlite3_vtab_collation(info, at),
				    "BINARY") == 0))
				break;
		}
		if (at == info->nConstraint)
			continue;
		info->aConstraintUsage[at].argvIndex = ++argument;
		bits |= 1 << i;
		(void)buf_print(
		    &names, "%s%s", names.len > 0 ? " " : "", terms[i].name);
	}
	info->idxNum = bits;
	info->idxStr = sqlite3_mprintf("%s", buf_str(&names));
	info->needToFreeIdxStr = 1;
	buf_release(&names);
	return info->idxStr == NULL ? -1 : bits;
}

bool
vtab_orders(
    const struct sqlite3_index_info *info, const int *columns, size_t count)
{
	if (info->nOrderBy == 0 || (size_t)info->nOrderBy > count)
		return false;
	for (int i = 0; i < info->nOrderBy; i++)
		if (info->aOrderBy[i].iColumn != columns[i] ||
		    info->aOrderBy[i].desc)
			return false;
	return true;
}

/* Values and functions. */

struct slice
vtab_text(struct sqlite3_value *value)
{
	const void *p = sqlite3_value_text(value);
	int len = sqlite3_value_bytes(value);

	return slice_make(p, p == NULL ? 0 : (size_t)len);
}

void
vtab_put_text(struct sqlite3_context *context, struct slice text)
{
	if (text.len > 0)
		sqlite3_result_text64(
		    context, text.p, text.len, SQLITE_TRANSIENT, SQLITE_UTF8);
}

void
vtab_put_date(struct sqlite3_context *context, struct vtab_date *last,
    const struct date *date)
{
	if (date->precision == DATE_NONE)
		return;
	if (!(last->len > 0 && last->date.epoch_s == date->epoch_s &&
		last->date.nanos == date->nanos &&
		last->date.precision == date->precision)) {
		struct buf text;

		buf_init(&text, sizeof(last->text));
		date_print(&text, date);
		memcpy(last->text, text.p, text.len);
		last->len = text.len;
		last->date = *date;
		buf_release(&text);
	}
	vtab_put_text(context, slice_make(last->text, last->len));
}

void
vtab_put_time(
    struct sqlite3_context *context, struct vtab_date *last, int64_t epoch_s)
{
	struct date date = {.epoch_s = epoch_s, .precision = DATE_SECOND};

	if (epoch_s != 0)
		vtab_put_date(context, last, &date);
}

void
vtab_put_date_epoch(struct sqlite3_context *context, const struct date *date)
{
	if (date->precision != DATE_NONE)
		sqlite3_result_int64(context, date->epoch_s);
}

void
vtab_put_precision(struct sqlite3_context *context, const struct date *date)
{
	vtab_put_text(context, slice_of(date_precision_name(date)));
}

void
vtab_put_refused(struct sqlite3_context *context, unsigned verdict)
{
	if (verdict != VERDICT_ACCEPTED)
		vtab_put_text(context,
		    slice_of(diag_name(verdict_code((enum verdict)verdict))));
}

/* Dates can be printed for the years 1 to 9999; a query may pass any number. */
static bool
is_printable(int64_t epoch_s)
{
	return epoch_s >= -62135596800 && epoch_s <= 253402300799;
}

static void
fn_time(struct sqlite3_context *context, int count, sqlite3_value **values)
{
	int64_t epoch_s = sqlite3_value_int64(values[0]);
	struct vtab_date last = {.len = 0};

	(void)count;
	if (is_printable(epoch_s))
		vtab_put_time(context, &last, epoch_s);
}

static void
fn_date(struct sqlite3_context *context, int count, sqlite3_value **values)
{
	struct date date = {0};
	struct vtab_date last = {.len = 0};

	(void)count;
	if (sqlite3_value_type(values[0]) != SQLITE_NULL)
		date = date_unpack(sqlite3_value_int64(values[0]),
		    sqlite3_value_int64(values[1]),
		    sqlite3_value_int64(values[2]));
	if (is_printable(date.epoch_s))
		vtab_put_date(context, &last, &date);
}

static void
fn_precision(struct sqlite3_context *context, int count, sqlite3_value **values)
{
	struct date date = date_unpack(0, 0, sqlite3_value_int64(values[0]));

	(void)count;
	vtab_put_precision(context, &date);
}

static void
fn_severity(struct sqlite3_context *context, int count, sqlite3_value **values)
{
	enum diag_code code = diag_find(vtab_text(values[0]));

	(void)count;
	if (code != DIAG_OK)
		vtab_put_text(context,
		    slice_of(severity_name(
			diag_info(code)->severity[PROFILE_GOOGLE])));
}

/* freshet_may_hold(filter, loc): bloom_passes. */
static void
fn_may_hold(struct sqlite3_context *context, int count, sqlite3_value **values)
{
	const void *p = sqlite3_value_blob(values[0]);
	int len = sqlite3_value_bytes(values[0]);
	struct slice bloom = slice_make(p, p == NULL ? 0 : (size_t)len);

	(void)count;
	sqlite3_result_int(
	    context, bloom_passes(bloom, bloom_key(vtab_text(values[1]))));
}

static void
fn_blocks_read(
    struct sqlite3_context *context, int count, sqlite3_value **values)
{
	const struct vtab_shared *shared = sqlite3_user_data(context);

	(void)count;
	(void)values;
	sqlite3_result_int64(context, (int64_t)shared->blocks_read);
}

typedef void function_fn(struct sqlite3_context *, int, sqlite3_value **);

int
vtab_register(struct sqlite3 *db)
{
	static const struct {
		const char *name;
		int count;
		function_fn *fn;
	} functions[] = {
	    {"freshet_time", 1, fn_time},
	    {"freshet_date", 3, fn_date},
	    {"freshet_precision", 1, fn_precision},
	    {"freshet_severity", 1, fn_severity},
	    {"freshet_may_hold", 2, fn_may_hold},
	};
	const int flags = SQLITE_UTF8 | SQLITE_INNOCUOUS;
	struct vtab_shared *shared = mem_zero(sizeof(*shared));
	struct buf text;
	int code;

	/* The function owns `shared`: it lives as long as the connection. */
	code = sqlite3_create_function_v2(db, "freshet_blocks_read", 0, flags,
	    shared, fn_blocks_read, NULL, NULL, free);
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		if (code == SQLITE_OK)
			code = sqlite3_create_function_v2(db, functions[i].name,
			    functions[i].count, flags | SQLITE_DETERMINISTIC,
			    NULL, functions[i].fn, NULL, NULL, NULL);
	buf_init(&text, SQL_TEXT_MAX);
	for (size_t i = 0; code == SQLITE_OK && public_table(i) != NULL; i++) {
		const struct public_table *table = public_table(i);
		bool is_url = table->kind == PUBLIC_URLS ||
		    table->kind == PUBLIC_INDEX_URLS;

		if (table->kind != PUBLIC_VIEW) {
			struct vtab_base *base = mem_zero(sizeof(*base));

			*base = (struct vtab_base){
			    .shared = shared, .table = table};
			code = sqlite3_create_module_v2(db, table->name,
			    is_url ? &vtab_url : &vtab_change, base, free);
			continue;
		}
		buf_clear(&text);
		(void)buf_print(
		    &text, "CREATE TEMP VIEW \"%s\" AS SELECT ", table->name);
		for (size_t k = 0; k < table->count; k++)
			(void)buf_print(&text, "%s%s AS \"%s\"",
			    k > 0 ? ", " : "", table->columns[k].sql,
			    table->columns[k].name);
		(void)buf_put_slice(&text, slice_of(table->from));
		code = sqlite3_exec(db, buf_str(&text), NULL, NULL, NULL);
	}
	/* freshet_schema lists all tables and columns. */
	buf_clear(&text);
	(void)buf_print(&text,
	    "CREATE TEMP VIEW freshet_schema(version, table_name, "
	    "column_name, type, meaning) AS VALUES ");
	for (size_t i = 0; public_table(i) != NULL; i++)
		for (size_t k = 0; k < public_table(i)->count; k++) {
			const struct public_column *column = &public_table(i)
								  ->columns[k];

			(void)buf_print(&text, "%s(%d, '%s', '%s', '%s', '%s')",
			    i + k == 0 ? "" : ", ", PUBLIC_VERSION,
			    public_table(i)->name, column->name, column->type,
			    column->about);
		}
	if (code == SQLITE_OK)
		code = sqlite3_exec(db, buf_str(&text), NULL, NULL, NULL);
	buf_release(&text);
	return code;
}
