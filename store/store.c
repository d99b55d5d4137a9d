/*
 * The store as a file: opening and closing it, and its commits.
 *
 * A store is opened in this order: what the path leads to, the lock, the file,
 * the settings, the schema, the statements.  Readings wait in a queue; one
 * transaction makes all of them durable, with everything else that was written
 * since the last COMMIT.
 */
#include "store/store.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include <zstd.h>

#include "base/mem.h"
#include "base/vis.h"
#include "store/db.h"
#include "store/file_system.h"
#include "store/query.h"
#include "store/reach.h"
#include "store/schema.h"
#include "store/url_hashes.h"

#define LOCK_AT (INT64_C(1) << 62) /* SQLite locks bytes near 1 GiB */
#define ROW_MAX_BYTES (16 << 20) /* a block is about 100 KiB */
#define SQL_MAX_BYTES (64 << 10)
#define KILLED_MOST_S 3600 /* no host has a longer delay */

/* Which file a path leads to; inode 0: none. */
struct file_id {
	dev_t device;
	ino_t inode;
};

/* The files of a store, as they were when it was opened for writing. */
struct store_files {
	/* -1: the store is read-only, or the file is another user's */
	int lock_fd;
	bool is_signed; /* by this process, which has the lock */
	int store_fd; /* holds a lock; -1: the store is read-only */
	struct file_id store, lock;
	char *folder; /* owned: the folder of the store; absolute */
	char *lock_path; /* owned */
};

/* A reading that waits for its COMMIT, or was committed and is not durable. */
struct waiting {
	struct reading *reading; /* owned */
	store_done_fn *done;
	void *arg;
	int64_t reading_id;
	uint64_t commit; /* the number of its COMMIT */
};

struct commit_queue {
	struct waiting *items; /* owned; those that were committed come first */
	size_t count, cap;
	size_t committed;
	uint64_t bytes; /* of all segments and deltas that wait for a COMMIT */
};

static enum diag_code
refuse(
    struct buf *why, const char *path, enum diag_code code, const char *reason)
{
	(void)buf_print(why, "cannot open '");
	vis_put(why, slice_of(path), SIZE_MAX);
	(void)buf_print(why, "': %s", reason);
	return code;
}

/* Returns what is wrong with the file; NULL: nothing is wrong. */
static const char *
file_fault(const char *path, bool is_read_only)
{
	struct stat st;

	if (lstat(path, &st) != 0) {
		if (errno != ENOENT)
			return "it cannot be reached";
		return is_read_only ? "no such store" : NULL;
	}
	if (S_ISDIR(st.st_mode))
		return "is a directory";
	if (S_ISLNK(st.st_mode))
		return "is a symbolic link";
	if (!S_ISREG(st.st_mode))
		return "is not a regular file";
	/* The check takes the name and opens nothing: closing a descriptor of
	 * the file would drop the locks that SQLite may hold on the file
	 * elsewhere in this process. */
	if (faccessat(AT_FDCWD, path, is_read_only ? R_OK : R_OK | W_OK,
		AT_EACCESS) != 0)
		return is_read_only ? "it may not be read"
				    : "it may not be written";
	return NULL;
}

static const char *
folder_fault(const char *folder, bool is_read_only)
{
	struct file_system system;
	struct stat st;

	if (stat(folder, &st) != 0)
		return errno == ENOENT ? "its folder does not exist"
				       : "its folder cannot be reached";
	if (!S_ISDIR(st.st_mode))
		return "its folder is not a directory";
	if (file_system_look(&system, folder) && system.is_network)
		return "it is on a network file system";
	if (!is_read_only &&
	    faccessat(AT_FDCWD, folder, W_OK | X_OK, AT_EACCESS) != 0)
		return "its folder may not be written";
	return NULL;
}

/* Set the paths of the store and of its folder, whose symbolic links are
 * resolved: SQLite refuses links anywhere in a name, but here only the store
 * itself may not be one. */
static enum diag_code
check_path(struct store *store, const char *path, struct buf *why)
{
	const char *slash = strrchr(path, '/');
	char *given = file_system_folder(path);
	char *folder = store->files->folder = realpath(given, NULL);
	const char *fault = NULL;
	struct buf out = BUF_UP_TO(SIZE_MAX);

	if (folder == NULL) {
		if (errno == ENOMEM)
			(void)mem_alloc(SIZE_MAX / 2); /* ends the process */
		fault = folder_fault(given, true);
		if (fault == NULL)
			fault = "its folder cannot be reached";
	} else {
		(void)buf_print(&out, "%s/%s",
		    strcmp(folder, "/") == 0 ? "" : folder,
		    slash == NULL ? path : slash + 1);
	}
	free(given);
	store->path = buf_take(&out);
	if (fault == NULL)
		fault = file_fault(store->path, store->is_read_only);
	if (fault == NULL)
		fault = folder_fault(folder, store->is_read_only);
	if (fault != NULL)
		return refuse(why, path, DIAG_STORE_UNUSABLE, fault);
	return DIAG_OK;
}

/* Is the disk to blame for the error, and not the path? */
static bool
is_disk_error(int error)
{
	return error == ENOSPC || error == EDQUOT || error == EIO;
}

bool
store_trusts(const char *path, uid_t uid)
{
	struct stat st;

	return uid == geteuid() || uid == 0 ||
	    (lstat(path, &st) == 0 && st.st_uid == uid);
}

bool
store_is_held(const char *path, long *owner)
{
	struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	char text[24] = "";
	struct buf lock = BUF_UP_TO(SIZE_MAX);
	bool is_held;
	int fd;

	(void)buf_print(&lock, "%s.lock", path);
	fd = open(
	    buf_str(&lock), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	*owner = fd < 0 && errno == EACCES ? -1 : 0;
	/* The lock of the kernel is asked, so that a file that a killed process
	 * left says nothing; its text is for people only. */
	is_held = fd >= 0 && fcntl(fd, F_OFD_GETLK, &whole) == 0 &&
	    whole.l_type != F_UNLCK;
	if (is_held && pread(fd, text, sizeof(text) - 1, 0) > 0)
		*owner = strtol(text, NULL, 10);
	if (fd >= 0)
		(void)close(fd);
	buf_release(&lock);
	return is_held;
}

/* Lock a file that is open; a line in `text` says why not. */
static enum diag_code
lock_file(int fd, struct flock *range, struct buf *text)
{
	if (fcntl(fd, F_OFD_SETLK, range) == 0)
		return DIAG_OK;
	if (errno != EAGAIN && errno != EACCES) {
		(void)buf_print(text, "it cannot be locked");
		return DIAG_STORE_UNUSABLE;
	}
	return DIAG_STORE_LOCKED;
}

/* Open and lock the lock file, which says who holds the store.  In a folder
 * where others make files, another user may have made it before: then it says
 * nothing, and the lock of the store's own file decides alone. */
static enum diag_code
take_lock_file(struct store *store, struct buf *text)
{
	struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	enum diag_code code;
	struct buf path = BUF_UP_TO(SIZE_MAX);
	struct stat st;

	(void)buf_print(&path, "%s.lock", store->path);
	store->files->lock_path = buf_take(&path);
	/* Another user may keep the file locked for ever. */
	if (lstat(store->files->lock_path, &st) == 0 &&
	    !store_trusts(store->path, st.st_uid))
		return DIAG_OK;
	store->files->lock_fd = open(store->files->lock_path,
	    O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
	if (store->files->lock_fd < 0) {
		enum diag_code failed = is_disk_error(errno)
		    ? DIAG_DISK_FULL
		    : DIAG_STORE_UNUSABLE;

		(void)buf_print(text, "its lock file cannot be opened");
		return failed;
	}
	/* Anybody who may read the lock file could lock all writers out, and
	 * older versions let everybody read it. */
	(void)fchmod(store->files->lock_fd, 0600);
	code = lock_file(store->files->lock_fd, &whole, text);
	if (code == DIAG_STORE_LOCKED) {
		long owner;

		(void)store_is_held(store->path, &owner);
		(void)buf_print(text, "another process holds it");
		if (owner > 0)
			(void)buf_print(text, " (%ld)", owner);
	}
	return code;
}

/* Lock the store's own file, far behind what SQLite locks and uses. */
static enum diag_code
take_store(struct store *store, struct buf *text)
{
	struct flock far = {.l_type = F_WRLCK,
	    .l_whence = SEEK_SET,
	    .l_start = LOCK_AT,
	    .l_len = 1};
	enum diag_code code = DIAG_STORE_UNUSABLE;

	/* the mode is that with which SQLite makes a file */
	store->files->store_fd = open(store->path,
	    O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0644);
	if (store->files->store_fd >= 0)
		code = lock_file(store->files->store_fd, &far, text);
	else if (is_disk_error(errno))
		code = DIAG_DISK_FULL;
	if (code != DIAG_OK && text->len == 0)
		(void)buf_print(text, "%s",
		    code == DIAG_STORE_LOCKED ? "another process holds it"
					      : "it cannot be opened");
	return code;
}

/* Run a statement without parameters.  If `answer` is given, the first answer
 * of the statement must be equal to it. */
static int
set(struct sqlite3 *db, const char *sql, const char *answer)
{
	sqlite3_stmt *stmt = NULL;
	int code = sqlite3_prepare_v3(db, sql, -1, 0, &stmt, NULL);
	bool is_answered = true;

	if (code == SQLITE_OK && sqlite3_step(stmt) == SQLITE_ROW &&
	    answer != NULL)
		is_answered = slice_is(
		    slice_of((const char *)sqlite3_column_text(stmt, 0)),
		    answer);
	/* The change is committed when the statement ends, after its answer,
	 * so the end may fail, too. */
	if (code == SQLITE_OK)
		code = sqlite3_finalize(stmt);
	return code == SQLITE_OK && !is_answered ? SQLITE_CANTOPEN : code;
}

/* Kinds of connections, as bits. */
enum role { READER = 1, WRITER = 2, SCRATCH = 4, CACHE = 8, ALL = 15 };

/* The settings of HOSTILE section 5; only for a file that schema_check found to
 * be a store. */
static int
configure(const struct store *store)
{
	static const struct {
		const char *sql;
		const char *answer;
		unsigned whose;
	} pragmas[] = {
	    {"PRAGMA journal_mode = WAL", "wal", WRITER},
	    {"PRAGMA synchronous = FULL", NULL, WRITER},
	    {"PRAGMA locking_mode = EXCLUSIVE", "exclusive", SCRATCH},
	    {"PRAGMA journal_mode = MEMORY", "memory", SCRATCH},
	    {"PRAGMA synchronous = OFF", NULL, SCRATCH | CACHE},
	    {"PRAGMA secure_delete = OFF", NULL, WRITER | SCRATCH},
	    {"PRAGMA wal_autocheckpoint = 1024", NULL, WRITER},
	    {"PRAGMA journal_size_limit = 67108864", NULL, WRITER},
	    {"PRAGMA foreign_keys = ON", NULL, ALL},
	    {"PRAGMA trusted_schema = OFF", NULL, ALL},
	    {"PRAGMA cell_size_check = ON", NULL, ALL},
	    {"PRAGMA mmap_size = 0", NULL, ALL},
	    {"PRAGMA temp_store = MEMORY", NULL, ALL},
	    {"PRAGMA cache_size = -8192", NULL, ALL},
	};
	unsigned own = store->is_read_only ? READER
	    : store->is_scratch            ? SCRATCH
	    : store->is_cache              ? WRITER | CACHE
					   : WRITER;
	int code = SQLITE_OK;

	for (size_t i = 0; i < LENGTH(pragmas); i++) {
		if ((pragmas[i].whose & own) == 0)
			continue;
		if (code == SQLITE_OK)
			code = set(
			    store->db, pragmas[i].sql, pragmas[i].answer);
	}
	/* F17: one process writes and checkpoints, readers never do. */
	if (store->is_read_only) {
		(void)sqlite3_db_config(
		    store->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
		if (code == SQLITE_OK)
			code = set(store->db, "PRAGMA query_only = ON", NULL);
	}
	return code;
}

/* Checkpoint and truncate the write-ahead log; returns SQLite's code. */
static int
cut_log(const struct store *store)
{
	int code;

	/* Do not wait for readers: a backup may read for minutes. */
	(void)sqlite3_busy_timeout(store->db, 0);
	code = sqlite3_wal_checkpoint_v2(
	    store->db, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
	(void)sqlite3_busy_timeout(store->db, DB_BUSY_MS);
	return code;
}

/*
 * Write the write-ahead log of an earlier process into the database.
 *
 * Frames that the earlier process wrote and failed to sync look like committed
 * ones, and another sync of the same pages would not report the failure
 * (HOSTILE S2).  So the content of the log is written again, into the database,
 * before anything is built upon it.  The log stays if a reader needs it.  The
 * folder is synced here because SQLite ignores errors of its own sync after
 * making the log.
 */
static enum diag_code
settle(const struct store *store, struct buf *reason)
{
	int code = cut_log(store);
	int fd;

	if (code != SQLITE_OK && (code & 0xff) != SQLITE_BUSY)
		return schema_code(code);
	fd = open(store->files->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	enum diag_code synced = fd < 0 || fsync(fd) != 0
	    ? is_disk_error(errno) ? DIAG_DISK_FULL : DIAG_OK
	    : DIAG_OK;
	if (synced != DIAG_OK)
		(void)buf_print(reason, "its folder cannot be synchronised: %s",
		    strerrordesc_np(errno));
	if (fd >= 0)
		(void)close(fd);
	return synced;
}

/* Make an open database a store that can be used. */
static enum diag_code
set_up(struct store *store, struct buf *reason)
{
	struct schema schema = schema_current;
	enum diag_code code;

	schema.whole = schema_whole;
	/* Settings that the content of the file cannot change. */
	static const struct {
		int option;
		int value;
	} options[] = {
	    {SQLITE_DBCONFIG_DEFENSIVE, 1},
	    {SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0},
	    {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0}, {SQLITE_DBCONFIG_DQS_DML, 0},
	    {SQLITE_DBCONFIG_DQS_DDL, 0}, {SQLITE_DBCONFIG_ENABLE_VIEW, 0},
	    {SQLITE_DBCONFIG_ENABLE_TRIGGER, 1}, /* for foreign keys */
	};

	for (size_t i = 0; i < LENGTH(options); i++)
		(void)sqlite3_db_config(
		    store->db, options[i].option, options[i].value, NULL);
	(void)sqlite3_busy_timeout(store->db, DB_BUSY_MS);
	(void)sqlite3_limit(store->db, SQLITE_LIMIT_LENGTH, ROW_MAX_BYTES);
	(void)sqlite3_limit(store->db, SQLITE_LIMIT_SQL_LENGTH, SQL_MAX_BYTES);
	(void)sqlite3_limit(store->db, SQLITE_LIMIT_ATTACHED, 0);
	code = schema_check(store->db, &schema, store->is_read_only, reason);
	if (code != DIAG_OK)
		return code;
	store->schema_before = schema_version(store->db);
	code = schema_code(configure(store));
	if (code == DIAG_OK && !store->is_read_only)
		code = schema_migrate(store->db, &schema);
	if (code == DIAG_OK && !db_prepare(store))
		code = schema_code(sqlite3_errcode(store->db));
	if (code == DIAG_OK && !store->is_read_only && !store->is_scratch)
		code = settle(store, reason);
	return code;
}

static enum diag_code
open_database(struct store *store, const char *path, struct buf *why)
{
	int flags = SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_NOMUTEX |
	    SQLITE_OPEN_EXRESCODE |
	    (store->is_read_only ? SQLITE_OPEN_READONLY
				 : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
	struct buf reason = BUF_UP_TO(SIZE_MAX);
	enum diag_code code;

	/* SQLite counts its memory under a mutex, each time it takes or frees
	 * some; nobody asks for the sum.  Later this changes nothing. */
	(void)sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
	code = schema_code(sqlite3_open_v2(store->path, &store->db, flags,
	    store->is_read_only ? read_vfs() : NULL));

	if (code == DIAG_OK)
		code = set_up(store, &reason);
	/* check_path accepted the path, so the disk is to blame if SQLite
	 * cannot open or write the file. */
	if (code == DIAG_STORE_UNUSABLE && !store->is_read_only &&
	    sqlite3_errcode(store->db) != SQLITE_OK)
		code = DIAG_DISK_FULL;
	if (code != DIAG_OK) {
		if (reason.len == 0)
			(void)buf_print(
			    &reason, "%s", sqlite3_errmsg(store->db));
		(void)refuse(why, path, code, buf_str(&reason));
	}
	buf_release(&reason);
	return code;
}

uint64_t
store_free_bytes(const struct store *store)
{
	struct statvfs fs;

	return fstatvfs(store->files->lock_fd >= 0 ? store->files->lock_fd
						   : store->files->store_fd,
		   &fs) == 0
	    ? (uint64_t)fs.f_bavail * fs.f_frsize
	    : UINT64_MAX;
}

/* If somebody removes or replaces a store that is in use, or its lock file,
 * this process writes to a file without a name, and its lock keeps nobody out.
 * So the ids of both files are kept, and compared before each COMMIT. */

/* The id of the file at a path; inode 0 if stat fails, as in tests without a
 * disk. */
static struct file_id
file_of(const char *path)
{
	struct file_id id = {0};
	struct stat st;

	if (stat(path, &st) == 0)
		id = (struct file_id){st.st_dev, st.st_ino};
	return id;
}

static bool
is_same_store(const struct store *store)
{
	const struct store_files *files = store->files;
	struct file_id now = {0};

	if (files->store.inode == 0)
		return true;
	now = file_of(store->path);
	if (now.device != files->store.device ||
	    now.inode != files->store.inode)
		return false;
	if (files->lock_fd < 0)
		return true;
	now = file_of(files->lock_path);
	return now.device == files->lock.device &&
	    now.inode == files->lock.inode;
}

int64_t
store_killed_s(struct store *store, int64_t now_s)
{
	struct sqlite3_stmt *stmt;

	if (store->killed_s != 0)
		return store->killed_s < 0 ? 0 : store->killed_s;
	if (store->was_open) {
		/* A command that owns the store for a moment takes the log with
		 * it, and the owner after it must know as well. */
		store->killed_s = now_s - store->idle_s;
		db_put_id(store, SQL_META_KILLED, store->killed_s);
		return store->killed_s;
	}
	stmt = db_use_ints(store, SQL_META_KILLED_S, 2,
	    (int64_t[]){now_s - KILLED_MOST_S, now_s});
	store->killed_s = db_row(store, stmt) ? db_int(stmt, 0) : -1;
	db_done(stmt);
	return store->killed_s < 0 ? 0 : store->killed_s;
}

static enum diag_code
open_writer(struct store *store, const char *path, struct buf *why)
{
	enum diag_code code;
	struct buf fault = BUF_UP_TO(SIZE_MAX);
	struct stat lock;
	char text[24];
	int fd;

	code = take_lock_file(store, &fault);
	fd = store->files->lock_fd;
	if (code == DIAG_OK && fd >= 0) {
		/* An owner that closes the store takes its name away. */
		store->was_open = fstat(fd, &lock) == 0 && lock.st_size > 0;
		/* Errors do not matter here: people read the process id, and
		 * the next owner sees that somebody had the store, also if
		 * this one is killed in between: the file is never empty. */
		(void)snprintf(text, sizeof(text), "%ld\n", (long)getpid());
		if (pwrite(fd, text, strlen(text), 0) > 0)
			(void)!ftruncate(fd, (off_t)strlen(text));
		store->files->is_signed = true;
	}
	if (code == DIAG_OK &&
	    store_free_bytes(store) < store->min_free_bytes) {
		code = DIAG_DISK_FULL;
		(void)buf_print(&fault,
		    "%" PRIu64
		    " MiB are free on its file system, less than the %" PRIu64
		    " MiB of 'min-free'",
		    store_free_bytes(store) >> 20, store->min_free_bytes >> 20);
	}
	if (code == DIAG_OK)
		code = take_store(store, &fault);
	if (code != DIAG_OK)
		(void)refuse(why, path, code, buf_str(&fault));
	buf_release(&fault);
	if (code != DIAG_OK)
		return code;
	code = open_database(store, path, why);
	if (!store->is_scratch) {
		store->files->store = file_of(store->path);
		if (store->files->lock_fd >= 0)
			store->files->lock = file_of(store->files->lock_path);
	}
	return code;
}

bool
store_pending(const struct store *store)
{
	return store->is_writing ||
	    store->queue->count > store->queue->committed;
}

/* Drop the readings that wait, without a call of `done`. */
static void
store_drop_queue(struct commit_queue *queue)
{
	for (size_t i = 0; i < queue->count; i++)
		reading_free(queue->items[i].reading);
	free(queue->items);
	*queue = (struct commit_queue){0};
}

void
store_close(struct store *store)
{
	if (store == NULL)
		return;
	bool is_whole = store->failed == DIAG_OK && !store_pending(store);
	store_drop_queue(store->queue);
	if (store->is_writing || store->is_reading)
		(void)set(store->db, "ROLLBACK", NULL);
	if (store->watcher.closing != NULL)
		store->watcher.closing(store->watcher.arg);
	db_finalize(store);
	(void)sqlite3_close(store->db);
	/* The locks are released last: closing the database may checkpoint,
	 * and closing a descriptor of its file drops locks of SQLite's. */
	if (store->files->store_fd >= 0)
		(void)close(store->files->store_fd);
	/* The next owner must learn that one was killed, unless a COMMIT tells
	 * it: this one may have failed to open the store.  What was not
	 * committed is as unknown as what a killed one did. */
	if (store->files->is_signed && !store->was_open && is_whole)
		(void)!ftruncate(store->files->lock_fd, 0);
	if (store->files->lock_fd >= 0)
		(void)close(store->files->lock_fd);
	free(store->files->folder);
	free(store->files->lock_path);
	free(store->files);
	free(store->queue);
	link_sets_clear(&store->link_sets);
	free(store->link_sets.items);
	free(store->doubts.items);
	buf_release(&store->page_memory.bytes);
	buf_release(&store->listed_url);
	buf_release(&store->page_says);
	for (size_t i = 0; store->page_memory.kept != NULL && i < KEPT_ROWS;
	     i++)
		buf_release(&store->page_memory.kept[i].bytes);
	free(store->page_memory.kept);
	rules_table_free(store->rules_table);
	url_hashes_free(store->url_hashes);
	if (store->spare_source != NULL)
		one_block_release(store->spare_source);
	free(store->spare_source);
	buf_release(&store->trouble);
	free(store->path);
	free(store);
}

#ifdef FRESHET_TEST_HOOKS
void (*store_test_opened)(struct store *);
#endif

enum diag_code
store_open(
    const struct store_options *options, struct store **out, struct buf *why)
{
	struct store *store = mem_zero(sizeof(*store));

	store->files = mem_zero(sizeof(*store->files));
	store->files->lock_fd = store->files->store_fd = -1;
	store->queue = mem_zero(sizeof(*store->queue));
	store->is_read_only = options->is_read_only;
	store->is_scratch = options->is_scratch;
	store->is_cache = options->is_cache;
	store->min_free_bytes = options->min_free_bytes;
	enum diag_code code = check_path(store, options->path, why);
	if (code == DIAG_OK)
		code = store->is_read_only
		    ? open_database(store, options->path, why)
		    : open_writer(store, options->path, why);
	if (code != DIAG_OK) {
		store_close(store);
		store = NULL;
	}
#ifdef FRESHET_TEST_HOOKS
	if (store != NULL && !store->is_read_only && store_test_opened != NULL)
		store_test_opened(store);
#endif
	*out = store;
	return code;
}

struct store *
store_snapshot(const struct store *of)
{
	struct store_options options = {.path = of->path, .is_read_only = true};
	struct store *store = NULL;
	struct buf why = BUF_UP_TO(SIZE_MAX);

	if (!of->is_scratch)
		(void)store_open(&options, &store, &why);
	buf_release(&why);
	if (store == NULL)
		return NULL;
	/* A walk over a large store finds little in a cache, and two large
	 * caches at once would need twice the memory. */
	(void)sqlite3_db_release_memory(of->db);
	if (set(store->db, "PRAGMA cache_size = -1024", NULL) == SQLITE_OK &&
	    db_snapshot_begin(store))
		return store;
	store_close(store);
	return NULL;
}

enum diag_code
store_failed(const struct store *store)
{
	return store->failed;
}

const char *
store_trouble(struct store *store)
{
	return buf_str(&store->trouble);
}

void
store_damaged(struct store *store, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	db_damaged_args(store, NULL, format, args);
	va_end(args);
}

/* Commits. */

/* DESIGN section 7: commits are grouped. */
#define GROUP_READINGS 256
#define GROUP_BYTES (8u << 20)

bool
store_submit(struct store *store, struct reading *reading, store_done_fn *done,
    void *arg)
{
	struct content *content = &reading->content;
	struct commit_queue *queue = store->queue;
	const struct block_list *const lists[] = {
	    &content->segment, &content->delta};
	bool is_storable = true;

	assert(!store->is_read_only);
	/* No honest reader sends more or larger blocks than can be stored. */
	for (size_t i = 0; i < LENGTH(lists); i++) {
		is_storable = is_storable && lists[i]->count <= BLOCKS_MAX;
		for (size_t k = 0; is_storable && k < lists[i]->count; k++)
			is_storable = lists[i]->items[k].len <= BLOCK_MAX_BYTES;
	}
	if (!is_storable) {
		content->failure = DIAG_READER_KILLED;
		findings_add(&content->findings, DIAG_READER_KILLED, 0,
		    slice_of("more blocks than can be stored"));
	}
	*MEM_PUSH(queue->items, queue->count, queue->cap) = (struct waiting){
	    .reading = reading,
	    .done = done,
	    .arg = arg,
	};
	queue->bytes += block_list_bytes(&content->segment) +
	    block_list_bytes(&content->delta);
	return queue->count - queue->committed >= GROUP_READINGS ||
	    queue->bytes >= GROUP_BYTES;
}

void
store_alerts_ran(struct store *store, int64_t now_s, bool is_well)
{
	if (is_well)
		db_put_id(store, SQL_ALERTS_WELL, now_s);
	else
		(void)db_write(store, db_use(store, SQL_ALERTS_DIED));
}

static void
write_all(struct store *store)
{
	struct commit_queue *queue = store->queue;
	int64_t latest_s = 0; /* of the readings */

	if (!is_same_store(store)) {
		store_damaged(store,
		    "file: it was removed, or another took "
		    "its place");
		return;
	}
	if (store_free_bytes(store) < store->min_free_bytes) {
		db_fail(store, DIAG_DISK_FULL);
		return;
	}
	for (size_t i = queue->committed; i < queue->count; i++) {
		struct waiting *waiting = &queue->items[i];
		struct reading *reading = waiting->reading;
		const struct link_set *links = link_set_of(
		    store, reading->document_id);

		if (!db_begin(store))
			return;
		if (reading->at_s > latest_s)
			latest_s = reading->at_s;
		waiting->reading_id = apply_reading(
		    store, reading, links, false);
		if (waiting->reading_id != 0)
			continue;
		reach_settle(store, reading->at_s, SETTLE_NEEDED);
		waiting->reading_id = apply_reading(
		    store, reading, links, true);
	}
	if (!db_begin(store))
		return;
	/* Without a reading the time is not known, and settling can wait. */
	if (queue->count > queue->committed) {
		/* The first reading of all begins what the store knows. */
		db_put_id(store, SQL_META_STARTED,
		    queue->items[queue->committed].reading->at_s);
		reach_settle(store, latest_s, SETTLE_SOON);
	}
	db_run(store, db_use(store, SQL_COMMIT));
}

/* Drop all that waited; returns why. */
static enum diag_code
store_flush_failed(struct store *store)
{
	/* Roll the transaction back; SQLite may have done so already. */
	sqlite3_stmt *stmt = db_use(store, SQL_ROLLBACK);

	if (!sqlite3_get_autocommit(store->db))
		(void)sqlite3_step(stmt);
	sqlite3_reset(stmt);
	store->is_writing = store->is_reading = false;
	store_drop_queue(store->queue);
	link_sets_clear(&store->link_sets);
	/* What was doubted is rolled back, too. */
	store->doubts.count = 0;
	return store->failed;
}

enum diag_code
store_flush(struct store *store)
{
	struct commit_queue *queue = store->queue;

	if (!store_pending(store))
		return store->failed;
	if (store->failed == DIAG_OK)
		write_all(store);
	if (store->failed != DIAG_OK)
		return store_flush_failed(store);
	store->is_writing = false;
	store->commits++;
	/* From now on meta.killed_s says so. */
	if (store->killed_s > 0)
		store->was_open = false;
	if (store->watcher.after != NULL)
		store->watcher.after(store->watcher.arg);
	/* The watcher keeps what is committed elsewhere, and could not. */
	if (store->failed != DIAG_OK)
		return store_flush_failed(store);
	for (; queue->committed < queue->count; queue->committed++) {
		struct waiting *waiting = &queue->items[queue->committed];
		/* The waiting links of the document are stored now. */
		struct link_set *links = link_set_of(
		    store, waiting->reading->document_id);

		free(links->items);
		*links = store->link_sets.items[--store->link_sets.count];
		waiting->commit = store->commits;
	}
	queue->bytes = 0;
	if (store->keeper.settle == NULL)
		store_acked(store, store->commits);
	return store->failed;
}

void
store_acked(struct store *store, uint64_t commit)
{
	struct commit_queue *queue = store->queue;
	struct waiting *told;
	size_t count = 0;

	store->durable = commit;
	while (count < queue->committed && queue->items[count].commit <= commit)
		count++;
	if (count == 0)
		return;
	/* `done` may submit and commit again, so what is told of leaves the
	 * queue first. */
	told = mem_alloc(count * sizeof(*told));
	memcpy(told, queue->items, count * sizeof(*told));
	queue->count -= count;
	queue->committed -= count;
	memmove(queue->items, queue->items + count,
	    queue->count * sizeof(*queue->items));
	bool is_begun = store_read_begin(store);
	for (size_t i = 0; i < count; i++) {
		told[i].done(told[i].arg, told[i].reading, told[i].reading_id);
		reading_free(told[i].reading);
	}
	if (is_begun)
		store_read_end(store);
	free(told);
}

uint64_t
store_commits(const struct store *store)
{
	return store->commits;
}

bool
store_is_durable(const struct store *store, uint64_t commit)
{
	return commit <= store->durable;
}

bool
store_lacks_room(const struct store *store)
{
	return store_free_bytes(store) <
	    store->min_free_bytes + store->min_free_bytes / 16;
}

bool
store_is_full(const struct store *store)
{
	return store->failed == DIAG_OK && store->keeper.is_full != NULL &&
	    store->keeper.is_full(store->keeper.arg);
}

enum diag_code
store_await(struct store *store)
{
	if (store->failed == DIAG_OK && store->durable < store->commits)
		store->keeper.settle(store->keeper.arg);
	return store->failed;
}

bool
store_rest(struct store *store)
{
	assert(!store_pending(store));
	/* F17: one process writes and checkpoints. */
	if (store->is_read_only || store->failed != DIAG_OK)
		return false;
	/* A scratch store has no write-ahead log. */
	return store_log_bytes(store) == 0 || cut_log(store) == SQLITE_OK;
}

uint64_t
store_log_bytes(const struct store *store)
{
	return store->is_scratch ? 0 : db_file_bytes(store, "-wal");
}

void
store_libraries(struct library libraries[STORE_LIBRARIES])
{
	libraries[0] = library_make(
	    "SQLite", SQLITE_VERSION, sqlite3_libversion());
	libraries[1] = library_make(
	    "zstd", ZSTD_VERSION_STRING, ZSTD_versionString());
}
