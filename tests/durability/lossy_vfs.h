/* SQLite on a lossy disk. */
#ifndef FRESHET_LOSSY_VFS_H
#define FRESHET_LOSSY_VFS_H

#include "tests/durability/lossy_disk.h"

struct lossy_vfs;

/* lossy_vfs_new(disk): open every database on this disk from now on, by one
 * connection at a time. */
struct lossy_vfs *lossy_vfs_new(struct lossy_disk *);

/* lossy_vfs_free(vfs): all connections must have been closed. */
void lossy_vfs_free(struct lossy_vfs *);

#endif
