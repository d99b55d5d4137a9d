/* Inside the store: what a reading changes. */
#ifndef FRESHET_APPLY_H
#define FRESHET_APPLY_H

#include <stdint.h>

struct link_set;
struct reading;
struct store;

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
