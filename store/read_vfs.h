/* A VFS for stores that are only read. */
#ifndef FRESHET_READ_VFS_H
#define FRESHET_READ_VFS_H

/*
 * read_vfs():
 * The name, for sqlite3_open_v2, of a VFS that opens no file of a store for
 * writing but its -shm, in which readers mark what they read.  SQLite's own VFS
 * would open the write-ahead log for writing, make a missing log, and remove
 * the log of an empty file.  NULL if SQLite has no VFS at all.
 */
const char *read_vfs(void);

#endif
