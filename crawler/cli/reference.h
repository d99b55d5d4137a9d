/*
 * What the documents say of diagnostics and rules, for `freshet help` and the
 * manual. The tables are made when the program is built: docs/tables.py reads
 * diagnostics.txt, SPEC.md and HOSTILE.md.
 */
#ifndef FRESHET_REFERENCE_H
#define FRESHET_REFERENCE_H

#include "base/diag.h"

#define REFERENCE_SOURCES 3

/* Where a statement comes from: both are text, or both are NULL. */
struct reference_source {
	const char *title;
	const char *link;
};

/* An example of a code. Text has lines without a newline at the end; what does
 * not exist is NULL, and before and after exist together. */
struct reference_example {
	const char *before;
	const char *after;
	const char *note; /* what else there is to say */
	const char *with; /* options that the code needs */
	struct reference_source sources[REFERENCE_SOURCES];
};

/* A rule of SPEC, or a numbered fact, threat or fault of HOSTILE. */
struct reference_rule {
	const char *name; /* "R-58", "15.3", "T20" */
	const char *place; /* its document and section */
	const char *text; /* one paragraph; of a rule of SPEC with its source */
};

/* An example of each code but DIAG_OK. */
extern const struct reference_example reference_examples[DIAG_COUNT];

/* reference_rule(name): the rule with that name, in any case; NULL if there is
 * none. */
const struct reference_rule *reference_rule(struct slice name);

#endif
