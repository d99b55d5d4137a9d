/* The driver: the indexes above a document that is read alone. */
#ifndef FRESHET_RUN_ANCESTRY_H
#define FRESHET_RUN_ANCESTRY_H

#include <stdbool.h>
#include <stdint.h>

struct store;

#define ANCESTRY_MAX                                                           \
	64 /* no more are looked for: an index normally has one index above it \
	    */

struct ancestry {
	int64_t ids[ANCESTRY_MAX]; /* the document, then the indexes above it */
	uint32_t count;
	uint32_t parents; /* of `ids`, those that list the document itself; they
			     come first */
	uint8_t depth; /* levels of indexes above the document, on the shortest
			  way */
};

/*
 * ancestry_find(ancestry, store, document_id): the indexes above the document
 * that the store knows, up to MAX_INDEX_DEPTH levels.
 * ancestry_has(ancestry, document_id): is that document one of them?
 */
void ancestry_find(struct ancestry *, struct store *, int64_t document_id);
bool ancestry_has(const struct ancestry *, int64_t document_id);

#endif
