/* Entries and changes: names, dates in tables, and checks of hostile values. */
#include "store/segment/entry.h"

struct date
date_unpack(int64_t epoch_s, int64_t nanos, int64_t form)
{
	struct date date = {
	    .epoch_s = epoch_s,
	    .nanos = (uint32_t)nanos,
	    .precision = form & ((1 << FORM_ZONE_SHIFT) - 1),
	    .zone = form >> FORM_ZONE_SHIFT & 3,
	    .offset = (uint8_t)(form >> FORM_OFFSET_SHIFT),
	};

	/* A damaged store may hold values outside of the enums. */
	if (date.precision > DATE_FRACTION || date.zone > ZONE_EXPLICIT ||
	    form >> FORM_OFFSET_SHIFT > DATE_OFFSET_MOST || nanos < 0 ||
	    nanos > 999999999 || epoch_s < -DATE_BOUND_S ||
	    epoch_s > DATE_BOUND_S)
		return (struct date){0};
	return date;
}

const struct delta_row delta_rows[DELTA_KINDS] = {
    [DELTA_ADDED] = {"added", DELTA_COMES, STANDING_NONE, STANDING_LISTED},
    [DELTA_REMOVED] = {"removed", DELTA_GOES, STANDING_LISTED, STANDING_MISSED},
    [DELTA_RETURNED] = {"returned", DELTA_COMES, STANDING_MISSED,
	STANDING_LISTED},
    [DELTA_REDATED] = {"redated", DELTA_STAYS, STANDING_LISTED,
	STANDING_LISTED},
    [DELTA_GONE] = {"gone", DELTA_GOES, STANDING_LISTED, STANDING_NONE},
    [DELTA_REFUSED] = {"refused", DELTA_STAYS, STANDING_LISTED,
	STANDING_LISTED},
    [DELTA_ACCEPTED] = {"accepted", DELTA_STAYS, STANDING_LISTED,
	STANDING_LISTED},
    [DELTA_LEFT] = {"left", DELTA_GOES, STANDING_LISTED, STANDING_NONE},
    [DELTA_BACK] = {"back", DELTA_COMES, STANDING_NONE, STANDING_LISTED}};

enum standing
delta_before(unsigned kind, bool was_listed)
{
	/* What a document lacked once is gone, and so may be what it listed. */
	return (kind == DELTA_GONE || kind == DELTA_LEFT) && !was_listed
	    ? STANDING_MISSED
	    : delta_rows[kind].before;
}

int64_t
delta_at_s(unsigned kind, int64_t at_s, int64_t since_s)
{
	return (kind == DELTA_GONE || kind == DELTA_LEFT) && since_s > 0 &&
		since_s < at_s
	    ? since_s
	    : at_s;
}

bool
elsewhere_has(struct slice bits, uint64_t at)
{
	return at / 8 < bits.len &&
	    ((unsigned char)bits.p[at / 8] >> at % 8 & 1) != 0;
}

/* The years 1 to 9999, in any zone. */
#define DATE_LEAST_S INT64_C(-62135683200)
#define DATE_MOST_S INT64_C(253402387199)

#define CHANGEFREQ_MAX 7
#define PRIORITY_MAX 11
#define EXTENSIONS_MAX 31

unsigned
entry_odd(const struct entry *entry, int64_t latest_s)
{
	unsigned odd = 0;

	if (entry->first_seen_s < 0 || entry->first_seen_s > latest_s ||
	    entry->redated_s < 0 || entry->redated_s > latest_s)
		odd |= ODD_TIMES;
	if ((entry->hints & 15) > CHANGEFREQ_MAX ||
	    entry->hints >> 4 > PRIORITY_MAX ||
	    entry->extensions > EXTENSIONS_MAX)
		odd |= ODD_HINTS;
	if (entry->lastmod.precision != DATE_NONE &&
	    (entry->lastmod.epoch_s < DATE_LEAST_S ||
		entry->lastmod.epoch_s > DATE_MOST_S))
		odd |= ODD_DATE;
	return odd;
}

unsigned
change_odd(const struct change *change)
{
	bool has_before = change->before.precision != DATE_NONE;
	bool has_after = change->after.precision != DATE_NONE;
	bool is_accepted = change->verdict == VERDICT_ACCEPTED;
	bool has_dates = true;

	if (change->kind >= DELTA_KINDS)
		return ODD_DATE;
	switch (delta_rows[change->kind].way) {
	case DELTA_COMES:
		has_dates = !has_before;
		break;
	case DELTA_GOES:
		has_dates = !has_after;
		break;
	case DELTA_STAYS:
		has_dates = change->kind != DELTA_REDATED ||
		    date_differs(&change->before, &change->after);
		break;
	}
	if ((change->kind == DELTA_REFUSED && is_accepted) ||
	    (change->kind == DELTA_ACCEPTED && !is_accepted))
		return ODD_VERDICT | (has_dates ? 0 : ODD_DATE);
	return has_dates ? 0 : ODD_DATE;
}

bool
tally_is_of_page(unsigned pages, const struct change *change)
{
	unsigned bit = TALLY_PAGES;

	if (change->kind == DELTA_REMOVED)
		bit = TALLY_PAGES_BEFORE;
	else if (change->kind == DELTA_GONE || change->kind == DELTA_LEFT)
		bit = change->was_listed ? TALLY_PAGES_BEFORE
					 : TALLY_PAGES_GONE;
	return (pages & bit) != 0;
}
