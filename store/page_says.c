/* What pages said: see page_says.h. */
#include "store/page_says.h"

#include "base/vis.h"
#include "store/db.h"
#include "store/page.h"

#define TITLE_BYTES 1000
#define DESCRIPTION_BYTES 4096

void
store_page_says_put(struct store *store, int64_t page_id, int64_t at_s,
    struct slice title, struct slice description)
{
	struct buf texts[2] = {BUF_UP_TO(SIZE_MAX), BUF_UP_TO(SIZE_MAX)};

	vis_put(&texts[0], title, TITLE_BYTES);
	vis_put(&texts[1], description, DESCRIPTION_BYTES);
	if (db_put(store, SQL_PAGE_SAYS_PUT,
		DB_ROW(AS_INT(page_id), AS_INT(at_s),
		    AS_SOME(buf_text(&texts[0])),
		    AS_SOME(buf_text(&texts[1])))))
		db_put_id(store, SQL_PAST_DROP_PAGE, page_id);
	buf_release(&texts[0]);
	buf_release(&texts[1]);
}

struct page_says
store_page_says(struct store *store, struct slice url)
{
	struct sqlite3_stmt *stmt = db_use_id(
	    store, SQL_PAGE_SAYS_GET, store_page_find(store, url));
	struct buf *text = &store->page_says;
	struct page_says says = {0};
	size_t title;

	if (db_row(store, stmt)) {
		buf_clear(text);
		(void)buf_put_slice(text, db_text(stmt, 0));
		title = text->len;
		(void)buf_put_slice(text, db_text(stmt, 1));
		says = (struct page_says){db_time(store, stmt, 2),
		    slice_make(text->p, title),
		    slice_from(buf_text(text), title)};
	}
	db_done(stmt);
	return says;
}

void
store_verified_put(struct store *store, const struct verified *verified)
{
	(void)db_put(store, SQL_VERIFIED_PUT,
	    DB_ROW(AS_INT(verified->site_id), AS_INT(verified->number),
		AS_INT(verified->at_s), AS_INT(verified->status),
		AS_TEXT(verified->event), AS_TEXT(verified->url),
		AS_SOME(verified->location), AS_SOME(verified->why)));
}

void
store_each_verified(struct store *store, int64_t site_id, struct slice event,
    store_verified_fn *fn, void *arg)
{
	struct sqlite3_stmt *stmt = db_bind(
	    db_loop(
		store, site_id == 0 ? SQL_VERIFIED_WAITING : SQL_VERIFIED_EACH),
	    DB_ROW(AS_INT(site_id), AS_TEXT(event)));

	while (db_row(store, stmt)) {
		struct verified verified = {db_id(store, stmt, 6),
		    db_text(stmt, 7), db_small(store, stmt, 0),
		    db_whole_url(store, stmt, 1), db_time(store, stmt, 2),
		    (int)db_small(store, stmt, 3), db_url(store, stmt, 4),
		    db_line(store, stmt, 5)};

		if (store->failed == DIAG_OK)
			fn(arg, &verified);
	}
}
