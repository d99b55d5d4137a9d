/* The store: what is known about sites, in one SQLite file. */
#ifndef FRESHET_STORE_H
#define FRESHET_STORE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/diag.h"
#include "base/late.h"
#include "base/slice.h"
#include "store/document.h"
#include "store/proof.h"
#include "store/segment/reading.h"

struct store;

struct store_options {
	const char *path;
	bool is_read_only; /* readers never checkpoint (HOSTILE F17) */
	/* The store is worth nothing after this process: nothing is synced, and
	 * its files may be removed while it is open. */
	bool is_scratch;
	/* The store is filled anew by who opens it (store/depot/depot.h):
	 * nothing has to survive a crash of the machine. */
	bool is_cache;
	uint64_t min_free_bytes; /* of the file system; 1 GiB (HOSTILE T18) */
};

/*
 * store_open(options, *store, why):
 * Open the store, or make it: first the lock file, then the settings of HOSTILE
 * section 5, then migrations.  On failure `why` gets one line for people.
 *
 * Returns DIAG_OK, STORE_LOCKED, STORE_DAMAGED (no store, damaged or newer),
 * STORE_UNUSABLE (directory, symlink, FIFO, missing or read-only folder,
 * network file system) or DISK_FULL.  An empty file is a new store; a
 * read-only open of a missing one is STORE_UNUSABLE.
 */
enum diag_code store_open(
    const struct store_options *, struct store **, struct buf *why);

/* store_killed_s(store, now_s): until when a process that was killed may have
 * sent requests of which the store knows nothing: now_s of the first call if
 * this owner of the store found that the last one did not close it (of a shard
 * that was given: when it was), or what an owner found within the hour; 0:
 * never.  A process that reads may look like one that was killed.  Later owners
 * learn it by the next store_flush. */
int64_t store_killed_s(struct store *, int64_t now_s);

/* store_trusts(path, uid): may a process or a file of that user beside the
 * store be believed?  Those of this user, of root, of its owner. */
bool store_trusts(const char *path, uid_t);

/* store_is_held(path, owner): does a process hold the lock of the store? *owner
 * is its number, 0 if that is not known; -1: this user cannot see who. */
bool store_is_held(const char *path, long *owner);

/* store_close(store): close without a store_flush; NULL is allowed. */
void store_close(struct store *);

/* store_snapshot(store): a second connection for reading, which sees what is
 * committed now for as long as it is open; NULL if none can be opened. */
struct store *store_snapshot(const struct store *);

/* store_read_begin(store): All reads until store_read_end see the same moment,
 * and take SQLite's locks once: for a caller that is about to read many small
 * things.  The first write in between ends that, because it opens a transaction
 * of its own.  Returns false if a transaction is open already, which has the
 * same effect; then there is nothing to end.  The callbacks of store_flush are
 * called within such a transaction. */
bool store_read_begin(struct store *);
void store_read_end(struct store *);

/* store_failed(store): DIAG_OK, or the code of the first failure (DISK_FULL,
 * STORE_DAMAGED).  A store that has failed writes and finds nothing: ids are 0,
 * loops end. */
enum diag_code store_failed(const struct store *);

/* store_trouble(store): where the damage of STORE_DAMAGED is and what it is:
 * "document 17: last_read_s is -5"; printable.  Empty: only fsck can tell. */
const char *store_trouble(struct store *);

/* store_damaged(store, format, ...): fail as damaged, for a caller that read
 * something impossible; the text begins with the place: "document 17: it is not
 * there". */
void store_damaged(struct store *, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* store_bytes(store): the size of the database without its free pages. */
uint64_t store_bytes(struct store *);

/* store_free_bytes(store): the free space for this user on the file system of a
 * store that is open for writing; UINT64_MAX if it is not known. */
uint64_t store_free_bytes(const struct store *);

/* store_lacks_room(store): is less free than min_free_bytes and a sixteenth of
 * it? Below min_free_bytes COMMITs fail with DISK_FULL. */
bool store_lacks_room(const struct store *);

/* store_site(store, host): the id of the site of a host; a new site is made. */
int64_t store_site(struct store *, struct slice host);

/*
 * store_submit(store, reading, done, arg):
 * Take the reading over and queue it; it becomes durable with the next
 * store_flush.  Returns true if that flush is due now, since 256 readings or
 * 8 MB wait; else the caller flushes 20 ms later.  Children (store_link,
 * store_document) and robots facts written since the last flush are in the same
 * transaction.
 *
 * store_flush calls `done` after COMMIT; `done` may submit again.  The reading
 * is valid in `done`, and freed afterwards.
 */
typedef void store_done_fn(
    void *arg, const struct reading *, int64_t reading_id);
bool store_submit(struct store *, struct reading *, store_done_fn *, void *arg);

/* store_flush(store): COMMIT all that waits.  Returns DIAG_OK, DISK_FULL or
 * STORE_DAMAGED, or, of a cache (store/depot/depot.h), STORE_LOCKED: another
 * process has the shard.  On failure all that waited is rolled back and dropped
 * without a call of `done`, and store_failed returns the code from then on. */
enum diag_code store_flush(struct store *);

/*
 * Of a cache (store/depot/depot.h), what store_flush has committed is durable
 * later, and `done` is called then, from the loop or from store_await.
 *
 * store_commits(store): the number of the last COMMIT.
 * store_is_durable(store, commit): is the COMMIT of that number durable?
 * store_is_full(store): is so much under way, or so little known of what holds
 * the shard, that nothing more should be asked for, read or committed?
 * store_await(store): wait until all is durable; returns store_failed.
 * store_acked(store, commit): what came up to this COMMIT is durable.
 */
uint64_t store_commits(const struct store *);
bool store_is_durable(const struct store *, uint64_t commit);
bool store_is_full(const struct store *);
enum diag_code store_await(struct store *);
void store_acked(struct store *, uint64_t commit);

/* store_alerts_ran(store, now_s, is_well): a process of `run` that tells alerts
 * has ended, or died; durable with the next store_flush. */
void store_alerts_ran(struct store *, int64_t now_s, bool is_well);

/* store_pending(store): does anything wait for a COMMIT? */
bool store_pending(const struct store *);

/*
 * store_rest(store):
 * Write the content of the write-ahead log into the database, and truncate the
 * log.  Call this function only while nothing waits for a COMMIT.  It does not
 * wait for readers: the log stays as long as one of them needs it.  A failure
 * loses nothing, and the next COMMIT reports it.
 *
 * Returns true if the log is empty.
 */
bool store_rest(struct store *);

/* store_log_bytes(store): the length of the write-ahead log. */
uint64_t store_log_bytes(const struct store *);

#ifdef FRESHET_TEST_HOOKS
/* Called with each store that was opened for writing; NULL: nobody is. */
extern void (*store_test_opened)(struct store *);
#endif

#define STORE_LIBRARIES 2

/* store_libraries(libraries): the versions of SQLite and zstd. */
void store_libraries(struct library libraries[STORE_LIBRARIES]);

#endif
