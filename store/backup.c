/*
 * A copy of the store, of one moment.
 *
 * SQLite's backup begins anew whenever another process has committed, unless
 * its source holds a read transaction: so it does, from before the first page
 * to after the last.
 */
#include "store/backup.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
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
#include "store/schema.h"

#define PAGES_AT_ONCE 256

struct copy {
	struct store *store;
	const char *path; /* borrowed */
	const char *name; /* the last part of path */
	char *folder; /* owned; absolute */
	char *draft; /* owned: the name until the copy is complete */
	struct sqlite3 *db; /* the draft */
	struct buf *why;
};

static enum diag_code
refuse(struct copy *copy, enum diag_code code, const char *reason)
{
	(void)buf_print(copy->why, "cannot back up to '");
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

static enum diag_code
refuse_sqlite(struct copy *copy, int sqlite_code)
{
	const char *text = sqlite3_errstr(sqlite_code);

	if (schema_code(sqlite_code) != DIAG_STORE_DAMAGED)
		return refuse(copy, DIAG_DISK_FULL, text);
	db_damaged(copy->store, NULL, "file: %s", text);
	return refuse(copy, DIAG_STORE_DAMAGED, store_trouble(copy->store));
}

/* Find the folder of the copy, and its name in there.  SQLite takes no absolute
 * path for a URI, whatever its name is. */
static enum diag_code
resolve(struct copy *copy)
{
	const char *slash = strrchr(copy->path, '/');
	char *folder = slash == NULL ? mem_copy(".")
	    : slash == copy->path
	    ? mem_copy("/")
	    : slice_dup(slice_make(copy->path, (size_t)(slash - copy->path)));

	copy->name = slash == NULL ? copy->path : slash + 1;
	copy->folder = realpath(folder, NULL);
	enum diag_code code = copy->folder != NULL ? DIAG_OK
						   : refuse_errno(copy);
	free(folder);
	return code;
}

static enum diag_code
check_room(struct copy *copy)
{
	uint64_t needed = (uint64_t)db_number(
			      copy->store, "PRAGMA page_count") *
	    (uint64_t)db_number(copy->store, "PRAGMA page_size");
	struct statvfs fs;

	if (statvfs(copy->folder, &fs) != 0)
		return refuse_errno(copy);
	if ((uint64_t)fs.f_bavail * fs.f_frsize >= needed)
		return DIAG_OK;
	return refuse(copy, DIAG_DISK_FULL,
	    "too little space is left on its file system");
}

/* Make a file that nobody else knows, so that it needs no lock, with the
 * permissions of the store. */
static enum diag_code
make_draft(struct copy *copy)
{
	struct buf name;
	struct stat from;
	int fd;

	buf_init(&name, SIZE_MAX);
	(void)buf_print(&name, "%s/%s.%ld.partial", copy->folder, copy->name,
	    (long)getpid());
	fd = open(buf_str(&name),
	    O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd >= 0 && stat(copy->store->path, &from) == 0)
		(void)fchmod(fd, from.st_mode & 0666);
	if (fd < 0) {
		enum diag_code code = refuse_errno(copy);

		buf_release(&name);
		return code;
	}
	(void)close(fd);
	copy->draft = buf_take(&name);
	return DIAG_OK;
}

static enum diag_code
open_draft(struct copy *copy)
{
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
	return code == SQLITE_OK ? DIAG_OK : refuse_sqlite(copy, code);
}

static enum diag_code
copy_pages(struct copy *copy, backup_step_fn *step, void *arg)
{
	struct sqlite3 *from = copy->store->db;
	uint64_t page = (uint64_t)db_number(copy->store, "PRAGMA page_size");
	sqlite3_backup *backup = sqlite3_backup_init(
	    copy->db, "main", from, "main");
	bool goes_on = true;
	int code;

	if (backup == NULL)
		return refuse_sqlite(copy, sqlite3_extended_errcode(copy->db));
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
		return refuse_sqlite(copy, code);
	return goes_on ? DIAG_OK : refuse(copy, DIAG_BUDGET_REACHED, "stopped");
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

/* Give the copy its name.  Some file systems cannot refuse to replace a file,
 * so check for one there first. */
static bool
publish(const struct copy *copy)
{
	struct stat found;

	if (renameat2(AT_FDCWD, copy->draft, AT_FDCWD, copy->path,
		RENAME_NOREPLACE) == 0)
		return true;
	if (errno != EINVAL && errno != ENOSYS)
		return false;
	if (lstat(copy->path, &found) == 0) {
		errno = EEXIST;
		return false;
	}
	return rename(copy->draft, copy->path) == 0;
}

static enum diag_code
finish(struct copy *copy)
{
	int code = sqlite3_close(copy->db);

	copy->db = NULL;
	if (code != SQLITE_OK)
		return refuse_sqlite(copy, code);
	if (!sync_path(copy->draft, 0) || !publish(copy))
		return refuse_errno(copy);
	free(copy->draft);
	copy->draft = NULL;
	/* Without a sync of the folder, the name may be lost in a power cut. */
	return sync_path(copy->folder, O_DIRECTORY) ? DIAG_OK
						    : refuse_errno(copy);
}

static enum diag_code
run(struct copy *copy, backup_step_fn *step, void *arg)
{
	struct stat found;
	enum diag_code code;

	if (lstat(copy->path, &found) == 0)
		return refuse(copy, DIAG_STORE_UNUSABLE, "it exists already");
	if (!db_snapshot_begin(copy->store))
		return refuse(copy, copy->store->failed,
		    copy->store->failed == DIAG_STORE_DAMAGED
			? store_trouble(copy->store)
			: "the store cannot be read");
	code = resolve(copy);
	if (code == DIAG_OK)
		code = check_room(copy);
	if (code == DIAG_OK)
		code = make_draft(copy);
	if (code == DIAG_OK)
		code = open_draft(copy);
	if (code == DIAG_OK)
		code = copy_pages(copy, step, arg);
	if (code == DIAG_OK)
		code = finish(copy);
	return code;
}

enum diag_code
store_backup(struct store *store, const char *path, backup_step_fn *step,
    void *arg, struct buf *why)
{
	struct copy copy = {.store = store, .path = path, .why = why};
	enum diag_code code;

	assert(!store_pending(store));
	code = run(&copy, step, arg);
	db_snapshot_end(store);
	(void)sqlite3_close(copy.db);
	if (copy.draft != NULL)
		(void)unlink(copy.draft);
	free(copy.draft);
	free(copy.folder);
	return code;
}
