/* Dates as tables keep them, verdicts, and words for what a delta says. */
#include "store/segment/entry.h"

#include <assert.h>

struct date
date_unpack(int64_t epoch_s, int64_t nanos, int64_t form)
{
	struct date date = {
	    .epoch_s = epoch_s,
	    .nanos = (uint32_t)nanos,
	    .precision = form & ((1 << FORM_ZONE_SHIFT) - 1),
	    .zone = form >> FORM_ZONE_SHIFT & 3,
	};

	/* Values outside of their enums come from a damaged store. */
	if (date.precision > DATE_FRACTION || date.zone > ZONE_EXPLICIT ||
	    nanos < 0 || nanos > 999999999 || epoch_s < -DATE_BOUND_S ||
	    epoch_s > DATE_BOUND_S)
		return (struct date){0};
	return date;
}

const char *
delta_kind_name(enum delta_kind kind)
{
	static const char *const names[DELTA_KINDS] = {[DELTA_ADDED] = "added",
	    [DELTA_REMOVED] = "removed",
	    [DELTA_RETURNED] = "returned",
	    [DELTA_REDATED] = "redated",
	    [DELTA_GONE] = "gone",
	    [DELTA_REFUSED] = "refused",
	    [DELTA_ACCEPTED] = "accepted"};

	assert(kind < DELTA_KINDS);
	return names[kind];
}
