/* Fsck: the order of the checks, what is told, and the file as a whole. */
#include "store/fsck.h"

#include <assert.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "store/care.h"
#include "store/db.h"
#include "store/fsck_internal.h"
#include "store/fsck_pages.h"
#include "store/schema.h"

#define WHAT_MAX 1024

void
fsck_say(
    struct fsck *fsck, const struct fsck_finding *at, const char *format, ...)
{
	struct fsck_finding finding = *at;
	struct fsck_totals *totals = fsck->totals;
	char text[WHAT_MAX];
	va_list args;
	int n;

	assert(at->invariant > 0 && at->invariant < FSCK_INVARIANTS);
	if (at->is_note)
		totals->notes++;
	else
		totals->violations++;
	totals->repaired += at->is_repaired;
	if (fsck->told[at->invariant]++ >= FSCK_LINES)
		return;
	va_start(args, format);
	n = vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (n < 0)
		n = 0;
	if ((size_t)n >= sizeof(text))
		n = (int)sizeof(text) - 1;
	finding.what = slice_make(text, (size_t)n);
	fsck->options->found(fsck->options->arg, &finding);
}

bool
fsck_ended(struct fsck *fsck, const char *table)
{
	struct store *store = fsck->store;

	if (store->failed == DIAG_OK)
		return true;
	if (store->failed != DIAG_STORE_DAMAGED)
		return false;
	fsck_say(fsck, &(struct fsck_finding){.invariant = 1, .table = table},
	    "cannot be read: %s", sqlite3_errmsg(store->db));
	store->failed = DIAG_OK;
	return true;
}

bool
fsck_next(struct fsck *fsck, struct sqlite3_stmt *stmt, const char *table,
    int64_t *id)
{
	db_done(stmt);
	db_bind_int(stmt, 1, *id);
	if (!db_row(fsck->store, stmt))
		return false;
	if (db_int(stmt, 0) <= *id) {
		fsck_say(fsck,
		    &(struct fsck_finding){.invariant = 1, .table = table},
		    "its rows are not in order");
		return false;
	}
	*id = db_int(stmt, 0);
	return true;
}

/* J16: what the tables are, against what this version makes. */

/* SQLite's own tables of statistics may be there or not. */
static const char each_table[] =
    "SELECT type, name, coalesce(sql, '') FROM sqlite_schema"
    " WHERE name NOT LIKE 'sqlite_stat%' ORDER BY type, name";

static sqlite3_stmt *
open_schema(struct sqlite3 **db)
{
	sqlite3_stmt *stmt = NULL;

	if (sqlite3_open(":memory:", db) != SQLITE_OK ||
	    schema_migrate(*db, &schema_current) != DIAG_OK ||
	    sqlite3_prepare_v2(*db, each_table, -1, &stmt, NULL) != SQLITE_OK)
		return NULL;
	return stmt;
}

/* The order of two rows of each_table, by type and name. */
static int
row_order(struct sqlite3_stmt *a, struct sqlite3_stmt *b)
{
	int order = slice_order(db_text(a, 0), db_text(b, 0));

	return order != 0 ? order : slice_order(db_text(a, 1), db_text(b, 1));
}

static void
tell_table(struct fsck *fsck, struct sqlite3_stmt *stmt, const char *what)
{
	fsck_say(fsck,
	    &(struct fsck_finding){
		.invariant = 16,
		.table = "sqlite_schema",
		.where = db_text(stmt, 1),
	    },
	    "%s", what);
}

static void
compare_schemas(
    struct fsck *fsck, struct sqlite3_stmt *ours, struct sqlite3_stmt *theirs)
{
	bool has_ours = sqlite3_step(ours) == SQLITE_ROW;
	bool has_theirs = db_row(fsck->store, theirs);

	while (has_ours || has_theirs) {
		int order = !has_ours ? 1
		    : !has_theirs     ? -1
				      : row_order(ours, theirs);

		if (order < 0)
			tell_table(fsck, ours, "is missing");
		else if (order > 0)
			tell_table(fsck, theirs, "is not ours");
		else if (!slice_equal(db_text(ours, 2), db_text(theirs, 2)))
			tell_table(fsck, theirs,
			    "is not made as this version makes it");
		if (order <= 0)
			has_ours = sqlite3_step(ours) == SQLITE_ROW;
		if (order >= 0)
			has_theirs = db_row(fsck->store, theirs);
	}
}

static void
check_schema(struct fsck *fsck)
{
	struct sqlite3 *db = NULL;
	sqlite3_stmt *ours = open_schema(&db);
	struct sqlite3_stmt *theirs = care_statement(fsck->store, each_table);

	assert(ours != NULL); /* our own schema, in memory */
	if (theirs != NULL)
		compare_schemas(fsck, ours, theirs);
	db_drop(theirs);
	sqlite3_finalize(ours);
	(void)sqlite3_close(db);
	(void)fsck_ended(fsck, "sqlite_schema");
}

/* J1: an index that does not fit its table can be made again from it. */
static void
check_pages(struct fsck *fsck)
{
	struct fsck_finding at = {.invariant = 1, .table = "file"};
	struct sqlite3_stmt *stmt = care_statement(
	    fsck->store, "PRAGMA integrity_check(100)");
	bool is_damaged = false;

	while (db_row(fsck->store, stmt)) {
		struct slice text = db_text(stmt, 0);

		if (slice_is(text, "ok"))
			continue;
		is_damaged = true;
		at.is_repaired = fsck->options->repairs &&
		    memmem(text.p, text.len, " index ", 7) != NULL;
		fsck_say(fsck, &at, "%.*s", (int)text.len, text.p);
	}
	db_drop(stmt);
	if (is_damaged && fsck->options->repairs &&
	    fsck->store->failed == DIAG_OK)
		(void)care_run(fsck->store, "REINDEX");
	(void)fsck_ended(fsck, "file");
}

/* J2.  Rows that only say more of what is not there can go. */
static const struct {
	const char *table;
	const char *repair;
} orphans[] = {
    {"sample",
	"DELETE FROM sample WHERE NOT EXISTS (SELECT 1 FROM finding f WHERE"
	" f.reading_id = sample.reading_id AND f.position = sample.position)"},
    {"finding",
	"DELETE FROM finding WHERE NOT EXISTS"
	" (SELECT 1 FROM reading r WHERE r.id = finding.reading_id)"},
    {"link",
	"DELETE FROM link WHERE NOT EXISTS"
	" (SELECT 1 FROM document d WHERE d.id = link.index_id) OR NOT EXISTS"
	" (SELECT 1 FROM document d WHERE d.id = link.child_id)"},
    {"proof",
	"DELETE FROM proof WHERE NOT EXISTS"
	" (SELECT 1 FROM origin o WHERE o.id = proof.origin_id)"},
    {"site_origin",
	"DELETE FROM site_origin WHERE NOT EXISTS"
	" (SELECT 1 FROM origin o WHERE o.id = site_origin.origin_id) OR NOT "
	"EXISTS (SELECT 1 FROM site s WHERE s.id = site_origin.site_id)"},
    {"watch",
	"DELETE FROM watch WHERE NOT EXISTS"
	" (SELECT 1 FROM site s WHERE s.id = watch.site_id)"},
    {"watch_item",
	"DELETE FROM watch_item WHERE NOT EXISTS"
	" (SELECT 1 FROM watch w WHERE w.site_id = watch_item.site_id)"},
};

#define ORPHANS (sizeof(orphans) / sizeof(orphans[0]))

static const char *
orphan_table(struct slice table, bool *can_go)
{
	*can_go = true;
	for (size_t i = 0; i < ORPHANS; i++)
		if (slice_is(table, orphans[i].table))
			return orphans[i].table;
	*can_go = false;
	return slice_is(table, "reading") ? "reading"
	    : slice_is(table, "document") ? "document"
	    : slice_is(table, "page")     ? "page"
					  : "file";
}

static void
check_references(struct fsck *fsck)
{
	struct sqlite3_stmt *stmt = care_statement(
	    fsck->store, "PRAGMA foreign_key_check");
	bool has_orphans = false;

	while (db_row(fsck->store, stmt)) {
		struct fsck_finding at = {
		    .invariant = 2, .id = db_int(stmt, 1)};
		struct slice parent = db_text(stmt, 2);
		bool can_go;

		at.table = orphan_table(db_text(stmt, 0), &can_go);
		at.is_repaired = can_go && fsck->options->repairs;
		has_orphans = has_orphans || at.is_repaired;
		fsck_say(fsck, &at, "its %.*s does not exist", (int)parent.len,
		    parent.p);
	}
	db_drop(stmt);
	/* Samples last: their findings may have gone just now, and until then
	 * they refer to nothing. */
	if (has_orphans)
		(void)care_run(fsck->store, "PRAGMA defer_foreign_keys = ON");
	for (size_t i = ORPHANS; has_orphans && i-- > 0;)
		(void)care_run(fsck->store, orphans[i].repair);
	(void)fsck_ended(fsck, "file");
}

void
fsck_file(struct fsck *fsck)
{
	check_schema(fsck);
	check_pages(fsck);
	check_references(fsck);
}

/* What was cut off by FSCK_LINES. */
static void
tell_rest(struct fsck *fsck)
{
	for (unsigned i = 1; i < FSCK_INVARIANTS; i++) {
		struct fsck_finding at = {.invariant = i, .table = "file"};
		uint64_t more = fsck->told[i] - FSCK_LINES;
		char text[WHAT_MAX];

		if (fsck->told[i] <= FSCK_LINES)
			continue;
		(void)snprintf(text, sizeof(text), "%llu more of the same kind",
		    (unsigned long long)more);
		at.what = slice_of(text);
		fsck->options->found(fsck->options->arg, &at);
	}
}

static void
check_all(struct fsck *fsck)
{
	static void (*const parts[])(struct fsck *) = {fsck_file, fsck_segments,
	    fsck_deltas, fsck_latest, fsck_rules, fsck_graph, fsck_pages};

	fsck->latest_s = care_number(fsck->store,
	    "SELECT max((SELECT coalesce(max(at_s), 0) FROM reading),"
	    " (SELECT coalesce(max(fetched_s), 0) FROM origin))");
	(void)fsck_ended(fsck, "reading");
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (fsck->store->failed == DIAG_OK)
			parts[i](fsck);
	tell_rest(fsck);
}

enum diag_code
store_fsck(struct store *store, const struct fsck_options *options,
    struct fsck_totals *totals)
{
	struct fsck fsck = {
	    .store = store, .options = options, .totals = totals};

	assert(!store_pending(store));
	assert(!options->repairs || !store->is_read_only);
	*totals = (struct fsck_totals){0};
	if (options->repairs ? !db_begin(store) : !care_snapshot(store))
		(void)fsck_ended(&fsck, "file");
	else
		check_all(&fsck);
	if (!options->repairs) {
		care_release(store);
		return store->failed;
	}
	/* Where a repair meets damage all of it is taken back. */
	(void)store_flush(store);
	(void)fsck_ended(&fsck, "file");
	return store->failed;
}
