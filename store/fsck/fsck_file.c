/* Fsck: the file as a whole, its tables and their references (J1, J2, J16). */
#include <assert.h>
#include <sqlite3.h>

#include "base/url.h"
#include "store/db.h"
#include "store/document.h"
#include "store/fsck/fsck_pass.h"
#include "store/prune.h"
#include "store/schema.h"

/* J16: are the tables those that this version makes? */

/* SQLite's own tables of statistics may exist or not. */
static const char each_table[] =
    "SELECT type, name, coalesce(sql, '') FROM sqlite_schema"
    " WHERE name NOT LIKE 'sqlite_stat%' ORDER BY type, name";

static sqlite3_stmt *
open_schema(struct sqlite3 **db)
{
	struct schema schema = schema_current;
	sqlite3_stmt *stmt = NULL;

	schema.whole = schema_whole;
	if (sqlite3_open(":memory:", db) != SQLITE_OK ||
	    schema_migrate(*db, &schema) != DIAG_OK ||
	    sqlite3_prepare_v2(*db, each_table, -1, &stmt, NULL) != SQLITE_OK)
		return NULL;
	return stmt;
}

/* J1: is the file whole? */

static const char integrity[] = "PRAGMA integrity_check(100)";

/* Of the header of an SQLite file: the version that is needed to write it. */
#define WRITE_VERSION_AT 18
#define WRITE_VERSION 2

static void
check_pages(struct fsck *fsck)
{
	struct fsck_finding at = {
	    .invariant = 1, .table = "file", .is_repaired = true};
	struct sqlite3_stmt *stmt = db_make(fsck->store, integrity, 0, NULL);
	sqlite3_file *file = NULL;
	uint8_t version = 0;

	while (db_row(fsck->store, stmt)) {
		struct slice text = db_text(stmt, 0);

		if (!slice_is(text, "ok"))
			fsck_say(
			    fsck, &at, NULL, "%.*s", (int)text.len, text.p);
	}
	db_drop(stmt);
	(void)fsck_ended(fsck, "file");
	/* SQLite minds the version only when it writes. */
	if (sqlite3_file_control(fsck->store->db, "main",
		SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK &&
	    file->pMethods->xRead(file, &version, 1, WRITE_VERSION_AT) ==
		SQLITE_OK &&
	    version > WRITE_VERSION) {
		at.is_repaired = false;
		fsck_say(fsck, &at, NULL,
		    "its header says that only a newer SQLite may write it");
	}
}

static bool
is_sound(struct store *store)
{
	struct sqlite3_stmt *stmt = db_make(store, integrity, 0, NULL);
	bool is_it = db_row(store, stmt) && slice_is(db_text(stmt, 0), "ok");

	db_drop(stmt);
	is_it = is_it && store->failed == DIAG_OK;
	fsck_forgive(store);
	return is_it;
}

/* Remove rows with a value that does not have the type of its column.  SQLite
 * checks types only when it writes a value. */
static void
remove_misfits(struct store *store, struct slice table)
{
	struct sqlite3_stmt *stmt;
	struct buf sql = BUF_UP_TO(SIZE_MAX);
	const char *word = "WHERE";

	(void)buf_print(&sql,
	    "SELECT name, type, \"notnull\" OR pk > 0 FROM"
	    " pragma_table_info('%.*s')",
	    (int)table.len, table.p);
	stmt = db_make(store, buf_str(&sql), 0, NULL);
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
	fsck_forgive(store);
}

/* REINDEX makes indexes again from their tables.  If that is not enough, VACUUM
 * writes the whole file again, after rows with wrong types are gone.  Both fail
 * if a part of a table cannot be read. */
void
fsck_mend_file(struct fsck *fsck)
{
	struct store *store = fsck->store;
	bool is_done;
	struct buf why = BUF_UP_TO(SIZE_MAX);

	if (is_sound(store))
		return;
	check_pages(fsck);
	(void)db_exec(store, "REINDEX");
	fsck_forgive(store);
	is_done = is_sound(store);
	if (!is_done) {
		struct sqlite3 *db = NULL;
		sqlite3_stmt *ours = open_schema(&db);

		while (ours != NULL && sqlite3_step(ours) == SQLITE_ROW)
			if (slice_is(db_text(ours, 0), "table"))
				remove_misfits(store, db_text(ours, 1));
		sqlite3_finalize(ours);
		(void)sqlite3_close(db);
		(void)store_vacuum(store, &why);
		buf_release(&why);
		fsck_forgive(store);
		is_done = is_sound(store);
	}
	fsck_held_end(fsck, is_done);
}

/* J2: does each reference lead somewhere?  Repairs remove rows that refer to
 * nothing.  A document that is removed here is found again through the index
 * that lists it; the other rows only describe what does not exist. */

/* For each reference of this version's schema, in the order in which its tables
 * are made: the removal of rows that refer to nothing.  A reference that names
 * no columns is to the primary key. */
static const char each_removal[] =
    "SELECT 'DELETE FROM ' || name || ' WHERE ' ||"
    " group_concat(\"from\" || ' IS NOT NULL', ' AND ') ||"
    " ' AND NOT EXISTS (SELECT 1 FROM ' || parent || ' p WHERE ' ||"
    " group_concat('p.' || \"to\" || ' = ' || name || '.' || \"from\","
    " ' AND ') || ')' FROM"
    " (SELECT m.rowid AS number, m.name, f.id, f.\"table\" AS parent,"
    "  f.\"from\", coalesce(f.\"to\", (SELECT i.name FROM"
    "  pragma_table_info(f.\"table\") i WHERE i.pk = f.seq + 1)) AS \"to\""
    "  FROM sqlite_schema m JOIN pragma_foreign_key_list(m.name) f"
    "  WHERE m.type = 'table' AND m.name <> 'page')"
    " GROUP BY number, id ORDER BY number, id";

static const char next_page[] =
    "SELECT id, url FROM page WHERE id > ?1 AND NOT EXISTS"
    " (SELECT 1 FROM document d WHERE d.id = page.document_id)"
    " ORDER BY id LIMIT 1";

/* The document at the root of a URL's origin, which nobody reads, as for pages
 * that no document ever listed; 0: the URL has no origin. */
static int64_t
root_document(struct store *store, struct slice text)
{
	struct url url = {0};
	struct buf root = BUF_UP_TO(URL_MAX_BYTES);
	int64_t id = 0;

	if (url_parse_raw(&url, text, NULL) == DIAG_OK &&
	    buf_put_slice(&root, url_origin(&url)) && buf_put_char(&root, '/'))
		id = store_unlisted(
		    store, store_site(store, url_host(&url)), buf_text(&root));
	buf_release(&root);
	url_release(&url);
	return id;
}

/* Tables are repaired in the order of references: a removed row may leave
 * others that refer to nothing. */
static void
remove_orphans(struct fsck *fsck)
{
	struct sqlite3 *db = NULL;
	sqlite3_stmt *tables = open_schema(&db);
	sqlite3_stmt *removals = NULL;

	fsck_mend(fsck);
	/* An index that has lost a child must be read again even if its bytes
	 * did not change. */
	(void)db_exec(fsck->store,
	    "UPDATE document SET etag = NULL, last_modified = NULL,"
	    " wire_digest = NULL, decoded_digest = NULL WHERE id IN"
	    " (SELECT index_id FROM link WHERE NOT EXISTS"
	    " (SELECT 1 FROM document d WHERE d.id = link.child_id))");
	if (sqlite3_prepare_v2(db, each_removal, -1, &removals, NULL) ==
	    SQLITE_OK)
		while (sqlite3_step(removals) == SQLITE_ROW)
			(void)db_exec(fsck->store,
			    (const char *)sqlite3_column_text(removals, 0));
	sqlite3_finalize(removals);
	sqlite3_finalize(tables);
	(void)sqlite3_close(db);
	/* Pages without their document get that of the root of their origin. */
	struct store *store = fsck->store;
	struct sqlite3_stmt *stmt = db_make(store, next_page, 0, NULL);
	int64_t id = INT64_MIN;

	while (stmt != NULL && fsck_next(fsck, stmt, "page", &id)) {
		int64_t ids[] = {id, root_document(store, db_text(stmt, 1))};

		/* A page whose URL has no origin goes. */
		(void)db_exec_ints(store,
		    ids[1] == 0
			? "DELETE FROM page WHERE id = ?1"
			: "UPDATE page SET document_id = ?2 WHERE id = ?1",
		    2, ids);
	}
	db_drop(stmt);
	(void)fsck_mended(fsck);
}

static void
check_references(struct fsck *fsck)
{
	/* Findings outlive the text of a row, so they get a name from here. */
	static const char *const tables[] = {"document", "reading", "finding",
	    "sample", "link", "root", "proof", "site_origin", "watch",
	    "watch_item", "robots_text", "note", "left_page", "unknown_page",
	    "feed_site", "page", "verified", "past"};
	struct sqlite3_stmt *stmt = db_make(
	    fsck->store, "PRAGMA foreign_key_check", 0, NULL);
	bool has_orphans = false;

	while (db_row(fsck->store, stmt)) {
		struct fsck_finding at = {.invariant = 2,
		    .id = db_int(stmt, 1),
		    .table = "file",
		    .is_repaired = true};
		struct slice parent = db_text(stmt, 2);

		for (size_t i = 0; i < LENGTH(tables); i++)
			if (slice_is(db_text(stmt, 0), tables[i]))
				at.table = tables[i];
		has_orphans = true;
		fsck_say(fsck, &at, NULL, "its %.*s does not exist",
		    (int)parent.len, parent.p);
	}
	db_drop(stmt);
	if (has_orphans && fsck->options->repairs && fsck_ended(fsck, "file"))
		remove_orphans(fsck);
	(void)fsck_ended(fsck, "file");
}

void
fsck_file(struct fsck *fsck)
{
	struct sqlite3 *db = NULL;
	sqlite3_stmt *ours = open_schema(&db);
	struct sqlite3_stmt *theirs = db_make(fsck->store, each_table, 0, NULL);

	assert(ours != NULL); /* this version's schema, in memory */
	if (theirs != NULL) {
		bool has_ours = sqlite3_step(ours) == SQLITE_ROW;
		bool has_theirs = db_row(fsck->store, theirs);

		while (has_ours || has_theirs) {
			int order = !has_ours ? 1 : !has_theirs ? -1 : 0;

			/* Both are in the order of types and names. */
			for (int i = 0;
			     has_ours && has_theirs && order == 0 && i < 2; i++)
				order = slice_order(
				    db_text(ours, i), db_text(theirs, i));

			if (order < 0) {
				/* A missing index can be repaired, because it
				 * follows from its table. */
				struct slice sql = db_text(ours, 2);
				struct fsck_finding at = {.invariant = 16,
				    .table = "sqlite_schema",
				    .where = db_text(ours, 1),
				    .is_repaired = slice_is(db_text(ours, 0),
						       "index") &&
					sql.len > 0};

				fsck_say(fsck, &at, NULL, "is missing");
				if (fsck->options->repairs && at.is_repaired) {
					fsck_mend(fsck);
					fsck->rows_changed = -1;
					(void)db_exec(fsck->store, sql.p);
					(void)fsck_mended(fsck);
				}
			} else if (order > 0 ||
			    !slice_equal(
				db_text(ours, 2), db_text(theirs, 2))) {
				struct fsck_finding at = {.invariant = 16,
				    .table = "sqlite_schema",
				    .where = db_text(theirs, 1)};

				fsck_say(fsck, &at, NULL, "%s",
				    order > 0 ? "is not ours"
					      : "is not made as this version "
						"makes it");
			}
			if (order <= 0)
				has_ours = sqlite3_step(ours) == SQLITE_ROW;
			if (order >= 0)
				has_theirs = db_row(fsck->store, theirs);
		}
	}
	db_drop(theirs);
	sqlite3_finalize(ours);
	(void)sqlite3_close(db);
	(void)fsck_ended(fsck, "sqlite_schema");
	if (!fsck->options->repairs) /* else fsck_mend_file did that */
		check_pages(fsck);
	check_references(fsck);
}
