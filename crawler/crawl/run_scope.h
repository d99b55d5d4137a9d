/* The driver: the rules that a document is read under (SPEC 15.1), and the
 * indexes above it. */
#ifndef FRESHET_RUN_SCOPE_H
#define FRESHET_RUN_SCOPE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"

struct document;
struct location_scope;
struct run;
struct store;
struct url;

/* The document for which a scope is made; all is borrowed. */
struct scoped {
	uint32_t site; /* number of its entry */
	int64_t document_id;
	struct slice url;
	const struct url *final; /* where it came from */
	bool is_index; /* the scope has what only an index needs */
};

/* run_scope(run, of, scope): the location scope of that document, which the
 * caller releases. */
void run_scope(struct run *, const struct scoped *of, struct location_scope *);

/* run_fingerprint(run, task, final, is_index): the fingerprint of the scope of
 * the task's document, which came from the URL final. */
uint64_t run_fingerprint(
    struct run *, uint32_t task, const struct url *final, bool is_index);

/* run_proof(run, task): a hash of the proofs of an index, which are proofs for
 * its children, too; 0: there are none. */
uint64_t run_proof(struct run *, uint32_t task);

/* run_is_overdue(run, document): must the document be read as a whole, whatever
 * is known of it (HOSTILE T35)? */
bool run_is_overdue(struct run *, const struct document *);

/* At most this many indexes above a document are looked up; normally there is
 * one. */
#define ANCESTRY_MAX 64

/* The indexes above a document that is read alone. */
struct ancestry {
	int64_t ids[ANCESTRY_MAX]; /* the document, then the indexes above it */
	uint32_t count;
	/* how many of `ids` list the document itself; they come first */
	uint32_t parents;
	/* levels of indexes above the document, on the shortest way */
	uint8_t depth;
};

/*
 * ancestry_find(ancestry, store, document_id): the indexes above the document
 * that the store knows, up to INDEX_MAX_DEPTH levels.
 * ancestry_has(ancestry, document_id): is that document one of them?
 */
void ancestry_find(struct ancestry *, struct store *, int64_t document_id);
bool ancestry_has(const struct ancestry *, int64_t document_id);

#endif
