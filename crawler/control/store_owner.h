/*
 * A frontier of one's own: the store's lock, the frontier, and the socket
 * through which other commands use it meanwhile.
 */
#ifndef FRESHET_FRONTIER_HOLDER_H
#define FRESHET_FRONTIER_HOLDER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "crawler/cli/options.h"
#include "crawler/cli/watch_rules.h"
#include "crawler/control/control.h"
#include "crawler/control/frontier_service.h"

/* frontier_to_lease(rules, budget, now_s): a frontier that hands out what is in
 * the store that the rules are of, by that rate in all, NULL: as fast as hosts
 * allow; frontier_free it before them. */
struct frontier *frontier_to_lease(
    struct watch_rules *, const char *budget, int64_t now_s);

/*
 * frontier_admit(service, request, peer): a peer of the socket becomes a
 * customer; NULL: it asks for something else, or is of another version.  The
 * peer's lines are frontier_client_line's; when it has gone,
 * frontier_client_free.
 */
struct ndjson;
struct frontier_client *frontier_admit(struct frontier_service *,
    const struct ndjson *request, struct control_peer *);

struct store_owner;

/*
 * store_owner_open(holder, options, loop, why): EXIT_DONE and *holder, or
 * the exit status after one line on stderr; of EXIT_LOCKED the line is in why
 * instead.  A store that is not there is made if makes_store says so.
 * yield: another command wants the store for what this process cannot do; from
 * the loop, once: store_owner_free it then.
 */
struct store_owner_options {
	struct options *options;
	struct loop *loop;
	void (*yield)(void *arg);
	void *arg;
	bool makes_store;
};
int store_owner_open(
    struct store_owner **, const struct store_owner_options *, struct buf *why);
void store_owner_free(struct store_owner *);

struct frontier_service *store_owner_service(const struct store_owner *);

#endif
