/* What pages say of themselves: see page_says.h. */
#include "store/page_says.h"

#include <stdlib.h>
#include <string.h>

#include "base/vis.h"
#include "store/db.h"
#include "store/page.h"

void
page_says_release(struct page_says *says)
{
	free(says->title);
	free(says->description);
	*says = (struct page_says){0};
}

/* At most so many bytes of the text, in whole characters.  PostgreSQL takes
 * neither NUL nor what is not UTF-8. */
static void
page_says_bind(
    struct sqlite3_stmt *stmt, int column, struct slice text, size_t most)
{
	if (text.len > most) {
		text.len = most;
		while (text.len > 0 && (text.p[text.len] & 0xc0) == 0x80)
			text.len--;
	}
	if (text.len == 0 || memchr(text.p, '\0', text.len) != NULL ||
	    !vis_is_utf8(text))
		db_bind_str(stmt, column, NULL);
	else
		db_bind_text(stmt, column, text);
}

void
store_page_says_put(struct store *store, int64_t page_id, int64_t at_s,
    struct slice title, struct slice description)
{
	struct sqlite3_stmt *stmt = db_use_ints(
	    store, SQL_PAGE_SAYS_PUT, 2, (int64_t[]){page_id, at_s});

	page_says_bind(stmt, 3, title, PAGE_TITLE_BYTES);
	page_says_bind(stmt, 4, description, PAGE_DESCRIPTION_BYTES);
	(void)db_write(store, stmt);
}

bool
store_page_says(struct store *store, struct slice url, struct page_says *says)
{
	int64_t page_id = store_page_find(store, url);
	struct sqlite3_stmt *stmt;
	bool is_there;

	*says = (struct page_says){0};
	if (page_id == 0)
		return false;
	stmt = db_use_id(store, SQL_PAGE_SAYS_GET, page_id);
	is_there = db_row(store, stmt);
	if (is_there)
		*says = (struct page_says){.at_s = db_time(store, stmt, 0),
		    .title = db_str(stmt, 1),
		    .description = db_str(stmt, 2)};
	db_done(stmt);
	return is_there;
}
