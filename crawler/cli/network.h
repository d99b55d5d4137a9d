/* The policy and the fetcher of a command, made from its options. */
#ifndef FRESHET_NETWORK_H
#define FRESHET_NETWORK_H

#include <stdint.h>

#include "base/buf.h"
#include "crawler/cli/options.h"
#include "crawler/event/loop.h"
#include "crawler/fetch/fetch.h"
#include "crawler/fetch/policy.h"

/* Zeroed before network_open. */
struct network {
	struct policy *policy; /* owned */
	struct fetcher *fetcher; /* owned */
	struct buf agent; /* the user agent of the fetcher */
	struct loop *loop; /* owned; of network_open_own() */
};

/* network_policy(network, asked): make the policy: public
 * addresses, and those of --allow-address, --connect-to and --resolve. Returns
 * EXIT_DONE, or EXIT_USAGE after one line on stderr. */
int network_policy(struct network *, const struct options_network *);

/* network_open(network, loop, asked): make the fetcher, after
 * network_policy. Returns EXIT_DONE, or EXIT_RESOURCES after one line on
 * stderr. */
int network_open(
    struct network *, struct loop *, const struct options_network *);

/* network_open_own(network, asked): policy and fetcher, with a loop of their
 * own, for requests to URLs that the operator named, such as a webhook: no
 * proxy and no --connect-to is for them.
 * network_ask(network, request, answered, arg): send one, and wait until
 * answered was called.  The request needs a URL and what else it is to have;
 * its body comes into a file whose beginning is kept.  False: there is no room
 * for that. */
int network_open_own(struct network *, const struct options_network *);
bool network_ask(
    struct network *, struct fetch_request *, fetch_done_fn *answered, void *);

/* network_put_agent(out, asked): append the user agent of requests. */
void network_put_agent(struct buf *, const struct options_network *);

/* network_release(network): drop requests under way, and free all, before the
 * loop of network_open() is freed. */
void network_release(struct network *);

/* network_key(): a new random key for hash tables whose entries strangers
 * choose. */
uint64_t network_key(void);

#endif
