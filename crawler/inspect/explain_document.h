/* What `explain` prints of documents, and of the chains that lead to them. */
#ifndef FRESHET_EXPLAIN_DOCUMENT_H
#define FRESHET_EXPLAIN_DOCUMENT_H

#include "crawler/cli/out.h"
#include "crawler/inspect/explain.h"

/* explain_put_url(explanation, out, url): append a URL, without its origin if
 * that is the origin of the URL that is explained. */
void explain_put_url(const struct explanation *, struct out *, const char *url);

/* explain_put_chains(explanation, out, place, end): append the chains that lead
 * to a document, one a line, each with `end` behind it; the first one
 * continues the line that was begun. */
void explain_put_chains(const struct explanation *, struct out *,
    const struct explain_place *, const char *end);

/* explain_documents(explanation, store, out): append what is known of the
 * documents that have the URL, if it is the URL of a document. */
void explain_documents(
    const struct explanation *, struct store *, struct out *);

#endif
