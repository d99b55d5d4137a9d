/* A row of the watch list for the scheduler: see watch_schedule.h. */
#include "crawler/frontier/watch_schedule.h"

#include "store/watch.h"

/* Set the bounds that were given, and move the default ones if they cross. */
static void
bound(int64_t least_s, int64_t most_s, int64_t *floor_s, int64_t *ceiling_s)
{
	if (least_s > 0)
		*floor_s = least_s;
	if (most_s > 0)
		*ceiling_s = most_s;
	if (*floor_s <= *ceiling_s)
		return;
	if (least_s > 0)
		*ceiling_s = *floor_s;
	else
		*floor_s = *ceiling_s;
}

struct scheduler_site
watch_schedule(const struct watch *watch)
{
	struct scheduler_site is = scheduler_site_default();

	if (watch == NULL)
		return is;
	is.weight = watch->weight;
	bound(watch->every_least_s, watch->every_most_s, &is.reading_floor_s,
	    &is.reading_ceiling_s);
	bound(watch->page_least_s, watch->page_most_s, &is.page_floor_s,
	    &is.page_ceiling_s);
	/* an interval or a budget of the operator replaces the reading quota */
	if (watch->every_least_s > 0 || watch->every_most_s > 0 ||
	    watch->requests_per_hour > 0)
		is.readings_per_day = 0;
	if (watch->page_least_s > 0 || watch->page_most_s > 0 ||
	    watch->requests_per_hour > 0)
		is.pages_per_day = 0;
	return is;
}
