/*
 * A VFS for stores that are only read.  A writer may make the write-ahead log
 * at any time, so the log is opened as soon as it exists, and is empty until
 * then. The log is not replaced while it is open: a process must have the store
 * alone to remove the log.
 */
#include "store/read_vfs.h"

#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"

#define SECTOR_BYTES 4096

struct wal_file {
	sqlite3_file sqlite; /* must be the first member */
	const char *path; /* borrowed: SQLite keeps it as long as the file */
	int fd; /* -1: there is no file yet */
};

/* Open the log; true if it exists.  *code tells why it cannot be opened. */
static bool
open_wal(struct wal_file *wal, int *code)
{
	*code = SQLITE_OK;
	if (wal->fd >= 0)
		return true;
	wal->fd = open(wal->path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (wal->fd < 0 && errno != ENOENT)
		*code = SQLITE_CANTOPEN;
	return wal->fd >= 0;
}

static int
wal_close(sqlite3_file *file)
{
	struct wal_file *wal = (struct wal_file *)file;

	if (wal->fd >= 0)
		(void)close(wal->fd);
	wal->fd = -1;
	return SQLITE_OK;
}

static int
wal_read(sqlite3_file *file, void *bytes, int count, sqlite3_int64 from)
{
	struct wal_file *wal = (struct wal_file *)file;
	size_t wanted = count > 0 ? (size_t)count : 0;
	char *to = bytes;
	int code;

	if (!open_wal(wal, &code) && code != SQLITE_OK)
		return code;
	while (wanted > 0 && wal->fd >= 0) {
		ssize_t n = pread(wal->fd, to, wanted, from);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return SQLITE_IOERR_READ;
		if (n == 0)
			break;
		to += n;
		from += n;
		wanted -= (size_t)n;
	}
	/* SQLite wants zeros for bytes behind the end. */
	(void)memset(to, 0, wanted);
	return wanted > 0 ? SQLITE_IOERR_SHORT_READ : SQLITE_OK;
}

static int
wal_size(sqlite3_file *file, sqlite3_int64 *size)
{
	struct wal_file *wal = (struct wal_file *)file;
	struct stat st;
	int code;

	*size = 0;
	if (!open_wal(wal, &code))
		return code;
	if (fstat(wal->fd, &st) != 0)
		return SQLITE_IOERR_FSTAT;
	*size = st.st_size;
	return SQLITE_OK;
}

static int
wal_write(sqlite3_file *file, const void *bytes, int n, sqlite3_int64 to)
{
	(void)file;
	(void)bytes;
	(void)n;
	(void)to;
	return SQLITE_READONLY;
}

static int
wal_truncate(sqlite3_file *file, sqlite3_int64 size)
{
	(void)file;
	(void)size;
	return SQLITE_READONLY;
}

static int
wal_int(sqlite3_file *file, int ignored)
{
	(void)file;
	(void)ignored;
	return SQLITE_OK;
}

static int
wal_reserved(sqlite3_file *file, int *is_reserved)
{
	(void)file;
	*is_reserved = 0;
	return SQLITE_OK;
}

static int
wal_control(sqlite3_file *file, int what, void *arg)
{
	(void)file;
	(void)what;
	(void)arg;
	return SQLITE_NOTFOUND;
}

static int
wal_sector(sqlite3_file *file)
{
	(void)file;
	return SECTOR_BYTES;
}

static int
wal_device(sqlite3_file *file)
{
	(void)file;
	return 0;
}

static const sqlite3_io_methods wal_methods = {.iVersion = 1,
    .xClose = wal_close,
    .xRead = wal_read,
    .xWrite = wal_write,
    .xTruncate = wal_truncate,
    .xSync = wal_int,
    .xFileSize = wal_size,
    .xLock = wal_int,
    .xUnlock = wal_int,
    .xCheckReservedLock = wal_reserved,
    .xFileControl = wal_control,
    .xSectorSize = wal_sector,
    .xDeviceCharacteristics = wal_device};

static sqlite3_vfs *
system_vfs(void)
{
	return sqlite3_vfs_find(NULL);
}

static int
open_file(sqlite3_vfs *vfs, const char *path, sqlite3_file *file, int flags,
    int *opened)
{
	struct wal_file *wal = (struct wal_file *)file;

	(void)vfs;
	if ((flags & SQLITE_OPEN_WAL) == 0)
		return system_vfs()->xOpen(
		    system_vfs(), path, file, flags, opened);
	*wal = (struct wal_file){
	    .sqlite.pMethods = &wal_methods, .path = path, .fd = -1};
	if (opened != NULL)
		*opened = SQLITE_OPEN_READONLY | SQLITE_OPEN_WAL;
	return SQLITE_OK;
}

/* Never remove a file of a store; temporary files have no names. */
static int
keep_file(sqlite3_vfs *vfs, const char *path, int syncs)
{
	(void)vfs;
	(void)path;
	(void)syncs;
	return SQLITE_OK;
}

/* SQLite keeps a list of VFSs, so a second call finds the VFS that the first
 * one made. */
const char *
read_vfs(void)
{
	static const char name[] = "freshet-read";
	sqlite3_vfs *vfs;

	if (sqlite3_vfs_find(name) != NULL)
		return name;
	if (system_vfs() == NULL)
		return NULL;
	/* the memory is kept for as long as the process lives */
	vfs = mem_alloc(sizeof(*vfs));
	*vfs = *system_vfs();
	vfs->zName = name;
	vfs->pNext = NULL;
	vfs->xOpen = open_file;
	vfs->xDelete = keep_file;
	if (vfs->szOsFile < (int)sizeof(struct wal_file))
		vfs->szOsFile = (int)sizeof(struct wal_file);
	if (sqlite3_vfs_register(vfs, 0) == SQLITE_OK)
		return name;
	free(vfs);
	return NULL;
}
