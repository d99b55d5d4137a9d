/*
 * Accepting the children of an index: the location rules once more, by the
 * store's own proofs, whatever the reader said (DESIGN 3.2, 5.7).
 */
#ifndef FRESHET_ACCEPT_H
#define FRESHET_ACCEPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/location.h"
#include "store/segment/reading.h"
#include "store/store.h"

/*
 * accept_child: one child that the rules accept; url is borrowed.  Answers
 * DIAG_OK, or the code with which the caller refuses it (DIAG_INDEX_LOOP).
 */
typedef enum diag_code accept_child_fn(
    void *arg, int64_t document_id, struct slice url);

struct accept_options {
	struct store *store;
	int64_t site_id;
	int64_t index_id;
	const struct location_scope *scope; /* of the index */
	struct content *content; /* of its reading: the segment is read, the
				    findings grow */
	/* Has the site all the children that it may have?  Then those that
	 * the caller does not count yet (0: nobody knows it) are refused:
	 * DIAG_BUDGET_REACHED. */
	bool (*is_full)(void *arg);
	bool (*is_counted)(void *arg, int64_t document_id);
	accept_child_fn *child;
	void *arg;
};

/* Indexes that may list one child: others list it in vain (HOSTILE E32). */
#define ACCEPT_PARENTS_MAX 64

struct accept;

/* accept_new(options): what options point to outlives the accept. */
struct accept *accept_new(const struct accept_options *);
void accept_free(struct accept *);

/*
 * accept_step(accept, max): judge up to max children that the reader did not
 * refuse, make the accepted ones documents and link them.  True when there are
 * no more; call it again otherwise, as long as there is time, so that 50,000
 * children do not hold up the loop.  All of it lies in the transaction that the
 * index's reading will be committed with.
 */
bool accept_step(struct accept *, unsigned max);

/* accept_is_damaged(accept): the segment could not be decoded: the reader
 * lied, its reading has to be thrown away. */
bool accept_is_damaged(const struct accept *);

#endif
