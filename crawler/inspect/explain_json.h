/* What is known of a URL as a JSON object. */
#ifndef FRESHET_EXPLAIN_JSON_H
#define FRESHET_EXPLAIN_JSON_H

#include "base/buf.h"
#include "crawler/cli/out.h"
#include "crawler/inspect/explain.h"

/* explain_json(explanation, store, out): append one line. */
void explain_json(const struct explanation *, struct store *, struct out *);

/* explain_trust_json(text, terms): append what is known of the dates of a
 * document. */
void explain_trust_json(struct buf *, const struct scheduler_terms *);

#endif
