/* Fsck: is each segment what its latest delta made of it (J3)? */
#include <stdlib.h>

#include "store/db.h"
#include "store/fsck/fsck_internal.h"
#include "store/query.h"

/* A document, and the last reading that changed its segment. */
static const char each_document[] =
    "SELECT d.id, d.url, r.id, r.at_s FROM document d JOIN reading r"
    " ON r.id = (SELECT max(x.id) FROM reading x WHERE x.document_id = d.id"
    " AND ((x.outcome = 'read' AND x.failure IS NULL) OR x.gone > 0))"
    " WHERE d.id > ?1 AND r.delta_blocks > 0 ORDER BY d.id LIMIT 1";

enum { COLUMN_ID, COLUMN_URL, COLUMN_READING, COLUMN_AT_S };

struct pair {
	struct block_reader *segment;
	struct block_reader *delta;
	struct entry entry;
	bool has_entry;
	int64_t at_s;
	uint64_t wrong;
	char *first; /* owned: URL of the first change that is wrong */
};

/* The entry of that URL, NULL when the segment has none. */
static const struct entry *
find(struct pair *pair, struct slice url)
{
	while (pair->has_entry && slice_order(pair->entry.url, url) < 0)
		pair->has_entry = block_next(pair->segment, &pair->entry);
	return pair->has_entry && slice_equal(pair->entry.url, url)
	    ? &pair->entry
	    : NULL;
}

static bool
agrees(const struct pair *pair, const struct change *change,
    const struct entry *entry)
{
	if (change->kind == DELTA_GONE)
		return entry == NULL;
	if (entry == NULL || entry->verdict != change->verdict)
		return false;
	switch ((enum delta_kind)change->kind) {
	case DELTA_ADDED:
		return entry->missed == 0 && entry->first_seen_s == pair->at_s;
	case DELTA_REMOVED:
		return entry->missed == 1;
	case DELTA_RETURNED:
		return entry->missed == 0;
	case DELTA_REDATED:
		return entry->missed == 0 && entry->redated_s == pair->at_s;
	case DELTA_REFUSED:
	case DELTA_ACCEPTED:
		return entry->missed == 0 &&
		    (entry->redated_s == pair->at_s ||
			!date_differs(&change->before, &change->after));
	case DELTA_GONE:
	case DELTA_KINDS:
		break;
	}
	return false;
}

static void
compare(struct pair *pair)
{
	struct change change;

	pair->has_entry = block_next(pair->segment, &pair->entry);
	while (block_next_change(pair->delta, &change)) {
		const struct entry *entry = find(pair, change.url);

		/* What cannot be decoded was told before. */
		if (block_reader_damaged(pair->segment))
			return;
		if (!agrees(pair, &change, entry) && pair->wrong++ == 0)
			pair->first = slice_dup(change.url);
	}
}

static void
check_document(struct fsck *fsck, struct sqlite3_stmt *stmt)
{
	struct block_source *segment = block_source_segment(
	    fsck->store, db_int(stmt, COLUMN_ID));
	struct block_source *delta = block_source_delta(
	    fsck->store, db_int(stmt, COLUMN_READING));
	struct pair pair = {
	    .segment = block_reader_new(block_source_pull, segment),
	    .delta = block_reader_new(block_source_pull, delta),
	    .at_s = db_int(stmt, COLUMN_AT_S),
	};

	compare(&pair);
	if (pair.wrong > 0)
		fsck_lose(fsck,
		    &(struct fsck_finding){
			.invariant = 3,
			.table = "document",
			.id = db_int(stmt, COLUMN_ID),
			.where = db_text(stmt, COLUMN_URL),
		    },
		    &(struct fsck_loss){db_int(stmt, COLUMN_ID), false},
		    "%llu changes of reading %lld are not those of its "
		    "segment; the first is %.300s",
		    (unsigned long long)pair.wrong,
		    (long long)db_int(stmt, COLUMN_READING), pair.first);
	free(pair.first);
	block_reader_free(pair.segment);
	block_reader_free(pair.delta);
	block_source_free(segment);
	block_source_free(delta);
}

void
fsck_latest(struct fsck *fsck)
{
	struct sqlite3_stmt *stmt = db_make(fsck->store, each_document);
	int64_t id = INT64_MIN;

	while (stmt != NULL && fsck_next(fsck, stmt, "document", &id)) {
		check_document(fsck, stmt);
		if (!fsck_ended(fsck, "segment"))
			break;
	}
	(void)fsck_ended(fsck, "document");
	db_drop(stmt);
}
