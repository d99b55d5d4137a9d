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
	struct sqlite3_stmt *stmt = db_use_ints(
	    store, SQL_PAGE_SAYS_PUT, 2, (int64_t[]){page_id, at_s});

	vis_put(&texts[0], title, TITLE_BYTES);
	vis_put(&texts[1], description, DESCRIPTION_BYTES);
	for (int i = 0; i < 2; i++)
		if (texts[i].len > 0)
			db_bind_text(stmt, 3 + i, buf_text(&texts[i]));
	if (db_write(store, stmt))
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
	struct sqlite3_stmt *stmt = db_use_ints(store, SQL_VERIFIED_PUT, 4,
	    (int64_t[]){verified->site_id, verified->number, verified->at_s,
		verified->status});

	db_bind_text(stmt, 5, verified->event);
	db_bind_text(stmt, 6, verified->url);
	/* NULL where there is none */
	if (verified->location.len > 0)
		db_bind_text(stmt, 7, verified->location);
	if (verified->why.len > 0)
		db_bind_text(stmt, 8, verified->why);
	(void)db_write(store, stmt);
}

void
store_each_verified(struct store *store, int64_t site_id, struct slice event,
    store_verified_fn *fn, void *arg)
{
	struct sqlite3_stmt *stmt = db_loop_id(store,
	    site_id == 0 ? SQL_VERIFIED_WAITING : SQL_VERIFIED_EACH, site_id);

	db_bind_text(stmt, 2, event);
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
