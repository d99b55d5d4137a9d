/* SQLite on a lossy disk: its files, and a write-ahead log's index. */
#include "tests/durability/lossy_vfs.h"

#include <assert.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define MAX_REGIONS 64 /* of an index, 32 KiB each */

struct lossy_vfs {
	sqlite3_vfs base;
	struct lossy_disk *disk;
};

struct vfs_file {
	sqlite3_file base;
	struct lossy_file *file;
	void *regions[MAX_REGIONS]; /* owned */
};

static int
file_close(sqlite3_file *base)
{
	struct vfs_file *file = (struct vfs_file *)(void *)base;

	for (int i = 0; i < MAX_REGIONS; i++)
		free(file->regions[i]);
	return SQLITE_OK;
}

static int
file_read(sqlite3_file *base, void *p, int n, sqlite3_int64 at)
{
	struct vfs_file *file = (struct vfs_file *)(void *)base;
	int64_t got = lossy_read(file->file, p, (size_t)n, (uint64_t)at);

	if (got < 0)
		return SQLITE_IOERR_READ;
	memset((char *)p + got, 0, (size_t)(n - got));
	return got == n ? SQLITE_OK : SQLITE_IOERR_SHORT_READ;
}

static int
file_write(sqlite3_file *base, const void *p, int n, sqlite3_int64 at)
{
	struct vfs_file *file = (struct vfs_file *)(void *)base;

	return lossy_write(file->file, p, (size_t)n, (uint64_t)at)
	    ? SQLITE_OK
	    : SQLITE_IOERR_WRITE;
}

static int
file_truncate(sqlite3_file *base, sqlite3_int64 size)
{
	struct vfs_file *file = (struct vfs_file *)(void *)base;

	return lossy_truncate(file->file, (uint64_t)size)
	    ? SQLITE_OK
	    : SQLITE_IOERR_TRUNCATE;
}

static int
file_sync(sqlite3_file *base, int flags)
{
	struct vfs_file *file = (struct vfs_file *)(void *)base;

	(void)flags;
	return lossy_sync(file->file) ? SQLITE_OK : SQLITE_IOERR_FSYNC;
}

static int
file_size(sqlite3_file *base, sqlite3_int64 *size)
{
	struct vfs_file *file = (struct vfs_file *)(void *)base;

	*size = (sqlite3_int64)lossy_size(file->file);
	return SQLITE_OK;
}

/* There is one connection, so there is nobody to lock out. */

static int
file_lock(sqlite3_file *base, int level)
{
	(void)base;
	(void)level;
	return SQLITE_OK;
}

static int
file_is_reserved(sqlite3_file *base, int *answer)
{
	(void)base;
	*answer = 0;
	return SQLITE_OK;
}

static int
file_control(sqlite3_file *base, int op, void *arg)
{
	(void)base;
	(void)op;
	(void)arg;
	return SQLITE_NOTFOUND;
}

static int
file_sector_size(sqlite3_file *base)
{
	(void)base;
	return LOSSY_SECTOR;
}

/* As in SQLite's own VFS, a sector is written whole or not at all. */
static int
file_characteristics(sqlite3_file *base)
{
	(void)base;
	return SQLITE_IOCAP_POWERSAFE_OVERWRITE;
}

static int
shm_map(
    sqlite3_file *base, int region, int size, int extends, void volatile **p)
{
	struct vfs_file *file = (struct vfs_file *)(void *)base;

	assert(region < MAX_REGIONS);
	if (file->regions[region] == NULL && extends)
		file->regions[region] = mem_zero((size_t)size);
	*p = file->regions[region];
	return SQLITE_OK;
}

static int
shm_lock(sqlite3_file *base, int offset, int n, int flags)
{
	(void)base;
	(void)offset;
	(void)n;
	(void)flags;
	return SQLITE_OK;
}

static void
shm_barrier(sqlite3_file *base)
{
	(void)base;
}

static int
shm_unmap(sqlite3_file *base, int deletes)
{
	struct vfs_file *file = (struct vfs_file *)(void *)base;

	(void)deletes;
	for (int i = 0; i < MAX_REGIONS; i++) {
		free(file->regions[i]);
		file->regions[i] = NULL;
	}
	return SQLITE_OK;
}

static const sqlite3_io_methods methods = {.iVersion = 2,
    .xClose = file_close,
    .xRead = file_read,
    .xWrite = file_write,
    .xTruncate = file_truncate,
    .xSync = file_sync,
    .xFileSize = file_size,
    .xLock = file_lock,
    .xUnlock = file_lock,
    .xCheckReservedLock = file_is_reserved,
    .xFileControl = file_control,
    .xSectorSize = file_sector_size,
    .xDeviceCharacteristics = file_characteristics,
    .xShmMap = shm_map,
    .xShmLock = shm_lock,
    .xShmBarrier = shm_barrier,
    .xShmUnmap = shm_unmap};

static int
vfs_open(sqlite3_vfs *base, const char *name, sqlite3_file *out, int flags,
    int *out_flags)
{
	struct lossy_vfs *vfs = (struct lossy_vfs *)(void *)base;
	struct vfs_file *file = (struct vfs_file *)(void *)out;

	*file = (struct vfs_file){.base.pMethods = NULL};
	assert(name != NULL); /* temporary files are in memory */
	file->file = lossy_open(
	    vfs->disk, name, (flags & SQLITE_OPEN_CREATE) != 0);
	if (file->file == NULL)
		return SQLITE_CANTOPEN;
	file->base.pMethods = &methods;
	if (out_flags != NULL)
		*out_flags = flags;
	return SQLITE_OK;
}

static int
vfs_delete(sqlite3_vfs *base, const char *name, int syncs)
{
	struct lossy_vfs *vfs = (struct lossy_vfs *)(void *)base;

	if (lossy_open(vfs->disk, name, false) == NULL)
		return SQLITE_IOERR_DELETE_NOENT;
	return lossy_delete(vfs->disk, name, syncs != 0) ? SQLITE_OK
							 : SQLITE_IOERR_DELETE;
}

static int
vfs_access(sqlite3_vfs *base, const char *name, int flags, int *answer)
{
	struct lossy_vfs *vfs = (struct lossy_vfs *)(void *)base;

	(void)flags;
	*answer = lossy_open(vfs->disk, name, false) != NULL;
	return SQLITE_OK;
}

static int
vfs_full_path(sqlite3_vfs *base, const char *name, int room, char *out)
{
	(void)base;
	sqlite3_snprintf(room, out, "%s", name);
	return SQLITE_OK;
}

struct lossy_vfs *
lossy_vfs_new(struct lossy_disk *disk)
{
	struct lossy_vfs *vfs = mem_zero(sizeof(*vfs));

	vfs->base = *sqlite3_vfs_find(NULL);
	vfs->base.pNext = NULL;
	vfs->base.zName = "lossy";
	vfs->base.szOsFile = sizeof(struct vfs_file);
	vfs->base.xOpen = vfs_open;
	vfs->base.xDelete = vfs_delete;
	vfs->base.xAccess = vfs_access;
	vfs->base.xFullPathname = vfs_full_path;
	vfs->disk = disk;
	sqlite3_vfs_register(&vfs->base, 1);
	return vfs;
}

void
lossy_vfs_free(struct lossy_vfs *vfs)
{
	sqlite3_vfs_unregister(&vfs->base);
	free(vfs);
}
