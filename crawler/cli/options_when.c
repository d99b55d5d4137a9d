/* Values of options that name a moment: see options_when.h. */
#include "crawler/cli/options_when.h"

#include "base/w3cdate.h"
#include "crawler/cli/options_value.h"

#define MOST_MS (100 * 365 * INT64_C(86400000))

bool
value_moment(const char *text, int64_t now_s, int64_t *at_s)
{
	struct profile profile = profile_default(PROFILE_GOOGLE);
	struct diag_sink nobody = {0};
	struct date date;
	int64_t ms;

	/* a date first: "2026" is a year, and no number of seconds */
	if (date_parse(&date, slice_of(text), &profile, nobody) == DIAG_OK) {
		*at_s = date.epoch_s;
		return true;
	}
	if (!value_duration(text, MOST_MS, &ms))
		return false;
	*at_s = now_s - ms / 1000;
	return true;
}

bool
shape_when(const char *value)
{
	int64_t at_s;

	return value_moment(value, 0, &at_s);
}
