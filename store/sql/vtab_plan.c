/* Which constraints a virtual table takes over. */
#include "store/sql/vtab_plan.h"

#include <assert.h>
#include <sqlite3ext.h>
#include <string.h>

#include "base/buf.h"

SQLITE_EXTENSION_INIT3

static bool
is_of(const struct vtab_term *term, const struct sqlite3_index_constraint *c)
{
	if (c->iColumn != term->column)
		return false;
	for (size_t i = 0; i < VTAB_OPS_MAX; i++)
		if (term->ops[i] != 0 && c->op == term->ops[i])
			return true;
	return false;
}

/* A pattern is matched by its function, whatever the collation. */
static bool
is_binary(struct sqlite3_index_info *info, int i)
{
	unsigned char op = info->aConstraint[i].op;

	return op == SQLITE_INDEX_CONSTRAINT_LIKE ||
	    op == SQLITE_INDEX_CONSTRAINT_GLOB ||
	    strcmp(sqlite3_vtab_collation(info, i), "BINARY") == 0;
}

/* find(info, term): the place of its constraint, or -1. */
static int
find(struct sqlite3_index_info *info, const struct vtab_term *term)
{
	for (int i = 0; i < info->nConstraint; i++)
		if (info->aConstraint[i].usable &&
		    is_of(term, &info->aConstraint[i]) && is_binary(info, i))
			return i;
	return -1;
}

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
		int at = find(info, &terms[i]);

		if (at < 0)
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
