/* The verdict of the location rules on one entry of a sitemap. */
#ifndef FRESHET_VERDICT_H
#define FRESHET_VERDICT_H

#include <stdint.h>

#include "base/diag.h"

struct buf;

/*
 * Does the document have the right to list the entry, and if not, which rule
 * refuses it (SPEC R-71)? The store contains these numbers: add new ones at the
 * end.
 */
enum verdict {
	VERDICT_ACCEPTED,
	VERDICT_SELF_REFERENCE,
	VERDICT_PRIVATE_ADDRESS,
	VERDICT_WWW_MISSING,
	VERDICT_WWW_EXTRA,
	VERDICT_HOST,
	VERDICT_SCHEME,
	VERDICT_PORT,
	VERDICT_DIRECTORY,
	VERDICTS
};

/*
 * verdict_code(verdict): the diagnostic of a refusal; DIAG_OK: accepted.
 * verdict_of(code): the verdict with that diagnostic; VERDICT_ACCEPTED for a
 * code that is no refusal.
 */
enum diag_code verdict_code(enum verdict);
enum verdict verdict_of(enum diag_code);

/* verdict_accepted(entries, refused): entries - refused, but 0 if a damaged
 * store says that more were refused than there are. */
uint64_t verdict_accepted(uint64_t entries, uint64_t refused);

/* verdict_put_refused(out, n, verdict): append "12 refused by R-58"; no rule is
 * named if the verdict is VERDICT_ACCEPTED. */
void verdict_put_refused(struct buf *, uint64_t n, enum verdict);

#endif
