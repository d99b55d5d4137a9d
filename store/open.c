/* Opening the store: its lock, its settings, its schema (HOSTILE 5). */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/vis.h"
#include "store/internal.h"
#include "store/schema.h"

#define BUSY_MS 5000
#define PATH_SHOWN 1000

/* say(why, path, text): the one line for people. */
static void
say(struct buf *why, const char *path, const char *text)
{
	(void)buf_print(why, "cannot open '");
	vis_put(why, slice_of(path), PATH_SHOWN);
	(void)buf_print(why, "': %s", text);
}

/* File systems whose locks or shared memory cannot be relied on. */
static bool
is_network(const char *dir)
{
	static const long kinds[] = {
	    0x6969, 0x517b, 0xff534d42, 0xfe534d42, 0x01021997, 0x5346414f};
	struct statfs fs;

	if (statfs(dir, &fs) != 0)
		return false;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if ((long)fs.f_type == kinds[i])
			return true;
	return false;
}

static char *
folder_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (slash == NULL)
		return mem_copy(".");
	if (slash == path)
		return mem_copy("/");
	return slice_dup(slice_make(path, (size_t)(slash - path)));
}

/* judge_folder(dir, is_read_only): what is wrong with it, NULL: nothing. */
static const char *
judge_folder(const char *dir, bool is_read_only)
{
	struct stat st;

	if (stat(dir, &st) != 0)
		return errno == ENOENT ? "its folder does not exist"
				       : "its folder cannot be reached";
	if (!S_ISDIR(st.st_mode))
		return "its folder is no folder";
	if (is_network(dir))
		return "it is on a network file system";
	if (!is_read_only && access(dir, W_OK) != 0)
		return "its folder cannot be written";
	return NULL;
}

/* judge_file(path, options): the same for the file itself. */
static const char *
judge_file(const struct store_options *options)
{
	struct stat st;

	if (lstat(options->path, &st) != 0) {
		if (errno != ENOENT)
			return "it cannot be reached";
		return options->is_read_only
		    ? "there is no store; freshet crawl makes one"
		    : NULL;
	}
	if (S_ISDIR(st.st_mode))
		return "is a directory";
	if (S_ISLNK(st.st_mode))
		return "is a symbolic link";
	if (!S_ISREG(st.st_mode))
		return "is no regular file";
	if (access(options->path, options->is_read_only ? R_OK : R_OK | W_OK) !=
	    0)
		return options->is_read_only ? "may not be read"
					     : "may not be written";
	if (options->is_read_only && st.st_size == 0)
		return "there is no store; freshet crawl makes one";
	return NULL;
}

/* has_magic(path): empty, missing, or a database at all? */
static bool
has_magic(const char *path)
{
	static const char magic[] = "SQLite format 3";
	char head[sizeof(magic)];
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	ssize_t n;

	if (fd < 0)
		return true;
	n = read(fd, head, sizeof(head));
	(void)close(fd);
	return n == 0 ||
	    (n == sizeof(head) && memcmp(head, magic, sizeof(magic)) == 0);
}

/* take_lock(path): a descriptor that holds the writer's lock for life; -1
 * with errno EAGAIN when another process has it. */
static int
take_lock(const char *path)
{
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	struct buf name;
	int fd;

	buf_init(&name, SIZE_MAX);
	(void)buf_print(&name, "%s.lock", path);
	fd = open(
	    buf_str(&name), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
	buf_release(&name);
	if (fd < 0)
		return -1;
	if (fcntl(fd, F_OFD_SETLK, &lock) != 0) {
		int saved = errno;

		(void)close(fd);
		errno = saved == EACCES ? EAGAIN : saved;
		return -1;
	}
	return fd;
}

static void
configure(sqlite3 *db)
{
	(void)sqlite3_busy_timeout(db, BUSY_MS);
	(void)sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	(void)sqlite3_db_config(
	    db, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, NULL);
	(void)sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	(void)sqlite3_db_config(db, SQLITE_DBCONFIG_DQS_DML, 0, NULL);
	(void)sqlite3_db_config(db, SQLITE_DBCONFIG_DQS_DDL, 0, NULL);
	(void)sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
	(void)sqlite3_limit(db, SQLITE_LIMIT_LENGTH, 16 << 20);
	(void)sqlite3_limit(db, SQLITE_LIMIT_SQL_LENGTH, 64 << 10);
	(void)sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, 0);
}

/* is_wal(db): journal_mode must answer so, or commits are not what we think.
 */
static bool
is_wal(sqlite3 *db)
{
	sqlite3_stmt *statement = NULL;
	bool is_so = false;

	if (sqlite3_prepare_v2(db, "PRAGMA journal_mode=WAL", -1, &statement,
		NULL) == SQLITE_OK &&
	    sqlite3_step(statement) == SQLITE_ROW)
		is_so = slice_is(store_column_slice(statement, 0), "wal");
	(void)sqlite3_finalize(statement);
	return is_so;
}

static int
set_pragmas(sqlite3 *db, bool is_read_only)
{
	static const char common[] =
	    "PRAGMA foreign_keys=ON; PRAGMA trusted_schema=OFF;"
	    "PRAGMA cell_size_check=ON; PRAGMA mmap_size=0;"
	    "PRAGMA temp_store=MEMORY; PRAGMA cache_size=-8192";
	static const char writer[] =
	    "PRAGMA synchronous=FULL; PRAGMA secure_delete=OFF;"
	    "PRAGMA wal_autocheckpoint=16384;"
	    "PRAGMA journal_size_limit=67108864";
	int result = sqlite3_exec(db, common, NULL, NULL, NULL);

	if (result != SQLITE_OK)
		return result;
	if (is_read_only) {
		(void)sqlite3_db_config(
		    db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
		return sqlite3_exec(
		    db, "PRAGMA query_only=ON", NULL, NULL, NULL);
	}
	if (!is_wal(db))
		return SQLITE_CANTOPEN;
	return sqlite3_exec(db, writer, NULL, NULL, NULL);
}

/* is_empty(db): a database without any table of anybody. */
static bool
is_empty(sqlite3 *db)
{
	sqlite3_stmt *statement = NULL;
	bool is_so = false;

	if (sqlite3_prepare_v2(db, "SELECT count(*) FROM sqlite_schema", -1,
		&statement, NULL) == SQLITE_OK &&
	    sqlite3_step(statement) == SQLITE_ROW)
		is_so = sqlite3_column_int(statement, 0) == 0;
	(void)sqlite3_finalize(statement);
	return is_so;
}

/* check_schema(store, why): ours, and of a version that we know. */
static enum diag_code
check_schema(struct store *store, struct buf *why)
{
	struct migrations migrations = schema_migrations();
	int id = 0;
	int version = 0;
	int result;

	if (schema_number(store->db, "application_id", &id) != SQLITE_OK ||
	    schema_number(store->db, "user_version", &version) != SQLITE_OK) {
		say(why, store->path, "it is damaged");
		return DIAG_STORE_DAMAGED;
	}
	if (id != STORE_APPLICATION_ID &&
	    !(id == 0 && version == 0 && is_empty(store->db))) {
		say(why, store->path, "it is no freshet store");
		return DIAG_STORE_DAMAGED;
	}
	if (version > migrations.count) {
		say(why, store->path, "it was made by a newer freshet");
		return DIAG_STORE_DAMAGED;
	}
	if (store->is_read_only) {
		if (version == migrations.count)
			return DIAG_OK;
		say(why, store->path,
		    "it has an older schema; freshet crawl brings it up");
		return DIAG_STORE_DAMAGED;
	}
	result = schema_migrate(store->db, &migrations);
	if (result == SQLITE_OK)
		return DIAG_OK;
	store_fail(store, result);
	say(why, store->path, sqlite3_errstr(result));
	return store->failed;
}

static enum diag_code
open_database(struct store *store, struct buf *why)
{
	int flags = SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_NOMUTEX |
	    SQLITE_OPEN_EXRESCODE |
	    (store->is_read_only ? SQLITE_OPEN_READONLY
				 : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
	char *real = realpath(store->path, NULL);
	int result;

	/* SQLite's NOFOLLOW refuses a link anywhere in the path; only the
	 * last part of it was ours to judge. */
	if (real == NULL) {
		char *dir = folder_of(store->path);
		char *real_dir = realpath(dir, NULL);
		const char *slash = strrchr(store->path, '/');
		struct buf name;

		buf_init(&name, SIZE_MAX);
		(void)buf_print(&name, "%s/%s",
		    real_dir == NULL ? dir : real_dir,
		    slash == NULL ? store->path : slash + 1);
		real = buf_take(&name);
		free(real_dir);
		free(dir);
	}
	result = sqlite3_open_v2(real, &store->db, flags, NULL);
	free(real);
	if (result == SQLITE_OK) {
		configure(store->db);
		result = set_pragmas(store->db, store->is_read_only);
	}
	if (result == SQLITE_OK)
		return check_schema(store, why);
	store_fail(store, result);
	if ((result & 0xff) == SQLITE_CANTOPEN ||
	    (result & 0xff) == SQLITE_READONLY)
		store->failed = DIAG_STORE_UNUSABLE;
	say(why, store->path, sqlite3_errstr(result));
	return store->failed;
}

/* judge(options, why): what can be known before anything is opened. */
static enum diag_code
judge(const struct store_options *options, struct buf *why)
{
	char *dir = folder_of(options->path);
	const char *wrong = judge_folder(dir, options->is_read_only);

	free(dir);
	if (wrong == NULL)
		wrong = judge_file(options);
	if (wrong != NULL) {
		say(why, options->path, wrong);
		return DIAG_STORE_UNUSABLE;
	}
	if (has_magic(options->path))
		return DIAG_OK;
	say(why, options->path, "it is no freshet store");
	return DIAG_STORE_DAMAGED;
}

enum diag_code
store_open(
    const struct store_options *options, struct store **out, struct buf *why)
{
	struct store *store;
	enum diag_code code = judge(options, why);

	*out = NULL;
	if (code != DIAG_OK)
		return code;
	store = mem_zero(sizeof(*store));
	store->path = mem_copy(options->path);
	store->is_read_only = options->is_read_only;
	store->min_free_bytes = options->min_free_bytes;
	store->lock_fd = -1;
	if (!store->is_read_only) {
		store->lock_fd = take_lock(store->path);
		code = DIAG_OK;
		if (store->lock_fd < 0 && errno == EAGAIN)
			code = DIAG_STORE_LOCKED;
		else if (store->lock_fd < 0)
			code = DIAG_STORE_UNUSABLE;
		if (code != DIAG_OK) {
			say(why, store->path,
			    code == DIAG_STORE_LOCKED
				? "another process holds it"
				: "its lock file cannot be made");
			goto fail;
		}
	}
	code = open_database(store, why);
	if (code != DIAG_OK)
		goto fail;
	*out = store;
	return DIAG_OK;

fail:
	store_close(store);
	return code;
}

static void
drop_pending(struct store *store)
{
	for (size_t i = 0; i < store->pending_count; i++)
		reading_free(store->pending[i].reading);
	free(store->pending);
}

void
store_close(struct store *store)
{
	if (store == NULL)
		return;
	drop_pending(store);
	for (int i = 0; i < STATEMENT_COUNT; i++)
		(void)sqlite3_finalize(store->statements[i]);
	if (store->is_writing)
		(void)sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
	(void)sqlite3_close(store->db);
	if (store->lock_fd >= 0)
		(void)close(store->lock_fd);
	free(store->path);
	free(store);
}
