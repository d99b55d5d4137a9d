/* A VFS for the store's writer. */
#ifndef FRESHET_WRITE_VFS_H
#define FRESHET_WRITE_VFS_H

/*
 * write_vfs():
 * The name, for sqlite3_open_v2, of a VFS that joins writes of the write-ahead
 * log. SQLite writes each frame in two parts; the kernel takes a run of frames
 * in a third of the time. Bytes are held until what follows is not written
 * behind them, or until they are synchronised, read, measured or truncated; so
 * nothing that SQLite relies on changes, as long as it synchronises each commit
 * (synchronous = FULL). An error of a write is reported by one of these calls,
 * and the write is tried again by the next. Writes of the database are not
 * held: a checkpoint beside a reader does not synchronise them, and other
 * processes look for the pages there at once. NULL if SQLite has no VFS at all.
 */
const char *write_vfs(void);

#endif
