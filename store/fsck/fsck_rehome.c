/* Fsck: pages whose document is lost (J2). */
#include "base/url.h"
#include "store/db.h"
#include "store/document.h"
#include "store/fsck/fsck_internal.h"

static const char next_page[] =
    "SELECT id, url FROM page WHERE id > ?1 AND NOT EXISTS"
    " (SELECT 1 FROM document d WHERE d.id = page.document_id)"
    " ORDER BY id LIMIT 1";

/* file_of(store, text): the document at the root of its origin, which nobody
 * reads, as for pages that no document ever listed; 0: it has no origin. */
static int64_t
file_of(struct store *store, struct slice text)
{
	struct profile profile = profile_default(PROFILE_LENIENT);
	struct url url;
	struct buf root;
	int64_t id = 0;

	profile.max_loc_chars = URL_MAX_BYTES;
	url_init(&url);
	buf_init(&root, URL_MAX_BYTES);
	if (url_parse(&url, text, NULL, &profile, (struct diag_sink){0}) ==
		DIAG_OK &&
	    buf_put_slice(&root, url_origin(&url)) && buf_put_char(&root, '/'))
		id = store_unlisted(
		    store, store_site(store, url_host(&url)), buf_text(&root));
	buf_release(&root);
	url_release(&url);
	return id;
}

static void
give_home(struct store *store, int64_t page_id, int64_t document_id)
{
	struct sqlite3_stmt *stmt = db_make(store,
	    document_id == 0
		? "DELETE FROM page WHERE id = ?1"
		: "UPDATE page SET document_id = ?2 WHERE id = ?1");

	if (stmt == NULL)
		return;
	db_bind_int(stmt, 1, page_id);
	if (document_id != 0)
		db_bind_int(stmt, 2, document_id);
	(void)db_write(store, stmt);
	db_drop(stmt);
}

void
fsck_rehome(struct fsck *fsck)
{
	struct store *store = fsck->store;
	struct sqlite3_stmt *stmt = db_make(store, next_page);
	int64_t id = INT64_MIN;

	while (stmt != NULL && fsck_next(fsck, stmt, "page", &id))
		give_home(store, id, file_of(store, db_text(stmt, 1)));
	db_drop(stmt);
}
