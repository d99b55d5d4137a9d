/* Which pages lie in an archive: see archived.h. */
#include "store/archived.h"

#include <string.h>

#include "base/hash.h"
#include "store/db.h"

uint64_t
archived_validators(
    struct store *store, struct slice etag, struct slice last_modified)
{
	return hash_key(last_modified, hash_key(etag, store_hash_key(store)));
}

void
store_archived_put(
    struct store *store, int64_t page_id, const struct archived *archived)
{
	(void)db_put(store, SQL_ARCHIVED_PUT,
	    DB_ROW(AS_INT(page_id), AS_INT(archived->archive),
		AS_INT(archived->at_us), AS_INT(archived->validators),
		AS_BLOB(slice_make(
		    (const char *)archived->digest, ARCHIVED_DIGEST))));
}

bool
store_archived(struct store *store, int64_t page_id, struct archived *archived)
{
	struct sqlite3_stmt *stmt = db_use_id(store, SQL_ARCHIVED_GET, page_id);
	bool is_there = db_row(store, stmt);
	struct slice digest;

	if (is_there) {
		digest = db_blob(stmt, 2);
		is_there = digest.len == ARCHIVED_DIGEST;
		if (!is_there)
			store_damaged(store,
			    "page %lld: its digest has %zu bytes",
			    (long long)page_id, digest.len);
	}
	if (is_there) {
		archived->archive = (uint64_t)db_int(stmt, 0);
		archived->at_us = db_int(stmt, 1);
		archived->validators = (uint64_t)db_int(stmt, 3);
		memcpy(archived->digest, digest.p, ARCHIVED_DIGEST);
	}
	db_done(stmt);
	return is_there;
}
