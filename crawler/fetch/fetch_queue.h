/* The requests of a fetcher between fetch_start and done. */
#ifndef FRESHET_FETCH_QUEUE_H
#define FRESHET_FETCH_QUEUE_H

#include <sys/socket.h>

#include "crawler/fetch/fetch_call.h"
#include "crawler/fetch/fetch_known.h"
#include "crawler/fetch/fetch_lookups.h"

/*
 *	             +--> WAITING --+     (until its name may be looked up)
 *	             |              |
 *	IDLE --------+-------------> ACTIVE ----> ENDED --> done(), IDLE
 *	 queue_start |                 queue_end   ^
 *	             +-----------------------------+  (refused here)
 *
 * Every item is in the list of its state.  IDLE items are the pool and keep
 * nothing of their last request.  ACTIVE items are in libcurl's hands.  ENDED
 * items have a result, and their done is called soon.
 */
enum item_state {
	ITEM_IDLE,
	ITEM_WAITING,
	ITEM_ACTIVE,
	ITEM_ENDED,
	ITEM_STATES
};

struct fetch_item {
	struct fetch_item *prev;
	struct fetch_item *next;
	enum item_state state;
	struct fetch_call call; /* owned */
	bool has_address; /* the name need not be looked up */
	uint64_t owner; /* the registrant of the name, see lookups_owner */
	bool is_old; /* libcurl's address for the name has expired */
	bool is_resolving; /* the look-up counts in lookups */
	int64_t started_ms;
	int64_t answered_ms; /* when the answer began; 0: not yet */
	uint32_t at_work; /* the site that it works for (at_work.h) */
	fetch_done_fn *done;
	void *arg;
};

struct item_list {
	struct fetch_item *first;
	struct fetch_item *last;
};

struct fetch_queue {
	struct loop *loop;
	struct known_names *known; /* owned */
	struct lookups *lookups; /* owned */
	struct loop_timer *kick; /* owned: runs go_on in the next round */
	struct item_list lists[ITEM_STATES];
	unsigned active;
	bool *is_freed; /* set to true when done frees the queue */
	/* begin() gives an item to libcurl; false: libcurl refused it. end()
	 * takes the item back, and rest() frees what belongs to its request. */
	bool (*begin)(struct fetch_item *);
	void (*end)(struct fetch_item *);
	void (*rest)(struct fetch_item *);
};

void queue_init(struct fetch_queue *, struct loop *, uint64_t hash_key);

/* queue_take(queue): take any item out of its list, so that the caller can free
 * it; NULL when none is left. If the item was ACTIVE, it is ended first.
 * queue_release(queue): all items were taken before. */
struct fetch_item *queue_take(struct fetch_queue *);
void queue_release(struct fetch_queue *);

/* queue_idle(queue): an IDLE item, or NULL. */
struct fetch_item *queue_idle(struct fetch_queue *);

/* queue_add(queue, item): a new item, IDLE. */
void queue_add(struct fetch_queue *, struct fetch_item *);

/* queue_owner(queue, url): the key of the registrant of url's host name, if a
 * request for url would have to wait for a look-up; else 0. */
uint64_t queue_owner(const struct fetch_queue *, const struct url *);

/* queue_start(queue, item): start an item after fetch_call_begin(); if
 * call.stop is set, the item ends at once. */
void queue_start(struct fetch_queue *, struct fetch_item *);

/* queue_open(queue, item, to, type, protocol): the item's name was found; open
 * a socket for one of its addresses. -1 when the request may not go there, or
 * no socket can be opened. */
int queue_open(struct fetch_queue *, struct fetch_item *,
    const struct sockaddr *to, int type, int protocol);

/* queue_may_send(queue, item, peer, port): may the request go out to the
 * numeric address peer, over a new connection or an old one? */
bool queue_may_send(struct fetch_queue *, struct fetch_item *,
    struct slice peer, uint16_t port);

/* queue_header(queue, item, line): a header line came for an ACTIVE item; false
 * ends its transfer. */
bool queue_header(struct fetch_queue *, struct fetch_item *, struct slice line);

/* queue_end(queue, item, end): the transfer of an ACTIVE item is over.
 * end->duration_ms is filled in here. */
void queue_end(struct fetch_queue *, struct fetch_item *, struct fetch_end *);

#endif
