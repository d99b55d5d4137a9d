/* Fsck: is what a site lists what its documents list (J19)? */
#include "store/db.h"
#include "store/fsck/fsck_internal.h"
#include "store/site_tally.h"

/* Of sites whose number is known, and not out of date. */
static const char each_site[] =
    "SELECT id, host, listed, listed_refused FROM site WHERE id > ?1"
    " AND listed IS NOT NULL AND pending_id <= tallied_id ORDER BY id LIMIT 1";
static const char repair[] =
    "UPDATE site SET listed = ?2, listed_refused = ?3 WHERE id = ?1";

static void
check(struct fsck *fsck, struct sqlite3_stmt *stmt, int64_t id)
{
	struct site_numbers is = store_site_recount(fsck->store, id);
	uint64_t listed = (uint64_t)db_int(stmt, 2);
	uint64_t refused = (uint64_t)db_int(stmt, 3);
	struct fsck_finding at = {.invariant = 19,
	    .table = "site",
	    .id = id,
	    .where = db_text(stmt, 1),
	    .is_repaired = true};
	struct sqlite3_stmt *put;

	if (is.listed == listed && is.refused == refused)
		return;
	if (fsck->options->repairs)
		fsck_mend(fsck);
	fsck_say(fsck, &at,
	    "it lists %llu URLs, %llu refused; its documents list %llu, %llu "
	    "refused",
	    (unsigned long long)listed, (unsigned long long)refused,
	    (unsigned long long)is.listed, (unsigned long long)is.refused);
	if (!fsck->options->repairs)
		return;
	put = db_make(fsck->store, repair);
	db_bind_int(put, 1, id);
	db_bind_int(put, 2, (int64_t)is.listed);
	db_bind_int(put, 3, (int64_t)is.refused);
	(void)db_write(fsck->store, put);
	db_drop(put);
	fsck_mended(fsck);
}

void
fsck_sites(struct fsck *fsck)
{
	struct sqlite3_stmt *stmt;
	int64_t id = 0;

	/* Blocks that cannot be read are repaired first. */
	for (unsigned i = 1; i < FSCK_INVARIANTS; i++)
		if (fsck->said[i] > 0)
			return;
	stmt = db_make(fsck->store, each_site);
	while (stmt != NULL && fsck_next(fsck, stmt, "site", &id))
		check(fsck, stmt, id);
	db_drop(stmt);
}
