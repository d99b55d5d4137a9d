/*
 * Power cuts (HOSTILE S3): a store on a lossy disk takes numbered readings,
 * and remembers which ones were acknowledged.
 *
 *	powercut CUTS [SEED]
 *
 * Between two cuts it lives several lives: each ends with store_close, with
 * the death of the process at some write, or with the cut; a sync may fail on
 * the way.  After each the recovery may die as well, again and again, and a
 * repair in it; then what was acknowledged must be there, whole.
 */
#include "tests/fixtures/fixture.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "store/db.h"
#include "store/fsck/fsck.h"
#include "store/query.h"
#include "tests/durability/lossy_vfs.h"
#include "tests/fixtures/store_fixture.h"

#define DOCUMENTS 3
#define MAX_SEQ 300 /* readings of one disk */
#define MAX_OPS 150 /* the most operations that write in a life */
#define MAX_GROUPS 12 /* commits of a life */
#define MAX_LISTED 300
#define FIRST_S 1750000000 /* when reading 0 was made */

struct trial {
	struct lossy_disk *disk;
	uint64_t seed;
	char folder[64];
	char path[96];
	struct store *store;
	int64_t documents[DOCUMENTS];
	int next; /* number of the next reading, which is its time since
		     FIRST_S, too */
	bool is_acked[MAX_SEQ];
	bool is_there[MAX_SEQ];
};

struct counts {
	uint64_t seed;
	unsigned cuts;
	unsigned lives;
	unsigned recoveries; /* that were cut off, or could have been */
	unsigned repairs; /* of them, that were done before */
	unsigned acked;
};

static void
check(const struct trial *trial, bool holds, const char *claim, int seq)
{
	if (!holds)
		fail_msg("disk %llu, reading %d: %s",
		    (unsigned long long)trial->seed, seq, claim);
}

static enum how
how_of(int seq)
{
	return seq % 5 == 4 ? UNCHANGED : seq % 7 == 6 ? FAILED : COMPLETE;
}

/* The entries that reading `seq` lists, in order. */
static void
listing(int seq, struct buf *out)
{
	int count = 1 + seq * 7919 % MAX_LISTED;

	buf_clear(out);
	for (int i = 0; i < count; i++)
		(void)buf_print(out, "%sn%03d:%d", i == 0 ? "" : " ",
		    seq * 31 % 600 + i, seq % 50);
}

static void
acknowledge(void *arg, const struct reading *reading, int64_t reading_id)
{
	bool *is_acked = arg;

	(void)reading;
	(void)reading_id;
	*is_acked = true;
}

/* Make one commit of one to DOCUMENTS readings; false if the store has
 * failed. */
static bool
commit_some(struct trial *trial)
{
	uint64_t count = 1 + lossy_random(trial->disk, DOCUMENTS);
	struct buf listed;

	buf_init(&listed, SIZE_MAX);
	for (uint64_t i = 0; i < count && trial->next < MAX_SEQ; i++) {
		int seq = trial->next++;

		listing(seq, &listed);
		(void)store_submit(trial->store,
		    reading_make(trial->store,
			trial->documents[seq % DOCUMENTS], FIRST_S + seq,
			how_of(seq), buf_str(&listed)),
		    acknowledge, &trial->is_acked[seq]);
	}
	buf_release(&listed);
	return store_flush(trial->store) == DIAG_OK;
}

static bool
open_store(struct trial *trial)
{
	struct store_options options = {.path = trial->path};
	struct buf why;
	enum diag_code code;

	buf_init(&why, SIZE_MAX);
	code = store_open(&options, &trial->store, &why);
	if (code != DIAG_OK && code != DIAG_DISK_FULL)
		fail_msg("disk %llu: %s", (unsigned long long)trial->seed,
		    buf_str(&why));
	buf_release(&why);
	return code == DIAG_OK;
}

/* Make the documents in the first commit, which may fail like any other. */
static bool
find_documents(struct trial *trial)
{
	char url[64];

	for (int i = 0; i < DOCUMENTS; i++) {
		struct document document;

		(void)snprintf(url, sizeof(url), HOST_TEXT "s%d.xml", i);
		store_document(trial->store,
		    store_site(trial->store, slice_of("h.test")), slice_of(url),
		    &document);
		trial->documents[i] = document.id;
		document_release(&document);
	}
	return store_flush(trial->store) == DIAG_OK;
}

static void
live(struct trial *trial)
{
	unsigned ops = (unsigned)lossy_random(trial->disk, MAX_OPS);
	unsigned syncs = (unsigned)lossy_random(trial->disk, 40);
	uint64_t groups = lossy_random(trial->disk, MAX_GROUPS);

	/* A quarter of the lives ends well; a sync fails in a quarter of all
	 * lives. */
	lossy_plan(trial->disk, lossy_random(trial->disk, 4) == 0 ? 0 : 1 + ops,
	    syncs <= 10 ? syncs : 0);
	if (open_store(trial) && find_documents(trial))
		while (groups-- > 0 && commit_some(trial))
			;
	store_close(trial->store);
	trial->store = NULL;
}

static void
on_violation(void *arg, const struct fsck_finding *finding)
{
	(void)arg;
	print_message("J%u %s %lld: %.*s\n", finding->invariant, finding->table,
	    (long long)finding->id, (int)finding->what.len, finding->what.p);
}

static void
ignore_finding(void *arg, const struct fsck_finding *finding)
{
	(void)arg;
	(void)finding;
}

/* Repair what the store counts wrong, which is done on a disk that dies at the
 * operation with number `ops`; false if it has died. */
static bool
repair(struct trial *trial, unsigned ops, bool miscounts)
{
	struct fsck_options options = {
	    .repairs = true, .found = ignore_finding};
	struct fsck_totals totals = {0};
	bool is_done = false;

	lossy_plan(trial->disk, ops, 0);
	if (open_store(trial) && find_documents(trial)) {
		if (miscounts)
			(void)sqlite3_exec(trial->store->db,
			    "UPDATE document SET entries = entries + 1", NULL,
			    NULL, NULL);
		is_done = store_fsck(trial->store, &options, &totals) ==
		    DIAG_OK;
	}
	store_close(trial->store);
	trial->store = NULL;
	return is_done;
}

/* What begins after a death dies too, as often as chance wants: in the
 * recovery of the log, or in a repair. */
static void
recover(struct trial *trial, struct counts *counts)
{
	bool is_miscounted = false;

	while (lossy_random(trial->disk, 3) != 0) {
		unsigned ops = 1 + (unsigned)lossy_random(trial->disk, 24);
		bool is_cut = lossy_random(trial->disk, 3) != 0;

		is_miscounted = lossy_random(trial->disk, 2) == 0 ||
		    is_miscounted;
		counts->repairs += repair(trial, ops, is_miscounted);
		counts->recoveries++;
		lossy_restart(trial->disk, is_cut);
		counts->cuts += is_cut;
	}
	check(trial, !is_miscounted || repair(trial, 0, false),
	    "nothing can be repaired", -1);
}

/* Every acknowledged reading is in the store, once. */
static void
check_readings(struct trial *trial)
{
	sqlite3_stmt *stmt = NULL;

	memset(trial->is_there, 0, sizeof(trial->is_there));
	assert_int_equal(sqlite3_prepare_v2(trial->store->db,
			     "SELECT at_s FROM reading", -1, &stmt, NULL),
	    SQLITE_OK);
	while (sqlite3_step(stmt) == SQLITE_ROW) {
		int64_t seq = sqlite3_column_int64(stmt, 0) - FIRST_S;

		assert_in_range(seq, 0, MAX_SEQ - 1);
		check(trial, !trial->is_there[seq], "twice", (int)seq);
		trial->is_there[seq] = true;
	}
	assert_int_equal(sqlite3_finalize(stmt), SQLITE_OK);
	for (int i = 0; i < trial->next; i++)
		check(trial, trial->is_there[i] || !trial->is_acked[i], "lost",
		    i);
}

/* Copy the words of `text` that are not missed. */
static void
present(const char *text, struct buf *out)
{
	buf_clear(out);
	while (*text != '\0') {
		size_t len = strcspn(text, " ");

		if (*text != '!')
			(void)buf_print(out, "%s%.*s", out->len > 0 ? " " : "",
			    (int)len, text);
		text += len + (text[len] == ' ');
	}
}

/* The segment is the whole segment of the last complete reading. */
static void
check_segment(struct trial *trial, int number)
{
	struct block_source *source = block_source_new(
	    trial->store, BLOCKS_OF_SEGMENT, trial->documents[number]);
	struct buf stored, shown, wanted;
	int last = -1;

	buf_init(&stored, SIZE_MAX);
	buf_init(&shown, SIZE_MAX);
	buf_init(&wanted, SIZE_MAX);
	for (int i = number; i < trial->next; i += DOCUMENTS)
		if (trial->is_there[i] && how_of(i) == COMPLETE)
			last = i;
	if (last >= 0)
		listing(last, &wanted);
	present(segment_text(block_source_pull, source, &stored), &shown);
	check(trial, strcmp(buf_str(&shown), buf_str(&wanted)) == 0,
	    "its segment is another", last);
	block_source_close(source, NULL, 0);
	buf_release(&stored);
	buf_release(&shown);
	buf_release(&wanted);
}

static void
check_store(struct trial *trial)
{
	struct fsck_options options = {.found = on_violation};
	struct fsck_totals totals = {0};

	check(trial, open_store(trial), "the store does not open", -1);
	check(trial, find_documents(trial), "nothing can be written", -1);
	check_readings(trial);
	for (int i = 0; i < DOCUMENTS; i++)
		check_segment(trial, i);
	assert_int_equal(store_fsck(trial->store, &options, &totals), DIAG_OK);
	check(trial, totals.violations == 0, "fsck", -1);
	/* The process may die here, too, and leave the log of the store. */
	lossy_plan(trial->disk, lossy_random(trial->disk, 2) == 0 ? 1 : 0, 0);
	store_close(trial->store);
	trial->store = NULL;
	lossy_restart(trial->disk, false);
}

static void
trial_run(struct counts *counts, unsigned cuts)
{
	struct trial *trial = mem_zero(sizeof(*trial));
	struct lossy_vfs *vfs;

	trial->seed = counts->seed++;
	trial->disk = lossy_disk_new(trial->seed);
	vfs = lossy_vfs_new(trial->disk);
	(void)snprintf(
	    trial->folder, sizeof(trial->folder), "/tmp/freshet-cut-XXXXXX");
	assert_non_null(mkdtemp(trial->folder));
	(void)snprintf(
	    trial->path, sizeof(trial->path), "%s/x.db", trial->folder);
	while (counts->cuts < cuts && trial->next < MAX_SEQ) {
		bool is_cut;

		live(trial);
		is_cut = lossy_random(trial->disk, 3) != 0;
		lossy_restart(trial->disk, is_cut);
		counts->cuts += is_cut;
		counts->lives++;
		recover(trial, counts);
		check_store(trial);
	}
	for (int i = 0; i < trial->next; i++)
		counts->acked += trial->is_acked[i];
	lossy_vfs_free(vfs);
	lossy_disk_free(trial->disk);
	folder_remove(trial->folder);
	free(trial);
}

static void
test_cuts(void **state)
{
	struct counts counts = *(struct counts *)*state;
	unsigned cuts = counts.cuts;

	counts.cuts = 0;
	while (counts.cuts < cuts)
		trial_run(&counts, cuts);
	print_message("%u cuts in %u lives and %u recoveries, of which %u were "
		      "done; %u readings acknowledged\n",
	    counts.cuts, counts.lives, counts.recoveries, counts.repairs,
	    counts.acked);
	assert_true(counts.acked > 0);
	assert_in_range(counts.repairs, 1, counts.recoveries - 1);
}

int
main(int argc, char **argv)
{
	struct counts counts = {
	    .cuts = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 100,
	    .seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1};
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_prestate(test_cuts, &counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
