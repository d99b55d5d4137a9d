/* Findings: the diagnostics of one reading, counted, with samples. */
#ifndef FRESHET_FINDING_H
#define FRESHET_FINDING_H

#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/slice.h"

#define FINDING_SAMPLES 8 /* kept per code and reading */
#define FINDING_TEXT_MAX 512 /* bytes of a sample's text */

struct finding_sample {
	uint32_t line; /* in the decoded document, from 1; 0: none */
	/* number of its entry in the document, from 1; 0: none */
	uint32_t entry;
	char *text; /* owned; the raw value, hostile, cut */
	/* owned: the loc of its entry, hostile, cut; NULL: unknown. Neither
	 * entry nor loc is stored. */
	char *loc;
};

struct finding {
	enum diag_code code;
	uint64_t count;
	struct finding_sample samples[FINDING_SAMPLES];
	unsigned sample_count;
};

/* Findings of one reading, one for each code, in order of appearance. */
struct findings {
	struct finding *items; /* owned */
	size_t count;
	size_t cap;
	/* The entry of the document, counted from 1, that findings belong to
	 * which are added from now on; 0: none.  Set it when an entry begins;
	 * findings_close() ends it. */
	uint32_t entry;
	unsigned nameless; /* its samples that have no loc yet */
};

/* findings_add(findings, code, line, text): count a diagnostic and keep its
 * text as a sample while there is room for one. */
void findings_add(
    struct findings *, enum diag_code, uint32_t line, struct slice text);

/* findings_close(findings, loc): findings->entry ends; all samples that were
 * added since get its loc, unless that is empty.  Without an entry nothing
 * happens. */
void findings_close(struct findings *, struct slice loc);

/* findings_say(findings, code, text): make text the first sample of a code;
 * add the finding if there is none. */
void findings_say(struct findings *, enum diag_code, struct slice text);

/* findings_get(findings, code): NULL if the reading has no such finding. */
const struct finding *findings_get(const struct findings *, enum diag_code);
void findings_release(struct findings *);

#endif
