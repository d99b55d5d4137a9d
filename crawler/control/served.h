/* What the driver of an owner does for clients: crawls, and fetching pages. */
#ifndef FRESHET_SERVED_H
#define FRESHET_SERVED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "crawler/cli/options.h"
#include "crawler/control/control.h"

struct ndjson;

/* Where a command that asked for it prints a text. */
enum stream { STREAM_OUT = 1, STREAM_ERR = 2 };

/* The first member of a larger struct. */
struct served {
	struct control_client client; /* first */
	struct served **list, *next; /* of the owner */
	struct control_peer *peer;
	/* end: the driver has failed; end the peer with that status, and free
	 * the struct. */
	void (*end)(struct served *, int status);
	/* settle: the owner leaves: tell what is stored.  NULL: nothing is to
	 * be told. */
	void (*settle)(struct served *);
};

/* served_add(served, list, peer): client, end and settle are set.
 * served_remove(served): before it is freed. */
void served_add(struct served *, struct served **list, struct control_peer *);
void served_remove(struct served *);

/* served_settle(list): settle all. */
void served_settle(struct served *list);

/* served_has_options(options, command, request, peer): do the options of the
 * request equal those of the owner, as far as that command takes them?  If not,
 * the peer is ended. */
bool served_has_options(const struct options *, uint64_t command,
    const struct ndjson *request, struct control_peer *);

/* served_say(served, text, stream): send the whole lines in text, with control
 * characters escaped, for that stream of the command, and clear text. */
void served_say(struct served *, struct buf *text, enum stream);

#endif
