/* Which documents of a site are reachable. */
#include "store/reach.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "store/db.h"

void
reach_root(struct store *store, int64_t site_id, int64_t document_id,
    enum reach_root_kind kind, struct slice origin)
{
	static const char *const kinds[] = {"target", "line", "place"};
	int64_t origin_id = 0;

	if (origin.len > 0)
		origin_id = store_origin(store, origin, true);
	(void)db_put(store, SQL_ROOT_PUT,
	    DB_ROW(AS_INT(document_id), AS_STR(kinds[kind]), AS_INT(site_id),
		AS_IF(origin_id != 0, AS_INT(origin_id))));
	if (db_has(store, db_use_id(store, SQL_DOCUMENT_UNLED, document_id)))
		doubt_site(store, site_id);
}

uint64_t
reach_robots(
    struct store *store, int64_t origin_id, const struct robots_fact *fact)
{
	struct sqlite3_stmt *stmt;

	if (fact->is_of_host) {
		/* A host without a scheme has one robots.txt, of the scheme
		 * that answers: give this origin the roots that the origin with
		 * the other scheme has. */
		bool is_https = slice_starts(fact->origin, slice_of("https:"));
		struct buf other = BUF_UP_TO(SIZE_MAX);

		(void)buf_print(&other, "%s", is_https ? "http" : "https");
		(void)buf_put_slice(&other,
		    slice_from(
			fact->origin, strlen(is_https ? "https" : "http")));
		(void)db_put(store, SQL_ROOT_MOVE,
		    DB_ROW(AS_INT(origin_id), AS_TEXT(buf_text(&other))));
		buf_release(&other);
	}
	db_put_ints(store, SQL_ROOT_SEEN, 2,
	    (int64_t[]){origin_id, fact->sitemap_count == 0});
	if (fact->is_cut)
		return 0;
	if (fact->sitemap_count == 0)
		return (uint64_t)db_first(
		    store, db_use_id(store, SQL_ROOT_LINES, origin_id));
	db_put_ints(
	    store, SQL_ROOT_MISSED, 2, (int64_t[]){origin_id, fact->fetched_s});
	stmt = db_loop_id(store, SQL_ROOT_SITES, origin_id);
	while (db_row(store, stmt))
		doubt_site(store, db_int(stmt, 0));
	return 0;
}

bool
reach_root_kind(
    struct store *store, int64_t document_id, enum reach_root_kind *kind)
{
	struct sqlite3_stmt *stmt = db_use_id(
	    store, SQL_ROOT_KIND, document_id);
	bool is_root = db_row(store, stmt);
	if (is_root)
		*kind = (enum reach_root_kind)db_int(stmt, 0);
	db_done(stmt);
	return is_root;
}

/* Settling. */

/* A document that ends, or that returns. */
struct turned {
	int64_t id;
	int64_t since_s; /* when the document was first absent; 0: not known */
};

struct turned_list {
	struct turned *items; /* owned */
	size_t count, cap;
};

static void
reach_settle_now(
    struct store *store, int64_t site_id, int64_t at_s, bool is_silent)
{
	static const enum statement leads[] = {
	    SQL_ROOT_REPLACED, SQL_REACH_LEFT, SQL_REACH_FOUND};
	struct ending ending = {.at_s = at_s, .is_silent = is_silent};
	struct turned_list list = {0};
	int64_t latest_s = 0;

	for (size_t i = 0; i < LENGTH(leads); i++) {
		db_put_ints(store, leads[i],
		    leads[i] == SQL_ROOT_REPLACED ? 1 : 2,
		    (int64_t[]){site_id, at_s - REACH_ABSENT_S});
	}
	db_put_id(store, SQL_REACH_ROBOTS, site_id);
	/* The documents that end, then those that return. */
	for (int i = 0; i < 2; i++) {
		struct sqlite3_stmt *stmt = db_use_ints(store,
		    i == 0 ? SQL_REACH_ENDS : SQL_REACH_RETURNS, 2,
		    (int64_t[]){site_id, at_s - REACH_ABSENT_S});

		/* All are found before the first is changed. */
		list.count = 0;
		while (db_row(store, stmt)) {
			struct turned turned = {.id = db_id(store, stmt, 0),
			    .since_s = db_time(store, stmt, 1)};

			*MEM_PUSH(list.items, list.count, list.cap) = turned;
			if (turned.since_s > latest_s)
				latest_s = turned.since_s;
		}
		for (size_t k = 0; k < list.count; k++) {
			if (i == 1) {
				db_put_id(store, SQL_DOCUMENT_RETURN,
				    list.items[k].id);
				continue;
			}
			/* If it is not known since when a document is absent,
			 * the latest time of the others is used: an index and
			 * its children end together. */
			ending.since_s = list.items[k].since_s;
			if (ending.since_s == 0)
				ending.since_s = latest_s;
			apply_end(store, list.items[k].id, &ending);
		}
	}
	free(list.items);
	/* Ended roots are deleted last, because SQL_REACH_ENDS reads from them
	 * since when the documents are absent. */
	db_put_id(store, SQL_ROOT_END, site_id);
}

/* Settle a site in doubt, unless it is too soon for that; after the clock was
 * set back it is never too soon.  Returns whether it was settled. */
static bool
reach_settle_site(
    struct store *store, size_t number, int64_t at_s, enum settling how)
{
	struct doubts *doubts = &store->doubts;
	const struct doubt *site = &doubts->items[number];
	int64_t each_s = how == SETTLE_SOON ? SETTLE_MANY : 5 * SETTLE_MANY;
	int64_t site_id = site->id;
	bool is_told;

	if (site->settled_s != 0 && site->documents > SETTLE_MANY &&
	    at_s >= site->settled_s &&
	    at_s - site->settled_s < site->documents / each_s + 1)
		return false;
	if (!db_begin(store))
		return false;
	is_told = db_first(store, db_use_id(store, SQL_REACH_SITE, site_id)) !=
	    0;
	/* Documents that end may put other sites in doubt, and this one. */
	doubts->items[number].is_doubted = false;
	reach_settle_now(store, site_id, at_s, !is_told);
	if (!is_told)
		db_put_id(store, SQL_REACH_SETTLED, site_id);
	doubts->items[number].settled_s = at_s;
	doubts->items[number].documents = db_first(
	    store, db_use_id(store, SQL_REACH_DOCUMENTS, site_id));
	return true;
}

void
reach_settle(struct store *store, int64_t at_s, enum settling how)
{
	struct doubts *doubts = &store->doubts;
	bool goes_on = true;
	size_t kept = 0;

	while (goes_on) {
		goes_on = false;
		for (size_t i = 0; i < doubts->count; i++) {
			if (store->failed != DIAG_OK)
				return;
			if (doubts->items[i].is_doubted &&
			    reach_settle_site(store, i, at_s, how))
				goes_on = true;
		}
	}
	/* A small site may always be settled, so nothing about it has to be
	 * remembered. */
	for (size_t i = 0; i < doubts->count; i++)
		if (doubts->items[i].is_doubted ||
		    doubts->items[i].documents > SETTLE_MANY)
			doubts->items[kept++] = doubts->items[i];
	doubts->count = kept;
}

bool
store_settle(struct store *store, int64_t site_id, int64_t now_s)
{
	struct doubts *doubts = &store->doubts;

	for (size_t i = 0; i < doubts->count; i++) {
		if (doubts->items[i].id != site_id ||
		    !doubts->items[i].is_doubted)
			continue;
		(void)reach_settle_site(store, i, now_s, SETTLE_NEEDED);
		return store->failed == DIAG_OK;
	}
	return false;
}

void
reach_unroot(struct store *store, int64_t site_id, const struct unrooting *what)
{
	if (what->document_id != 0)
		db_put_ints(store, SQL_ROOT_DROP_TARGET, 2,
		    (int64_t[]){site_id, what->document_id});
	if (what->origin.len > 0)
		(void)db_put(store, SQL_ROOT_DROP_ORIGIN,
		    DB_ROW(AS_INT(site_id), AS_TEXT(what->origin)));
	reach_settle_now(store, site_id, what->at_s, true);
}
