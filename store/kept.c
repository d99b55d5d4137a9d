/* What the documents of a site make the store keep. */
#include "store/kept.h"

#include "base/civil.h"
#include "store/db.h"
#include "store/segment/reading.h"

/* What storing a content adds. */
struct added {
	int64_t total, today;
};

static int64_t
bytes_of(const struct block_list *list)
{
	int64_t bytes = 0;

	for (size_t i = 0; i < list->count; i++)
		bytes += (int64_t)list->items[i].len;
	return bytes;
}

static struct added
added_by(struct store *store, int64_t document_id, int64_t reading_id,
    const struct content *content)
{
	/* The bytes of the segment that the store had of the document count
	 * against those of the new one. */
	int64_t bytes = db_first(store,
	    db_use_ints(store, SQL_SEGMENT_BYTES, 2,
		(int64_t[]){BLOCK_ID(document_id),
		    BLOCK_ID(document_id) + BLOCKS_MAX}));
	int64_t segment = bytes_of(&content->segment) - bytes;
	int64_t delta = bytes_of(&content->delta);
	struct added added = {.total = segment + delta};

	/* Was the document read before that reading? */
	if (db_has(store,
		db_use_ints(store, SQL_READING_EARLIER, 2,
		    (int64_t[]){document_id, reading_id})))
		added.today = delta + (segment > 0 ? segment : 0);
	return added;
}

struct kept_bytes
store_kept(struct store *store, int64_t site_id, int64_t now_s)
{
	struct sqlite3_stmt *stmt = db_use_ints(
	    store, SQL_SITE_KEPT, 2, (int64_t[]){site_id, now_s / DAY_S});
	struct kept_bytes kept = {0};

	if (db_row(store, stmt)) {
		kept.total = db_count(store, stmt, 0);
		kept.today = db_count(store, stmt, 1);
	}
	db_done(stmt);
	return kept;
}

struct kept_bytes
store_kept_with(struct store *store, int64_t site_id, int64_t document_id,
    const struct content *content, int64_t now_s)
{
	struct kept_bytes kept = store_kept(store, site_id, now_s);
	struct added added = added_by(store, document_id, INT64_MAX, content);

	kept.today += (uint64_t)added.today;
	if (added.total >= 0)
		kept.total += (uint64_t)added.total;
	else if (kept.total > (uint64_t)-added.total)
		kept.total -= (uint64_t)-added.total;
	else
		kept.total = 0;
	return kept;
}

void
store_keep(struct store *store, int64_t site_id, int64_t document_id,
    int64_t reading_id, const struct content *content)
{
	struct added added = added_by(store, document_id, reading_id, content);

	if (added.total == 0 && added.today == 0)
		return;
	db_put_ints(store, SQL_SITE_KEEP, 4,
	    (int64_t[]){site_id, reading_id, added.total, added.today});
}

void
store_kept_fill(
    struct store *store, int64_t site_id, int64_t now_s, uint64_t bytes)
{
	db_put_ints(store, SQL_SITE_KEPT_FILL, 3,
	    (int64_t[]){site_id, now_s / DAY_S, bytes});
}
