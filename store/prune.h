/* Forgetting readings that no longer matter, and giving space back. */
#ifndef FRESHET_PRUNE_H
#define FRESHET_PRUNE_H

#include <stdint.h>

#include "base/buf.h"
#include "base/diag.h"
#include "store/store.h"

struct prune_totals {
	uint64_t readings; /* that went, and with them: */
	uint64_t findings;
	uint64_t changes; /* of their deltas */
	uint64_t outcomes; /* of fetches, that went */
	uint64_t kept; /* as old, but of the present */
};

/*
 * store_prune(store, before_s, totals):
 * Remove every reading that began before that, with its findings, samples and
 * delta; of each document stay its latest reading, the latest that brought
 * entries, the latest that found it healthy, and one that made entries gone
 * since.  What the request log says of the time before that goes, too, and the
 * outcomes of fetches; what pages are stays.  In transactions of some hundred
 * readings, each of them durable.
 * Returns DIAG_OK, DISK_FULL or STORE_DAMAGED.
 */
enum diag_code store_prune(
    struct store *, int64_t before_s, struct prune_totals *);

/*
 * store_prune_some(store, before_s, after_id): a bite of that, for a process
 * that holds the store for long: some hundred readings, of some thousand after
 * that one, and some thousand outcomes.  How far it came, to be passed the next
 * time; 0: what is left is younger; so is what it begins with.
 */
int64_t store_prune_some(struct store *, int64_t before_s, int64_t after_id);

/*
 * store_vacuum(store, why): write the file anew, without the room that was
 * given up, and empty its log.  Needs room for the store twice, beside it and
 * in the folder of SQLite's temporary files, and asks for it first.
 * Returns DIAG_OK, DISK_FULL, STORE_DAMAGED, or STORE_LOCKED: done, but some
 * reader keeps the log from being emptied.
 */
enum diag_code store_vacuum(struct store *, struct buf *why);

#endif
