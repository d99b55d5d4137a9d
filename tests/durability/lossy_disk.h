/* A disk in memory, whose power can be cut. Chance decides, for each sector
 * and each name that was not synced by then, whether it survives. */
#ifndef FRESHET_LOSSY_DISK_H
#define FRESHET_LOSSY_DISK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LOSSY_SECTOR 512

struct lossy_disk;
struct lossy_file;

struct lossy_disk *lossy_disk_new(uint64_t seed);
void lossy_disk_free(struct lossy_disk *);

/* lossy_random(disk, below): a number from 0 to below - 1. */
uint64_t lossy_random(struct lossy_disk *, uint64_t below);

/* lossy_plan(disk, ops, syncs): let the disk die at the operation that writes
 * with number `ops`, counted from now, and let the sync with number `syncs`
 * fail; what that sync should have written counts as written.  0: never. */
void lossy_plan(struct lossy_disk *, unsigned ops, unsigned syncs);

/* lossy_restart(disk, is_cut): the disk answers again.  All files must have
 * been closed.  is_cut: the power was cut; else only the process died. */
void lossy_restart(struct lossy_disk *, bool is_cut);

/* lossy_open(disk, name, creates): NULL when there is no such file, or the
 * disk is dead.  Files belong to the disk. */
struct lossy_file *lossy_open(
    struct lossy_disk *, const char *name, bool creates);

/* lossy_read(disk, file, p, n, at): returns how many of the n bytes are
 * there; -1: the disk is dead. */
int64_t lossy_read(const struct lossy_file *, void *p, size_t n, uint64_t at);

uint64_t lossy_size(const struct lossy_file *);

/* These return false if the disk is dead.  A sync makes all names durable,
 * too, because SQLite syncs the folder together with a new log. */
bool lossy_write(struct lossy_file *, const void *p, size_t n, uint64_t at);
bool lossy_truncate(struct lossy_file *, uint64_t size);
bool lossy_sync(struct lossy_file *);
bool lossy_delete(struct lossy_disk *, const char *name, bool syncs_folder);

#endif
