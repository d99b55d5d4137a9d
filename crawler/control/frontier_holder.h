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

/* frontier_of(rules, budget, now_s): a frontier that hands out what is in the
 * store that the rules are of, by that rate in all, NULL: as fast as hosts
 * allow; frontier_free it before them. */
struct frontier *frontier_of(
    struct watch_rules *, const char *budget, int64_t now_s);

/*
 * frontier_admit(service, request, peer): a peer of the socket becomes a
 * customer; NULL: it asks for something else, or is of another version.  The
 * peer's lines are frontier_customer_line's; when it has gone,
 * frontier_customer_free.
 */
struct ndjson;
struct frontier_customer *frontier_admit(struct frontier_service *,
    const struct ndjson *request, struct control_peer *);

struct frontier_holder;

/*
 * frontier_holder_open(holder, options, loop, why): EXIT_DONE and *holder, or
 * the exit status after one line on stderr; of EXIT_LOCKED the line is in why
 * instead.  A store that is not there is made if makes_store says so.
 * yield: another command wants the store for what this process cannot do; from
 * the loop, once: frontier_holder_free it then.
 */
struct frontier_holder_options {
	struct options *options;
	struct loop *loop;
	void (*yield)(void *arg);
	void *arg;
	bool makes_store;
};
int frontier_holder_open(struct frontier_holder **,
    const struct frontier_holder_options *, struct buf *why);
void frontier_holder_free(struct frontier_holder *);

struct frontier_service *frontier_holder_service(
    const struct frontier_holder *);

#endif
