/* Fsck: pages have URLs (J10), and are found under their keys (J5). */
#include "store/fsck/fsck_pages.h"

#include "base/url.h"
#include "store/db.h"
#include "store/fsck/fsck_internal.h"
#include "store/page.h"

/* Without the store's key (J16) nothing can be said of any page's. */
static bool
has_key(struct store *store)
{
	return db_number(store,
		   "SELECT count(*) = 1 AND max(length(hash_key)) = 8"
		   " FROM meta") != 0;
}

/* mend(fsck, sql, id, value): ?1 and ?2 of it. */
static void
mend(struct fsck *fsck, const char *sql, int64_t id, int64_t value)
{
	struct sqlite3_stmt *stmt;

	if (!fsck->options->repairs)
		return;
	fsck_mend(fsck);
	stmt = db_make(fsck->store, sql);
	if (stmt != NULL) {
		db_bind_int(stmt, 1, id);
		db_bind_int(stmt, 2, value);
		(void)db_write(fsck->store, stmt);
	}
	db_drop(stmt);
	fsck_mended(fsck);
}

static void
check_page(struct fsck *fsck, struct sqlite3_stmt *stmt, bool has_keys)
{
	struct fsck_finding at = {.invariant = 10,
	    .table = "page",
	    .id = db_int(stmt, 0),
	    .where = db_text(stmt, 2),
	    .is_repaired = fsck->options->repairs};
	struct profile profile = profile_default(PROFILE_LENIENT);
	uint64_t key;
	struct url url;

	profile.max_loc_chars = URL_MAX_BYTES;
	url_init(&url);
	if (url_parse(&url, at.where, NULL, &profile, (struct diag_sink){0}) !=
		DIAG_OK ||
	    !slice_equal(url_text(&url), at.where)) {
		fsck_say(
		    fsck, &at, "its URL is no normalised http or https URL");
		mend(fsck, "DELETE FROM page WHERE id = ?1 AND ?2 IS NOT NULL",
		    at.id, 0);
	} else if (has_keys) {
		at.invariant = 5;
		key = store_page_key(fsck->store, at.where);
		if ((uint64_t)db_int(stmt, 1) != key) {
			fsck_say(
			    fsck, &at, "it is not found: its key is another's");
			mend(fsck, "UPDATE page SET key = ?2 WHERE id = ?1",
			    at.id, (int64_t)key);
		}
	}
	url_release(&url);
}

void
fsck_pages(struct fsck *fsck)
{
	bool has_keys = has_key(fsck->store);
	struct sqlite3_stmt *stmt = db_make(fsck->store,
	    "SELECT id, key, url FROM page WHERE id > ?1 ORDER BY id");
	int64_t id = INT64_MIN;

	/* It may have been made anew. */
	fsck->store->has_hash_key = false;
	while (stmt != NULL && fsck_next(fsck, stmt, "page", &id))
		check_page(fsck, stmt, has_keys);
	db_drop(stmt);
	(void)fsck_ended(fsck, "page");
}
