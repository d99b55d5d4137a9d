/* What holds while a robots.txt cannot be read. */
#include "store/robots_fallback.h"

#include "base/civil.h"
#include "store/db.h"

#define CLOSED_S (12 * HOUR_S)
#define GIVE_UP_S (30 * DAY_S)

bool
robots_is_old(const struct robots_fact *fact, int64_t now_s)
{
	return fact->failing_since_s != 0 &&
	    now_s - fact->failing_since_s >= GIVE_UP_S;
}

bool
robots_has_given_up(const struct profile *profile,
    const struct robots_fact *fact, int64_t now_s)
{
	return profile->robots_5xx == ROBOTS_GOOGLE &&
	    robots_is_old(fact, now_s);
}

bool
robots_is_closed(struct store *store, int64_t site_id,
    const struct profile *profile, const struct robots_fact *fact,
    int64_t now_s)
{
	int64_t failing_s = now_s - fact->failing_since_s;

	/* SPEC: the server answers, but with a challenge or a page
	 * instead of the file. Then what the file said before holds at once. Of
	 * an answer that broke off, no status is stored. */
	if (fact->failing_since_s == 0 ||
	    ((fact->has_body && fact->status >= 200 && fact->status < 500 &&
		 fact->status != 429) &&
		!robots_is_old(fact, now_s)))
		return false;
	if (profile->robots_5xx == ROBOTS_RFC)
		return failing_s < GIVE_UP_S || !fact->has_body;
	if (failing_s >= GIVE_UP_S)
		return !store_answered_since(
		    store, site_id, fact->origin, fact->failing_since_s);
	return failing_s < CLOSED_S;
}

bool
robots_is_spare(struct store *store, struct slice origin)
{
	struct sqlite3_stmt *stmt = db_use(store, SQL_ORIGIN_SPARE);

	db_bind_text(stmt, 1, origin);
	return db_has(store, stmt);
}

bool
robots_is_left(struct store *store, struct slice origin, int64_t now_s)
{
	struct robots_fact fact;
	struct buf body;
	bool is_recent;

	if (!robots_is_spare(store, origin))
		return false;
	buf_init(&body, SIZE_MAX);
	(void)store_robots_get(store, origin, &fact, &body);
	is_recent = fact.fetched_s <= now_s && now_s - fact.fetched_s < WEEK_S;
	buf_release(&body);
	return is_recent;
}
