/* The calendar, and digits of dates: private to the two date parsers. */
#ifndef FRESHET_CIVIL_H
#define FRESHET_CIVIL_H

#include <stdbool.h>
#include <stdint.h>

#include "slice.h"
#include "w3cdate.h"

/* A moment of the Gregorian calendar, in UTC. */
struct civil {
	int64_t year;
	int month, day; /* from 1 */
	int hour, minute, second;
};

/* civil_is_real(civil): year 1 to 9999, a day that exists, 23:59:59 at most;
 * no leap seconds. */
bool civil_is_real(const struct civil *);

/* civil_is_writable(epoch_s): in the years 1 to 9999, as four digits say them?
 * A real moment of another zone may lie outside. */
bool civil_is_writable(int64_t epoch_s);

int64_t civil_epoch_s(const struct civil *);
struct civil civil_of(int64_t epoch_s);

/*
 * scan_number(in, digits, *value): take exactly that many digits (at most 9)
 * from the front.  scan_char(in, c): take c.  False, and nothing taken, when
 * it is not there.
 */
bool scan_number(struct slice *in, size_t digits, int *value);
bool scan_char(struct slice *in, char c);

/* scan_word(in, words, n): take one of n words of three letters, in any case;
 * its place from 0, or -1. */
int scan_word(struct slice *in, const char *const *words, int n);

/*
 * scan_offset(in, *offset_s, has_colon): take "+hh:mm", or "+hhmm" without
 * colon; at most 14:00.  False leaves *in anywhere.
 */
bool scan_offset(struct slice *in, int *offset_s, bool has_colon);

/*
 * mail_date_parse(date, text, is_1123): a whole RFC 822 date, of RFC 1123
 * with four digits of year and two of day only; false when it is none.
 */
bool mail_date_parse(struct date *, struct slice text, bool is_1123);

#endif
