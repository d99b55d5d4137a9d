/* Files of a store that is only read. */
#ifndef FRESHET_READ_VFS_H
#define FRESHET_READ_VFS_H

/*
 * read_vfs(): the name, for sqlite3_open_v2, of a VFS that opens nothing of a
 * store for writing but its -shm, in which readers mark what they read.
 * SQLite's own would open the write-ahead log for writing, make it where there
 * is none, and remove it from beside an empty file.  NULL: SQLite has none to
 * begin with.
 */
const char *read_vfs(void);

#endif
