/* Inside the store: what a reading changes. */
#ifndef FRESHET_APPLY_H
#define FRESHET_APPLY_H

#include <stdbool.h>
#include <stdint.h>

struct link_set;
struct reading;
struct store;

/* What becomes of a document that nothing leads to any more, or that is one
 * with another. */
struct ending {
	int64_t at_s;
	int64_t since_s; /* it was absent; 0: not known */
	int64_t alias_of; /* 0: it ends */
	bool is_silent; /* nothing of it is a change of the site */
};

/* apply_end(store, document_id, ending): what it listed is gone, in a reading
 * of its own, into the open transaction. */
void apply_end(struct store *, int64_t document_id, const struct ending *);

/*
 * apply_reading(store, reading, links):
 * Write the reading, its findings, delta and segment, and what it changes on
 * its document, into the open transaction.  links are the children of an
 * index, to be known with it.  An unchanged reading of a document that has
 * missed entries gets the delta that makes them gone (SPEC 15.2).
 * Answers the id of the reading.
 */
int64_t apply_reading(
    struct store *, struct reading *, const struct link_set *);

#endif
