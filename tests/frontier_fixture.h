/* A frontier over a store in a folder of its own, for tests. */
#ifndef FRESHET_FRONTIER_FIXTURE_H
#define FRESHET_FRONTIER_FIXTURE_H

#include "crawler/frontier/frontier.h"
#include "crawler/frontier/frontier_hand.h"
#include "crawler/frontier/frontier_held.h"
#include "crawler/frontier/frontier_show.h"
#include "tests/store_fixture.h"

#define OFFICE_HOST "h.test"
#define OFFICE_MAP HOST_TEXT "map.xml"
#define OFFICE_S (DAY_0 + 100 * (int64_t)DAY_S) /* when it opens */

struct office {
	struct world world;
	struct site_rules rules; /* of every host */
	struct frontier_options options;
	struct frontier *frontier;
	struct frontier_taker taker; /* without limits, for ten minutes */
	int64_t now_s;
	int64_t map; /* the document OFFICE_MAP */
};

/* office_open(office): a store whose one document lists nothing yet; the
 * robots.txt of HOST_TEXT allows everything; no desk.
 * office_begin(office): a new frontier, at now_s.  office_restart: it is saved,
 * and the store opened again; office_kill: it is not saved. */
void office_open(struct office *);
void office_begin(struct office *);
void office_restart(struct office *);
void office_kill(struct office *);
void office_close(struct office *);

/* office_robots(office, body): HOST_TEXT has that robots.txt; NULL: none.  A
 * reading of it is committed. */
void office_robots(struct office *, const char *body);

/* office_read(office, document, listed): a complete reading, as of
 * segment_fixture.h, is committed, now, and the frontier is told. */
void office_read(struct office *, int64_t document_id, const char *listed);

/* office_take(office, page): frontier_take, and a commit. */
bool office_take(struct office *, struct frontier_page *);

/* office_count(office): how many pages are handed out until there is no more.
 */
int office_count(struct office *);

/* office_taken(office, out): what is handed out until there is no more: the
 * ends of the URLs, with a space behind each. */
const char *office_taken(struct office *, struct buf *out);

/* office_done(office, token, status, hash): what frontier_done says, "OK" or
 * the reason, after a commit; hash NULL: none. */
const char *office_done(
    struct office *, const char *token, int status, const char *hash);

/* office_commit(office): frontier_save and store_flush. */
void office_commit(struct office *);

#endif
