/* Fsck: the order of the checks, what is told, and the file as a whole. */
#include "store/fsck/fsck.h"

#include <assert.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "store/db.h"
#include "store/fsck/fsck_internal.h"
#include "store/fsck/fsck_pages.h"
#include "store/prune.h"
#include "store/schema.h"

#define WHAT_MAX 1024
#define PASSES 6 /* of repairing: one may leave work for the next */

struct fsck_held {
	struct fsck_finding finding; /* its texts are owned */
	bool is_counted_only; /* there are enough lines of its kind */
	struct fsck_loss loss;
};

/* tell(fsck, finding): now. */
static void
tell(struct fsck *fsck, const struct fsck_finding *finding)
{
	struct fsck_totals *totals = fsck->totals;

	if (finding->is_note)
		totals->notes++;
	else
		totals->violations++;
	totals->repaired += finding->is_repaired;
	fsck->repaired += finding->is_repaired;
	if (fsck->told[finding->invariant]++ < FSCK_LINES)
		fsck->options->found(fsck->options->arg, finding);
}

static struct slice
owned(struct slice text)
{
	return slice_make(slice_dup(text), text.len);
}

/* hold(fsck, finding, lost): until it is known whether it was repaired. */
static void
hold(struct fsck *fsck, const struct fsck_finding *finding,
    const struct fsck_loss *loss)
{
	struct fsck_held **items = loss == NULL ? &fsck->held : &fsck->lost;
	size_t *count = loss == NULL ? &fsck->held_count : &fsck->lost_count;
	size_t *cap = loss == NULL ? &fsck->held_cap : &fsck->lost_cap;
	struct fsck_held item = {.finding = *finding};

	if (loss != NULL)
		item.loss = *loss;
	item.finding.is_repaired = true;
	item.finding.is_forgotten = loss != NULL && !loss->is_gone;
	item.is_counted_only = fsck->said[finding->invariant]++ >= FSCK_LINES;
	item.finding.where = item.finding.what = slice_make(NULL, 0);
	if (!item.is_counted_only) {
		item.finding.where = owned(finding->where);
		item.finding.what = owned(finding->what);
	}
	*items = mem_grow(*items, cap, *count + 1, sizeof(**items));
	(*items)[(*count)++] = item;
}

/* say(fsck, at, loss, format, args): loss: NULL: no document's. */
static void
say(struct fsck *fsck, const struct fsck_finding *at,
    const struct fsck_loss *loss, const char *format, va_list args)
{
	struct fsck_finding finding = *at;
	char text[WHAT_MAX];
	int n;

	assert(at->invariant > 0 && at->invariant < FSCK_INVARIANTS);
	n = vsnprintf(text, sizeof(text), format, args);
	if (n < 0)
		n = 0;
	if ((size_t)n >= sizeof(text))
		n = (int)sizeof(text) - 1;
	finding.what = slice_make(text, (size_t)n);
	if (!fsck->options->repairs) {
		finding.is_repaired = false;
		tell(fsck, &finding);
	} else if (at->is_repaired || loss != NULL) {
		hold(fsck, &finding, loss);
	}
}

void
fsck_say(
    struct fsck *fsck, const struct fsck_finding *at, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say(fsck, at, NULL, format, args);
	va_end(args);
}

void
fsck_lose(struct fsck *fsck, const struct fsck_finding *at,
    const struct fsck_loss *loss, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say(fsck, at, loss, format, args);
	va_end(args);
}

/* let_go(fsck, items, count, is_done): tell them, or leave that to the next
 * look. */
static void
let_go(struct fsck *fsck, struct fsck_held *items, size_t count, bool is_done)
{
	for (size_t i = 0; i < count; i++) {
		struct fsck_finding *finding = &items[i].finding;

		if (is_done)
			tell(fsck, finding);
		free((char *)(uintptr_t)finding->where.p);
		free((char *)(uintptr_t)finding->what.p);
	}
}

/* What went wrong concerned one statement only. */
static void
forgive(struct store *store)
{
	if (store->failed != DIAG_STORE_DAMAGED)
		return;
	store->failed = DIAG_OK;
	buf_clear(&store->trouble);
}

void
fsck_mend(struct fsck *fsck)
{
	fsck->rows_changed = sqlite3_total_changes64(fsck->store->db);
	(void)db_exec(fsck->store, "SAVEPOINT mend");
}

/* end_mend(fsck): was it done?  In a table that is out of order rows are found,
 * and are not where they should be. */
static bool
end_mend(struct fsck *fsck)
{
	struct store *store = fsck->store;
	bool is_done = store->failed == DIAG_OK;

	if (!is_done) {
		forgive(store);
		(void)db_exec(store, "ROLLBACK TO mend");
	}
	(void)db_exec(store, "RELEASE mend");
	forgive(store);
	return is_done &&
	    sqlite3_total_changes64(store->db) > fsck->rows_changed;
}

void
fsck_mended(struct fsck *fsck)
{
	bool is_done = end_mend(fsck);
	size_t count = fsck->held_count;

	fsck->held_count = 0;
	let_go(fsck, fsck->held, count, is_done);
}

/* Documents that are lost. */

/* ?1 is the document, ?2 and ?3 the first and the last id of its blocks. */
static const char *const forgetting[] = {
    "DELETE FROM sample WHERE reading_id IN"
    " (SELECT id FROM reading WHERE document_id = ?1)",
    "DELETE FROM finding WHERE reading_id IN"
    " (SELECT id FROM reading WHERE document_id = ?1)",
    "DELETE FROM reading WHERE document_id = ?1",
    "DELETE FROM segment WHERE id BETWEEN ?2 AND ?3",
    "DELETE FROM fence WHERE id BETWEEN ?2 AND ?3",
    "DELETE FROM link WHERE index_id = ?1",
    "DELETE FROM learned WHERE kind = 'document' AND id = ?1",
    "UPDATE document SET kind = iif(kind = 'unlisted', kind, 'unknown'),"
    " final_url = NULL, etag = NULL, last_modified = NULL, wire_digest = NULL,"
    " decoded_digest = NULL, fingerprint = 0, last_read_s = 0, last_full_s = 0,"
    " last_try_s = 0, failures = 0, failing_since_s = 0,"
    " index_lastmod_s = NULL, index_lastmod_nanos = 0, index_lastmod_form = 0,"
    " last_reading_id = NULL, last_full_id = NULL, is_complete = 0,"
    " entries = 0, missed = 0, blocks = 0, dated = 0, newest_s = NULL,"
    " newest_nanos = 0, newest_form = 0, refused = 0, refused_by = NULL,"
    " ended_s = 0, is_led = 1, absent_since_s = 0, alias_of = NULL, owed_s = 0,"
    " owed_urls = 0, answered_s = 0, cleared = 0,"
    " lacks_refused = 0 WHERE id = ?1",
    "UPDATE site SET listed = NULL, pending_id = tallied_id + 1 WHERE id ="
    " (SELECT site_id FROM document WHERE id = ?1)"};
static const char each_reading[] =
    "SELECT id FROM reading WHERE document_id = ?1";
static const char delta_removal[] =
    "DELETE FROM delta WHERE id BETWEEN ?2 AND ?3";
static const char removal[] = "DELETE FROM document WHERE id = ?1";

/* run_of(store, sql, id): with an owner of blocks. */
static void
run_of(struct store *store, const char *sql, int64_t id)
{
	struct sqlite3_stmt *stmt = db_make(store, sql);

	if (stmt == NULL)
		return;
	if (strstr(sql, "?1") != NULL)
		db_bind_int(stmt, 1, id);
	if (strstr(sql, "?2") != NULL) {
		db_bind_int(stmt, 2, BLOCK_ID(id));
		db_bind_int(stmt, 3, BLOCK_ID(id) | (BLOCKS_MAX - 1));
	}
	(void)db_write(store, stmt);
	db_drop(stmt);
}

static void
forget(struct store *store, const struct fsck_loss *loss)
{
	struct sqlite3_stmt *stmt = db_make(store, each_reading);

	if (stmt != NULL)
		db_bind_int(stmt, 1, loss->document_id);
	while (db_row(store, stmt))
		run_of(store, delta_removal, db_int(stmt, 0));
	db_drop(stmt);
	for (size_t i = 0; i < sizeof(forgetting) / sizeof(forgetting[0]); i++)
		run_of(store, forgetting[i], loss->document_id);
	if (loss->is_gone)
		run_of(store, removal, loss->document_id);
}

static int
by_document(const void *a, const void *b)
{
	const struct fsck_loss *x = &((const struct fsck_held *)a)->loss;
	const struct fsck_loss *y = &((const struct fsck_held *)b)->loss;

	if (x->document_id != y->document_id)
		return x->document_id < y->document_id ? -1 : 1;
	return y->is_gone - x->is_gone;
}

void
fsck_forget(struct fsck *fsck)
{
	struct fsck_held *lost = fsck->lost;
	size_t count = fsck->lost_count;

	fsck->lost_count = 0;
	if (count > 0)
		qsort(lost, count, sizeof(*lost), by_document);
	for (size_t i = 0, next; i < count; i = next) {
		for (next = i; next < count &&
		     lost[next].loss.document_id == lost[i].loss.document_id;)
			next++;
		fsck_mend(fsck);
		forget(fsck->store, &lost[i].loss);
		let_go(fsck, lost + i, next - i, end_mend(fsck));
	}
}

/* What cannot be read. */

bool
fsck_ended(struct fsck *fsck, const char *table)
{
	struct store *store = fsck->store;

	if (store->failed == DIAG_OK)
		return true;
	if (store->failed != DIAG_STORE_DAMAGED)
		return false;
	fsck_say(fsck, &(struct fsck_finding){.invariant = 1, .table = table},
	    "cannot be read: %s", store_trouble(store));
	forgive(store);
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

/* An index follows from its table. */
static void
tell_missing(struct fsck *fsck, struct sqlite3_stmt *ours)
{
	struct slice sql = db_text(ours, 2);
	struct fsck_finding at = {.invariant = 16,
	    .table = "sqlite_schema",
	    .where = db_text(ours, 1),
	    .is_repaired = slice_is(db_text(ours, 0), "index") && sql.len > 0};

	fsck_say(fsck, &at, "is missing");
	if (!fsck->options->repairs || !at.is_repaired)
		return;
	fsck_mend(fsck);
	fsck->rows_changed = -1;
	(void)db_exec(fsck->store, sql.p);
	fsck_mended(fsck);
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
			tell_missing(fsck, ours);
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
	struct sqlite3_stmt *theirs = db_make(fsck->store, each_table);

	assert(ours != NULL); /* our own schema, in memory */
	if (theirs != NULL)
		compare_schemas(fsck, ours, theirs);
	db_drop(theirs);
	sqlite3_finalize(ours);
	(void)sqlite3_close(db);
	(void)fsck_ended(fsck, "sqlite_schema");
}

/* J1. */

static const char integrity[] = "PRAGMA integrity_check(100)";

static void
check_pages(struct fsck *fsck)
{
	struct fsck_finding at = {
	    .invariant = 1, .table = "file", .is_repaired = true};
	struct sqlite3_stmt *stmt = db_make(fsck->store, integrity);

	while (db_row(fsck->store, stmt)) {
		struct slice text = db_text(stmt, 0);

		if (!slice_is(text, "ok"))
			fsck_say(fsck, &at, "%.*s", (int)text.len, text.p);
	}
	db_drop(stmt);
	(void)fsck_ended(fsck, "file");
}

static bool
is_sound(struct store *store)
{
	struct sqlite3_stmt *stmt = db_make(store, integrity);
	bool is_it = db_row(store, stmt) && slice_is(db_text(stmt, 0), "ok");

	db_drop(stmt);
	is_it = is_it && store->failed == DIAG_OK;
	forgive(store);
	return is_it;
}

/* remove_misfits(store, table): rows with a value that is not of the type that
 * its column declares: SQLite looks at that only when it is written. */
static void
remove_misfits(struct store *store, struct slice table)
{
	struct sqlite3_stmt *stmt;
	struct buf sql;
	const char *word = "WHERE";

	buf_init(&sql, SIZE_MAX);
	(void)buf_print(&sql,
	    "SELECT name, type, \"notnull\" OR pk > 0 FROM"
	    " pragma_table_info('%.*s')",
	    (int)table.len, table.p);
	stmt = db_make(store, buf_str(&sql));
	buf_clear(&sql);
	(void)buf_print(&sql, "DELETE FROM %.*s", (int)table.len, table.p);
	while (db_row(store, stmt)) {
		struct slice name = db_text(stmt, 0);
		struct slice type = db_text(stmt, 1);

		(void)buf_print(&sql,
		    " %s typeof(\"%.*s\") NOT IN (lower('%.*s'), '%s')", word,
		    (int)name.len, name.p, (int)type.len, type.p,
		    db_int(stmt, 2) != 0 ? "" : "null");
		word = "OR";
	}
	db_drop(stmt);
	(void)db_exec(store, buf_str(&sql));
	buf_release(&sql);
	forgive(store);
}

static void
remove_all_misfits(struct store *store)
{
	struct sqlite3 *db = NULL;
	sqlite3_stmt *ours = open_schema(&db);

	while (ours != NULL && sqlite3_step(ours) == SQLITE_ROW)
		if (slice_is(db_text(ours, 0), "table"))
			remove_misfits(store, db_text(ours, 1));
	sqlite3_finalize(ours);
	(void)sqlite3_close(db);
}

/*
 * Indexes follow from their tables, and pages of the file from what is in
 * them: VACUUM writes all of that anew.  What of a table cannot be read is in
 * the way of both.
 */
static void
mend_file(struct fsck *fsck)
{
	struct store *store = fsck->store;
	size_t count;
	bool is_done;
	struct buf why;

	if (is_sound(store))
		return;
	check_pages(fsck);
	(void)db_exec(store, "REINDEX");
	forgive(store);
	is_done = is_sound(store);
	if (!is_done) {
		remove_all_misfits(store);
		buf_init(&why, SIZE_MAX);
		(void)store_vacuum(store, &why);
		buf_release(&why);
		forgive(store);
		is_done = is_sound(store);
	}
	count = fsck->held_count;
	fsck->held_count = 0;
	let_go(fsck, fsck->held, count, is_done);
}

/* J2.  A document that is lost is found again by who lists it; all else here
 * only says more of what is not there. */
static const struct {
	const char *table;
	const char *repair;
} orphans[] = {
    {"document",
	"DELETE FROM document WHERE NOT EXISTS"
	" (SELECT 1 FROM site s WHERE s.id = document.site_id)"},
    {"reading",
	"DELETE FROM reading WHERE NOT EXISTS"
	" (SELECT 1 FROM document d WHERE d.id = reading.document_id)"},
    {"finding",
	"DELETE FROM finding WHERE NOT EXISTS"
	" (SELECT 1 FROM reading r WHERE r.id = finding.reading_id)"},
    {"sample",
	"DELETE FROM sample WHERE NOT EXISTS (SELECT 1 FROM finding f WHERE"
	" f.reading_id = sample.reading_id AND f.position = sample.position)"},
    /* the bytes of its index are the same: it must be read all the same */
    {"link",
	"UPDATE document SET etag = NULL, last_modified = NULL,"
	" wire_digest = NULL, decoded_digest = NULL WHERE id IN"
	" (SELECT index_id FROM link WHERE NOT EXISTS"
	" (SELECT 1 FROM document d WHERE d.id = link.child_id))"},
    {"link",
	"DELETE FROM link WHERE NOT EXISTS"
	" (SELECT 1 FROM document d WHERE d.id = link.index_id) OR NOT EXISTS"
	" (SELECT 1 FROM document d WHERE d.id = link.child_id)"},
    {"root",
	"DELETE FROM root WHERE NOT EXISTS"
	" (SELECT 1 FROM document d WHERE d.id = root.document_id)"},
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
orphan_table(struct slice table)
{
	for (size_t i = 0; i < ORPHANS; i++)
		if (slice_is(table, orphans[i].table))
			return orphans[i].table;
	return slice_is(table, "page") ? "page" : "file";
}

/* Parents before children: of what goes here more may refer to nothing. */
static void
remove_orphans(struct fsck *fsck)
{
	fsck_mend(fsck);
	for (size_t i = 0; i < ORPHANS; i++)
		(void)db_exec(fsck->store, orphans[i].repair);
	fsck_rehome(fsck);
	fsck_mended(fsck);
}

static void
check_references(struct fsck *fsck)
{
	struct sqlite3_stmt *stmt = db_make(
	    fsck->store, "PRAGMA foreign_key_check");
	bool has_orphans = false;

	while (db_row(fsck->store, stmt)) {
		struct fsck_finding at = {.invariant = 2,
		    .id = db_int(stmt, 1),
		    .table = orphan_table(db_text(stmt, 0)),
		    .is_repaired = true};
		struct slice parent = db_text(stmt, 2);

		has_orphans = true;
		fsck_say(fsck, &at, "its %.*s does not exist", (int)parent.len,
		    parent.p);
	}
	db_drop(stmt);
	if (has_orphans && fsck->options->repairs && fsck_ended(fsck, "file"))
		remove_orphans(fsck);
	(void)fsck_ended(fsck, "file");
}

void
fsck_file(struct fsck *fsck)
{
	check_schema(fsck);
	if (!fsck->options->repairs) /* else that was done before */
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
	    fsck_deltas, fsck_latest, fsck_rules, fsck_graph, fsck_pages,
	    fsck_sites};
	struct fsck_totals *totals = fsck->totals;

	totals->documents = totals->readings = 0;
	totals->entries = totals->changes = 0;
	totals->judged_exactly = totals->judged_generally = 0;
	fsck->latest_s = db_number(fsck->store,
	    "SELECT max((SELECT coalesce(max(at_s), 0) FROM reading),"
	    " (SELECT coalesce(max(fetched_s), 0) FROM origin))");
	(void)fsck_ended(fsck, "reading");
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (fsck->store->failed == DIAG_OK)
			parts[i](fsck);
}

static void
look(struct fsck *fsck)
{
	if (db_snapshot_begin(fsck->store))
		check_all(fsck);
	else
		(void)fsck_ended(fsck, "file");
	db_snapshot_end(fsck->store);
}

/* References are looked after by the repairs themselves, pass after pass. */
static void
repair(struct fsck *fsck)
{
	struct store *store = fsck->store;

	(void)db_exec(store, "PRAGMA foreign_keys = OFF");
	mend_file(fsck);
	for (int pass = 0; pass < PASSES; pass++) {
		fsck->repaired = 0;
		if (!db_begin(store))
			break;
		check_all(fsck);
		fsck_forget(fsck);
		/* A crawl under way does not go on from what it had read. */
		if (fsck->repaired > 0)
			(void)db_exec(store,
			    "UPDATE site SET crawl_begun_s = 0"
			    " WHERE crawl_begun_s <> 0");
		forgive(store);
		if (store_flush(store) != DIAG_OK || fsck->repaired == 0)
			break;
	}
	forgive(store);
	(void)db_exec(store, "PRAGMA foreign_keys = ON");
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
	if (options->repairs)
		repair(&fsck);
	else
		look(&fsck);
	tell_rest(&fsck);
	let_go(&fsck, fsck.held, fsck.held_count, false);
	let_go(&fsck, fsck.lost, fsck.lost_count, false);
	free(fsck.held);
	free(fsck.lost);
	return store->failed;
}
