/* Fsck: deltas, change by change (J5, J8, J10). */
#include "store/care.h"
#include "store/db.h"
#include "store/fsck/fsck_blocks.h"
#include "store/fsck/fsck_internal.h"
#include "store/segment/entry.h"

static const char each_reading[] =
    "SELECT r.id, d.url, r.document_id, r.delta_blocks, r.added, r.removed, "
    "r.returned,"
    " r.redated, r.gone, r.now_refused, r.now_accepted FROM reading r LEFT "
    "JOIN document d"
    " ON d.id = r.document_id WHERE r.id > ?1 AND (r.delta_blocks <> 0 OR"
    " EXISTS (SELECT 1 FROM delta WHERE id BETWEEN r.id << 16 AND"
    " r.id << 16 | 65535)) ORDER BY r.id LIMIT 1";

enum {
	COLUMN_ID,
	COLUMN_URL,
	COLUMN_DOCUMENT,
	COLUMN_BLOCKS,
	COLUMN_KINDS /* in the order of enum delta_kind */
};

static void
repair_counts(struct fsck *fsck, int64_t reading_id,
    const uint64_t counts[DELTA_KINDS], uint32_t blocks)
{
	struct sqlite3_stmt *stmt = db_use(fsck->store, SQL_READING_DELTA);

	db_bind_int(stmt, 1, reading_id);
	for (int kind = 0; kind < DELTA_KINDS; kind++)
		db_bind_int(stmt, 2 + kind, (int64_t)counts[kind]);
	db_bind_int(stmt, 2 + DELTA_KINDS, blocks);
	(void)db_write(fsck->store, stmt);
}

/* Is a count of a kind another than that of the delta? */
static bool
differs(struct sqlite3_stmt *stmt, int kind, const uint64_t counts[DELTA_KINDS])
{
	return db_int(stmt, COLUMN_KINDS + kind) != (int64_t)counts[kind];
}

static void
check_counts(struct fsck *fsck, struct sqlite3_stmt *stmt,
    const struct fsck_finding *reading, const uint64_t counts[DELTA_KINDS],
    uint32_t blocks)
{
	struct fsck_finding at = *reading;
	struct fsck_loss loss = {.document_id = db_int(stmt, COLUMN_DOCUMENT)};
	int64_t claimed = db_int(stmt, COLUMN_BLOCKS);
	unsigned wrong = 0;

	for (int kind = 0; kind < DELTA_KINDS; kind++)
		wrong += differs(stmt, kind, counts);
	/* A count follows from what is there, what is not there from nothing.
	 */
	at.invariant = blocks < claimed && wrong > 0 ? 5 : 8;
	at.is_repaired = at.invariant == 8 && fsck->options->repairs;
	if (at.invariant == 5)
		fsck_lose(fsck, &at, &loss,
		    "delta_blocks is %lld, there are %u", (long long)claimed,
		    blocks);
	else if (blocks != claimed)
		fsck_say(fsck, &at, "delta_blocks is %lld, there are %u",
		    (long long)claimed, blocks);
	if (at.invariant == 5 || (wrong == 0 && blocks == claimed))
		return;
	for (int kind = 0; kind < DELTA_KINDS; kind++)
		if (differs(stmt, kind, counts))
			fsck_say(fsck, &at, "%s is %lld, its delta has %llu",
			    delta_kind_name((enum delta_kind)kind),
			    (long long)db_int(stmt, COLUMN_KINDS + kind),
			    (unsigned long long)counts[kind]);
	if (!at.is_repaired)
		return;
	fsck_mend(fsck);
	repair_counts(fsck, at.id, counts, blocks);
	fsck_mended(fsck);
}

static void
check_reading(
    struct fsck *fsck, struct sqlite3_stmt *stmt, struct fsck_blocks *blocks)
{
	struct fsck_finding at = {
	    .table = "reading",
	    .id = db_int(stmt, COLUMN_ID),
	    .where = db_text(stmt, COLUMN_URL),
	};
	struct fsck_loss loss = {.document_id = db_int(stmt, COLUMN_DOCUMENT)};
	uint64_t counts[DELTA_KINDS] = {0};
	uint64_t undated = 0;
	uint64_t misjudged = 0;
	struct change change;

	fsck_blocks_begin(blocks, at.id, loss.document_id, at.where);
	while (fsck_blocks_change(blocks, &change)) {
		counts[change.kind]++;
		undated += !change_has_dates(&change);
		misjudged += !change_has_verdict(&change);
		fsck->totals->changes++;
	}
	at.invariant = 15;
	if (undated > 0)
		fsck_lose(fsck, &at, &loss,
		    "%llu of its changes have dates that their kind has not",
		    (unsigned long long)undated);
	at.invariant = 4;
	if (misjudged > 0)
		fsck_lose(fsck, &at, &loss,
		    "%llu of its changes have a verdict that their kind has "
		    "not",
		    (unsigned long long)misjudged);
	if (!blocks->is_broken)
		check_counts(fsck, stmt, &at, counts, blocks->rows);
}

void
fsck_deltas(struct fsck *fsck)
{
	struct sqlite3_stmt *stmt = care_statement(fsck->store, each_reading);
	struct fsck_blocks blocks;
	int64_t id = INT64_MIN;

	fsck->totals->readings = (uint64_t)care_number(
	    fsck->store, "SELECT count(*) FROM reading");
	fsck_blocks_open(&blocks, fsck, false);
	while (stmt != NULL && fsck_next(fsck, stmt, "reading", &id)) {
		check_reading(fsck, stmt, &blocks);
	}
	(void)fsck_ended(fsck, "reading");
	db_drop(stmt);
	fsck_blocks_close(&blocks);
}
