/*
 * Filters of calls.  The scheduler knows nothing of them: it may choose a page
 * that the call refuses, or a document of which the call wants no entry.  Such
 * an item is passed over: it stays chosen, so that the same call meets it once,
 * and is given back to the scheduler when a call with another filter, or with
 * none, asks for pages.
 */
#ifndef FRESHET_PASSED_OVER_H
#define FRESHET_PASSED_OVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct frontier;
struct frontier_consumer;

/* So many filters are remembered at once, the first of which is none. */
#define PASSED_FILTERS 16

struct passed_over {
	uint32_t *items; /* owned: of item_of(), in the order of choices */
	size_t count, cap;
	struct passed_filter {
		char *text; /* owned; NULL: none, as behind the last */
		size_t seen; /* so many of the items are no news to it */
	} filters[PASSED_FILTERS];
	unsigned turn; /* of the filter that gives way to another one */
};

/* passed_filter(frontier, consumer): the number of the consumer's filter; 0: it
 * has none.  Filters of one text have one number, in calls that follow each
 * other, too. */
unsigned passed_filter(struct frontier *, const struct frontier_consumer *);

/* passed_add(frontier, consumer, item): the consumer passes over the page or
 * the document (item_of()), which is chosen. */
void passed_add(
    struct frontier *, const struct frontier_consumer *, uint32_t item);

/* passed_look(frontier, consumer): give back some items that others passed over
 * and this consumer does not.  Returns how many were looked at; 0: the consumer
 * has seen all. */
size_t passed_look(struct frontier *, const struct frontier_consumer *);

#endif
