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

/* network_open_posts(network, loop, asked): policy and fetcher for POSTs to a
 * URL that the operator named, such as a webhook: no proxy and no --connect-to
 * is for them. */
int network_open_posts(
    struct network *, struct loop *, const struct options_network *);

/* network_put_agent(out, asked): append the user agent of requests. */
void network_put_agent(struct buf *, const struct options_network *);

/* network_release(network): drop requests under way, and free all; to be called
 * before loop_free. */
void network_release(struct network *);

/* network_key(): a new random key for hash tables whose entries strangers
 * choose. */
uint64_t network_key(void);

#endif
