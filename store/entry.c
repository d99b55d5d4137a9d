/* Dates as tables keep them, verdicts, and words for what a delta says. */
#include "store/entry.h"

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

static const enum diag_code verdict_codes[VERDICTS] = {
    [VERDICT_ACCEPTED] = DIAG_OK,
    [VERDICT_SELF_REFERENCE] = DIAG_INDEX_SELF_REFERENCE,
    [VERDICT_PRIVATE_ADDRESS] = DIAG_PRIVATE_ADDRESS,
    [VERDICT_WWW_MISSING] = DIAG_WWW_MISSING,
    [VERDICT_WWW_EXTRA] = DIAG_WWW_EXTRA,
    [VERDICT_HOST] = DIAG_HOST_MISMATCH,
    [VERDICT_SCHEME] = DIAG_SCHEME_MISMATCH,
    [VERDICT_PORT] = DIAG_PORT_MISMATCH,
    [VERDICT_DIRECTORY] = DIAG_OUTSIDE_DIRECTORY,
};

enum diag_code
verdict_code(enum verdict verdict)
{
	assert(verdict < VERDICTS);
	return verdict_codes[verdict];
}

enum verdict
verdict_of(enum diag_code code)
{
	for (int i = VERDICT_ACCEPTED + 1; i < VERDICTS; i++)
		if (verdict_codes[i] == code)
			return (enum verdict)i;
	return VERDICT_ACCEPTED;
}

uint64_t
verdict_accepted(uint64_t entries, uint64_t refused)
{
	return entries > refused ? entries - refused : 0;
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
