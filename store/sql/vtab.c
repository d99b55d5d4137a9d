/* The public tables on a connection to a store. */
#include "store/sql/vtab.h"

#include <sqlite3ext.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/mem.h"
#include "store/sql/public.h"
#include "store/sql/vtab_base.h"
SQLITE_EXTENSION_INIT3

#define SQL_TEXT_MAX (64 << 10)

/* Run a statement without rows, and clear its text. */
static int
run(struct sqlite3 *db, struct buf *text)
{
	struct sqlite3_stmt *stmt = NULL;
	int code = sqlite3_prepare_v3(db, buf_str(text), -1, 0, &stmt, NULL);

	if (code == SQLITE_OK)
		code = sqlite3_step(stmt);
	(void)sqlite3_finalize(stmt);
	buf_clear(text);
	return code == SQLITE_DONE ? SQLITE_OK : code;
}

static int
add_table(struct sqlite3 *db, struct vtab_shared *shared,
    const struct public_table *table, struct buf *text)
{
	bool is_url = table->kind == PUBLIC_URLS ||
	    table->kind == PUBLIC_INDEX_URLS;
	struct vtab_base *base;

	if (table->kind == PUBLIC_VIEW) {
		public_view(text, table);
		return run(db, text);
	}
	base = mem_zero(sizeof(*base));
	*base = (struct vtab_base){.shared = shared, .table = table};
	return sqlite3_create_module_v2(
	    db, table->name, is_url ? &vtab_url : &vtab_change, base, free);
}

int
vtab_register(struct sqlite3 *db)
{
	struct vtab_shared *shared = mem_zero(sizeof(*shared));
	int code = vtab_functions(db, shared);
	struct buf text;

	buf_init(&text, SQL_TEXT_MAX);
	for (size_t i = 0; code == SQLITE_OK && public_table(i) != NULL; i++)
		code = add_table(db, shared, public_table(i), &text);
	if (code == SQLITE_OK) {
		public_schema(&text);
		code = run(db, &text);
	}
	buf_release(&text);
	return code;
}
