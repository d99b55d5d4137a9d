/* The sites in doubt: what is reachable there may have changed (reach.h). */
#ifndef FRESHET_DOUBT_H
#define FRESHET_DOUBT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct store;

/* A site that is in doubt, or was settled lately. */
struct doubt {
	int64_t id;
	int64_t settled_s; /* when the site was settled last; 0: never */
	int64_t documents; /* how many documents the site had then */
	bool is_doubted;
};

/* For reach.c, which settles the sites. */
struct doubts {
	struct doubt *items; /* owned; each site once */
	size_t count, cap;
};

struct doubts *doubts_new(void);
void doubts_free(struct doubts *);

/* doubts_clear(doubts): forget all, since the transaction is rolled back. */
void doubts_clear(struct doubts *);

/* doubt_site(store, site_id): put a site in doubt, because something that leads
 * to its documents has changed in this transaction. */
void doubt_site(struct store *, int64_t site_id);

#endif
