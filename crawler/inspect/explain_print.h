/* Explain: for people and for programs. */
#ifndef FRESHET_EXPLAIN_PRINT_H
#define FRESHET_EXPLAIN_PRINT_H

#include "crawler/cli/out.h"
#include "crawler/inspect/explain.h"

/* The first column, left free. */
#define EXPLAIN_INDENT "           "

/* explain_text(explanation, store, out): some lines.  explain_json: one. */
void explain_text(const struct explanation *, struct store *, struct out *);
void explain_json(const struct explanation *, struct store *, struct out *);

/* explain_label(out, severity, name): the first column of a line.
 * explain_end(out): a line is whole.
 * explain_put_url(explanation, out, url): without the origin where that is the
 * URL's own.
 * explain_put_chains(explanation, out, place, end): one a line; the first goes
 * on where the line stands. */
void explain_end(struct out *);
void explain_label(struct out *, enum severity, const char *name);
void explain_put_url(const struct explanation *, struct out *, const char *url);
void explain_put_chains(const struct explanation *, struct out *,
    const struct explain_place *, const char *end);

/* explain_documents(explanation, store, out): when it is one of a document. */
void explain_documents(
    const struct explanation *, struct store *, struct out *);

#endif
