/* Sites in numbers, for lists of many. */
#ifndef FRESHET_SITE_TOTALS_H
#define FRESHET_SITE_TOTALS_H

#include <stdint.h>

#include "store/segment/entry.h"

struct store;

/* Of its documents that anything leads to, without robots.txt. */
struct site_totals {
	uint64_t documents;
	uint64_t indexes; /* of these */
	uint64_t failing; /* of these: the latest attempt failed */
	uint64_t refused; /* what its documents list, and rules refuse */
	enum verdict refused_by; /* most of these; VERDICT_ACCEPTED: none */
	int64_t last_read_s; /* 0: never */
	uint64_t failing_robots; /* robots.txt that cannot be had */
	uint64_t waiting; /* of its documents: a second reading is owed */
	uint64_t waiting_urls; /* that depend on those */
	int64_t stale_since_s; /* the last complete reading of one, or of a
				  robots.txt, stands since: it cannot be read;
				  0: of none */
};

void store_site_totals(struct store *, int64_t site_id, struct site_totals *);

/* store_each_site_pages(store, fn, arg): sites that have pages, in order of
 * ids, and how many: each page is looked at. */
typedef void store_site_pages_fn(void *arg, int64_t site_id, uint64_t pages);
void store_each_site_pages(struct store *, store_site_pages_fn *, void *arg);

#endif
