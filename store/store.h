/* The store: what is known about sites, in one SQLite file. */
#ifndef FRESHET_STORE_H
#define FRESHET_STORE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/diag.h"
#include "base/slice.h"
#include "store/document.h"
#include "store/proof.h"
#include "store/segment/reading.h"

struct store;

struct store_options {
	const char *path;
	bool is_read_only; /* readers never checkpoint (HOSTILE F17) */
	bool is_scratch; /* of no worth after this process: nothing is synced,
			    and its files may be removed once it is open */
	uint64_t min_free_bytes; /* of the file system; 1 GiB (HOSTILE T18) */
};

/*
 * store_open(options, *store, why):
 * Open, or make, the store: lock file first, then the settings of HOSTILE
 * section 5, then migrations.  why gets one line for people.
 * Returns DIAG_OK, STORE_LOCKED, STORE_DAMAGED (no store, damaged or newer),
 * STORE_UNUSABLE (directory, symlink, FIFO, missing or read-only folder,
 * network file system) or DISK_FULL.  An empty file is a new store; a
 * read-only open of a missing one is STORE_UNUSABLE.
 */
enum diag_code store_open(
    const struct store_options *, struct store **, struct buf *why);

/* store_close(store): flushes nothing; NULL is fine. */
void store_close(struct store *);

/* store_snapshot(store): another connection to it, only for reading, that sees
 * what is committed now for as long as it is open; NULL: none can be had. */
struct store *store_snapshot(const struct store *);

/* store_failed(store): DIAG_OK until a commit failed for good (DISK_FULL,
 * STORE_DAMAGED); nothing further is written or found then: ids are 0, loops
 * end. */
enum diag_code store_failed(const struct store *);

/* store_trouble(store): of STORE_DAMAGED, where it is and what: "document 17:
 * last_read_s is -5"; printable.  Empty: only fsck can tell. */
const char *store_trouble(struct store *);

/* store_damaged(store, format, ...): what is in it cannot be, as whoever reads
 * it has found out: "document 17: it is not there".  It fails like that. */
void store_damaged(struct store *, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* store_bytes(store): of what is in it, without what was given up. */
uint64_t store_bytes(struct store *);

/* store_site(store, host): the site of that name, made when it is new. */
int64_t store_site(struct store *, struct slice host);

/*
 * Commits.  store_submit takes the reading over and queues it; it becomes
 * durable with the next store_flush, which is due when store_submit answers
 * true (64 readings or 8 MB are waiting) or 20 ms later; done is called from
 * store_flush after COMMIT and may submit again.  The reading and done_arg
 * are valid in done; the reading is freed afterwards.  Children (store_link,
 * store_document) and robots facts written since the last flush lie in the
 * same transaction.
 */
typedef void store_done_fn(
    void *arg, const struct reading *, int64_t reading_id);
bool store_submit(struct store *, struct reading *, store_done_fn *, void *arg);

/* store_flush(store): COMMIT what waits.  DIAG_OK, DISK_FULL or
 * STORE_DAMAGED; on failure all that waited is rolled back and dropped, done
 * is not called, and store_failed answers the code from then on. */
enum diag_code store_flush(struct store *);

/* store_pending(store): does anything wait for a COMMIT? */
bool store_pending(const struct store *);

#endif
