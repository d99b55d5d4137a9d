/* Inside the store: writing a reading and its consequences. */
#ifndef FRESHET_APPLY_H
#define FRESHET_APPLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct link_set;
struct reading;
struct store;

/* The end of a document: nothing leads to it any more, or it is an alias of
 * another document. */
struct ending {
	int64_t at_s;
	int64_t since_s; /* when it was first absent; 0: not known */
	int64_t alias_of; /* the other document; 0: it is no alias */
	bool is_silent; /* its entries are not reported as gone */
};

/* apply_end(store, document_id, ending): end a document.  Its entries are gone,
 * in a reading of their own. */
void apply_end(struct store *, int64_t document_id, const struct ending *);

/*
 * apply_reading(store, reading, links, is_settled):
 * Write the reading with its findings, delta and segment, and update the
 * document, in the open transaction.  `links` are the children of an index.  An
 * unchanged reading of a document with missed entries gets a delta in which
 * these are gone (SPEC 15.2).
 *
 * Returns the id of the reading; 0, and nothing is written, if the document has
 * ended and is_settled is false: reach_settle() must find out first whether
 * something leads to the document again.
 */
int64_t apply_reading(
    struct store *, struct reading *, const struct link_set *, bool is_settled);

/* The sites in doubt: what is reachable there may have changed (reach.h). */

/* A site that is in doubt, or was settled lately. */
struct doubt {
	int64_t id;
	int64_t settled_s; /* when the site was settled last; 0: never */
	int64_t documents; /* how many documents the site had then */
	bool is_doubted;
};

struct doubts {
	struct doubt *items; /* owned; each site once */
	size_t count, cap;
};

/* doubt_site(store, site_id): put a site in doubt, because something that leads
 * to its documents has changed in this transaction. */
void doubt_site(struct store *, int64_t site_id);

#endif
