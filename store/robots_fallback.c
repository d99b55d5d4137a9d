/* What holds while a robots.txt cannot be read. */
#include "store/robots_fallback.h"

#define CLOSED_S (12 * 3600)
#define GIVE_UP_S (30 * 86400)

bool
robots_has_given_up(const struct profile *profile,
    const struct robots_fact *fact, int64_t now_s)
{
	return fact->failing_since_s != 0 &&
	    profile->robots_5xx == ROBOTS_GOOGLE &&
	    now_s - fact->failing_since_s >= GIVE_UP_S;
}

bool
robots_is_closed(struct store *store, int64_t site_id,
    const struct profile *profile, const struct robots_fact *fact,
    int64_t now_s)
{
	int64_t failing_s = now_s - fact->failing_since_s;

	if (fact->failing_since_s == 0)
		return false;
	if (profile->robots_5xx == ROBOTS_RFC)
		return failing_s < GIVE_UP_S || !fact->has_body;
	if (failing_s >= GIVE_UP_S)
		return !store_answered_since(
		    store, site_id, fact->origin, fact->failing_since_s);
	return failing_s < CLOSED_S;
}

/* Read the row as store_robots_get() does, but without the body. */
static bool
fact_of(struct store *store, struct slice origin, struct robots_fact *fact)
{
	struct buf body;
	bool is_known;

	buf_init(&body, SIZE_MAX);
	is_known = store_robots_get(store, origin, fact, &body);
	buf_release(&body);
	return is_known;
}

bool
robots_is_spare(struct store *store, struct slice origin)
{
	static const char https[] = "https://";
	struct robots_fact fact;
	struct buf http;
	bool is_spare;

	if (!slice_starts(origin, slice_of(https)) ||
	    !fact_of(store, origin, &fact) || fact.failing_since_s == 0 ||
	    fact.status != 0 || fact.has_body)
		return false;
	buf_init(&http, SIZE_MAX);
	(void)buf_print(&http, "http://");
	(void)buf_put_slice(&http, slice_from(origin, sizeof(https) - 1));
	is_spare = fact_of(store, buf_text(&http), &fact) && fact.status != 0 &&
	    fact.failing_since_s == 0;
	buf_release(&http);
	return is_spare;
}
