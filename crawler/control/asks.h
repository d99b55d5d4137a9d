/* How a command has the owner of the store change the watch list, and note what
 * was told: by alerts, and to consumers of the feed. */
#ifndef FRESHET_ASKS_H
#define FRESHET_ASKS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/slice.h"
#include "crawler/cli/options.h"
#include "crawler/control/watch_change.h"
#include "store/alert.h"

struct shards;

struct watch_asked {
	bool was_held; /* another process made the changes, or the last ones */
	uint64_t counts[WATCH_CHANGES];
};

/* watch_ask(options, request, changed, arg, asked): make the change, some items
 * at a time.  `changed` is called for each item after its commit.  Returns
 * EXIT_DONE, or the exit status after one line on stderr; the items that
 * `changed` was called for are committed all the same. */
typedef void watch_asked_fn(void *arg, struct slice host, enum watch_change);
int watch_ask(struct options *, const struct watch_request *, watch_asked_fn *,
    void *arg, struct watch_asked *asked);

struct alert_request {
	struct slice name;
	int sink;
	struct store_alert alert; /* begun_s, until_s, tries, next_s, why */
	const struct store_alert_site *sites; /* NULL: as they are */
	size_t count;
};

/* EXIT_DONE after the commit, or the exit status after one line on stderr. */
int alert_request_run(const struct options *, const struct alert_request *);

struct feed_request {
	/* "open": make the consumer, unless there is one; "ack", "forget" */
	const char *verb;
	struct slice consumer;
	struct slice tags; /* of "open": separated by spaces */
	struct slice cursor; /* of "ack" */
	bool is_of_one; /* of that shard; else of all */
	unsigned shard;
};

/* EXIT_DONE after the commits, or the exit status after one line on stderr:
 * EXIT_USAGE if there is no such consumer, or the cursor is none of its. */
int feed_request_run(
    struct options *, struct shards *, const struct feed_request *);

#endif
