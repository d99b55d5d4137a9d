/* The driver: the indexes above a document that is read alone. */
#ifndef FRESHET_RUN_ANCESTRY_H
#define FRESHET_RUN_ANCESTRY_H

#include <stdbool.h>
#include <stdint.h>

struct store;

#define ANCESTRY_MAX 64 /* more do not count: an index has one above it */

struct ancestry {
	int64_t ids[ANCESTRY_MAX]; /* the document, then those above it */
	uint32_t count;
	uint32_t parents; /* those that list it itself come first */
	uint8_t depth; /* of indexes above it, on the shortest way */
};

/* ancestry_find(ancestry, store, document_id): as the store knows it, up to
 * MAX_INDEX_DEPTH levels. */
void ancestry_find(struct ancestry *, struct store *, int64_t document_id);
bool ancestry_has(const struct ancestry *, int64_t document_id);

#endif
