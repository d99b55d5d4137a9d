/* Forgetting readings that no longer matter, and giving space back. */
#include "store/prune.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/vis.h"
#include "store/db.h"
#include "store/file_system.h"
#include "store/schema.h"

#define AT_ONCE 512 /* readings in a transaction */
#define LOOKED_AT 4096 /* readings that a step of store_prune_some checks */
#define OUTCOMES_AT_ONCE 20000
/* how long to wait for readers before the log is truncated */
#define PATIENCE_MS 1000

/* Does the state of its document depend on the reading? */
#define MATTERS                                                         \
	" (r.id IS d.last_reading_id OR r.id IS d.last_full_id"         \
	" OR (r.gone + r.left_window > 0 AND r.id > d.last_full_id)"    \
	" OR ((r.outcome = 'unchanged' OR"                              \
	" (r.outcome = 'read' AND r.failure IS NULL)) AND NOT EXISTS"   \
	" (SELECT 1 FROM reading h WHERE h.document_id = r.document_id" \
	" AND h.id > r.id AND (h.outcome = 'unchanged' OR"              \
	" (h.outcome = 'read' AND h.failure IS NULL)))))"

/* The readings that one transaction removes: a table of this connection. */
static const char victim_table[] =
    "CREATE TEMP TABLE IF NOT EXISTS victim (id INTEGER PRIMARY KEY)";
static const char victims[] =
    "INSERT INTO temp.victim SELECT r.id FROM reading r JOIN document d"
    " ON d.id = r.document_id"
    " WHERE r.id > ?2 AND r.id <= ?4 AND r.at_s < ?1 AND NOT" MATTERS
    " ORDER BY r.id LIMIT ?3";
static const char last_victim[] = "SELECT max(id) FROM temp.victim";

/* The last text of all stays, so that its number is not used again, and so does
 * the last page. */
#define OLD_TEXT " until_s < ?1 AND id < (SELECT max(id) FROM robots_text)"
#define OLD_PAGE " at_s < ?1 AND id < (SELECT max(id) FROM unknown_page)"

#define OF_VICTIMS " IN (SELECT id FROM temp.victim)"
/* There are few victims, which SQLite does not know: a mere JOIN would begin
 * with all documents and their readings. */
#define DELTAS                                                   \
	" FROM temp.victim v CROSS JOIN delta x ON x.id BETWEEN" \
	" v.id << 16 AND v.id << 16 | 65535"

/* How the victims are removed, after what consumers of the feed must know of
 * them was noted. */
static const char *const removals[] = {
    "UPDATE meta SET pruned_reading_id = max(pruned_reading_id, coalesce("
    "(SELECT max(id) FROM reading WHERE id" OF_VICTIMS
    " AND (delta_blocks > 0 OR pages > 7)), 0))",
    "DELETE FROM verified WHERE site_id IN (SELECT d.site_id"
    " FROM temp.victim v CROSS JOIN reading r ON r.id = v.id"
    " CROSS JOIN document d ON d.id = r.document_id)"
    " AND CAST(substr(event, 3) AS INTEGER)" OF_VICTIMS,
    "DELETE FROM past WHERE site_id IN (SELECT d.site_id"
    " FROM temp.victim v CROSS JOIN reading r ON r.id = v.id"
    " CROSS JOIN document d ON d.id = r.document_id)",
    "DELETE FROM sample WHERE reading_id" OF_VICTIMS,
    "DELETE FROM finding WHERE reading_id" OF_VICTIMS,
    "UPDATE site SET kept = max(0, kept - gone.bytes) FROM"
    " (SELECT d.site_id, sum(length(x.data)) AS bytes" DELTAS
    "  CROSS JOIN reading r ON r.id = v.id AND r.delta_blocks > 0"
    "  CROSS JOIN document d ON d.id = r.document_id GROUP BY d.site_id) gone"
    " WHERE site.id = gone.site_id",
    "DELETE FROM delta WHERE id IN (SELECT x.id" DELTAS ")",
    "DELETE FROM reading WHERE id" OF_VICTIMS,
};

/* The requests to the hosts of these readings, as old as they. */
static const char old_requests[] =
    "DELETE FROM request_log WHERE minute_s < ?1 AND last_s < ?1 AND host IN"
    " (SELECT substr(o.origin, instr(o.origin, '://') + 3)"
    " FROM temp.victim v CROSS JOIN reading r ON r.id = v.id"
    " CROSS JOIN document d ON d.id = r.document_id"
    " CROSS JOIN site_origin s ON s.site_id = d.site_id"
    " CROSS JOIN origin o ON o.id = s.origin_id)";

/* Remove readings with ids above after_id and up to last_id, AT_ONCE at most,
 * in the open transaction.  Returns their number. */
static uint64_t
prune_readings(struct store *store, int64_t before_s, int64_t after_id,
    int64_t last_id, struct prune_totals *totals)
{
	uint64_t count;

	(void)db_exec(store, victim_table);
	(void)db_exec_ints(store, "DELETE FROM temp.victim", 0, NULL);
	if (!db_exec_ints(store, victims, 4,
		(int64_t[]){before_s, after_id, AT_ONCE, last_id}))
		return 0;
	count = (uint64_t)sqlite3_changes64(store->db);
	totals->readings += count;
	totals->findings += (uint64_t)db_number(store,
	    "SELECT count(*) FROM finding WHERE reading_id" OF_VICTIMS, 0,
	    NULL);
	totals->changes += (uint64_t)db_number(
	    store, "SELECT coalesce(sum(x.count), 0)" DELTAS, 0, NULL);
	(void)db_exec_ints(store, old_requests, 1, &before_s);
	for (size_t i = 0; i < LENGTH(removals); i++)
		(void)db_exec_ints(store, removals[i], 0, NULL);
	return count;
}

/* The last outcome stays, so that its number is not used again. */
static void
prune_outcomes(
    struct store *store, int64_t before_s, unsigned turns, uint64_t *removed)
{
	int64_t last_id = db_number(
	    store, "SELECT max(id) FROM outcome", 0, NULL);
	int64_t next_id = 1;

	for (; turns > 0; turns--) {
		/* The first outcome whose id is next_id or greater. */
		int64_t id = db_number(store,
		    "SELECT coalesce((SELECT min(id) FROM outcome"
		    " WHERE id >= ?1), ?2)",
		    2, (int64_t[]){next_id, last_id});

		if (id >= last_id || store->failed != DIAG_OK)
			return;
		next_id = last_id - id > OUTCOMES_AT_ONCE
		    ? id + OUTCOMES_AT_ONCE
		    : last_id;
		int64_t range[] = {id, next_id, before_s};

		/* Consumers of the feed must know what is removed. */
		(void)db_exec_ints(store,
		    "UPDATE meta SET pruned_outcome_id = max(pruned_outcome_id,"
		    " coalesce((SELECT max(id) FROM outcome WHERE id >= ?1"
		    " AND id < ?2 AND at_s < ?3"
		    " AND (kind = 'changed' OR has_turned)), 0))",
		    3, range);
		if (db_exec_ints(store,
			"DELETE FROM outcome"
			" WHERE id >= ?1 AND id < ?2 AND at_s < ?3",
			3, range))
			*removed += (uint64_t)sqlite3_changes64(store->db);
		(void)store_flush(store);
	}
}

/* What has no ids of readings: statements that delete what is older than ?1,
 * each after one that notes which rows those are, where a consumer of the feed
 * must know it. */
static const char *const old_rows[] = {
    "DELETE FROM request_log WHERE last_s < ?1",
    "UPDATE meta SET pruned_robots_id = max(pruned_robots_id,"
    " coalesce((SELECT max(id) FROM robots_text WHERE" OLD_TEXT "), 0))",
    "DELETE FROM robots_text WHERE" OLD_TEXT,
    "DELETE FROM past", /* of the sites that had these texts, or redirects */
    "UPDATE meta SET pruned_unknown_id = max(pruned_unknown_id,"
    " coalesce((SELECT max(id) FROM unknown_page WHERE" OLD_PAGE "), 0))",
    "DELETE FROM unknown_page WHERE" OLD_PAGE,
};

enum diag_code
store_prune(struct store *store, int64_t before_s, struct prune_totals *totals)
{
	int64_t after_id = INT64_MIN;
	uint64_t count;

	assert(!store_pending(store));
	do {
		count = prune_readings(
		    store, before_s, after_id, INT64_MAX, totals);
		after_id = db_number(store, last_victim, 0, NULL);
		(void)store_flush(store);
		if (store_is_full(store))
			(void)store_await(store);
	} while (count == AT_ONCE && store->failed == DIAG_OK);
	totals->kept += (uint64_t)db_number(store,
	    "SELECT count(*) FROM reading WHERE at_s < ?1", 1, &before_s);
	for (size_t i = 0; i < LENGTH(old_rows); i++) {
		(void)db_exec_ints(store, old_rows[i], 1, &before_s);
		(void)store_flush(store);
	}
	prune_outcomes(store, before_s, UINT_MAX, &totals->outcomes);
	return store->failed;
}

int64_t
store_prune_some(struct store *store, int64_t before_s, int64_t after_id)
{
	struct prune_totals totals = {0};
	/* The first reading after after_id, if it is old enough; else 0. */
	int64_t first_id = db_number(store,
	    "SELECT iif(at_s < ?2, id, 0) FROM reading WHERE id > ?1"
	    " ORDER BY id LIMIT 1",
	    2, (int64_t[]){after_id, before_s});
	int64_t last_id = first_id + LOOKED_AT - 1;

	assert(!store_pending(store));
	prune_outcomes(store, before_s, 1, &totals.outcomes);
	if (first_id == 0)
		return 0;
	if (prune_readings(store, before_s, first_id - 1, last_id, &totals) ==
	    AT_ONCE)
		last_id = db_number(store, last_victim, 0, NULL);
	(void)store_flush(store);
	return store->failed == DIAG_OK ? last_id : 0;
}

enum diag_code
store_vacuum(struct store *store, struct buf *why)
{
	bool is_busy;

	assert(!store_pending(store));
	/* VACUUM writes the store into a new file, and from there into the log;
	 * both may be on one file system.  The file itself does not grow. */
	if (store_free_bytes(store) / 2 < store_bytes(store)) {
		(void)buf_print(why,
		    "it needs twice the size of the store, and less is free");
		return DIAG_DISK_FULL;
	}
	/* VACUUM attaches the new file, which must not be in memory. */
	(void)sqlite3_limit(store->db, SQLITE_LIMIT_ATTACHED, 1);
	if (db_exec(store, "PRAGMA temp_store = FILE"))
		(void)db_exec(store, "VACUUM");
	(void)sqlite3_limit(store->db, SQLITE_LIMIT_ATTACHED, 0);
	(void)sqlite3_busy_timeout(store->db, PATIENCE_MS);
	is_busy = db_number(
		      store, "PRAGMA wal_checkpoint(TRUNCATE)", 0, NULL) != 0;
	if (store->failed != DIAG_OK)
		(void)buf_print(why, "%s", sqlite3_errmsg(store->db));
	else if (is_busy)
		(void)buf_print(why,
		    "a reader keeps the log of the store from being emptied");
	if (store->failed == DIAG_OK && is_busy)
		return DIAG_STORE_LOCKED;
	return store->failed;
}

/*
 * A copy of the store, of one moment.
 *
 * SQLite's backup begins anew whenever another process has committed, unless
 * its source holds a read transaction: so it does, from before the first page
 * to after the last.
 */

#define PAGES_AT_ONCE 256

struct copy {
	struct store *store;
	const char *path; /* borrowed */
	char *folder; /* owned; absolute */
	char *draft; /* owned: the name until the copy is complete */
	struct sqlite3 *db; /* the draft */
	struct buf *why;
};

static enum diag_code
refuse(struct copy *copy, enum diag_code code, const char *reason)
{
	(void)buf_print(copy->why, "cannot copy to '");
	vis_put(copy->why, slice_of(copy->path), SIZE_MAX);
	(void)buf_print(copy->why, "': %s", reason);
	return code;
}

/* Refuse with the text of errno, and the code that it means here. */
static enum diag_code
refuse_errno(struct copy *copy)
{
	int error = errno;
	const char *text = strerrordesc_np(error);

	return refuse(copy,
	    error == ENOSPC || error == EDQUOT || error == EIO || error == EFBIG
		? DIAG_DISK_FULL
		: DIAG_STORE_UNUSABLE,
	    text == NULL ? "it cannot be written" : text);
}

/* Make a file in the folder of the copy that nobody else knows, so that it
 * needs no lock, with the permissions of the store. */
static enum diag_code
make_draft(struct copy *copy)
{
	const char *slash = strrchr(copy->path, '/');
	const char *name = slash == NULL ? copy->path : slash + 1;
	char *given = file_system_folder(copy->path);
	struct statvfs fs;
	struct stat from;
	struct buf draft = BUF_UP_TO(SIZE_MAX);
	int fd;

	/* SQLite takes no absolute path for a URI, whatever its name is. */
	copy->folder = realpath(given, NULL);
	free(given);
	if (copy->folder == NULL || statvfs(copy->folder, &fs) != 0)
		return refuse_errno(copy);
	if ((uint64_t)fs.f_bavail * fs.f_frsize <
	    (uint64_t)db_number(copy->store, "PRAGMA page_count", 0, NULL) *
		(uint64_t)db_number(copy->store, "PRAGMA page_size", 0, NULL))
		return refuse(copy, DIAG_DISK_FULL,
		    "too little space is left on its file system");
	(void)buf_print(
	    &draft, "%s/%s.%ld.partial", copy->folder, name, (long)getpid());
	fd = open(buf_str(&draft),
	    O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0) {
		enum diag_code code = refuse_errno(copy);

		buf_release(&draft);
		return code;
	}
	if (stat(copy->store->path, &from) == 0)
		(void)fchmod(fd, from.st_mode & 0666);
	(void)close(fd);
	copy->draft = buf_take(&draft);
	return DIAG_OK;
}

static enum diag_code
copy_pages(struct copy *copy, backup_step_fn *step, void *arg)
{
	uint64_t page = (uint64_t)db_number(
	    copy->store, "PRAGMA page_size", 0, NULL);
	const char *text;
	sqlite3_backup *backup;
	bool goes_on = true;
	int code = sqlite3_open_v2(copy->draft, &copy->db,
	    SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE,
	    "unix-none");

	/* An incomplete copy is removed, so it needs no journal, and one sync
	 * at the end is enough. */
	if (code == SQLITE_OK)
		code = sqlite3_exec(copy->db,
		    "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;"
		    " PRAGMA mmap_size = 0",
		    NULL, NULL, NULL);
	if (code != SQLITE_OK)
		goto fail;
	backup = sqlite3_backup_init(copy->db, "main", copy->store->db, "main");
	if (backup == NULL) {
		code = sqlite3_extended_errcode(copy->db);
		goto fail;
	}
	do {
		code = sqlite3_backup_step(backup, PAGES_AT_ONCE);
		uint64_t total = (uint64_t)sqlite3_backup_pagecount(backup);
		uint64_t left = (uint64_t)sqlite3_backup_remaining(backup);

		if (step != NULL)
			goes_on = step(
			    arg, (total - left) * page, total * page);
	} while (code == SQLITE_OK && goes_on);
	/* sqlite3_backup_finish() returns the code of the last step again */
	(void)sqlite3_backup_finish(backup);
	if (code != SQLITE_OK && code != SQLITE_DONE)
		goto fail;
	if (!goes_on)
		return refuse(copy, DIAG_BUDGET_REACHED, "stopped");
	code = sqlite3_close(copy->db);
	copy->db = NULL;
	if (code == SQLITE_OK)
		return DIAG_OK;
fail:
	text = sqlite3_errstr(code);
	if (schema_code(code) != DIAG_STORE_DAMAGED)
		return refuse(copy, DIAG_DISK_FULL, text);
	db_damaged(copy->store, NULL, "file: %s", text);
	return refuse(copy, DIAG_STORE_DAMAGED, store_trouble(copy->store));
}

static bool
sync_path(const char *path, int flags)
{
	int fd = open(path, flags | O_RDONLY | O_CLOEXEC);
	bool is_synced = fd >= 0 && fsync(fd) == 0;

	if (fd >= 0)
		(void)close(fd);
	return is_synced;
}

/* Make the draft durable, and give it the name of the copy. */
static enum diag_code
publish(struct copy *copy)
{
	struct stat found;
	bool is_named;

	if (!sync_path(copy->draft, 0))
		return refuse_errno(copy);
	is_named = renameat2(AT_FDCWD, copy->draft, AT_FDCWD, copy->path,
		       RENAME_NOREPLACE) == 0;
	/* Some file systems cannot refuse to replace a file, so check for one
	 * there first. */
	if (!is_named && (errno == EINVAL || errno == ENOSYS)) {
		if (lstat(copy->path, &found) == 0)
			errno = EEXIST;
		else
			is_named = rename(copy->draft, copy->path) == 0;
	}
	if (!is_named)
		return refuse_errno(copy);
	free(copy->draft);
	copy->draft = NULL;
	/* Without a sync of the folder, the name may be lost in a power cut. */
	return sync_path(copy->folder, O_DIRECTORY) ? DIAG_OK
						    : refuse_errno(copy);
}

enum diag_code
store_backup(struct store *store, const char *path, backup_step_fn *step,
    void *arg, struct buf *why)
{
	struct copy copy = {.store = store, .path = path, .why = why};
	struct stat found;
	enum diag_code code;

	assert(!store_pending(store));
	if (lstat(path, &found) == 0)
		return refuse(&copy, DIAG_STORE_UNUSABLE, "it exists already");
	if (!db_snapshot_begin(store))
		code = refuse(&copy, store->failed,
		    store->failed == DIAG_STORE_DAMAGED
			? store_trouble(store)
			: "the store cannot be read");
	else
		code = make_draft(&copy);
	if (code == DIAG_OK)
		code = copy_pages(&copy, step, arg);
	if (code == DIAG_OK)
		code = publish(&copy);
	db_snapshot_end(store);
	(void)sqlite3_close(copy.db);
	if (copy.draft != NULL)
		(void)unlink(copy.draft);
	free(copy.draft);
	free(copy.folder);
	return code;
}
