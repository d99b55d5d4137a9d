/* A backup: a copy of the store at one moment. */
#ifndef FRESHET_BACKUP_H
#define FRESHET_BACKUP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/diag.h"
#include "store/store.h"

/* backup_step_fn: called after each part of the copy; false stops the backup.
 */
typedef bool backup_step_fn(void *arg, uint64_t done, uint64_t total);

/*
 * store_backup(store, path, step, arg, why):
 * Copy a snapshot of the store, taken now, to `path`, which must not exist.  A
 * crawl may commit during the backup, and does not wait for it.  The copy has
 * another name until it is complete and on the disk, and the permissions of the
 * store.  On failure `why` gets one line for people.
 *
 * Returns DIAG_OK, STORE_UNUSABLE (path exists, or cannot be made), DISK_FULL,
 * STORE_DAMAGED (a page cannot be read), or BUDGET_REACHED if `step` stopped
 * the backup.  A failed backup leaves no file.
 */
enum diag_code store_backup(struct store *, const char *path, backup_step_fn *,
    void *arg, struct buf *why);

#endif
