/* Dates in names: see stamp.h. */
#include "sched/stamp.h"

#include <string.h>

#include "base/ascii.h"
#include "base/civil.h"

/* Read one more part of a date, which has two digits. If is_split is true, one
 * separator out of `among` comes before them. */
static bool
take_part(struct slice *in, bool is_split, const char *among, int *part)
{
	struct slice rest = *in;

	if (is_split) {
		if (rest.p[0] == '\0' || strchr(among, rest.p[0]) == NULL)
			return false;
		rest = slice_from(rest, 1);
	}
	if (!scan_number(&rest, 2, part))
		return false;
	if (is_split && rest.len > 0 && ascii_is_digit(rest.p[0]))
		return false;
	*in = rest;
	return true;
}

/* Read the date at the begin of a run of digits.  Returns false when there is
 * none. */
static bool
stamp_at(struct stamp *stamp, struct slice in)
{
	static const struct {
		const char *among;
		int64_t span_s;
	} parts[] = {{"-_/.", 30 * DAY_S}, {"-_/.", DAY_S}, {"-_/.Tt", HOUR_S}};
	struct civil civil = {.month = 1, .day = 1};
	int year;

	if (!scan_number(&in, 4, &year) || year < 1990 || year > 2099)
		return false;
	civil.year = year;
	stamp->span_s = 365 * DAY_S;
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		struct civil finer = civil;
		struct slice rest = in;
		bool is_split = in.len > 0 && !ascii_is_digit(in.p[0]);
		int *part = i == 0 ? &finer.month
		    : i == 1       ? &finer.day
				   : &finer.hour;

		if (in.len == 0 ||
		    !take_part(&rest, is_split, parts[i].among, part) ||
		    !civil_is_real(&finer))
			break;
		civil = finer;
		in = rest;
		stamp->span_s = parts[i].span_s;
	}
	stamp->begin_s = civil_epoch_s(&civil);
	/* A longer run of digits is a number that begins like a date; but
	 * minutes may follow an hour. */
	return in.len == 0 || !ascii_is_digit(in.p[0]) ||
	    stamp->span_s == HOUR_S;
}

bool
stamp_parse(struct stamp *stamp, struct slice name)
{
	struct stamp best, found;
	bool has_one = false;

	for (size_t i = 0; i < name.len; i++) {
		/* A date begins only where a run of digits begins: there is
		 * none in 12026-11-21. */
		if (!ascii_is_digit(name.p[i]) ||
		    (i > 0 && ascii_is_digit(name.p[i - 1])))
			continue;
		if (!stamp_at(&found, slice_from(name, i)))
			continue;
		if (!has_one || found.span_s < best.span_s)
			best = found;
		has_one = true;
	}
	if (has_one)
		*stamp = best;
	return has_one;
}
