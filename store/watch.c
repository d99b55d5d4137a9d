/* The watch list, and the notes of people. */
#include "store/watch.h"

#include <stdlib.h>

#include "base/page_filter.h"
#include "store/db.h"

/* Settings that are lists: rows of watch_item. */
static const struct watch_item_kind {
	const char *name;
	size_t offset;
} item_kinds[] = {
    {"target", offsetof(struct watch, targets)},
    {"tag", offsetof(struct watch, tags)},
    {"filter", offsetof(struct watch, filters)},
    {"titles", offsetof(struct watch, titles)},
    {"verify", offsetof(struct watch, verify)},
    {"sign", offsetof(struct watch, sign)},
};

#define ITEM_KINDS LENGTH(item_kinds)

/* A filter of the current row.  Versions before had one kind of it. */
static void
watch_add_filter(struct strings *filters, struct slice kind, struct slice value)
{
	struct buf text = BUF_UP_TO(SIZE_MAX);

	if (slice_is(kind, "section"))
		(void)buf_print(&text, "below=");
	(void)buf_put_slice(&text, value);
	/* what is in the store may be anything */
	if (page_filter_check(buf_str(&text)))
		strings_add(filters, buf_text(&text));
	buf_release(&text);
}

void
watch_release(struct watch *watch)
{
	free(watch->host);
	free(watch->profile);
	strings_release(&watch->targets);
	strings_release(&watch->tags);
	strings_release(&watch->titles);
	strings_release(&watch->verify);
	strings_release(&watch->sign);
	strings_release(&watch->filters);
	*watch = (struct watch){0};
}

/* The current row with its lists. */
static struct watch
watch_row(struct store *store, struct sqlite3_stmt *stmt)
{
	struct watch watch = {
	    .site_id = db_id(store, stmt, 0),
	    .host = slice_dup(db_url(store, stmt, 1)),
	    .is_watched = db_int(stmt, 2) != 0,
	    .added_s = db_time(store, stmt, 3),
	    .weight = db_real(store, stmt, 4),
	    .every_least_s = (int64_t)db_count(store, stmt, 5),
	    .every_most_s = (int64_t)db_count(store, stmt, 6),
	    .page_least_s = (int64_t)db_count(store, stmt, 7),
	    .page_most_s = (int64_t)db_count(store, stmt, 8),
	    .requests_per_hour = db_real(store, stmt, 9),
	    .profile = db_str(stmt, 10),
	};

	stmt = db_use_id(store, SQL_WATCH_ITEMS, watch.site_id);
	while (db_row(store, stmt)) {
		struct slice kind = db_text(stmt, 0);

		for (size_t i = 0; i < ITEM_KINDS; i++)
			if (slice_is(kind, item_kinds[i].name) &&
			    !slice_is(kind, "filter"))
				strings_add((struct strings *)((char *)&watch +
						item_kinds[i].offset),
				    db_text(stmt, 1));
		if (slice_is(kind, "section") || slice_is(kind, "filter"))
			watch_add_filter(
			    &watch.filters, kind, db_text(stmt, 1));
	}
	return watch;
}

bool
store_watch_get(struct store *store, int64_t site_id, struct watch *watch)
{
	struct sqlite3_stmt *stmt = db_use_id(store, SQL_WATCH_GET, site_id);

	bool is_there = db_row(store, stmt);
	if (is_there)
		*watch = watch_row(store, stmt);
	db_done(stmt);
	if (is_there && store->failed != DIAG_OK) {
		watch_release(watch);
		return false;
	}
	return is_there;
}

void
store_watch_rules(struct store *store, struct slice host, struct buf *name,
    struct buf *sign, struct strings *filters)
{
	struct sqlite3_stmt *stmt = db_use_text(store, SQL_WATCH_RULES, host);

	/* a row for each rule, and one if there is none */
	while (db_row(store, stmt)) {
		buf_clear(name);
		(void)buf_put_slice(name, db_text(stmt, 0));
		if (slice_is(db_text(stmt, 1), "sign"))
			(void)buf_put_slice(sign, db_text(stmt, 2));
		else if (db_text(stmt, 1).len > 0)
			watch_add_filter(
			    filters, db_text(stmt, 1), db_text(stmt, 2));
	}
}

void
store_watch_put(struct store *store, const struct watch *watch)
{
	if (!db_put(store, SQL_WATCH_PUT,
		DB_ROW(AS_INT(watch->site_id), AS_INT(watch->is_watched),
		    AS_INT(watch->added_s), AS_REAL(watch->weight),
		    AS_INT(watch->every_least_s), AS_INT(watch->every_most_s),
		    AS_INT(watch->page_least_s), AS_INT(watch->page_most_s),
		    AS_REAL(watch->requests_per_hour), AS_STR(watch->profile))))
		return;
	db_put_id(store, SQL_WATCH_ITEMS_CLEAR, watch->site_id);
	for (size_t i = 0; i < ITEM_KINDS; i++) {
		const struct strings *items = (const struct strings
			*)((const char *)watch + item_kinds[i].offset);

		for (size_t k = 0; k < items->count; k++)
			(void)db_put(store, SQL_WATCH_ITEM_ADD,
			    DB_ROW(AS_INT(watch->site_id),
				AS_STR(item_kinds[i].name), AS_INT(k),
				AS_STR(items->items[k])));
	}
}

void
store_each_watch(struct store *store, store_watch_fn *fn, void *arg)
{
	struct sqlite3_stmt *stmt = db_loop(store, SQL_WATCH_EACH);

	while (db_row(store, stmt)) {
		struct watch watch = watch_row(store, stmt);

		if (store->failed == DIAG_OK)
			fn(arg, &watch);
		watch_release(&watch);
	}
}

void
store_tag_budget_put(struct store *store, const char *tag, double per_hour)
{
	if (per_hour > 0)
		(void)db_put(store, SQL_TAG_BUDGET_PUT,
		    DB_ROW(AS_STR(tag), AS_REAL(per_hour)));
	else
		(void)db_put(store, SQL_TAG_BUDGET_END, DB_ROW(AS_STR(tag)));
}

void
store_each_tag_budget(struct store *store, store_tag_budget_fn *fn, void *arg)
{
	struct sqlite3_stmt *stmt = db_loop(store, SQL_TAG_BUDGETS);

	while (db_row(store, stmt))
		fn(arg, db_text(stmt, 0), db_real(store, stmt, 1));
}

/* Notes that people keep about days of a site. */

enum note_change
store_note_set(
    struct store *store, int64_t site_id, int64_t at_s, const char *text)
{
	uint64_t counts[2] = {0}; /* of all notes there, and of the same */

	if (text == NULL) {
		if (!db_has(store,
			db_use_ints(
			    store, SQL_NOTE_AT, 2, (int64_t[]){site_id, at_s})))
			return NOTE_NONE;
		db_put_ints(
		    store, SQL_NOTE_DROP, 2, (int64_t[]){site_id, at_s});
		return NOTE_REMOVED;
	}
	db_counts(store,
	    db_bind(db_use(store, SQL_NOTE_COUNT),
		DB_ROW(AS_INT(site_id), AS_INT(at_s), AS_STR(text))),
	    2, counts);
	if (counts[1] > 0)
		return NOTE_SAME;
	if (counts[0] >= NOTE_MOST)
		return NOTE_FULL;
	(void)db_put(store, SQL_NOTE_PUT,
	    DB_ROW(AS_INT(site_id), AS_INT(at_s), AS_STR(text)));
	return NOTE_ADDED;
}

void
store_each_note(
    struct store *store, int64_t site_id, store_note_fn *fn, void *arg)
{
	struct sqlite3_stmt *stmt = db_loop_id(store, SQL_NOTE_EACH, site_id);

	while (db_row(store, stmt)) {
		int64_t at_s = db_time(store, stmt, 0);

		if (store->failed == DIAG_OK)
			fn(arg, at_s, db_text(stmt, 1));
	}
}
