/*
 * Accepting the children of an index: the location rules are applied again,
 * with the proofs in the store, whatever verdict the reader process gave
 * (DESIGN 3.2, 5.7).
 */
#ifndef FRESHET_ACCEPT_H
#define FRESHET_ACCEPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/location.h"
#include "store/segment/reading.h"
#include "store/store.h"

/* accept_child_fn: called for each child that the rules accept; the URL is
 * borrowed.  Returns DIAG_OK, or a code to refuse the child (DIAG_INDEX_LOOP).
 */
typedef enum diag_code accept_child_fn(
    void *arg, int64_t document_id, struct slice url);

struct accept_options {
	struct store *store;
	int64_t site_id;
	int64_t index_id;
	const struct location_scope *scope; /* of the index */
	/* of its reading: accept reads the segment and adds findings */
	struct content *content;
	/* Does the site have all the children that it may have?  Then children
	 * that is_counted does not know, or new ones (document_id 0), are
	 * refused: DIAG_BUDGET_REACHED. */
	bool (*is_full)(void *arg);
	bool (*is_counted)(void *arg, int64_t document_id);
	accept_child_fn *child;
	void *arg;
};

/* How many indexes may list a child; the links of others are refused (HOSTILE
 * E32). */
#define ACCEPT_PARENTS_MAX 64

struct accept;

/* accept_new(options): all that the options point to must outlive the result.
 */
struct accept *accept_new(const struct accept_options *);
void accept_free(struct accept *);

/*
 * accept_step(accept, max):
 * Judge up to `max` children that the reader process did not refuse; make
 * documents of the accepted ones, and link them.  Returns true if there are no
 * more.  Otherwise call again when the event loop comes back: 50,000 children
 * at once would stall it.  All changes are committed together with the reading
 * of the index.
 */
bool accept_step(struct accept *, unsigned max);

/* accept_is_damaged(accept): the segment could not be decoded.  The reader
 * process is not honest, and the caller must drop its reading. */
bool accept_is_damaged(const struct accept *);

#endif
