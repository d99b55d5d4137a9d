/* Opening the store: what the path is, the lock, the settings, the schema. */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/vis.h"
#include "store/commit.h"
#include "store/db.h"
#include "store/place.h"
#include "store/read_vfs.h"
#include "store/rest.h"
#include "store/schema.h"

#define ROW_MAX_BYTES (16 << 20) /* a block is about 100 KiB */
#define SQL_MAX_BYTES (64 << 10)

static enum diag_code
refuse(
    struct buf *why, const char *path, enum diag_code code, const char *reason)
{
	(void)buf_print(why, "cannot open '");
	vis_put(why, slice_of(path), SIZE_MAX);
	(void)buf_print(why, "': %s", reason);
	return code;
}

/* What is wrong with the file, NULL: nothing. */
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
	/* Asked by name: closing a descriptor of the file would drop the
	 * locks that SQLite may hold on it elsewhere in this process. */
	if (faccessat(AT_FDCWD, path, is_read_only ? R_OK : R_OK | W_OK,
		AT_EACCESS) != 0)
		return is_read_only ? "it may not be read"
				    : "it may not be written";
	return NULL;
}

static const char *
folder_fault(const char *folder, bool is_read_only)
{
	struct stat st;

	if (stat(folder, &st) != 0)
		return errno == ENOENT ? "its folder does not exist"
				       : "its folder cannot be reached";
	if (!S_ISDIR(st.st_mode))
		return "its folder is not a directory";
	if (place_is_network(folder))
		return "it is on a network file system";
	if (!is_read_only &&
	    faccessat(AT_FDCWD, folder, W_OK | X_OK, AT_EACCESS) != 0)
		return "its folder may not be written";
	return NULL;
}

/*
 * The path with links in its folder resolved: SQLite refuses links anywhere
 * in a name, but only the store itself must not be one.
 */
static char *
resolve(const char *path, const char **folder_is)
{
	const char *slash = strrchr(path, '/');
	char *folder = slash == NULL ? mem_copy(".")
	    : slash == path
	    ? mem_copy("/")
	    : slice_dup(slice_make(path, (size_t)(slash - path)));
	char *real = realpath(folder, NULL);
	struct buf out;

	buf_init(&out, SIZE_MAX);
	if (real == NULL)
		*folder_is = folder_fault(folder, true);
	if (real == NULL && *folder_is == NULL)
		*folder_is = "its folder cannot be reached";
	if (real != NULL)
		(void)buf_print(&out, "%s/%s",
		    strcmp(real, "/") == 0 ? "" : real,
		    slash == NULL ? path : slash + 1);
	free(folder);
	free(real);
	return buf_take(&out);
}

static enum diag_code
check_path(struct store *store, const char *path, struct buf *why)
{
	const char *fault = NULL;

	store->path = resolve(path, &fault);
	if (fault == NULL)
		fault = file_fault(store->path, store->is_read_only);
	if (fault == NULL) {
		char *slash = strrchr(store->path, '/');

		assert(slash != NULL);
		*slash = '\0';
		fault = folder_fault(slash == store->path ? "/" : store->path,
		    store->is_read_only);
		*slash = '/';
	}
	if (fault != NULL)
		return refuse(why, path, DIAG_STORE_UNUSABLE, fault);
	return DIAG_OK;
}

/* The holder writes its process id into the file, for people only. */
static void
read_holder(int fd, struct buf *reason)
{
	char text[24];
	ssize_t n = pread(fd, text, sizeof(text), 0);
	ssize_t digits = 0;

	while (digits < n && text[digits] >= '0' && text[digits] <= '9')
		digits++;
	(void)buf_print(reason, "another process holds it");
	if (digits > 0)
		(void)buf_print(reason, " (%.*s)", (int)digits, text);
}

/* Is it the disk that said no, and not the path? */
static bool
is_disk_error(int error)
{
	return error == ENOSPC || error == EDQUOT || error == EIO;
}

static enum diag_code
take_lock(struct store *store, const char *path, struct buf *why)
{
	struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	struct buf text;

	buf_init(&text, SIZE_MAX);
	(void)buf_print(&text, "%s.lock", store->path);
	store->lock_fd = open(buf_str(&text),
	    O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
	buf_clear(&text);
	/* Who may read it could lock all writers out; older versions let
	 * everybody.  That of somebody else stays as it is. */
	if (store->lock_fd >= 0)
		(void)fchmod(store->lock_fd, 0600);
	enum diag_code code = DIAG_OK;
	if (store->lock_fd < 0) {
		code = is_disk_error(errno) ? DIAG_DISK_FULL
					    : DIAG_STORE_UNUSABLE;
		(void)buf_print(&text, "its lock file cannot be opened");
	} else if (fcntl(store->lock_fd, F_OFD_SETLK, &whole) != 0) {
		code = errno == EAGAIN || errno == EACCES ? DIAG_STORE_LOCKED
							  : DIAG_STORE_UNUSABLE;
		if (code == DIAG_STORE_LOCKED)
			read_holder(store->lock_fd, &text);
		else
			(void)buf_print(&text, "it cannot be locked");
	}
	if (code != DIAG_OK)
		(void)refuse(why, path, code, buf_str(&text));
	buf_release(&text);
	return code;
}

/* Best effort: nobody but people reads it. */
static void
sign_lock(const struct store *store)
{
	struct buf text;

	buf_init(&text, SIZE_MAX);
	(void)buf_print(&text, "%ld\n", (long)getpid());
	if (ftruncate(store->lock_fd, 0) == 0)
		(void)!pwrite(store->lock_fd, text.p, text.len, 0);
	buf_release(&text);
}

/* One statement without parameters; its first answer, if it has one, must be
 * `answer`, where one is given. */
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
	/* What the statement changes is committed when it ends: after its
	 * answer, and that may fail. */
	if (code == SQLITE_OK)
		code = sqlite3_finalize(stmt);
	return code == SQLITE_OK && !is_answered ? SQLITE_CANTOPEN : code;
}

/* What is in the file has no say in these. */
static void
harden(struct sqlite3 *db)
{
	static const struct {
		int option;
		int value;
	} options[] = {
	    {SQLITE_DBCONFIG_DEFENSIVE, 1},
	    {SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0},
	    {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0}, {SQLITE_DBCONFIG_DQS_DML, 0},
	    {SQLITE_DBCONFIG_DQS_DDL, 0}, {SQLITE_DBCONFIG_ENABLE_VIEW, 0},
	    {SQLITE_DBCONFIG_ENABLE_TRIGGER, 1}, /* foreign keys */
	};

	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		(void)sqlite3_db_config(
		    db, options[i].option, options[i].value, NULL);
	(void)sqlite3_busy_timeout(db, DB_BUSY_MS);
	(void)sqlite3_limit(db, SQLITE_LIMIT_LENGTH, ROW_MAX_BYTES);
	(void)sqlite3_limit(db, SQLITE_LIMIT_SQL_LENGTH, SQL_MAX_BYTES);
	(void)sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, 0);
}

/* Whose settings: bits. */
enum role { READER = 1, WRITER = 2, SCRATCH = 4, ALL = 7 };

static enum role
role_of(const struct store *store)
{
	if (store->is_read_only)
		return READER;
	return store->is_scratch ? SCRATCH : WRITER;
}

/* HOSTILE section 5, once it is known that the file is ours. */
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
	    {"PRAGMA synchronous = OFF", NULL, SCRATCH},
	    {"PRAGMA secure_delete = OFF", NULL, WRITER | SCRATCH},
	    {"PRAGMA wal_autocheckpoint = 16384", NULL, WRITER},
	    {"PRAGMA journal_size_limit = 67108864", NULL, WRITER},
	    {"PRAGMA foreign_keys = ON", NULL, ALL},
	    {"PRAGMA trusted_schema = OFF", NULL, ALL},
	    {"PRAGMA cell_size_check = ON", NULL, ALL},
	    {"PRAGMA mmap_size = 0", NULL, ALL},
	    {"PRAGMA temp_store = MEMORY", NULL, ALL},
	    {"PRAGMA cache_size = -8192", NULL, ALL},
	};
	unsigned own = role_of(store);
	int code = SQLITE_OK;

	for (size_t i = 0; i < sizeof(pragmas) / sizeof(pragmas[0]); i++) {
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

/*
 * Frames that a predecessor wrote and failed to sync look like committed
 * ones, and syncing the same pages once more would tell nothing about them
 * (HOSTILE S2): all that is in the log is written anew, into the database,
 * before anything is built upon it.  Where a reader is in the way the log
 * stays.  The folder is synced because SQLite does not mind whether that
 * succeeds when it has made the log.
 */
static enum diag_code
settle(const struct store *store)
{
	char *slash = strrchr(store->path, '/');
	int fd;

	int code = rest_cut(store);
	if (code != SQLITE_OK && (code & 0xff) != SQLITE_BUSY)
		return schema_code(code);
	*slash = '\0';
	fd = open(slash == store->path ? "/" : store->path,
	    O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	*slash = '/';
	enum diag_code synced = fd < 0 || fsync(fd) != 0
	    ? is_disk_error(errno) ? DIAG_DISK_FULL : DIAG_OK
	    : DIAG_OK;
	if (fd >= 0)
		(void)close(fd);
	return synced;
}

/* From an open file to a store that can be used. */
static enum diag_code
set_up(struct store *store, struct buf *reason)
{
	enum diag_code code;

	harden(store->db);
	code = schema_check(
	    store->db, &schema_current, store->is_read_only, reason);
	if (code != DIAG_OK)
		return code;
	store->schema_before = schema_version(store->db);
	code = schema_code(configure(store));
	if (code == DIAG_OK && !store->is_read_only)
		code = schema_migrate(store->db, &schema_current);
	if (code == DIAG_OK && !db_prepare(store))
		code = schema_code(sqlite3_errcode(store->db));
	if (code == DIAG_OK && !store->is_read_only && !store->is_scratch)
		code = settle(store);
	return code;
}

static enum diag_code
open_database(struct store *store, const char *path, struct buf *why)
{
	int flags = SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_NOMUTEX |
	    SQLITE_OPEN_EXRESCODE |
	    (store->is_read_only ? SQLITE_OPEN_READONLY
				 : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
	struct buf reason;
	enum diag_code code = schema_code(sqlite3_open_v2(store->path,
	    &store->db, flags, store->is_read_only ? read_vfs() : NULL));

	buf_init(&reason, SIZE_MAX);
	if (code == DIAG_OK)
		code = set_up(store, &reason);
	/* The path itself was found good: what SQLite cannot open or write is
	 * the disk's fault. */
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

static enum diag_code
refuse_room(struct store *store, const char *path, struct buf *why)
{
	struct buf text;
	enum diag_code code;

	buf_init(&text, 256);
	(void)buf_print(&text,
	    "%" PRIu64
	    " MiB are free on its file system, less than the %" PRIu64
	    " MiB of 'min-free'",
	    commit_room_bytes(store) >> 20, store->min_free_bytes >> 20);
	code = refuse(why, path, DIAG_DISK_FULL, buf_str(&text));
	buf_release(&text);
	return code;
}

static enum diag_code
open_writer(struct store *store, const char *path, struct buf *why)
{
	enum diag_code code = take_lock(store, path, why);

	if (code != DIAG_OK)
		return code;
	sign_lock(store);
	if (!commit_has_room(store))
		return refuse_room(store, path, why);
	code = open_database(store, path, why);
	home_note(store);
	return code;
}

enum diag_code
store_open(
    const struct store_options *options, struct store **out, struct buf *why)
{
	struct store *store = mem_zero(sizeof(*store));

	buf_init(&store->page_bytes, SIZE_MAX);
	buf_init(&store->trouble, SIZE_MAX);
	store->lock_fd = -1;
	store->is_read_only = options->is_read_only;
	store->is_scratch = options->is_scratch;
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
	*out = store;
	return code;
}

struct store *
store_snapshot(const struct store *of)
{
	struct store_options options = {.path = of->path, .is_read_only = true};
	struct store *store = NULL;
	struct buf why;

	buf_init(&why, SIZE_MAX);
	if (!of->is_scratch)
		(void)store_open(&options, &store, &why);
	buf_release(&why);
	if (store == NULL)
		return NULL;
	/* The first read makes it one. */
	if (set(store->db, "BEGIN", NULL) == SQLITE_OK &&
	    set(store->db, "SELECT count(*) FROM meta", NULL) == SQLITE_OK)
		return store;
	store_close(store);
	return NULL;
}

void
store_close(struct store *store)
{
	if (store == NULL)
		return;
	commit_drop(store);
	if (store->is_writing)
		(void)set(store->db, "ROLLBACK", NULL);
	db_finalize(store);
	(void)sqlite3_close(store->db);
	/* The lock goes last: closing the database may checkpoint. */
	if (store->lock_fd >= 0)
		(void)close(store->lock_fd);
	buf_release(&store->page_bytes);
	buf_release(&store->trouble);
	free(store->path);
	free(store);
}
