/* The lines that `explain` prints: a label in the first column, then text. */
#ifndef FRESHET_EXPLAIN_PRINT_H
#define FRESHET_EXPLAIN_PRINT_H

#include "base/diag.h"
#include "crawler/cli/out.h"

/* Indent of lines without a label. */
#define EXPLAIN_INDENT "           "

/* explain_label(out, severity, name): begin a line with a name in the colour
 * of a severity; out_end_line() ends it. */
void explain_label(struct out *, enum severity, const char *name);

#endif
