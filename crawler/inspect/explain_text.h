/* What is known of a URL, for people. */
#ifndef FRESHET_EXPLAIN_TEXT_H
#define FRESHET_EXPLAIN_TEXT_H

#include "base/buf.h"
#include "crawler/cli/out.h"
#include "crawler/inspect/explain.h"

/* explain_text(explanation, store, out): append some lines. */
void explain_text(const struct explanation *, struct store *, struct out *);

/* explain_json(explanation, store, out): append one line. */
void explain_json(const struct explanation *, struct store *, struct out *);

/* explain_trust_json(text, terms): append what is known of the dates of a
 * document. */
void explain_trust_json(struct buf *, const struct scheduler_terms *);

#endif
