/* The file system of a folder: can a store lie there?  And how a store that is
 * only read is opened there. */
#ifndef FRESHET_FILE_SYSTEM_H
#define FRESHET_FILE_SYSTEM_H

#include <stdbool.h>
#include <stdint.h>

struct file_system {
	char type[24]; /* "ext4", or the kernel's number */
	/* a network file system, where locks and shared memory do not work
	 * (HOSTILE T30): no store may lie there */
	bool is_network;
	bool is_read_only;
	uint64_t free_bytes; /* for this user */
};

/* file_system_look(system, folder): false with errno if the folder cannot be
 * reached.
 * file_system_folder(path): the folder of a file, by its name; owned. */
bool file_system_look(struct file_system *, const char *folder);
char *file_system_folder(const char *path);

/* file_system_trouble(folder): Try, with a temporary file, whether locks keep
 * others out, and whether memory of a file is shared: SQLite's write-ahead log
 * needs both.  Returns NULL, or what does not work; errno is then set. */
const char *file_system_trouble(const char *folder);

/* A VFS for stores that are only read. */

/* read_vfs(): The name, for sqlite3_open_v2, of a VFS that opens no file of a
 * store for writing but its -shm, in which readers mark what they read.
 * SQLite's own VFS would open the write-ahead log for writing, make a missing
 * log, and remove the log of an empty file.  NULL: SQLite has none. */
const char *read_vfs(void);

#endif
