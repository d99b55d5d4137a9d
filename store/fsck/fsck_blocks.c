/*
 * Fsck: segments and deltas, block by block (J4, J5, J8, J9, J10, J14, J15).
 * The decoder says whether a block is whole and in order; what it gives is
 * counted, and held against the rows of documents and readings.
 */
#include <assert.h>
#include <stdlib.h>

#include "base/addr.h"
#include "base/url.h"
#include "store/db.h"
#include "store/document.h"
#include "store/fsck/fsck_pass.h"
#include "store/segment/bloom.h"
#include "store/segment/merge.h"

/* What can be wrong with an entry or a change. */
enum fsck_fault {
	FAULT_URL,
	FAULT_PRIVATE,
	FAULT_TIME,
	FAULT_HINTS,
	FAULT_DATE,
	FAULT_CHANGE_DATE,
	FAULT_CHANGE_VERDICT,
	FAULTS
};

static const struct {
	unsigned invariant;
	const char *text;
} fault_info[FAULTS] = {
    [FAULT_URL] = {10, "are no normalised http or https URL (R-42 to R-50)"},
    [FAULT_PRIVATE] = {4,
	"are on a private address, the document is not"
	" (R-70)"},
    [FAULT_TIME] = {9, "were seen or re-dated after the last commit"},
    [FAULT_HINTS] = {14, "have hints or extensions that there are not"},
    [FAULT_DATE] = {15, "have a date outside of the years 1 to 9999"},
    [FAULT_CHANGE_DATE] = {15, "have dates that their kind of change has not"},
    [FAULT_CHANGE_VERDICT] = {4,
	"have a verdict that their kind of change has not"},
};

struct fsck_blocks {
	struct fsck *fsck;
	struct sqlite3_stmt *next; /* owned: id, count, data */
	struct sqlite3_stmt *index; /* owned; NULL: these are deltas */
	struct block_reader *reader; /* owned */
	struct buf data; /* of the block at hand */
	bool is_pulled; /* the reader has it */
	/* of the block at hand, as its row of the block index must be */
	struct buf first_url, last_url, bloom;
	uint64_t keys[BLOCK_ENTRIES];
	struct url url; /* the one that was looked at last */
	/* The owner of the blocks at hand: a document, or a reading. */
	struct fsck_finding at;
	struct fsck_loss loss;
	uint32_t rows; /* of its blocks that were decoded */
	bool is_broken;
	bool has_public; /* its final URL is on a public address */
	int64_t content_s; /* when the segment was written */
	struct merge_counts counts; /* of entries */
	uint64_t kinds[DELTA_KINDS]; /* of changes */
	struct {
		uint64_t count;
		char *first; /* owned: URL of the first of them */
	} faults[FAULTS];
};

/* Give the reader the block at hand, and then the end: each block is decoded
 * alone, so that a damaged one does not hide those behind it. */
static struct slice
fsck_pull(void *arg)
{
	struct fsck_blocks *blocks = arg;
	bool is_first = !blocks->is_pulled;

	blocks->is_pulled = true;
	return is_first ? buf_text(&blocks->data) : slice_make(NULL, 0);
}

static void
fsck_blocks_open(struct fsck_blocks *blocks, struct fsck *fsck, bool is_segment)
{
	*blocks = (struct fsck_blocks){.fsck = fsck,
	    .next = db_make(fsck->store,
		is_segment ? "SELECT id, count, data FROM segment WHERE"
			     " id >= ?1 AND id <= ?2 ORDER BY id LIMIT 1"
			   : "SELECT id, count, data FROM delta WHERE"
			     " id >= ?1 AND id <= ?2 ORDER BY id LIMIT 1",
		0, NULL)};
	if (is_segment)
		blocks->index = db_make(fsck->store,
		    "SELECT first_url, last_url, bloom FROM block_index"
		    " WHERE id = ?1",
		    0, NULL);
	blocks->reader = block_reader_new(fsck_pull, blocks);
	buf_init(&blocks->data, BLOCK_MAX_BYTES);
	buf_init(&blocks->bloom, BLOOM_MAX_BYTES);
}

static void
fsck_blocks_close(struct fsck_blocks *blocks)
{
	block_reader_free(blocks->reader);
	db_drop(blocks->next);
	db_drop(blocks->index);
	url_release(&blocks->url);
	buf_release(&blocks->data);
	buf_release(&blocks->first_url);
	buf_release(&blocks->last_url);
	buf_release(&blocks->bloom);
}

/* Count what is wrong with an entry.  A document of 50,000 entries that are
 * wrong in one way is one finding, which names the first of them. */
static void
fsck_fault(struct fsck_blocks *blocks, enum fsck_fault fault, struct slice url)
{
	if (blocks->faults[fault].count++ == 0)
		blocks->faults[fault].first = slice_dup(url);
}

/* Decode the block at hand; returns how many items it has, 0 if it is damaged
 * or does not follow the block before. */
static uint32_t
fsck_decode(struct fsck_blocks *blocks)
{
	struct entry entry;
	struct change change;
	struct slice url;
	uint32_t count = 0;
	unsigned odd;

	block_reader_reset(blocks->reader, false);
	blocks->is_pulled = false;
	while (blocks->index != NULL
		? block_next(blocks->reader, &entry)
		: block_next_change(blocks->reader, &change)) {
		url = blocks->index != NULL ? entry.url : change.url;
		if (count == 0 && blocks->rows > 0 &&
		    slice_order(url, buf_text(&blocks->last_url)) <= 0)
			return 0;
		if (count == 0) {
			buf_clear(&blocks->first_url);
			(void)buf_put_slice(&blocks->first_url, url);
		}
		buf_clear(&blocks->last_url);
		(void)buf_put_slice(&blocks->last_url, url);
		assert(count < BLOCK_ENTRIES); /* as the decoder checks */
		blocks->keys[count++] = bloom_key(url);
		if (blocks->index != NULL) {
			/* An entry of a segment.  One that is absent may be of
			 * an older final URL: its place is not judged. */
			if (!url_is_normal(&blocks->url, entry.url))
				fsck_fault(blocks, FAULT_URL, entry.url);
			else if (entry.verdict == VERDICT_ACCEPTED &&
			    blocks->has_public && !entry_is_absent(&entry) &&
			    addr_host_reach(url_host(&blocks->url)) !=
				ADDR_PUBLIC)
				fsck_fault(blocks, FAULT_PRIVATE, entry.url);
			odd = entry_odd(&entry, blocks->fsck->latest_s);
			if ((odd & ODD_TIMES) != 0)
				fsck_fault(blocks, FAULT_TIME, entry.url);
			if ((odd & ODD_HINTS) != 0)
				fsck_fault(blocks, FAULT_HINTS, entry.url);
			if ((odd & ODD_DATE) != 0)
				fsck_fault(blocks, FAULT_DATE, entry.url);
			merge_count(&blocks->counts, &entry, blocks->content_s);
		} else {
			/* A change of a delta. */
			blocks->kinds[change.kind]++;
			blocks->fsck->totals->changes++;
			odd = change_odd(&change);
			if ((odd & ODD_DATE) != 0)
				fsck_fault(
				    blocks, FAULT_CHANGE_DATE, change.url);
			if ((odd & ODD_VERDICT) != 0)
				fsck_fault(
				    blocks, FAULT_CHANGE_VERDICT, change.url);
		}
	}
	return block_reader_damaged(blocks->reader) ? 0 : count;
}

/* J8: is the row of the block index that of the block?  Rows from a store of
 * the first schema have no last_url and no filter. */
static void
fsck_index(struct fsck_blocks *blocks, int64_t id, uint32_t count)
{
	struct store *store = blocks->fsck->store;
	struct sqlite3_stmt *stmt = blocks->index;
	struct fsck_finding at = blocks->at;
	const char *fault = NULL;

	buf_clear(&blocks->bloom);
	bloom_make(&blocks->bloom, blocks->keys, count);
	db_done(stmt);
	db_bind_int(stmt, 1, id);
	if (!db_row(store, stmt))
		fault = "there is none";
	else if (!slice_equal(db_text(stmt, 0), buf_text(&blocks->first_url)))
		fault = "its first URL is another";
	else if (!db_is_null(stmt, 1) &&
	    !slice_equal(db_text(stmt, 1), buf_text(&blocks->last_url)))
		fault = "its last URL is another";
	else if (db_blob(stmt, 2).len > 0 &&
	    !slice_equal(db_blob(stmt, 2), buf_text(&blocks->bloom)))
		fault = "its Bloom filter is that of other URLs";
	db_done(stmt);
	if (fault == NULL || store->failed != DIAG_OK)
		return;
	at.invariant = 8;
	at.table = "block_index";
	at.is_repaired = true;
	fsck_say(blocks->fsck, &at, NULL, "of its block %u: %s", blocks->rows,
	    fault);
	if (!blocks->fsck->options->repairs)
		return;
	fsck_mend(blocks->fsck);
	stmt = db_make(store,
	    "INSERT OR REPLACE INTO block_index (id, first_url, last_url, "
	    "bloom) VALUES (?1, ?2, ?3, ?4)",
	    0, NULL);
	if (stmt != NULL)
		(void)db_write(store,
		    db_bind(stmt,
			DB_ROW(AS_INT(id),
			    AS_TEXT(buf_text(&blocks->first_url)),
			    AS_TEXT(buf_text(&blocks->last_url)),
			    AS_BLOB(buf_text(&blocks->bloom)))));
	db_drop(stmt);
	(void)fsck_mended(blocks->fsck);
}

/* Check all blocks of the owner in blocks->at.  Their ids follow one another
 * without a gap, so the first row that is not there is the end, unless there is
 * one behind it.  After a block that is lost nothing more can be said of the
 * owner: is_broken. */
static void
fsck_walk(struct fsck_blocks *blocks)
{
	struct fsck *fsck = blocks->fsck;
	struct fsck_finding at = blocks->at;
	int64_t first_id = BLOCK_ID(at.id);
	const char *fault = NULL;

	at.table = blocks->index != NULL ? "segment" : "delta";
	blocks->rows = 0;
	while (fault == NULL && blocks->next != NULL) {
		struct sqlite3_stmt *stmt = blocks->next;
		int64_t id = first_id + blocks->rows;
		int64_t claimed;
		uint32_t count;

		db_done(stmt);
		db_bind_int(stmt, 1, id);
		db_bind_int(stmt, 2, first_id | (BLOCKS_MAX - 1));
		if (!db_row(fsck->store, stmt))
			break;
		claimed = db_int(stmt, 1);
		buf_clear(&blocks->data);
		if (db_int(stmt, 0) != id) {
			fault = "is missing";
			break;
		}
		count = buf_put_slice(&blocks->data, db_blob(stmt, 2))
		    ? fsck_decode(blocks)
		    : 0;
		db_done(stmt);
		if (count == 0) {
			fault = "cannot be decoded, or is not in order";
			break;
		}
		if (blocks->index != NULL)
			fsck_index(blocks, id, count);
		if (claimed != count) {
			at.invariant = 8;
			at.is_repaired = true;
			fsck_say(fsck, &at, NULL,
			    "block %u says that it holds %lld, it holds %u",
			    blocks->rows, (long long)claimed, count);
			fsck_fix(fsck,
			    blocks->index != NULL
				? "UPDATE segment SET count = ?2 WHERE id = ?1"
				: "UPDATE delta SET count = ?2 WHERE id = ?1",
			    id, count);
		}
		blocks->rows++;
	}
	db_done(blocks->next);
	blocks->is_broken = fault != NULL || fsck->store->failed != DIAG_OK;
	at.invariant = 5;
	if (fault != NULL)
		fsck_say(fsck, &at, &blocks->loss, "block %u %s", blocks->rows,
		    fault);
	(void)fsck_ended(fsck, at.table);
	for (int i = 0; i < FAULTS; i++) {
		at = blocks->at;
		at.invariant = fault_info[i].invariant;
		if (blocks->faults[i].count > 0)
			fsck_say(fsck, &at, &blocks->loss,
			    "%llu of its entries %s; the first is %.300s",
			    (unsigned long long)blocks->faults[i].count,
			    fault_info[i].text, blocks->faults[i].first);
		free(blocks->faults[i].first);
		blocks->faults[i].first = NULL;
		blocks->faults[i].count = 0;
	}
}

/* A number that a row claims, and that its blocks have. */
struct fsck_number {
	const char *name;
	int64_t claimed, counted;
};

/* Say how the row differs from its blocks; returns whether it can be repaired:
 * a count follows from what is there, but what is not there follows from
 * nothing.  The first number is that of the blocks. */
static bool
fsck_compare(struct fsck_blocks *blocks, const struct fsck_number *numbers,
    size_t count, bool is_else_wrong)
{
	struct fsck_finding at = blocks->at;
	bool is_short = numbers[0].counted < numbers[0].claimed;
	bool is_wrong = false;
	struct buf what = BUF_UP_TO(SIZE_MAX);

	for (size_t i = 0; i < count; i++) {
		const struct fsck_number *number = &numbers[i];

		if (number->claimed == number->counted)
			continue;
		is_wrong |= i > 0;
		(void)buf_print(&what, "%s%s is %lld, its blocks have %lld",
		    what.len > 0 ? "; " : "", number->name,
		    (long long)number->claimed, (long long)number->counted);
	}
	if (is_else_wrong)
		(void)buf_print(&what,
		    "%snewest or refused_by are not those "
		    "of its blocks",
		    what.len > 0 ? "; " : "");
	at.invariant = is_short && is_wrong ? 5 : 8;
	at.is_repaired = at.invariant == 8;
	if (at.invariant == 5)
		fsck_say(
		    blocks->fsck, &at, &blocks->loss, "%s", buf_str(&what));
	else if (what.len > 0)
		fsck_say(blocks->fsck, &at, NULL, "%s", buf_str(&what));
	is_wrong = at.is_repaired && what.len > 0;
	buf_release(&what);
	return is_wrong && blocks->fsck->options->repairs;
}

/* A document and its segment. */
static void
fsck_document(struct fsck_blocks *blocks, struct sqlite3_stmt *stmt)
{
	struct fsck *fsck = blocks->fsck;
	struct merge_counts *counts = &blocks->counts;
	struct date newest = db_date(stmt, 8);
	struct slice final_url = db_text(stmt, 2);
	struct fsck_number numbers[] = {{"blocks", db_int(stmt, 3), 0},
	    {"entries", db_int(stmt, 4), 0}, {"missed", db_int(stmt, 5), 0},
	    {"dated", db_int(stmt, 6), 0}, {"refused", db_int(stmt, 7), 0}};
	enum verdict most;
	bool is_else_wrong;

	blocks->at = (struct fsck_finding){.invariant = 10,
	    .table = "document",
	    .id = db_int(stmt, 0),
	    .where = db_text(stmt, 1)};
	/* Without its own URL a document cannot be requested; its final URL is
	 * where a redirect led. */
	blocks->loss = (struct fsck_loss){blocks->at.id, true};
	if (!url_is_normal(&blocks->url, blocks->at.where))
		fsck_say(fsck, &blocks->at, &blocks->loss,
		    "its URL is no normalised http or https URL");
	blocks->loss.is_gone = false;
	blocks->has_public = false;
	if (!db_is_null(stmt, 2) && !url_is_normal(&blocks->url, final_url))
		fsck_say(fsck, &blocks->at, &blocks->loss,
		    "its final URL is no normalised http or https URL");
	else if (!db_is_null(stmt, 2))
		blocks->has_public = db_int(stmt, 13) != 0 &&
		    addr_host_reach(url_host(&blocks->url)) == ADDR_PUBLIC;
	blocks->content_s = db_int(stmt, 11);
	*counts = (struct merge_counts){0};
	fsck_walk(blocks);
	fsck->totals->entries += counts->entries + counts->missed;
	if (blocks->is_broken)
		return;
	numbers[0].counted = blocks->rows;
	numbers[1].counted = (int64_t)counts->entries;
	numbers[2].counted = (int64_t)counts->missed;
	numbers[3].counted = (int64_t)counts->dated;
	numbers[4].counted = (int64_t)counts->refused;
	most = merge_refused_by(counts);
	is_else_wrong = date_order(&newest, &counts->newest) != 0 ||
	    newest.precision != counts->newest.precision ||
	    newest.zone != counts->newest.zone ||
	    !slice_is(db_text(stmt, 12),
		most == VERDICT_ACCEPTED ? "" : diag_name(verdict_codes[most]));
	if (!fsck_compare(blocks, numbers, 5, is_else_wrong))
		return;
	fsck_mend(fsck);
	document_put_counts(fsck->store, blocks->at.id, counts, blocks->rows);
	(void)fsck_mended(fsck);
}

/* A reading and its delta. */
static void
fsck_reading(struct fsck_blocks *blocks, struct sqlite3_stmt *stmt)
{
	struct fsck *fsck = blocks->fsck;
	struct fsck_number numbers[1 + DELTA_KINDS] = {
	    {"delta_blocks", db_int(stmt, 3), 0}};

	blocks->at = (struct fsck_finding){.table = "reading",
	    .id = db_int(stmt, 0),
	    .where = db_text(stmt, 1)};
	blocks->loss = (struct fsck_loss){.document_id = db_int(stmt, 2)};
	for (int kind = 0; kind < DELTA_KINDS; kind++)
		blocks->kinds[kind] = 0;
	fsck_walk(blocks);
	if (blocks->is_broken)
		return;
	numbers[0].counted = blocks->rows;
	for (int kind = 0; kind < DELTA_KINDS; kind++)
		numbers[1 + kind] = (struct fsck_number){delta_rows[kind].name,
		    db_int(stmt, 4 + kind), (int64_t)blocks->kinds[kind]};
	if (!fsck_compare(blocks, numbers, 1 + DELTA_KINDS, false))
		return;
	fsck_mend(fsck);
	stmt = db_use_id(fsck->store, SQL_READING_DELTA, blocks->at.id);
	for (int kind = 0; kind < DELTA_KINDS; kind++)
		db_bind_int(stmt, 2 + kind, (int64_t)blocks->kinds[kind]);
	db_bind_int(stmt, 2 + DELTA_KINDS, blocks->rows);
	(void)db_write(fsck->store, stmt);
	(void)fsck_mended(fsck);
}

void
fsck_segments(struct fsck *fsck)
{
	struct sqlite3_stmt *stmt = db_make(fsck->store,
	    "SELECT id, url, final_url, blocks, entries, missed, dated, "
	    "refused,"
	    " newest_s, newest_nanos, newest_form,"
	    " (SELECT r.at_s FROM reading r WHERE r.document_id = d.id AND"
	    "  ((r.outcome = 'read' AND r.failure IS NULL) OR r.gone > 0"
	    "   OR r.left_window > 0) ORDER BY r.id DESC LIMIT 1),"
	    " coalesce(refused_by, ''), is_complete"
	    " FROM document d WHERE id > ?1 ORDER BY id LIMIT 1",
	    0, NULL);
	struct fsck_blocks blocks;
	int64_t id = INT64_MIN;

	fsck_blocks_open(&blocks, fsck, true);
	while (stmt != NULL && fsck_next(fsck, stmt, "document", &id)) {
		fsck->totals->documents++;
		fsck_document(&blocks, stmt);
		if (!fsck_ended(fsck, "document"))
			break;
	}
	(void)fsck_ended(fsck, "document");
	db_drop(stmt);
	fsck_blocks_close(&blocks);
}

void
fsck_deltas(struct fsck *fsck)
{
	/* the kinds stand in the order of enum delta_kind */
	struct sqlite3_stmt *stmt = db_make(fsck->store,
	    "SELECT r.id, d.url, r.document_id, r.delta_blocks, r.added,"
	    " r.removed, r.returned, r.redated, r.gone, r.now_refused,"
	    " r.now_accepted, r.left_window, r.back FROM reading r"
	    " LEFT JOIN document d ON d.id = r.document_id WHERE r.id > ?1 AND"
	    " (r.delta_blocks <> 0 OR EXISTS (SELECT 1 FROM delta WHERE id"
	    " BETWEEN r.id << 16 AND r.id << 16 | 65535))"
	    " ORDER BY r.id LIMIT 1",
	    0, NULL);
	struct fsck_blocks blocks;
	int64_t id = INT64_MIN;

	fsck->totals->readings = (uint64_t)db_number(
	    fsck->store, "SELECT count(*) FROM reading", 0, NULL);
	fsck_blocks_open(&blocks, fsck, false);
	while (stmt != NULL && fsck_next(fsck, stmt, "reading", &id)) {
		fsck_reading(&blocks, stmt);
		if (!fsck_ended(fsck, "reading"))
			break;
	}
	(void)fsck_ended(fsck, "reading");
	db_drop(stmt);
	fsck_blocks_close(&blocks);
}
