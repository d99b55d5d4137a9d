/* Fsck: pages are found under their keys (J5). */
#include "store/fsck_pages.h"

#include "store/care.h"
#include "store/db.h"
#include "store/fsck_internal.h"
#include "store/page.h"

/* Without the store's key (J16) nothing can be said of any page's. */
static bool
has_key(struct store *store)
{
	return care_number(store,
		   "SELECT count(*) = 1 AND max(length(hash_key)) = 8"
		   " FROM meta") != 0;
}

static void
mend(struct fsck *fsck, int64_t id, uint64_t key)
{
	struct sqlite3_stmt *stmt = care_statement(
	    fsck->store, "UPDATE page SET key = ?2 WHERE id = ?1");

	if (stmt == NULL)
		return;
	db_bind_int(stmt, 1, id);
	db_bind_int(stmt, 2, (int64_t)key);
	(void)db_write(fsck->store, stmt);
	db_drop(stmt);
}

void
fsck_pages(struct fsck *fsck)
{
	struct fsck_finding at = {.invariant = 5,
	    .table = "page",
	    .is_repaired = fsck->options->repairs};
	struct sqlite3_stmt *stmt = care_statement(fsck->store,
	    "SELECT id, key, url FROM page WHERE id > ?1 ORDER BY id");
	int64_t id = INT64_MIN;

	if (!has_key(fsck->store)) {
		db_drop(stmt);
		return;
	}
	while (stmt != NULL && fsck_next(fsck, stmt, "page", &id)) {
		uint64_t key;

		at.id = id;
		at.where = db_text(stmt, 2);
		key = store_page_key(fsck->store, at.where);
		if ((uint64_t)db_int(stmt, 1) == key)
			continue;
		fsck_say(fsck, &at, "it is not found: its key is another's");
		if (at.is_repaired)
			mend(fsck, id, key);
	}
	db_drop(stmt);
	(void)fsck_ended(fsck, "page");
}
