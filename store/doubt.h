/* Sites of which it is not known any more what is reachable (reach.h). */
#ifndef FRESHET_DOUBT_H
#define FRESHET_DOUBT_H

#include <stdbool.h>
#include <stdint.h>

struct store;

/* A site that was in doubt at least once since the process began. */
struct doubt {
	int64_t id;
	int64_t settled_s; /* when that was done last; 0: never */
	int64_t documents; /* that it had then */
	bool is_doubted;
};

/* doubt_site(store, site_id): something that leads to documents of the site has
 * changed in this transaction: reach_settle() looks at it. */
void doubt_site(struct store *, int64_t site_id);

#endif
