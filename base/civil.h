/* The Gregorian calendar, in UTC, and the digits of dates. */
#ifndef FRESHET_CIVIL_H
#define FRESHET_CIVIL_H

#include <stdbool.h>
#include <stdint.h>

#include "slice.h"

/* Units of time. */
#define SECOND_MS INT64_C(1000)
#define MINUTE_S INT64_C(60)
#define HOUR_S INT64_C(3600)
#define HOUR_MS (HOUR_S * SECOND_MS)
#define DAY_S INT64_C(86400)
#define DAY_MS (DAY_S * SECOND_MS)
#define WEEK_S (7 * DAY_S)

/* A moment in UTC. */
struct civil {
	int64_t year;
	int month, day; /* from 1 */
	int hour, minute, second;
};

/* "Jan" to "Dec" */
extern const char *const civil_months[12];

/* civil_is_real(civil): is the year 1 to 9999, does the day exist, and is the
 * time 23:59:59 at most? Leap seconds are not real. */
bool civil_is_real(const struct civil *);

/* civil_is_writable(epoch_s): does the time lie in the years 1 to 9999, so that
 * four digits can say the year? A moment of another zone may lie outside. */
bool civil_is_writable(int64_t epoch_s);

int64_t civil_epoch_s(const struct civil *);
struct civil civil_of(int64_t epoch_s);

/* scan_number(in, digits, value): take exactly that many digits, at most 9,
 * from the front of *in. scan_char(in, c): take c. Both return false and take
 * nothing if *in begins with something else. */
bool scan_number(struct slice *in, size_t digits, int *value);
bool scan_char(struct slice *in, char c);

/* A clock that never goes back: the time of the system's clock, as long as that
 * goes on.  After the system's clock was set back, time goes on at the pace of
 * the monotonic clock until the system's clock has caught up (HOSTILE T21).  So
 * what lasts an hour lasts an hour, and no event lies before an earlier one. */
struct steady {
	/* the latest time that the system's clock has shown, or a time before
	 * which the clock must not stand */
	int64_t base_s;
	int64_t base_ms; /* the monotonic clock at that moment */
};

/* steady_now_s(steady, wall_s, now_ms): the time now, when the system's clock
 * shows wall_s and the monotonic clock now_ms. */
static inline int64_t
steady_now_s(struct steady *steady, int64_t wall_s, int64_t now_ms)
{
	int64_t flown_s = steady->base_s + (now_ms - steady->base_ms) / 1000;

	if (wall_s < flown_s)
		return flown_s;
	*steady = (struct steady){.base_s = wall_s, .base_ms = now_ms};
	return wall_s;
}

#endif
