/* SQLite's hook before each change of a row, and what the rows are at last. */
#include "store/depot/recorder.h"

/* sqlite3.h declares the hook for who says that it is there. */
#define SQLITE_ENABLE_PREUPDATE_HOOK

#include <assert.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/idmap.h"
#include "base/mem.h"
#include "store/db.h"

/* A row that was touched since the last COMMIT, as it is now. */
struct touched {
	uint64_t changed; /* set of columns; the cells have these and the key */
	uint32_t next; /* of those with the same hash; IDMAP_NONE: none */
	bool was_there, is_there;
};

/* What was touched of a table. */
struct tape {
	struct touched *items; /* owned */
	size_t count, cap;
	struct rows_cell *cells; /* owned; of all columns of each item */
	size_t cells_cap;
	struct idmap by_hash; /* the latest item whose key has the hash */
};

struct recorder {
	struct store *store;
	const struct rows_schema *schema;
	recorder_fn *changed;
	void *arg;
	struct tape *tapes; /* owned; of each table of the schema */
	const struct rows_table *last; /* the one that was touched last */
	struct rows_list *list; /* owned; of the next COMMIT */
};

static bool
cell_equal(const struct rows_cell *a, const struct rows_cell *b)
{
	if (a->kind != b->kind)
		return false;
	if (a->kind == ROWS_TEXT || a->kind == ROWS_BLOB)
		return slice_equal(a->bytes, b->bytes);
	if (a->kind == ROWS_REAL)
		return a->real >= b->real && a->real <= b->real;
	return a->kind == ROWS_NULL || a->integer == b->integer;
}

/* A positive hash of the row's key. */
static int64_t
key_hash(const struct rows_table *table, const struct rows_cell *cells)
{
	uint64_t hash = 0;

	for (int i = 0; i < table->count; i++)
		if (table->columns[i].key > 0 && cells[i].kind == ROWS_INTEGER)
			hash = ((hash ^ (uint64_t)cells[i].integer) *
				   UINT64_C(0x9e3779b97f4a7c15)) >>
			    7;
		else if (table->columns[i].key > 0)
			hash = hash_key(cells[i].bytes, hash);
	return (int64_t)(hash >> 1 | 1);
}

static bool
key_equal(const struct rows_table *table, const struct rows_cell *a,
    const struct rows_cell *b)
{
	for (int i = 0; i < table->count; i++)
		if (table->columns[i].key > 0 && !cell_equal(&a[i], &b[i]))
			return false;
	return true;
}

/* The row with that key is now so, in the columns that changed, or gone. */
static void
recorder_put(struct recorder *recorder, const struct rows_table *table,
    const struct rows_cell *cells, uint64_t changed, bool was_there,
    bool is_there)
{
	struct tape *tape = &recorder->tapes[table - recorder->schema->tables];
	size_t width = (size_t)table->count;
	int64_t hash = key_hash(table, cells);
	uint32_t first = idmap_get(&tape->by_hash, hash), at = first;
	struct touched *item;
	struct rows_cell *kept;

	while (at != IDMAP_NONE &&
	    !key_equal(table, tape->cells + at * width, cells))
		at = tape->items[at].next;
	if (at == IDMAP_NONE) {
		at = (uint32_t)tape->count;
		*MEM_PUSH(
		    tape->items, tape->count, tape->cap) = (struct touched){
		    .next = first, .was_there = was_there};
		tape->cells = mem_grow(tape->cells, &tape->cells_cap,
		    tape->count * width, sizeof(*tape->cells));
		idmap_put(&tape->by_hash, hash, at);
		changed |= table->keys;
	}
	item = &tape->items[at];
	kept = tape->cells + at * width;
	item->changed |= changed;
	item->is_there = is_there;
	for (int i = 0; i < table->count; i++)
		if ((changed & ROWS_BIT(i)) != 0) {
			kept[i] = cells[i];
			if (cells[i].kind == ROWS_TEXT ||
			    cells[i].kind == ROWS_BLOB)
				kept[i].bytes = rows_list_keep(
				    recorder->list, cells[i].bytes);
		}
}

/* Read columns of the row, as it was or will be; borrowed from SQLite until the
 * hook ends.  A whole number in a column of the type REAL is stored as one of
 * the type INTEGER. */
static void
recorder_read(struct sqlite3 *db, const struct rows_table *table,
    int (*get)(struct sqlite3 *, int, struct sqlite3_value **),
    uint64_t columns, struct rows_cell *cells)
{
	for (int i = 0; i < table->count; i++) {
		struct rows_cell *cell = &cells[i];
		struct sqlite3_value *value = NULL;
		int code;

		if ((columns & ROWS_BIT(i)) == 0)
			continue;
		code = get(db, i, &value);
		assert(code == SQLITE_OK && value != NULL);
		cell->kind = (enum rows_kind)sqlite3_value_type(value);
		if (cell->kind != ROWS_NULL &&
		    table->columns[i].type == ROWS_REAL) {
			cell->kind = ROWS_REAL;
			/* there is no -0 in a record */
			cell->real = sqlite3_value_double(value) + 0.0;
		} else if (cell->kind == ROWS_INTEGER) {
			cell->integer = sqlite3_value_int64(value);
		} else if (cell->kind != ROWS_NULL) {
			cell->bytes.p = sqlite3_value_blob(value);
			cell->bytes.len = (size_t)sqlite3_value_bytes(value);
		}
	}
}

static void
recorder_on_change(void *arg, struct sqlite3 *db, int op, const char *base,
    const char *name, sqlite3_int64 old_id, sqlite3_int64 new_id)
{
	struct recorder *recorder = arg;
	const struct rows_table *table = recorder->last;
	struct rows_cell before[ROWS_COLUMNS_MAX], after[ROWS_COLUMNS_MAX];
	uint64_t changed = 0;

	(void)old_id, (void)new_id;
	if (strcmp(base, "main") != 0)
		return;
	if (table == NULL || strcmp(table->name, name) != 0)
		table = rows_schema_table(recorder->schema, name);
	if (table == NULL)
		return;
	recorder->last = table;
	if (op != SQLITE_INSERT)
		recorder_read(db, table, sqlite3_preupdate_old,
		    op == SQLITE_DELETE ? table->keys : table->all, before);
	if (op != SQLITE_DELETE)
		recorder_read(
		    db, table, sqlite3_preupdate_new, table->all, after);
	if (op == SQLITE_UPDATE)
		for (int i = 0; i < table->count; i++)
			if (!cell_equal(&before[i], &after[i]))
				changed |= ROWS_BIT(i);
	/* another key is another row */
	if (op == SQLITE_UPDATE && (changed & table->keys) == 0) {
		if (changed != 0)
			recorder_put(
			    recorder, table, after, changed, true, true);
		return;
	}
	if (op != SQLITE_INSERT)
		recorder_put(recorder, table, before, table->keys, true, false);
	if (op != SQLITE_DELETE)
		recorder_put(recorder, table, after, table->all, false, true);
}

/* Forget what was touched. */
static void
recorder_clear(void *arg)
{
	struct recorder *recorder = arg;

	for (size_t i = 0; i < recorder->schema->count; i++) {
		struct tape *tape = &recorder->tapes[i];

		free(tape->items);
		free(tape->cells);
		free(tape->by_hash.slots);
		*tape = (struct tape){0};
	}
	rows_list_free(recorder->list);
	recorder->list = mem_zero(sizeof(*recorder->list));
}

static void
recorder_after_commit(void *arg)
{
	struct recorder *recorder = arg;
	struct rows_list *list = recorder->list;

	for (size_t i = 0; i < recorder->schema->count; i++) {
		const struct rows_table *table = &recorder->schema->tables[i];
		const struct tape *tape = &recorder->tapes[i];

		for (size_t k = 0; k < tape->count; k++) {
			const struct touched *item = &tape->items[k];
			enum rows_operation operation = !item->is_there
			    ? ROWS_DELETE
			    : item->was_there ? ROWS_UPDATE
					      : ROWS_INSERT;

			/* a row that is its key came back, or never was */
			if (operation == ROWS_UPDATE
				? (item->changed & ~table->keys) != 0
				: item->was_there || item->is_there)
				rows_list_add(list, table, operation,
				    operation == ROWS_DELETE ? table->keys
							     : item->changed,
				    tape->cells + k * (size_t)table->count);
		}
	}
	rows_list_sort(list);
	recorder->list = NULL;
	recorder_clear(recorder);
	recorder->changed(recorder->arg, list);
}

static void
recorder_close(void *arg)
{
	struct recorder *recorder = arg;

	(void)sqlite3_preupdate_hook(recorder->store->db, NULL, NULL);
	(void)sqlite3_rollback_hook(recorder->store->db, NULL, NULL);
	recorder_clear(recorder);
	rows_list_free(recorder->list);
	free(recorder->tapes);
	free(recorder);
}

void
recorder_new(struct store *store, const struct rows_schema *schema,
    recorder_fn *changed, void *arg)
{
	struct recorder *recorder = mem_zero(sizeof(*recorder));

	assert(!store->is_read_only && !store_pending(store));
	recorder->store = store;
	recorder->schema = schema;
	recorder->changed = changed;
	recorder->arg = arg;
	recorder->tapes = mem_zero(schema->count * sizeof(*recorder->tapes));
	recorder_clear(recorder);
	(void)sqlite3_preupdate_hook(store->db, recorder_on_change, recorder);
	(void)sqlite3_rollback_hook(store->db, recorder_clear, recorder);
	store->watcher = (struct commit_watcher){
	    .after = recorder_after_commit,
	    .closing = recorder_close,
	    .arg = recorder,
	};
}
