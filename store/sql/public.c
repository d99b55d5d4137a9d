/*
 * The public tables: their columns, and the SQL of the views; then the tables
 * on a connection to a store, and what the virtual ones share: declaring,
 * planning, values, functions.
 */
#include "store/sql/public.h"

#include <assert.h>
#include <sqlite3ext.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "store/proof.h"
#include "store/segment/bloom.h"
#include "store/segment/entry.h"

SQLITE_EXTENSION_INIT3

#define SQL_TEXT_MAX (64 << 10)
#define TIME(column) "freshet_time(" column ")"
#define HEX(column) "iif(" column " IS NULL, NULL, printf('%016x', " column "))"
#define EPOCH(column) "nullif(" column ", 0)"
#define DATE(prefix) \
	"freshet_date(" prefix "_s, " prefix "_nanos, " prefix "_form)"

#define HAS_NEWER_ARTICLE \
	"coalesce(d.published_s > d.newest_s, d.published_s IS NOT NULL)"

/* A lease that was answered or released keeps its row, for its number. */
#define IS_LEASED "l.until_s > 0 AND l.number > t.done_number"
#define OF_READING                                      \
	" JOIN main.document d ON d.id = r.document_id" \
	" JOIN main.site s ON s.id = d.site_id"
/* clang-format off */
static const struct public_column url_columns[] = {
#define URL_COLUMN(column, name, type, about) {name, type, NULL, about},
#define CHANGE_COLUMN(column, name, type, about)
#include "store/sql/public.def"
#undef URL_COLUMN
#undef CHANGE_COLUMN
};

static const struct public_column change_columns[] = {
#define URL_COLUMN(column, name, type, about)
#define CHANGE_COLUMN(column, name, type, about) {name, type, NULL, about},
#include "store/sql/public.def"
#undef URL_COLUMN
#undef CHANGE_COLUMN
};

#define COLUMNS_OF(view) static const struct public_column view##_columns[] = {
#define COLUMN(...) {__VA_ARGS__},
#define END_OF_COLUMNS };
#define VIEW(name, view, from, about)
#include "store/sql/views.def"
#undef COLUMNS_OF
#undef COLUMN
#undef END_OF_COLUMNS
#undef VIEW

const struct public_table public_tables[] = {
#define COLUMNS_OF(view)
#define COLUMN(...)
#define END_OF_COLUMNS
#define VIEW(name, view, from, about) \
    {name, PUBLIC_VIEW, from, view##_columns, LENGTH(view##_columns), about},
#include "store/sql/views.def"
#undef COLUMNS_OF
#undef COLUMN
#undef END_OF_COLUMNS
#undef VIEW
    {"url", PUBLIC_URLS, NULL, url_columns, LENGTH(url_columns),
	"what documents list, indexes apart"},
    {"index_url", PUBLIC_INDEX_URLS, NULL, url_columns, LENGTH(url_columns),
	"what indexes list: the same columns"},
    {"change", PUBLIC_CHANGES, NULL, change_columns, LENGTH(change_columns),
	"what each reading changed in url"},
    {"index_change", PUBLIC_INDEX_CHANGES, NULL, change_columns,
	LENGTH(change_columns),
	"what each reading changed in index_url"},
    {NULL, PUBLIC_VIEW, NULL, NULL, 0, NULL},
};
/* clang-format on */

void
public_put_views(struct buf *sql)
{
	for (int i = 1; i < DIAG_COUNT; i++)
		(void)buf_print(sql,
		    "INSERT INTO severity VALUES ('%s', '%s');",
		    diag_name((enum diag_code)i),
		    severity_names[diag_info((enum diag_code)i)
				       ->severity[PROFILE_GOOGLE]]);
	for (const struct public_table *table = public_tables;
	     table->name != NULL; table++) {
		if (table->kind != PUBLIC_VIEW)
			continue;
		(void)buf_print(sql, "SELECT view('%s', $v$%s$v$, $v$",
		    table->name, table->from);
		for (size_t i = 0; i < table->count; i++) {
			const struct public_column *column = &table->columns[i];
			bool is_number = strcmp(column->type, "INTEGER") == 0;

			(void)buf_print(sql, "%s%s(%s) AS \"%s\"",
			    i > 0 ? ", " : "", is_number ? "flag" : "",
			    column->sql, column->name);
		}
		(void)buf_print(sql, "$v$);");
	}
}

/* The tables on a connection. */

struct vtab_table {
	sqlite3_vtab sqlite; /* first */
	const struct vtab_base *base; /* borrowed */
};

int
vtab_connect(struct sqlite3 *db, void *aux, int argc, const char *const *argv,
    struct sqlite3_vtab **out, char **why)
{
	const struct vtab_base *base = aux;
	struct vtab_table *table;
	struct buf text = BUF_UP_TO(SQL_TEXT_MAX);
	int code;

	(void)argc;
	(void)argv;
	(void)why;
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
	struct buf names = BUF_UP_TO(1024);
	int bits = 0;
	int argument = 0;

	assert(count <= VTAB_TERMS_MAX);
	for (size_t i = 0; i < count; i++) {
		int at = 0;

		/* Find the term's constraint. LIKE and GLOB ignore the
		 * collation of their operands. */
		for (; at < info->nConstraint; at++) {
			const struct sqlite3_index_constraint
			    *c = &info->aConstraint[at];

			if (c->usable && c->iColumn == terms[i].column &&
			    (c->op == terms[i].op ||
				(c->op == SQLITE_INDEX_CONSTRAINT_GT &&
				    terms[i].op ==
					SQLITE_INDEX_CONSTRAINT_GE) ||
				(c->op == SQLITE_INDEX_CONSTRAINT_LT &&
				    terms[i].op ==
					SQLITE_INDEX_CONSTRAINT_LE)) &&
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

int
vtab_put_text(struct sqlite3_context *context, struct slice text)
{
	if (text.len > 0)
		sqlite3_result_text64(
		    context, text.p, text.len, SQLITE_TRANSIENT, SQLITE_UTF8);
	return SQLITE_OK;
}

int
vtab_put_number(struct sqlite3_context *context, bool is_there, int64_t number)
{
	if (is_there)
		sqlite3_result_int64(context, number);
	return SQLITE_OK;
}

int
vtab_put_date(struct sqlite3_context *context, const struct date *date)
{
	struct human text = date_text(date);

	return vtab_put_text(context, slice_of(text.text));
}

int
vtab_put_precision(struct sqlite3_context *context, const struct date *date)
{
	return vtab_put_text(
	    context, slice_of(date_precisions[date->precision]));
}

int
vtab_put_time(struct sqlite3_context *context, int64_t epoch_s)
{
	struct date date = {.epoch_s = epoch_s, .precision = DATE_SECOND};

	return epoch_s == 0 ? SQLITE_OK : vtab_put_date(context, &date);
}

int
vtab_put_refused(struct sqlite3_context *context, unsigned verdict)
{
	return verdict == VERDICT_ACCEPTED
	    ? SQLITE_OK
	    : vtab_put_text(
		  context, slice_of(diag_name(verdict_codes[verdict])));
}

/* The functions that depend on nothing but their arguments. */
static const struct function {
	const char *name;
	int count; /* of arguments */
	enum { FN_TIME, FN_DATE, FN_PRECISION, FN_SEVERITY, FN_MAY_HOLD } which;
} functions[] = {
    {"freshet_time", 1, FN_TIME},
    {"freshet_date", 3, FN_DATE},
    {"freshet_precision", 1, FN_PRECISION},
    {"freshet_severity", 1, FN_SEVERITY},
    {"freshet_may_hold", 2, FN_MAY_HOLD},
};

static void
fn_call(struct sqlite3_context *context, int count, sqlite3_value **values)
{
	const struct function *function = sqlite3_user_data(context);
	struct date date = {0};
	enum diag_code code;
	struct slice bloom;

	(void)count;
	switch (function->which) {
	case FN_TIME:
	case FN_DATE:
		if (function->which == FN_TIME)
			date.epoch_s = sqlite3_value_int64(values[0]);
		else if (sqlite3_value_type(values[0]) != SQLITE_NULL)
			date = date_unpack(sqlite3_value_int64(values[0]),
			    sqlite3_value_int64(values[1]),
			    sqlite3_value_int64(values[2]));
		/* Dates can be printed for the years 1 to 9999; a query may
		 * pass any number. */
		if (date.epoch_s < -62135596800 || date.epoch_s > 253402300799)
			break;
		if (function->which == FN_TIME)
			(void)vtab_put_time(context, date.epoch_s);
		else
			(void)vtab_put_date(context, &date);
		break;
	case FN_PRECISION:
		date = date_unpack(0, 0, sqlite3_value_int64(values[0]));
		(void)vtab_put_precision(context, &date);
		break;
	case FN_SEVERITY:
		code = diag_find(vtab_text(values[0]));
		if (code != DIAG_OK)
			(void)vtab_put_text(context,
			    slice_of(severity_names[diag_info(code)->severity
							[PROFILE_GOOGLE]]));
		break;
	case FN_MAY_HOLD:
		bloom.p = sqlite3_value_blob(values[0]);
		bloom.len = bloom.p == NULL
		    ? 0
		    : (size_t)sqlite3_value_bytes(values[0]);
		sqlite3_result_int(context,
		    bloom_passes(bloom, bloom_key(vtab_text(values[1]))));
		break;
	}
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

int
vtab_register(struct sqlite3 *db)
{
	const int flags = SQLITE_UTF8 | SQLITE_INNOCUOUS;
	struct vtab_shared *shared = mem_zero(sizeof(*shared));
	struct buf text = BUF_UP_TO(SQL_TEXT_MAX);
	int code;

	/* The function owns `shared`: it lives as long as the connection. */
	code = sqlite3_create_function_v2(db, "freshet_blocks_read", 0, flags,
	    shared, fn_blocks_read, NULL, NULL, free);
	for (size_t i = 0; i < LENGTH(functions); i++)
		if (code == SQLITE_OK)
			code = sqlite3_create_function_v2(db, functions[i].name,
			    functions[i].count, flags | SQLITE_DETERMINISTIC,
			    (void *)(uintptr_t)&functions[i], fn_call, NULL,
			    NULL, NULL);
	for (const struct public_table *table = public_tables;
	     code == SQLITE_OK && table->name != NULL; table++) {
		bool is_url = table->kind == PUBLIC_URLS ||
		    table->kind == PUBLIC_INDEX_URLS;

		if (table->kind != PUBLIC_VIEW) {
			struct vtab_base *base = mem_zero(sizeof(*base));

			*base = (struct vtab_base){
			    .db = db, .shared = shared, .table = table};
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
	for (const struct public_table *table = public_tables;
	     table->name != NULL; table++)
		for (size_t k = 0; k < table->count; k++) {
			const struct public_column *column = &table->columns[k];

			(void)buf_print(&text, "%s(%d, '%s', '%s', '%s', '%s')",
			    table == public_tables && k == 0 ? "" : ", ",
			    PUBLIC_VERSION, table->name, column->name,
			    column->type, column->about);
		}
	if (code == SQLITE_OK)
		code = sqlite3_exec(db, buf_str(&text), NULL, NULL, NULL);
	buf_release(&text);
	return code;
}
