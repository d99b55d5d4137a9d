/* The file system of a folder. */
#include "store/file_system.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/buf.h"

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
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (types[i].magic == magic) {
			system->is_network = types[i].is_network;
			(void)snprintf(system->type, sizeof(system->type), "%s",
			    types[i].name);
		}
	system->is_read_only = (fs.f_flags & ST_RDONLY) != 0;
	system->free_bytes = (uint64_t)fs.f_bavail * (uint64_t)fs.f_bsize;
	return true;
}

bool
file_system_is_network(const char *folder)
{
	struct file_system system;

	return file_system_look(&system, folder) && system.is_network;
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
	struct buf path;
	const char *trouble = "no file can be made there";
	char *name;
	int a;
	int b = -1;
	int error;

	buf_init(&path, SIZE_MAX);
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
