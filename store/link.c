/* Links from indexes to documents. */
#include "store/link.h"

#include <stdlib.h>

#include "base/mem.h"
#include "store/db.h"

struct link_sets {
	struct link_set *items; /* owned; one for each index */
	size_t count, cap;
};

struct link_sets *
link_sets_new(void)
{
	return mem_zero(sizeof(struct link_sets));
}

void
link_sets_clear(struct link_sets *sets)
{
	for (size_t i = 0; i < sets->count; i++)
		free(sets->items[i].items);
	sets->count = 0;
}

void
link_sets_free(struct link_sets *sets)
{
	if (sets == NULL)
		return;
	link_sets_clear(sets);
	free(sets->items);
	free(sets);
}

struct link_set *
link_set_of(struct store *store, int64_t index_id)
{
	struct link_sets *sets = store->link_sets;

	for (size_t i = 0; i < sets->count; i++)
		if (sets->items[i].index_id == index_id)
			return &sets->items[i];
	sets->items = mem_grow(
	    sets->items, &sets->cap, sets->count + 1, sizeof(*sets->items));
	sets->items[sets->count] = (struct link_set){.index_id = index_id};
	return &sets->items[sets->count++];
}

void
link_set_drop(struct store *store, int64_t index_id)
{
	struct link_sets *sets = store->link_sets;

	for (size_t i = 0; i < sets->count; i++) {
		if (sets->items[i].index_id != index_id)
			continue;
		free(sets->items[i].items);
		sets->items[i] = sets->items[--sets->count];
		return;
	}
}

void
store_links_begin(struct store *store, int64_t index_id)
{
	link_set_of(store, index_id)->count = 0;
}

void
store_link(struct store *store, int64_t index_id, int64_t child_id,
    const struct date *lastmod)
{
	struct link_set *set = link_set_of(store, index_id);

	set->items = mem_grow(
	    set->items, &set->cap, set->count + 1, sizeof(*set->items));
	set->items[set->count++] = (struct link){child_id, *lastmod};
}

void
store_each_child(
    struct store *store, int64_t index_id, store_child_fn *fn, void *arg)
{
	struct sqlite3_stmt *stmt = db_loop_id(
	    store, SQL_LINK_CHILDREN, index_id);

	while (db_row(store, stmt)) {
		struct date lastmod = db_date(stmt, 1);
		int64_t child_id = db_id(store, stmt, 0);

		if (store->failed == DIAG_OK)
			fn(arg, child_id, &lastmod);
	}
	db_done(stmt);
}

void
store_children_after(struct store *store, int64_t index_id, bool is_held,
    int64_t after_id, unsigned most, store_child_url_fn *fn, void *arg)
{
	struct sqlite3_stmt *stmt = db_loop(store, SQL_LINK_CHILDREN_AFTER);

	db_bind_int(stmt, 1, index_id);
	db_bind_int(stmt, 2, after_id);
	db_bind_int(stmt, 3, most);
	db_bind_int(stmt, 4, is_held);
	while (db_row(store, stmt)) {
		struct date lastmod = db_date(stmt, 1);
		int64_t child_id = db_id(store, stmt, 0);
		struct slice url = db_whole_url(store, stmt, 4);

		if (store->failed == DIAG_OK)
			fn(arg, child_id, url, &lastmod, db_int(stmt, 5) > 0);
	}
	db_done(stmt);
}

unsigned
store_other_parents(
    struct store *store, int64_t child_id, int64_t index_id, unsigned most)
{
	struct sqlite3_stmt *stmt = db_use_ints(
	    store, SQL_LINK_OTHERS, 3, (int64_t[]){child_id, index_id, most});
	unsigned count = 0;

	if (db_row(store, stmt))
		count = (unsigned)db_int(stmt, 0);
	db_done(stmt);
	return count;
}

bool
store_has_other_parent(struct store *store, int64_t child_id, int64_t index_id)
{
	return db_first(store,
		   db_use_ints(store, SQL_LINK_OTHER, 2,
		       (int64_t[]){child_id, index_id})) != 0;
}

void
store_each_parent(
    struct store *store, int64_t child_id, store_parent_fn *fn, void *arg)
{
	struct sqlite3_stmt *stmt = db_loop_id(
	    store, SQL_LINK_PARENTS, child_id);

	while (db_row(store, stmt)) {
		struct slice url = db_url(store, stmt, 1);
		int64_t index_id = db_id(store, stmt, 0);

		if (store->failed == DIAG_OK)
			fn(arg, index_id, url);
	}
	db_done(stmt);
}
