/* Opening a store: which files are refused, and who else may use a store.
 * Commits: they are grouped, and complete, whatever happens to disk and
 * process. */
#include "tests/fixtures/fixture.h"

#include <fcntl.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "store/db.h"
#include "store/hold.h"
#include "store/link.h"
#include "store/query.h"
#include "store/store.h"
#include "tests/fixtures/sanitized.h"
#include "tests/fixtures/store_fixture.h"

#define NOBODY 65534

static int64_t
log_bytes(const struct world *world)
{
	return (int64_t)db_file_bytes(world->store, "-wal");
}

/* What store_open answers for a path; its line for people is in world->out. */
static enum diag_code
answer(struct world *world, const char *path, bool is_read_only)
{
	const struct store_options options = {
	    .path = path,
	    .is_read_only = is_read_only,
	};
	struct buf *why = &world->out;
	struct store *store;

	buf_clear(why);
	enum diag_code code = store_open(&options, &store, why);
	assert_int_equal(code == DIAG_OK, store != NULL);
	assert_int_equal(code == DIAG_OK, why->len == 0);
	assert_null(memchr(buf_str(why), '\n', why->len));
	store_close(store);
	return code;
}

/* S8: what may be at the path. */
static const struct path_row {
	const char *rule;
	enum {
		DIRECTORY,
		FIFO,
		FILE_OF, /* this text */
		LINK_TO, /* this path */
		LINK_TO_STORE,
		LOCK_LINK, /* the path of its lock is a link */
		DATABASE, /* made with this SQL */
		STORE, /* changed with this SQL */
		NOTHING
	} what;
	const char *text;
	enum diag_code write;
	enum diag_code read;
	/* a part of the message, if the store is opened for writing */
	const char *why;
} paths[] = {
    {"S8", DIRECTORY, "", DIAG_STORE_UNUSABLE, DIAG_STORE_UNUSABLE,
	": is a directory"},
    {"S8", LINK_TO_STORE, "", DIAG_STORE_UNUSABLE, DIAG_STORE_UNUSABLE,
	": is a symbolic link"},
    {"S8", LINK_TO, "/nonexistent/x", DIAG_STORE_UNUSABLE, DIAG_STORE_UNUSABLE,
	": is a symbolic link"},
    {"S8", FIFO, "", DIAG_STORE_UNUSABLE, DIAG_STORE_UNUSABLE,
	": is not a regular file"},
    {"S8", FILE_OF, "http://www.example.test/\nhttp://h.test/a\n",
	DIAG_STORE_DAMAGED, DIAG_STORE_DAMAGED, "not a database"},
    {"S8", FILE_OF, "SQLite format 3", DIAG_STORE_DAMAGED, DIAG_STORE_DAMAGED,
	"not a database"},
    {"S8", DATABASE, "CREATE TABLE mine (a)", DIAG_STORE_DAMAGED,
	DIAG_STORE_DAMAGED, "something else"},
    {"S8", DATABASE, "PRAGMA application_id = 7; PRAGMA user_version = 1",
	DIAG_STORE_DAMAGED, DIAG_STORE_DAMAGED, "something else"},
    {"S8", STORE, "PRAGMA user_version = 1000", DIAG_STORE_DAMAGED,
	DIAG_STORE_DAMAGED, "newer than"},
    {"S8", LOCK_LINK, "", DIAG_STORE_UNUSABLE, DIAG_STORE_UNUSABLE,
	"lock file"},
    /* an empty file is a new store */
    {"CLI 3", FILE_OF, "", DIAG_OK, DIAG_STORE_UNUSABLE, ""},
    {"CLI 3", NOTHING, "", DIAG_OK, DIAG_STORE_UNUSABLE, ""},
};

static void
path_make(const struct path_row *row, const char *path)
{
	char beside[200];
	FILE *file;

	(void)snprintf(beside, sizeof(beside), "%s.%s", path,
	    row->what == LOCK_LINK ? "lock" : "target");
	switch (row->what) {
	case DIRECTORY:
		assert_int_equal(mkdir(path, 0755), 0);
		break;
	case FIFO:
		assert_int_equal(mkfifo(path, 0644), 0);
		break;
	case FILE_OF:
		file = fopen(path, "w");
		assert_non_null(file);
		assert_true(fputs(row->text, file) >= 0);
		assert_int_equal(fclose(file), 0);
		break;
	case LINK_TO:
		assert_int_equal(symlink(row->text, path), 0);
		break;
	case LINK_TO_STORE:
		store_close(open_at(beside, false));
		assert_int_equal(symlink(beside, path), 0);
		break;
	case LOCK_LINK:
		assert_int_equal(symlink("/tmp/elsewhere", beside), 0);
		break;
	case STORE:
		store_close(open_at(path, false));
		sql_run(path, row->text);
		break;
	case DATABASE:
		sql_run(path, row->text);
		break;
	case NOTHING:
		break;
	}
}

static void
test_paths(void **state)
{
	struct world *world = *state;
	const char *why;
	char path[100];

	for (size_t i = 0; i < COUNT(paths); i++) {
		(void)snprintf(
		    path, sizeof(path), "%s/%zu.db", world->folder, i);
		path_make(&paths[i], path);
		/* a read-only open comes first: it must not make a store */
		enum diag_code read = answer(world, path, true);
		enum diag_code write = answer(world, path, false);
		why = buf_str(&world->out);
		if (read != paths[i].read || write != paths[i].write ||
		    strstr(why, paths[i].why) == NULL ||
		    (why[0] != '\0' && strncmp(why, "cannot open '/tmp/", 18)))
			fail_msg("row %zu: %s, %s: %s", i, diag_name(read),
			    diag_name(write), why);
	}
}

/* A store that lacks a table, whichever, is refused when it is opened. */
static void
test_lacks_table(void **state)
{
	struct world *world = *state;
	const char *tables = "FROM sqlite_schema WHERE type = 'table'"
			     " AND name NOT LIKE 'sqlite_%' ORDER BY name";
	char path[100], sql[200];
	struct buf drop;
	int64_t count;

	buf_init(&drop, SIZE_MAX);
	(void)snprintf(sql, sizeof(sql), "SELECT count(*) %s", tables);
	count = sql_number(world->path, sql);
	assert_true(count > 20);
	for (int64_t i = 0; i < count; i++) {
		(void)snprintf(sql, sizeof(sql),
		    "SELECT 'DROP TABLE ' || name %s LIMIT 1 OFFSET %d", tables,
		    (int)i);
		buf_clear(&drop);
		sql_rows(world->store->db, sql, &drop);
		(void)snprintf(
		    path, sizeof(path), "%s/%d.db", world->folder, (int)i);
		store_close(open_at(path, false));
		sql_run(path, buf_str(&drop));
		for (int k = 0; k < 2; k++)
			if (answer(world, path, k == 0) != DIAG_STORE_DAMAGED ||
			    strstr(buf_str(&world->out), "no such table") ==
				NULL)
				fail_msg("%s: %s", buf_str(&drop),
				    buf_str(&world->out));
	}
	buf_release(&drop);
}

/* The database of another program is not changed. */
static void
test_foreign_untouched(void **state)
{
	struct world *world = *state;
	char path[100];
	struct stat before;
	struct stat after;

	(void)snprintf(path, sizeof(path), "%s/y.db", world->folder);
	sql_run(path, "CREATE TABLE mine (a)");
	assert_int_equal(stat(path, &before), 0);
	assert_int_equal(answer(world, path, false), DIAG_STORE_DAMAGED);
	assert_int_equal(stat(path, &after), 0);
	assert_int_equal(before.st_mtim.tv_nsec, after.st_mtim.tv_nsec);
	assert_int_equal(before.st_size, after.st_size);
}

static void
test_folders(void **state)
{
	struct world *world = *state;
	char path[200];

	(void)snprintf(path, sizeof(path), "%s/none/x.db", world->folder);
	assert_int_equal(answer(world, path, false), DIAG_STORE_UNUSABLE);
	assert_non_null(strstr(buf_str(&world->out), "folder does not exist"));
	(void)snprintf(path, sizeof(path), "%s/x.db/y.db", world->folder);
	assert_int_equal(answer(world, path, false), DIAG_STORE_UNUSABLE);
	assert_int_equal(answer(world, "", false), DIAG_STORE_UNUSABLE);
	assert_int_equal(
	    answer(world, "/proc/x.db", false), DIAG_STORE_UNUSABLE);

	/* a folder may be reached through a link */
	char link_to[100];
	(void)snprintf(link_to, sizeof(link_to), "%s/link", world->folder);
	assert_int_equal(symlink(world->folder, link_to), 0);
	(void)snprintf(path, sizeof(path), "%s/link/y.db", world->folder);
	assert_int_equal(answer(world, path, false), DIAG_OK);
}

/* Permissions mean nothing to root, so another user opens the store. */
static void
test_permissions(void **state)
{
	struct world *world = *state;
	char path[200];

	world_shut(world);
	assert_int_equal(chmod(world->folder, 0755), 0);
	(void)snprintf(path, sizeof(path), "%s/y.db", world->folder);
	pid_t child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		if (geteuid() == 0 && setresuid(NOBODY, NOBODY, NOBODY) != 0)
			_exit(9);
		if (getuid() != NOBODY && chmod(world->folder, 0555) != 0)
			_exit(9);
		_exit(answer(world, path, false) != DIAG_STORE_UNUSABLE ||
		    (getuid() == NOBODY &&
			(answer(world, world->path, false) !=
				DIAG_STORE_UNUSABLE ||
			    answer(world, world->path, true) !=
				DIAG_STORE_UNUSABLE ||
			    strstr(buf_str(&world->out), "beside it") ==
				NULL)));
	}
	int status;
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_int_equal(chmod(world->folder, 0755), 0);
}

/* F17, T30, S11: one writer, in whatever process; readers beside it. */
static void
test_lock(void **state)
{
	struct world *world = *state;
	char wanted[64];
	int status;

	assert_int_equal(answer(world, world->path, false), DIAG_STORE_LOCKED);
	pid_t child = fork();
	assert_true(child >= 0);
	if (child == 0)
		_exit(answer(world, world->path, false) == DIAG_STORE_LOCKED);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(WEXITSTATUS(status), 1);
	(void)snprintf(
	    wanted, sizeof(wanted), "holds it (%ld)", (long)getpid());
	assert_int_equal(answer(world, world->path, false), DIAG_STORE_LOCKED);
	assert_non_null(strstr(buf_str(&world->out), wanted));
}

/* The lock of another process is free when that process has died. */
static void
test_lock_dies(void **state)
{
	struct world *world = *state;
	int ends[2];
	char c;

	world_shut(world);
	assert_int_equal(pipe(ends), 0);
	pid_t child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		(void)open_at(world->path, false);
		if (write(ends[1], "x", 1) == 1)
			for (;;)
				(void)pause();
		_exit(1);
	}
	assert_int_equal(read(ends[0], &c, 1), 1);
	assert_int_equal(answer(world, world->path, false), DIAG_STORE_LOCKED);
	assert_int_equal(answer(world, world->path, true), DIAG_OK);
	(void)kill(child, SIGKILL);
	assert_int_equal(waitpid(child, NULL, 0), child);
	assert_int_equal(answer(world, world->path, false), DIAG_OK);
	(void)close(ends[0]);
	(void)close(ends[1]);
}

/* S12: a reader sees whole readings, and more of them when it asks again. */
static void
test_reader_beside_writer(void **state)
{
	struct world *world = *state;
	struct store *reader = open_at(world->path, true);
	int64_t id = document_make(world->store, SITE, MAP);
	int64_t done;

	(void)read_at(world->store, id, 1, COMPLETE, "a");
	assert_segment(reader, id, "a");
	(void)store_submit(world->store,
	    reading_make(world->store, id, 2, COMPLETE, "a b"), remember_id,
	    &done);
	(void)document_make(world->store, SITE, HOST_TEXT "n.xml");
	assert_segment(reader, id, "a");
	assert_int_equal(store_flush(world->store), DIAG_OK);
	assert_segment(reader, id, "a b");
	store_close(reader);
	/* the reader did not empty the log when it closed the store */
	assert_true(log_bytes(world) > 0);
}

/* HOSTILE section 5: SQLite tells that these settings hold. */
static void
test_settings(void **state)
{
	struct world *world = *state;
	static const struct {
		const char *sql;
		const char *answer;
	} settings[] = {
	    {"PRAGMA journal_mode", "wal\n"},
	    {"PRAGMA synchronous", "2\n"},
	    {"PRAGMA foreign_keys", "1\n"},
	    {"PRAGMA trusted_schema", "0\n"},
	    {"PRAGMA cell_size_check", "1\n"},
	    {"PRAGMA secure_delete", "0\n"},
	    {"PRAGMA wal_autocheckpoint", "1024\n"},
	    {"PRAGMA journal_size_limit", "67108864\n"},
	    {"PRAGMA temp_store", "2\n"},
	    {"PRAGMA cache_size", "-8192\n"},
	    {"PRAGMA application_id", "1718776680\n"},
	    {"PRAGMA user_version", "20\n"},
	    {"PRAGMA busy_timeout", "5000\n"},
	};

	for (size_t i = 0; i < COUNT(settings); i++)
		assert_rows(
		    world->store->db, settings[i].sql, settings[i].answer);
}

static int
step(sqlite3 *db, const char *sql)
{
	sqlite3_stmt *stmt;

	assert_int_equal(
	    sqlite3_prepare_v2(db, sql, -1, &stmt, NULL), SQLITE_OK);
	int code = sqlite3_step(stmt);
	sqlite3_finalize(stmt);
	return code;
}

/* The content of the file cannot change what the connection may do. */
static void
test_hardened(void **state)
{
	struct world *world = *state;
	sqlite3 *db = world->store->db;
	assert_int_equal(sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, -1), 0);
	assert_int_equal(step(db, "SELECT load_extension('x')"), SQLITE_ERROR);
	/* readers cannot write */
	struct store *reader = open_at(world->path, true);
	assert_int_equal(
	    step(reader->db, "DELETE FROM meta") & 0xff, SQLITE_READONLY);
	store_close(reader);
}

/* Commits. */

struct chain {
	struct store *store;
	int64_t document_id;
	int left;
	int done;
};

static void
submit_next(void *arg, const struct reading *reading, int64_t reading_id)
{
	struct chain *chain = arg;

	assert_int_equal(reading->document_id, chain->document_id);
	assert_true(reading_id > 0);
	chain->done++;
	if (chain->left-- > 0)
		(void)store_submit(chain->store,
		    reading_make(chain->store, chain->document_id, chain->left,
			UNCHANGED, ""),
		    submit_next, chain);
}

static void
test_groups(void **state)
{
	struct world *world = *state;
	struct store *s = world->store;
	int64_t id = document_make(s, SITE, MAP);
	struct chain chain = {s, id, 3, 0};

	/* DESIGN 7: due at the 256th */
	for (int i = 0; i < 256; i++) {
		bool is_due = store_submit(s,
		    reading_make(s, id, i, UNCHANGED, ""), submit_next, &chain);

		assert_int_equal(is_due, i == 255);
	}
	assert_int_equal(chain.done, 0);
	assert_int_equal(store_flush(s), DIAG_OK);
	assert_int_equal(chain.done, 256);
	assert_true(store_pending(s));
	assert_int_equal(store_flush(s), DIAG_OK);
	assert_int_equal(chain.done, 259);
	assert_false(store_pending(s));
	assert_int_equal(store_flush(s), DIAG_OK);

	/* the reading is dropped if the store is closed before its commit */
	(void)store_submit(
	    s, reading_make(s, id, 99, COMPLETE, "a"), submit_next, &chain);
	link_set_of(s, id)->count = 0;
	store_link(s, id, id, &(struct date){0});
	world_reopen(world);
	assert_int_equal(chain.done, 259);
	assert_segment(world->store, id, "");
}

static void
test_too_many_blocks(void **state)
{
	struct world *world = *state;
	int64_t id = document_make(world->store, SITE, MAP);
	struct reading *reading = reading_make(
	    world->store, id, 1, COMPLETE, "a");
	for (uint32_t i = 0; i < BLOCKS_MAX; i++)
		block_list_add(&reading->content.segment, &(struct block){0});
	(void)submit(world->store, reading);
	assert_segment(world->store, id, "");
	struct document document = document_get(world->store, id);
	assert_int_equal(document.failures, 1);
	document_release(&document);
}

/* T29, S6: a full disk. */
static void
test_full(void **state)
{
	struct world *world = *state;
	struct store *s = world->store;
	struct document document;
	int64_t done = 0;

	int64_t id = document_make(s, SITE, MAP);
	(void)read_at(s, id, 1, COMPLETE, "a");
	(void)sql_first(s->db, "PRAGMA max_page_count = 1");
	struct reading *reading = reading_make(s, id, 2, COMPLETE, "b");
	char data[100000] = {0};
	for (int i = 0; i < 20; i++)
		block_list_add(&reading->content.segment,
		    &(struct block){.data = slice_make(data, sizeof(data))});
	(void)store_submit(s, reading, remember_id, &done);
	(void)store_submit(
	    s, reading_make(s, id, 3, UNCHANGED, ""), remember_id, &done);
	assert_int_equal(store_flush(s), DIAG_DISK_FULL);
	assert_int_equal(done, 0);
	assert_int_equal(store_failed(s), DIAG_DISK_FULL);
	/* nothing further is written, found or promised */
	assert_int_equal(store_flush(s), DIAG_DISK_FULL);
	assert_false(store_document_get(s, id, &document));
	store_document(s, 1, slice_of("http://h.test/new"), &document);
	assert_int_equal(document.id, 0);
	document_release(&document);
	world_reopen(world);
	assert_segment(world->store, id, "a");
	document = document_get(world->store, id);
	assert_int_equal(document.last_try_s, 1);
	document_release(&document);
}

/* T18: no commit when less space is free than the store must leave. */
static void
test_floor(void **state)
{
	struct world *world = *state;
	int64_t done = 0;

	int64_t id = document_make(world->store, SITE, MAP);
	(void)read_at(world->store, id, 1, COMPLETE, "a");
	world->store->min_free_bytes = UINT64_MAX;
	(void)store_submit(world->store,
	    reading_make(world->store, id, 2, COMPLETE, "b"), remember_id,
	    &done);
	assert_int_equal(store_flush(world->store), DIAG_DISK_FULL);
	assert_int_equal(done, 0);
	/* S7: such a store is not opened either */
	store_close(world->store);
	struct store_options options = {
	    .path = world->path,
	    .min_free_bytes = UINT64_MAX,
	};
	struct buf why;
	buf_init(&why, SIZE_MAX);
	assert_int_equal(
	    store_open(&options, &world->store, &why), DIAG_DISK_FULL);
	assert_true(why.len > 0);
	buf_release(&why);
	world->store = open_at(world->path, false);
	assert_segment(world->store, id, "a");
}

/* T28, P1: killed at any time, a store holds what was acknowledged. */

static _Noreturn void
write_for_ever(const char *path, int acknowledge)
{
	struct store *store = open_at(path, false);
	int64_t id = document_make(store, SITE, MAP);
	struct document document = document_get(store, id);
	int64_t at_s = document.last_try_s + 1;

	for (;; at_s++) {
		char listed[64];

		(void)snprintf(listed, sizeof(listed), "a b%d:%d",
		    (int)(at_s % 7), (int)(at_s % 100));
		(void)read_at(store, id, at_s, COMPLETE, listed);
		if (write(acknowledge, &at_s, sizeof(at_s)) < 0)
			_exit(1);
	}
}

/* Let the process commit a few times, and then go some steps into the next
 * commit. */
static int64_t
run_and_kill(const char *path, unsigned commits, unsigned steps)
{
	int64_t acknowledged = 0;
	int64_t at_s;
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	pid_t child = fork();
	assert_true(child >= 0);
	if (child == 0)
		write_for_ever(path, ends[1]);
	(void)close(ends[1]);
	while (commits-- > 0)
		assert_int_equal(
		    read(ends[0], &at_s, sizeof(at_s)), sizeof(at_s));
	while (steps-- > 0)
		assert_int_equal(kill(child, 0), 0);
	(void)kill(child, SIGKILL);
	assert_int_equal(waitpid(child, NULL, 0), child);
	acknowledged = at_s;
	while (read(ends[0], &at_s, sizeof(at_s)) == sizeof(at_s))
		acknowledged = at_s;
	(void)close(ends[0]);
	return acknowledged;
}

/* The log of an owner that is killed just after a checkpoint is empty. */
static void
test_killed_after_checkpoint(void **state)
{
	struct world *world = *state;
	int status;

	assert_int_equal(store_killed_s(world->store, 10000), 0);
	world_shut(world);
	pid_t child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		struct store *store = open_at(world->path, false);

		(void)db_exec(store, "PRAGMA wal_checkpoint(TRUNCATE)");
		(void)raise(SIGKILL);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status));

	/* An owner that cannot open the store, not even write its name, and one
	 * that commits nothing, leave it to the next one. */
	struct store_options full = {
	    .path = world->path, .min_free_bytes = UINT64_MAX};
	struct buf why = BUF_UP_TO(1000);
	struct rlimit was, none;

	assert_int_equal(getrlimit(RLIMIT_FSIZE, &was), 0);
	none = (struct rlimit){.rlim_cur = 0, .rlim_max = was.rlim_max};
	(void)signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
	assert_int_equal(
	    store_open(&full, &world->store, &why), DIAG_DISK_FULL);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &was), 0);
	(void)signal(SIGXFSZ, SIG_DFL);
	buf_release(&why);
	world->store = open_at(world->path, false);
	assert_int_equal(store_killed_s(world->store, 15000), 15000);
	world_reopen(world);
	assert_int_equal(store_killed_s(world->store, 20000), 20000);
	store_flush(world->store);
	world_reopen(world);
	/* the clock was set back since */
	assert_int_equal(store_killed_s(world->store, 19000), 19000);
	world_reopen(world);
	assert_int_equal(store_killed_s(world->store, 30000), 0);

	/* An owner that fails, or leaves what it wrote, counts as killed. */
	store_damaged(world->store, "a test");
	world_reopen(world);
	assert_int_equal(store_killed_s(world->store, 40000), 40000);
	store_flush(world->store);
	store_request_log_add(world->store, slice_of("a.test"),
	    &(struct request_log_note){.minute_s = 40020, .last_s = 40021});
	world_reopen(world);
	assert_int_equal(store_killed_s(world->store, 50000), 50000);
}

static void
test_killed(void **state)
{
	struct world *world = *state;

	/* each is a process, which takes long under sanitizers */
	for (unsigned i = 0; i < (IS_SANITIZED ? 12 : 40); i++) {
		int64_t now_s = (i + 1) * INT64_C(10000);
		world_reopen(world);
		assert_int_equal(store_killed_s(world->store, now_s), 0);
		store_close(world->store);
		int64_t acknowledged = run_and_kill(
		    world->path, 1 + i % 4, i * 100);
		world->store = open_at(world->path, false);
		/* the owner after the next one knows it, too, for an hour */
		assert_int_equal(store_killed_s(world->store, now_s), now_s);
		store_flush(world->store);
		world_reopen(world);
		assert_int_equal(
		    store_killed_s(world->store, now_s + 9), now_s);
		int64_t id = document_make(world->store, SITE, MAP);
		struct document document = document_get(world->store, id);

		/* one reading may be durable that was not acknowledged yet */
		assert_in_range(
		    document.last_try_s, acknowledged, acknowledged + 1);
		document_release(&document);
		struct block_source *source = block_source_new(
		    world->store, BLOCKS_OF_SEGMENT, id);
		struct buf out;
		buf_init(&out, SIZE_MAX);
		(void)segment_text(block_source_pull, source, &out);
		buf_release(&out);
		block_source_close(source, NULL, 0);
		assert_int_equal(store_flush(world->store), DIAG_OK);
	}
}

/* S13: a reader keeps the log from being used again; once it has gone, the
 * log is cut back.  With small limits, so that it is quick. */
static void
test_log_is_bounded(void **state)
{
	struct world *world = *state;
	const int64_t limit = 65536;
	struct store *reader;
	int64_t day = 0;

	sql_do(world->store->db,
	    "PRAGMA wal_autocheckpoint = 8; PRAGMA journal_size_limit = 65536");
	int64_t id = document_make(world->store, SITE, MAP);
	(void)read_at(world->store, id, DAY_0, COMPLETE, "a");
	reader = open_at(world->path, true);
	assert_true(db_snapshot_begin(reader));
	for (; day < 20; day++)
		(void)read_at(world->store, id, DAY_0 + day, FAILED, NULL);
	assert_true(log_bytes(world) > 2 * limit);
	db_snapshot_end(reader);
	store_close(reader);
	for (; day < 40; day++)
		(void)read_at(world->store, id, DAY_0 + day, FAILED, NULL);
	assert_true(log_bytes(world) <= 2 * limit);
}

/* store_rest empties the log, except while a reader still needs it. */
static void
test_rest(void **state)
{
	struct world *world = *state;
	struct store *reader;

	int64_t id = document_make(world->store, SITE, MAP);
	(void)read_at(world->store, id, DAY_0, COMPLETE, "a");
	assert_true(log_bytes(world) > 0);
	assert_true(store_rest(world->store));
	assert_int_equal(log_bytes(world), 0);
	/* the second call has nothing to do */
	assert_true(store_rest(world->store));

	reader = open_at(world->path, true);
	assert_false(store_rest(reader)); /* F17 */
	assert_true(db_snapshot_begin(reader));
	(void)read_at(world->store, id, DAY_0 + 1, COMPLETE, "a b");
	assert_false(store_rest(world->store));
	assert_true(log_bytes(world) > 0);
	assert_segment(reader, id, "a");
	db_snapshot_end(reader);
	assert_segment(reader, id, "a b");
	assert_true(store_rest(world->store));
	assert_int_equal(log_bytes(world), 0);
	assert_segment(reader, id, "a b");
	store_close(reader);
}

UNIT_TESTS(store, world_test(test_paths), world_test(test_lacks_table),
    world_test(test_foreign_untouched), world_test(test_folders),
    world_test(test_permissions), world_test(test_lock),
    world_test(test_lock_dies), world_test(test_reader_beside_writer),
    world_test(test_settings), world_test(test_hardened),
    world_test(test_groups), world_test(test_too_many_blocks),
    world_test(test_full), world_test(test_floor), world_test(test_killed),
    world_test(test_killed_after_checkpoint), world_test(test_log_is_bounded),
    world_test(test_rest));
