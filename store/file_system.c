/* How a store lies on a file system: where it can, and how readers open it. */
#include "store/file_system.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"

#define BTRFS 0x9123683e
#define ZFS 0x2fc12fc1
#define MAP_BYTES 4096

static const struct {
	uint32_t magic;
	const char *name;
	bool is_network;
} types[] = {{NFS_SUPER_MAGIC, "nfs", true}, {SMB_SUPER_MAGIC, "smb", true},
    {CIFS_SUPER_MAGIC, "cifs", true}, {SMB2_SUPER_MAGIC, "smb2", true},
    {V9FS_MAGIC, "9p", true}, {AFS_SUPER_MAGIC, "afs", true},
    {CODA_SUPER_MAGIC, "coda", true}, {CEPH_SUPER_MAGIC, "ceph", true},
    {EXT4_SUPER_MAGIC, "ext4", false}, {XFS_SUPER_MAGIC, "xfs", false},
    {BTRFS, "btrfs", false}, {ZFS, "zfs", false},
    {F2FS_SUPER_MAGIC, "f2fs", false}, {TMPFS_MAGIC, "tmpfs", false},
    {OVERLAYFS_SUPER_MAGIC, "overlay", false},
    {FUSE_SUPER_MAGIC, "fuse", false}, {MSDOS_SUPER_MAGIC, "vfat", false}};

bool
file_system_look(struct file_system *system, const char *folder)
{
	struct statfs fs;
	uint32_t magic;

	*system = (struct file_system){0};
	if (statfs(folder, &fs) != 0)
		return false;
	magic = (uint32_t)fs.f_type;
	(void)snprintf(system->type, sizeof(system->type), "0x%x", magic);
	for (size_t i = 0; i < LENGTH(types); i++)
		if (types[i].magic == magic) {
			system->is_network = types[i].is_network;
			(void)snprintf(system->type, sizeof(system->type), "%s",
			    types[i].name);
		}
	system->is_read_only = (fs.f_flags & ST_RDONLY) != 0;
	system->free_bytes = (uint64_t)fs.f_bavail * (uint64_t)fs.f_bsize;
	return true;
}

char *
file_system_folder(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash == NULL ? mem_copy(".")
	    : slash == path
	    ? mem_copy("/")
	    : slice_dup(slice_make(path, (size_t)(slash - path)));
}

static const char *
try_both(int a, int b)
{
	struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

	if (fcntl(a, F_OFD_SETLK, &whole) != 0)
		return "files cannot be locked";
	if (fcntl(b, F_OFD_SETLK, &whole) == 0) {
		errno = 0;
		return "a lock does not keep others out";
	}
	/* Can descriptor b read what descriptor a writes into a shared mapping
	 * of the file? */
	char *to = MAP_FAILED;
	char *from = MAP_FAILED;
	bool is = false;

	if (ftruncate(a, MAP_BYTES) == 0) {
		to = mmap(
		    NULL, MAP_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, a, 0);
		from = mmap(NULL, MAP_BYTES, PROT_READ, MAP_SHARED, b, 0);
	}
	if (to != MAP_FAILED && from != MAP_FAILED) {
		to[MAP_BYTES - 1] = 'x';
		is = from[MAP_BYTES - 1] == 'x';
	}
	if (to != MAP_FAILED)
		(void)munmap(to, MAP_BYTES);
	if (from != MAP_FAILED)
		(void)munmap(from, MAP_BYTES);
	if (!is)
		return "memory of a file cannot be shared";
	return NULL;
}

const char *
file_system_trouble(const char *folder)
{
	struct buf path = BUF_UP_TO(SIZE_MAX);
	const char *trouble = "no file can be made there";
	char *name;
	int a;
	int b = -1;
	int error;

	(void)buf_print(&path, "%s/.freshet-XXXXXX", folder);
	name = buf_take(&path);
	a = mkostemp(name, O_CLOEXEC);
	if (a >= 0)
		b = open(name, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	error = errno;
	if (a >= 0)
		(void)unlink(name);
	errno = error;
	if (b >= 0)
		trouble = try_both(a, b);
	error = errno;
	if (a >= 0)
		(void)close(a);
	if (b >= 0)
		(void)close(b);
	free(name);
	errno = error;
	return trouble;
}

/* A VFS for stores that are only read.  A writer may make the write-ahead log
 * at any time, so the log is opened as soon as it exists, and is empty until
 * then. The log is not replaced while it is open: a process must have the store
 * alone to remove the log. */

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

/* A connection that only reads calls no other method of a log. */
static const sqlite3_io_methods wal_methods = {.iVersion = 1,
    .xClose = wal_close,
    .xRead = wal_read,
    .xFileSize = wal_size};

static int
open_file(sqlite3_vfs *vfs, const char *path, sqlite3_file *file, int flags,
    int *opened)
{
	struct wal_file *wal = (struct wal_file *)file;
	sqlite3_vfs *system = sqlite3_vfs_find(NULL);

	(void)vfs;
	if ((flags & SQLITE_OPEN_WAL) == 0)
		return system->xOpen(system, path, file, flags, opened);
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

/* SQLite keeps a list of VFSs, so a second call finds that of the first. */
const char *
read_vfs(void)
{
	static const char name[] = "freshet-read";
	const sqlite3_vfs *system = sqlite3_vfs_find(NULL);
	sqlite3_vfs *vfs;

	if (sqlite3_vfs_find(name) != NULL)
		return name;
	if (system == NULL)
		return NULL;
	/* the memory is kept for as long as the process lives */
	vfs = mem_alloc(sizeof(*vfs));
	*vfs = *system;
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
