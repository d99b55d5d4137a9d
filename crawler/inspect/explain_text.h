/* What is known of a URL, for people. */
#ifndef FRESHET_EXPLAIN_TEXT_H
#define FRESHET_EXPLAIN_TEXT_H

#include "crawler/cli/out.h"
#include "crawler/inspect/explain.h"

/* explain_text(explanation, store, out): append some lines. */
void explain_text(const struct explanation *, struct store *, struct out *);

#endif
