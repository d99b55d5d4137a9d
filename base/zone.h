/*
 * The time zone in which people read and type times.  It is a matter of the
 * process, as its terminal is; UTC until zone_use() was called.  What programs
 * read stays in UTC.
 *
 * Named zones are those of the C library, which reads /usr/share/zoneinfo, or
 * the folder of the environment variable TZDIR.
 */
#ifndef FRESHET_ZONE_H
#define FRESHET_ZONE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/civil.h"
#include "base/human.h"

/* zone_is(text): may text be a zone: "UTC", "local", "+02:00", or a name such
 * as Europe/Berlin?  Whether there is such a name is not looked up. */
bool zone_is(const char *text);

/* zone_use(text): print and read times in that zone from now on.  It sets the
 * environment variable TZ for a named zone, so call it before there are
 * threads.  Returns false, and changes nothing, if there is no such zone. */
bool zone_use(const char *text);

/* zone_is_utc(): is the zone UTC? */
bool zone_is_utc(void);

/* zone_civil(at_s): what a clock on the wall shows then. */
struct civil zone_civil(int64_t at_s);

/* zone_epoch_s(civil): when a clock shows that; of two such times the first, of
 * a time that is skipped, the one after. */
int64_t zone_epoch_s(const struct civil *);

/* zone_day(at_s): the day of a time, counted from that of the Epoch.
 * zone_day_s(day): when a day begins.
 * zone_weekday(day): 0 is Monday. */
int64_t zone_day(int64_t at_s);
int64_t zone_day_s(int64_t day);
unsigned zone_weekday(int64_t day);

enum zone_form {
	ZONE_DATE, /* "2024-06-05" */
	ZONE_MOMENT, /* "2024-06-05 10:11" */
	ZONE_FULL /* "2024-06-05T10:11:12Z", or an offset in place of the Z */
};

/* zone_print(out, at_s, form): append a time of the zone. zone_text(at_s,
 * form): the same by value, for one print (base/human.h). */
void zone_print(struct buf *, int64_t at_s, enum zone_form);
struct human zone_text(int64_t at_s, enum zone_form);

#endif
