/* Where a request stands between fetch_start and done. */
#ifndef FRESHET_FETCH_QUEUE_H
#define FRESHET_FETCH_QUEUE_H

#include "crawler/fetch/fetch_call.h"
#include "crawler/fetch/fetch_known.h"
#include "crawler/fetch/fetch_lookups.h"
#include "crawler/fetch/sockaddr.h"

/*
 *	             +--> WAITING --+     (for a place to look its name up)
 *	             |              |
 *	IDLE --------+-------------> ACTIVE ----> ENDED --> done(), IDLE
 *	 queue_start |                 queue_end   ^
 *	             +-----------------------------+  (refused by us)
 *
 * Every item is in the list of its state.  IDLE is the pool: nothing of its
 * last request is left.  ACTIVE ones are libcurl's.  ENDED ones have a result
 * that done is waiting for.
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
	bool has_address; /* nobody has to look its name up */
	uint64_t owner; /* of the name that is being looked up */
	bool is_old; /* the address that libcurl has is good no more */
	bool is_resolving; /* has a place in lookups */
	int64_t started_ms;
	int64_t answered_ms; /* when the answer began, 0: not yet */
	uint32_t at_work; /* the site, see at_work.h */
	fetch_done_fn *done;
	void *arg;
};

struct item_list {
	struct fetch_item *first;
	struct fetch_item *last;
};

struct fetch_queue {
	struct loop *loop;
	struct known *known; /* owned */
	struct lookups *lookups; /* owned */
	struct loop_timer *kick; /* owned: in the next round something is
				    to begin or done to be called */
	struct item_list lists[ITEM_STATES];
	unsigned active;
	bool *is_freed; /* told when done frees the queue */
	/* Hand it to libcurl; false: it will not have it. */
	bool (*begin)(struct fetch_item *);
	/* Take it back from libcurl; rest: forget its request. */
	void (*end)(struct fetch_item *);
	void (*rest)(struct fetch_item *);
};

void queue_init(struct fetch_queue *, struct loop *, uint64_t hash_key);

/* queue_take(queue): any item, out of its list, or NULL: before release, whose
 * lists must be empty.  An ACTIVE one was ended. */
struct fetch_item *queue_take(struct fetch_queue *);
void queue_release(struct fetch_queue *);

/* queue_idle(queue): an IDLE item, or NULL. */
struct fetch_item *queue_idle(struct fetch_queue *);

/* queue_add(queue, item): a new item, IDLE. */
void queue_add(struct fetch_queue *, struct fetch_item *);

/* queue_owner(queue, url): the key of whoever registered the name of its host,
 * if a request for it waits until that is looked up; 0: it would not. */
uint64_t queue_owner(const struct fetch_queue *, const struct url *);

/* queue_start(queue, item): its call has begun; a call with a stop ends. */
void queue_start(struct fetch_queue *, struct fetch_item *);

/*
 * queue_open(queue, item, to, type, protocol): its name was found; a new
 * socket for that address, or -1 when none may go there or can be had.
 */
int queue_open(struct fetch_queue *, struct fetch_item *,
    const struct sockaddr *to, int type, int protocol);

/* queue_may_send(queue, item, peer, port): may the request go out to the
 * numeric address peer, over a new connection or an old one? */
bool queue_may_send(struct fetch_queue *, struct fetch_item *,
    struct slice peer, uint16_t port);

/* queue_header(queue, item, line): of an ACTIVE one; false ends it. */
bool queue_header(struct fetch_queue *, struct fetch_item *, struct slice line);

/* queue_end(queue, item, end): an ACTIVE one; end->duration_ms is filled in. */
void queue_end(struct fetch_queue *, struct fetch_item *, struct fetch_end *);

#endif
