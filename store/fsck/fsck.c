/* Fsck: the order of the checks, and the passes of a repair. */
#include "store/fsck/fsck.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "store/db.h"
#include "store/fsck/fsck_pass.h"

#define PASSES 6 /* of a repair: one may leave work for the next */

static void
check_all(struct fsck *fsck)
{
	static void (*const parts[])(struct fsck *) = {
	    fsck_file, fsck_segments, fsck_deltas, fsck_rules, fsck_sites};
	struct fsck_totals *totals = fsck->totals;

	totals->documents = totals->readings = 0;
	totals->entries = totals->changes = 0;
	fsck->latest_s = db_number(fsck->store,
	    "SELECT max((SELECT coalesce(max(at_s), 0) FROM reading),"
	    " (SELECT coalesce(max(fetched_s), 0) FROM origin))",
	    0, NULL);
	(void)fsck_ended(fsck, "reading");
	for (size_t i = 0; i < LENGTH(parts); i++)
		if (fsck->store->failed == DIAG_OK)
			parts[i](fsck);
}

/* SQLite must not enforce references here: repairs do that, pass after pass. */
static void
repair(struct fsck *fsck)
{
	struct store *store = fsck->store;

	(void)db_exec(store, "PRAGMA foreign_keys = OFF");
	fsck_mend_file(fsck);
	for (int pass = 0; pass < PASSES; pass++) {
		fsck->repaired = 0;
		memset(fsck->said, 0, sizeof(fsck->said));
		if (!db_begin(store))
			break;
		check_all(fsck);
		fsck_forget(fsck);
		/* An interrupted crawl starts anew, since some of what it read
		 * may be forgotten now. */
		if (fsck->repaired > 0) {
			(void)db_exec(store,
			    "UPDATE site SET crawl_begun_s = 0"
			    " WHERE crawl_begun_s <> 0");
			(void)db_exec(store, "DELETE FROM past");
		}
		fsck_forgive(store);
		if (store_flush(store) != DIAG_OK || fsck->repaired == 0)
			break;
	}
	fsck_forgive(store);
	(void)db_exec(store, "PRAGMA foreign_keys = ON");
}

enum diag_code
store_fsck(struct store *store, const struct fsck_options *options,
    struct fsck_totals *totals)
{
	struct fsck fsck = {
	    .store = store, .options = options, .totals = totals};

	assert(!store_pending(store));
	assert(!options->repairs || !store->is_read_only);
	*totals = (struct fsck_totals){0};
	if (options->repairs) {
		repair(&fsck);
	} else {
		if (db_snapshot_begin(fsck.store))
			check_all(&fsck);
		else
			(void)fsck_ended(&fsck, "file");
		db_snapshot_end(fsck.store);
	}
	/* Tell how many findings FSCK_LINES cut off. */
	for (unsigned i = 1; i < FSCK_INVARIANTS; i++) {
		struct fsck_finding at = {.invariant = i, .table = "file"};
		uint64_t more = fsck.told[i] - FSCK_LINES;
		char text[64];

		if (fsck.told[i] <= FSCK_LINES)
			continue;
		(void)snprintf(text, sizeof(text), "%llu more of the same kind",
		    (unsigned long long)more);
		at.what = slice_of(text);
		fsck.options->found(fsck.options->arg, &at);
	}
	fsck_release(&fsck);
	return store->failed;
}
