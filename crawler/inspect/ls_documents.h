/* The documents of a site, as a list or as a tree (freshet ls). */
#ifndef FRESHET_LS_DOCUMENTS_H
#define FRESHET_LS_DOCUMENTS_H

#include "crawler/cli/options.h"
#include "crawler/cli/out.h"
#include "crawler/cli/selection.h"
#include "store/store.h"

/* ls_documents(listing, is_json, selection, store, out): print one document a
 * line, or one object if is_json; with -l a table with a heading. */
void ls_documents(const struct options_listing *, bool is_json,
    const struct selection *, struct store *, struct out *);

/* ls_tree(listing, selection, store, out): print the site, its indexes and
 * their sitemaps as a tree. */
void ls_tree(const struct options_listing *, const struct selection *,
    struct store *, struct out *);

/* ls_document_json(row, store, out): print one object, with the first index
 * that lists the document. */
void ls_document_json(
    const struct document_row *, struct store *, struct out *);

/* ls_date(out, date, width): append a date, padded; "-" for none. */
void ls_date(struct out *, const struct date *, size_t width);

#endif
