/* How often a site is asked for documents: see courtesy.h. */
#include "sched/courtesy.h"

#include <math.h>

#include "sched/scheduler_internal.h"

#define DAY_S 86400
/* A reading is to find a change one time in so many. */
#define READINGS_A_CHANGE 5

/* Those of the site that may be read, counted once a day. */
static uint32_t
documents_of(struct scheduler *s, struct site *site)
{
	int64_t left_s = site->counted_s - s->now_s;

	if (left_s > 0 && left_s <= DAY_S)
		return site->documents;
	site->counted_s = s->now_s + DAY_S;
	site->documents = 0;
	for (uint32_t i = site->first; i != 0;
	     i = s->sources[i - 1].next_of_site)
		site->documents += !s->sources[i - 1].is_left_out &&
		    !s->sources[i - 1].is_dropped &&
		    !s->sources[i - 1].is_gone && !s->sources[i - 1].is_retired;
	return site->documents;
}

/* What its own readings say: among many that never change the belief in those
 * that do, which is drawn to the mean of all, follows too slowly. */
static double
own_changes(const struct source *source)
{
	double days = (double)source->rate.days;
	double changes = (double)source->rate.changes;

	return days > 0 && changes > 0 ? changes / days : 0;
}

double
courtesy_days(struct scheduler *s, const struct source *source, double days,
    double per_day)
{
	struct site *site = &s->sites[source->site];
	double share, done, growth;

	if (!(site->is.readings_per_day > 0))
		return 0;
	per_day = READINGS_A_CHANGE * fmax(per_day, own_changes(source));
	share = site->is.readings_per_day /
	    fmax((double)documents_of(s, site), 1);
	done = share * days_after(s, source->read_s) + per_day * days;
	growth = share + per_day;
	return (1 - done) / growth;
}
