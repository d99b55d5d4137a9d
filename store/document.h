/* Inside the store: rows of documents. */
#ifndef FRESHET_DOCUMENT_H
#define FRESHET_DOCUMENT_H

struct document;
struct sqlite3_stmt;
struct store;

/* How many columns document_row reads; others may follow them. */
#define DOCUMENT_COLUMN_COUNT 21

/* document_row(store, stmt, *document): the document of the row at hand, a
 * copy; what its indexes say of it is looked up. */
void document_row(struct store *, struct sqlite3_stmt *, struct document *);

#endif
