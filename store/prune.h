/* Forgetting readings that no longer matter, and giving space back. */
#ifndef FRESHET_PRUNE_H
#define FRESHET_PRUNE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/diag.h"
#include "store/store.h"

struct prune_totals {
	uint64_t readings; /* removed, and with them: */
	uint64_t findings;
	uint64_t changes; /* of their deltas */
	uint64_t outcomes; /* of fetches, removed */
	uint64_t kept; /* old readings that still matter */
};

/*
 * store_prune(store, before_s, totals):
 * Remove the readings before before_s, with their findings, samples and deltas,
 * and what pages of events that began with them answered.  The function keeps,
 * of each document, the latest reading, the latest that brought entries, the
 * latest that succeeded, and a later one that made entries gone.  It also
 * removes the rows of the request log, the former texts of robots.txt and the
 * outcomes before before_s, but not the state of pages.  Each transaction
 * removes some hundred readings.  What is removed and kept is added to totals.
 *
 * Returns DIAG_OK, DISK_FULL or STORE_DAMAGED.
 */
enum diag_code store_prune(
    struct store *, int64_t before_s, struct prune_totals *);

/* store_prune_some(store, before_s, after_id): One step of store_prune, for a
 * process that has the store open for long: up to some hundred readings among
 * some thousand after after_id, what the request log has of their hosts from
 * before before_s, and some thousand outcomes.  Returns the
 * after_id of the next step; 0: there is nothing left to remove.  The first
 * step has the after_id 0. */
int64_t store_prune_some(struct store *, int64_t before_s, int64_t after_id);

/*
 * store_vacuum(store, why):
 * Write the file again without its free pages, and truncate the log.  This
 * takes room for two more copies of the store, one beside the store and one in
 * the folder of SQLite's temporary files; the function checks that first.
 *
 * Returns DIAG_OK, DISK_FULL, STORE_DAMAGED, or STORE_LOCKED: the file was
 * written, but a reader keeps the log.
 */
enum diag_code store_vacuum(struct store *, struct buf *why);

/* A backup: a copy of the store at one moment. */

/* backup_step_fn: called after each part of the copy; false stops it. */
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
