/* A copy of the store, of one moment. */
#ifndef FRESHET_BACKUP_H
#define FRESHET_BACKUP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/diag.h"
#include "store/store.h"

/* backup_step_fn: so many bytes of the copy are made; false stops it. */
typedef bool backup_step_fn(void *arg, uint64_t done, uint64_t total);

/*
 * store_backup(store, path, step, arg, why):
 * Copy the store to path, which must not exist: one snapshot, taken now,
 * however long it lasts and whatever a crawl commits meanwhile; nobody waits
 * for it.  The copy has another name until it is whole and on the disk, and is
 * read and written by those who may do so with the store.  why
 * gets one line for people.
 * Returns DIAG_OK, STORE_UNUSABLE (path exists, or cannot be made), DISK_FULL,
 * STORE_DAMAGED (a page cannot be read), or BUDGET_REACHED when step stopped
 * it; without DIAG_OK nothing is left behind.
 */
enum diag_code store_backup(struct store *, const char *path, backup_step_fn *,
    void *arg, struct buf *why);

#endif
