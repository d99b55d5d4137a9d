/* A pass of fsck: what it finds, repairs and forgets. */
#include "store/fsck/fsck_pass.h"

#include <assert.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/sort.h"
#include "store/db.h"

#define WHAT_MAX 1024

struct fsck_held {
	struct fsck_finding finding; /* the texts of the finding are owned */
	bool is_counted_only; /* the invariant has had enough lines */
	struct fsck_loss loss;
};

/* Count a finding and pass it to the caller of store_fsck. */
static void
tell(struct fsck *fsck, const struct fsck_finding *finding)
{
	struct fsck_totals *totals = fsck->totals;

	totals->violations++;
	totals->repaired += finding->is_repaired;
	fsck->repaired += finding->is_repaired;
	if (fsck->told[finding->invariant]++ < FSCK_LINES)
		fsck->options->found(fsck->options->arg, finding);
}

void
fsck_say(struct fsck *fsck, const struct fsck_finding *at,
    const struct fsck_loss *loss, const char *format, ...)
{
	struct fsck_finding finding = *at;
	char text[WHAT_MAX];
	va_list args;
	int n;

	assert(at->invariant > 0 && at->invariant < FSCK_INVARIANTS);
	va_start(args, format);
	n = vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (n < 0)
		n = 0;
	if ((size_t)n >= sizeof(text))
		n = (int)sizeof(text) - 1;
	finding.what = slice_make(text, (size_t)n);
	if (!fsck->options->repairs) {
		finding.is_repaired = false;
		tell(fsck, &finding);
	} else if (at->is_repaired || loss != NULL) {
		/* Keep a finding until its repair is done; loss is NULL unless
		 * a document is lost. */
		struct fsck_list *list = loss == NULL ? &fsck->held
						      : &fsck->lost;
		struct fsck_held item = {.finding = finding};

		if (loss != NULL)
			item.loss = *loss;
		item.finding.is_repaired = true;
		item.finding.is_forgotten = loss != NULL && !loss->is_gone;
		item.is_counted_only = fsck->said[finding.invariant]++ >=
		    FSCK_LINES;
		item.finding.where = item.finding.what = slice_make(NULL, 0);
		if (!item.is_counted_only) {
			item.finding.where.p = slice_dup(finding.where);
			item.finding.where.len = finding.where.len;
			item.finding.what.p = slice_dup(finding.what);
			item.finding.what.len = finding.what.len;
		}
		*MEM_PUSH(list->items, list->count, list->cap) = item;
	}
}

/* Free held findings; tell them if their repair is done.  If not, the next
 * check finds them again. */
static void
let_go(struct fsck *fsck, struct fsck_held *items, size_t count, bool is_done)
{
	for (size_t i = 0; i < count; i++) {
		struct fsck_finding *finding = &items[i].finding;

		if (is_done)
			tell(fsck, finding);
		free((char *)(uintptr_t)finding->where.p);
		free((char *)(uintptr_t)finding->what.p);
	}
}

void
fsck_forgive(struct store *store)
{
	if (store->failed != DIAG_STORE_DAMAGED)
		return;
	store->failed = DIAG_OK;
	buf_clear(&store->trouble);
}

void
fsck_mend(struct fsck *fsck)
{
	fsck->rows_changed = sqlite3_total_changes64(fsck->store->db);
	(void)db_exec(fsck->store, "SAVEPOINT mend");
}

void
fsck_held_end(struct fsck *fsck, bool is_done)
{
	size_t count = fsck->held.count;

	fsck->held.count = 0;
	let_go(fsck, fsck->held.items, count, is_done);
}

/* In a table that is out of order, a SELECT can find a row that an UPDATE does
 * not change: then nothing was repaired. */
bool
fsck_mended(struct fsck *fsck)
{
	struct store *store = fsck->store;
	bool is_done = store->failed == DIAG_OK;

	if (!is_done) {
		fsck_forgive(store);
		(void)db_exec(store, "ROLLBACK TO mend");
	}
	(void)db_exec(store, "RELEASE mend");
	fsck_forgive(store);
	is_done = is_done &&
	    sqlite3_total_changes64(store->db) > fsck->rows_changed;
	fsck_held_end(fsck, is_done);
	return is_done;
}

void
fsck_fix(struct fsck *fsck, const char *sql, int64_t id, int64_t value)
{
	if (!fsck->options->repairs)
		return;
	fsck_mend(fsck);
	(void)db_exec_ints(fsck->store, sql, 2, (int64_t[]){id, value});
	(void)fsck_mended(fsck);
}

/* How a lost document is forgotten: ?1 is the document, ?2 and ?3 are the first
 * and the last id of its blocks. */
static const char *const forgetting[] = {
    "DELETE FROM sample WHERE reading_id IN"
    " (SELECT id FROM reading WHERE document_id = ?1)",
    "DELETE FROM finding WHERE reading_id IN"
    " (SELECT id FROM reading WHERE document_id = ?1)",
    "DELETE FROM reading WHERE document_id = ?1",
    "DELETE FROM segment WHERE id BETWEEN ?2 AND ?3",
    "DELETE FROM block_index WHERE id BETWEEN ?2 AND ?3",
    "DELETE FROM link WHERE index_id = ?1",
    "DELETE FROM learned WHERE kind = 'document' AND id = ?1",
    /* All other columns get the values of a document that was never read. */
    "INSERT OR REPLACE INTO document (id, site_id, url, kind, is_led)"
    " SELECT id, site_id, url, iif(kind = 'unlisted', kind, 'unknown'), 1"
    " FROM document WHERE id = ?1",
    /* Consumers of the feed begin anew: no reading tells what is lost. */
    "UPDATE feed SET cursor = NULL",
    "UPDATE site SET listed = NULL, pending_id = tallied_id + 1 WHERE id ="
    " (SELECT site_id FROM document WHERE id = ?1)"};

static const struct sort_key by_document[] = {
    {SORT_KEY(struct fsck_held, loss.document_id)},
    {SORT_KEY(struct fsck_held, loss.is_gone), .is_falling = true}, {0}};

void
fsck_forget(struct fsck *fsck)
{
	struct fsck_held *lost = fsck->lost.items;
	size_t count = fsck->lost.count;

	fsck->lost.count = 0;
	sort_rows(lost, count, sizeof(*lost), by_document);
	for (size_t i = 0, next; i < count; i = next) {
		for (next = i; next < count &&
		     lost[next].loss.document_id == lost[i].loss.document_id;)
			next++;
		fsck_mend(fsck);
		const struct fsck_loss *loss = &lost[i].loss;
		int64_t ids[] = {loss->document_id, BLOCK_ID(loss->document_id),
		    BLOCK_ID(loss->document_id) | (BLOCKS_MAX - 1)};
		struct sqlite3_stmt *stmt = db_make(fsck->store,
		    "SELECT id FROM reading WHERE document_id = ?1", 1, ids);

		while (db_row(fsck->store, stmt)) {
			int64_t first_id = BLOCK_ID(db_int(stmt, 0));

			(void)db_exec_ints(fsck->store,
			    "DELETE FROM delta WHERE id BETWEEN ?1 AND ?2", 2,
			    (int64_t[]){first_id, first_id | (BLOCKS_MAX - 1)});
		}
		db_drop(stmt);
		for (size_t k = 0; k < LENGTH(forgetting); k++)
			(void)db_exec_ints(fsck->store, forgetting[k], 3, ids);
		if (loss->is_gone)
			(void)db_exec_ints(fsck->store,
			    "DELETE FROM document WHERE id = ?1", 1, ids);
		let_go(fsck, lost + i, next - i, fsck_mended(fsck));
	}
}

bool
fsck_ended(struct fsck *fsck, const char *table)
{
	struct store *store = fsck->store;

	if (store->failed == DIAG_OK)
		return true;
	if (store->failed != DIAG_STORE_DAMAGED)
		return false;
	fsck_say(fsck, &(struct fsck_finding){.invariant = 1, .table = table},
	    NULL, "cannot be read: %s", store_trouble(store));
	fsck_forgive(store);
	return true;
}

bool
fsck_next(struct fsck *fsck, struct sqlite3_stmt *stmt, const char *table,
    int64_t *id)
{
	db_done(stmt);
	db_bind_int(stmt, 1, *id);
	if (!db_row(fsck->store, stmt))
		return false;
	if (db_int(stmt, 0) <= *id) {
		fsck_say(fsck,
		    &(struct fsck_finding){.invariant = 1, .table = table},
		    NULL, "its rows are not in order");
		return false;
	}
	*id = db_int(stmt, 0);
	return true;
}

void
fsck_release(struct fsck *fsck)
{
	/* A repair that was not done is found again by the next check. */
	let_go(fsck, fsck->held.items, fsck->held.count, false);
	let_go(fsck, fsck->lost.items, fsck->lost.count, false);
	free(fsck->held.items);
	free(fsck->lost.items);
}
