/* The pages that left a window. */
#include "store/left_page.h"

#include "store/db.h"
#include "store/past.h"
#include "store/segment/reading.h"

/* The ceiling of a site without a ceiling of its own (SPEC R-118). */
#define CEILING_S (90 * INT64_C(86400))
/* Of a site are kept as many as one sitemap may list (SPEC R-36).  A feed whose
 * URLs change at every reading would fill the store otherwise. */
#define PAGES_MOST 50000

bool
store_left_page(struct store *store, int64_t site_id, struct slice url,
    struct left_page *page)
{
	struct sqlite3_stmt *stmt = db_bind(
	    db_use(store, SQL_LEFT_GET), DB_ROW(AS_INT(site_id), AS_TEXT(url)));
	bool is_there = db_row(store, stmt);

	if (is_there)
		*page = (struct left_page){
		    .url = url, .verdict = (uint8_t)db_int(stmt, 0)};
	db_done(stmt);
	return is_there;
}

void
left_pages_note(struct store *store, int64_t site_id, int64_t at_s,
    unsigned pages, struct content *content)
{
	uint64_t *changes = content->merge.changes;
	struct block_walk walk = {&content->delta, 0};
	struct block_list delta = {0};
	struct block_reader *reader;
	struct block_writer *writer;
	struct left_page page;
	struct change change;

	if (changes[DELTA_LEFT] == 0 &&
	    (changes[DELTA_ADDED] + changes[DELTA_GONE] == 0 ||
		db_first_time(
		    store, db_use_id(store, SQL_LEFT_FIRST, site_id)) == 0))
		return;
	reader = block_reader_new(block_walk_pull, &walk);
	writer = block_writer_new(block_list_add, &delta, 0);
	while (block_next_change(reader, &change)) {
		bool is_of_page = tally_is_of_page(pages, &change);

		/* A page that had left and is added is back: no reader can know
		 * that. */
		if (is_of_page && change.kind == DELTA_ADDED &&
		    store_left_page(store, site_id, change.url, &page)) {
			changes[DELTA_ADDED]--;
			changes[DELTA_BACK]++;
			change.kind = DELTA_BACK;
		}
		if (is_of_page && change.kind == DELTA_LEFT)
			(void)db_put(store, SQL_LEFT_PUT,
			    DB_ROW(AS_INT(site_id), AS_TEXT(change.url),
				AS_INT(change.verdict), AS_INT(at_s)));
		else if (is_of_page &&
		    (change.kind == DELTA_GONE || change.kind == DELTA_BACK))
			(void)db_put(store, SQL_LEFT_DROP,
			    DB_ROW(AS_INT(site_id), AS_TEXT(change.url)));
		block_writer_add_change(writer, &change);
	}
	(void)block_writer_finish(writer);
	block_writer_free(writer);
	block_reader_free(reader);
	block_list_release(&content->delta);
	content->delta = delta;
	content->merge.delta_blocks = (uint32_t)delta.count;
}

void
left_pages_end(struct store *store, int64_t site_id, int64_t now_s)
{
	/* When the page was known that was known first; 0: none has left. */
	int64_t known_s = db_first_time(
	    store, db_use_id(store, SQL_LEFT_FIRST, site_id));
	int64_t ceiling_s, end_s, last_s;

	if (known_s == 0)
		return;
	ceiling_s = db_first_time(
	    store, db_use_id(store, SQL_SITE_CEILING, site_id));
	end_s = now_s - (ceiling_s > 0 ? ceiling_s : CEILING_S);
	/* The last page that is one too many ends, too. */
	last_s = db_first_time(store,
		     db_use_ints(store, SQL_LEFT_SURPLUS, 2,
			 (int64_t[]){site_id, PAGES_MOST})) +
	    1;
	if (last_s > end_s)
		end_s = last_s;
	if (known_s >= end_s)
		return;
	db_put_ints(
	    store, SQL_UNKNOWN_ADD, 3, (int64_t[]){site_id, end_s, now_s});
	db_put_ints(store, SQL_LEFT_END, 2, (int64_t[]){site_id, end_s});
	store_past_drop(store, site_id);
}
