/* What asks the network as the options say: policy and fetcher. */
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
	struct buf agent; /* the fetcher's user agent */
};

/*
 * network_policy(network, options): which addresses may be asked: those of
 * --allow-address, --connect-to and --resolve, besides the public ones.
 * Returns EXIT_DONE, or EXIT_USAGE after one line on stderr.
 */
int network_policy(struct network *, const struct options *);

/*
 * network_open(network, loop, options): the fetcher, after network_policy.
 * Returns EXIT_DONE, or EXIT_RESOURCES after one line on stderr.
 */
int network_open(struct network *, struct loop *, const struct options *);

/* network_release(network): requests under way are dropped; before loop_free.
 */
void network_release(struct network *);

/* network_key(): a new random key for hash tables whose entries strangers
 * choose. */
uint64_t network_key(void);

#endif
