/* SQLite's own VFS, with a buffer in front of the write-ahead log. */
#include "store/write_vfs.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* SQLite's VFS writes less than 128 KiB at once. */
#define HELD_BYTES 65536

struct joined_file {
	sqlite3_file sqlite; /* must be the first member */
	sqlite3_file *file; /* of SQLite's VFS; lies behind this struct */
	char *bytes; /* owned; HELD_BYTES, NULL until needed */
	int held; /* bytes that are not written yet */
	sqlite3_int64 at; /* where they belong */
};

static struct joined_file *
joined(sqlite3_file *file)
{
	return (struct joined_file *)file;
}

static sqlite3_file *
below(sqlite3_file *file)
{
	return joined(file)->file;
}

/* Write what is held.  If that fails the bytes stay: not every caller in SQLite
 * heeds an error, so the next call tries again. */
static int
flush(sqlite3_file *file)
{
	struct joined_file *self = joined(file);
	int code;

	if (self->held == 0)
		return SQLITE_OK;
	code = self->file->pMethods->xWrite(
	    self->file, self->bytes, self->held, self->at);
	if (code == SQLITE_OK)
		self->held = 0;
	return code;
}

static int
file_close(sqlite3_file *file)
{
	int code = flush(file);
	int closed = below(file)->pMethods->xClose(below(file));

	free(joined(file)->bytes);
	joined(file)->bytes = NULL;
	return code != SQLITE_OK ? code : closed;
}

static int
file_read(sqlite3_file *file, void *to, int n, sqlite3_int64 at)
{
	const struct joined_file *self = joined(file);
	bool is_held = at < self->at + self->held && self->at < at + n;
	int code = is_held ? flush(file) : SQLITE_OK;

	return code != SQLITE_OK
	    ? code
	    : below(file)->pMethods->xRead(below(file), to, n, at);
}

static int
file_write(sqlite3_file *file, const void *bytes, int n, sqlite3_int64 at)
{
	struct joined_file *self = joined(file);
	int code = SQLITE_OK;

	if (at != self->at + self->held || n > HELD_BYTES - self->held)
		code = flush(file);
	if (code != SQLITE_OK)
		return code;
	if (n > HELD_BYTES)
		return below(file)->pMethods->xWrite(below(file), bytes, n, at);
	if (self->bytes == NULL)
		self->bytes = mem_alloc(HELD_BYTES);
	if (self->held == 0)
		self->at = at;
	memcpy(self->bytes + self->held, bytes, (size_t)n);
	self->held += n;
	return SQLITE_OK;
}

static int
file_truncate(sqlite3_file *file, sqlite3_int64 size)
{
	int code = flush(file);

	return code != SQLITE_OK
	    ? code
	    : below(file)->pMethods->xTruncate(below(file), size);
}

static int
file_sync(sqlite3_file *file, int flags)
{
	int code = flush(file);

	return code != SQLITE_OK
	    ? code
	    : below(file)->pMethods->xSync(below(file), flags);
}

static int
file_size(sqlite3_file *file, sqlite3_int64 *size)
{
	int code = flush(file);

	return code != SQLITE_OK
	    ? code
	    : below(file)->pMethods->xFileSize(below(file), size);
}

static int
file_lock(sqlite3_file *file, int level)
{
	return below(file)->pMethods->xLock(below(file), level);
}

static int
file_unlock(sqlite3_file *file, int level)
{
	return below(file)->pMethods->xUnlock(below(file), level);
}

static int
file_reserved(sqlite3_file *file, int *is_reserved)
{
	return below(file)->pMethods->xCheckReservedLock(
	    below(file), is_reserved);
}

static int
file_control(sqlite3_file *file, int what, void *arg)
{
	return below(file)->pMethods->xFileControl(below(file), what, arg);
}

static int
file_sector(sqlite3_file *file)
{
	return below(file)->pMethods->xSectorSize(below(file));
}

static int
file_device(sqlite3_file *file)
{
	return below(file)->pMethods->xDeviceCharacteristics(below(file));
}

/* Version 1 has all that SQLite does with a log. */
static const sqlite3_io_methods methods = {.iVersion = 1,
    .xClose = file_close,
    .xRead = file_read,
    .xWrite = file_write,
    .xTruncate = file_truncate,
    .xSync = file_sync,
    .xFileSize = file_size,
    .xLock = file_lock,
    .xUnlock = file_unlock,
    .xCheckReservedLock = file_reserved,
    .xFileControl = file_control,
    .xSectorSize = file_sector,
    .xDeviceCharacteristics = file_device};

static sqlite3_vfs *
system_vfs(void)
{
	return sqlite3_vfs_find(NULL);
}

static int
open_file(sqlite3_vfs *vfs, const char *path, sqlite3_file *file, int flags,
    int *opened)
{
	struct joined_file *self = joined(file);
	int code;

	(void)vfs;
	if ((flags & SQLITE_OPEN_WAL) == 0)
		return system_vfs()->xOpen(
		    system_vfs(), path, file, flags, opened);
	*self = (struct joined_file){.file = (sqlite3_file *)(self + 1)};
	self->file->pMethods = NULL;
	code = system_vfs()->xOpen(
	    system_vfs(), path, self->file, flags, opened);
	if (self->file->pMethods != NULL)
		self->sqlite.pMethods = &methods;
	return code;
}

static int
remove_file(sqlite3_vfs *vfs, const char *path, int syncs)
{
	(void)vfs;
	return system_vfs()->xDelete(system_vfs(), path, syncs);
}

static int
access_file(sqlite3_vfs *vfs, const char *path, int flags, int *result)
{
	(void)vfs;
	return system_vfs()->xAccess(system_vfs(), path, flags, result);
}

static int
full_path(sqlite3_vfs *vfs, const char *path, int n, char *full)
{
	(void)vfs;
	return system_vfs()->xFullPathname(system_vfs(), path, n, full);
}

/* A VFS that was made before is made anew, because SQLite's own one may have
 * been replaced since. */
const char *
write_vfs(void)
{
	static const char name[] = "freshet-write";
	sqlite3_vfs *vfs = sqlite3_vfs_find(name);

	if (vfs != NULL)
		(void)sqlite3_vfs_unregister(vfs);
	if (system_vfs() == NULL)
		return NULL;
	/* the memory is kept for as long as the process lives */
	if (vfs == NULL)
		vfs = mem_alloc(sizeof(*vfs));
	*vfs = *system_vfs();
	vfs->zName = name;
	vfs->pNext = NULL;
	vfs->xOpen = open_file;
	vfs->xDelete = remove_file;
	vfs->xAccess = access_file;
	vfs->xFullPathname = full_path;
	vfs->szOsFile += (int)sizeof(struct joined_file);
	return sqlite3_vfs_register(vfs, 0) == SQLITE_OK ? name : NULL;
}
