/* Cases of kind lastmod: SPEC. */
#include "base/w3cdate.h"
#include "tests/conformance/cases.h"

#define NOW_S 1767225600 /* 2026-01-01, as in the other kinds */

static struct slice
precision_name(uint8_t precision)
{
	static const char *const names[] = {
	    "none", "year", "month", "day", "minute", "second", "fraction"};

	return slice_of(names[precision]);
}

static struct slice
zone_name(uint8_t zone)
{
	static const char *const names[] = {"none", "assumed", "explicit"};

	return slice_of(names[zone]);
}

static bool
check(const json_t *expect, const struct date *date, struct buf *why)
{
	const json_t *nanos = json_object_get(expect, "nanos");

	return case_same_number(why, "epoch",
		   json_integer_value(json_object_get(expect, "epoch")),
		   date->epoch_s) &&
	    case_same_text(why, "precision",
		slice_of(case_text(expect, "precision")),
		precision_name(date->precision)) &&
	    case_same_text(why, "tz", slice_of(case_text(expect, "tz")),
		zone_name(date->zone)) &&
	    (nanos == NULL ||
		case_same_number(
		    why, "nanos", json_integer_value(nanos), date->nanos));
}

bool
case_lastmod(const json_t *c, struct buf *why)
{
	const json_t *expect = json_object_get(c, "expect");
	const json_t *now = json_object_get(c, "now");
	struct profile profile = case_profile(c);
	struct code_set seen = {{false}};
	struct date date = {0};
	enum diag_code code, doubt;

	code = date_parse(
	    &date, slice_of(case_text(c, "text")), &profile, note_codes(&seen));
	if (!json_is_true(json_object_get(expect, "valid")))
		return case_same_text(why, "code",
		    slice_of(case_text(expect, "code")),
		    slice_of(diag_name(code)));
	if (!case_same_text(
		why, "code", slice_of("ok"), slice_of(diag_name(code))) ||
	    !check(expect, &date, why))
		return false;
	doubt = date_doubt(
	    &date, now == NULL ? NOW_S : json_integer_value(now));
	if (doubt != DIAG_OK)
		seen.has[doubt] = true;
	return code_set_check(
	    &seen, json_object_get(expect, "diagnostics"), why);
}
