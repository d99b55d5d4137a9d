/*
 * A desk of one's own: the store's lock, the desk, and the socket through which
 * other commands use it meanwhile.
 */
#ifndef FRESHET_DESK_HOLDER_H
#define FRESHET_DESK_HOLDER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "crawler/cli/options.h"
#include "crawler/cli/watch_rules.h"
#include "crawler/control/control.h"
#include "crawler/control/desk_service.h"

/* desk_of(rules, budget, now_s): a desk that hands out what is in the store
 * that the rules are of, by that rate in all, NULL: as fast as hosts allow;
 * desk_free it before them. */
struct desk *desk_of(struct watch_rules *, const char *budget, int64_t now_s);

/*
 * desk_admit(service, request, peer): a peer of the socket becomes a customer;
 * NULL: it asks for something else, or is of another version.  The peer's lines
 * are desk_customer_line's; when it has gone, desk_customer_free.
 */
struct ndjson;
struct desk_customer *desk_admit(
    struct desk_service *, const struct ndjson *request, struct control_peer *);

struct desk_holder;

/*
 * desk_holder_open(holder, options, loop, why): EXIT_DONE and *holder, or the
 * exit status after one line on stderr; of EXIT_LOCKED the line is in why
 * instead.  A store that is not there is made if makes_store says so.
 * yield: another command wants the store for what this process cannot do; from
 * the loop, once: desk_holder_free it then.
 */
struct desk_holder_options {
	struct options *options;
	struct loop *loop;
	void (*yield)(void *arg);
	void *arg;
	bool makes_store;
};
int desk_holder_open(
    struct desk_holder **, const struct desk_holder_options *, struct buf *why);
void desk_holder_free(struct desk_holder *);

struct desk_service *desk_holder_service(const struct desk_holder *);

#endif
