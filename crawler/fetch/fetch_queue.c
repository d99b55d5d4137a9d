/* The requests of a fetcher between fetch_start and done. */
#include "crawler/fetch/fetch_queue.h"

#include <assert.h>
#include <errno.h>

#include "base/at_work.h"
#include "crawler/event/loop.h"
#include "crawler/fetch/fetch_sockets.h"

#define DONE_AT_ONCE 8 /* about a millisecond of work */
#define LEFT_BEHIND_MS 100 /* between two counts of the threads */

static void
list_remove(struct item_list *list, struct fetch_item *item)
{
	if (item->prev == NULL)
		list->first = item->next;
	else
		item->prev->next = item->next;
	if (item->next == NULL)
		list->last = item->prev;
	else
		item->next->prev = item->prev;
}

static void
list_append(struct item_list *list, struct fetch_item *item)
{
	item->prev = list->last;
	item->next = NULL;
	if (list->last == NULL)
		list->first = item;
	else
		list->last->next = item;
	list->last = item;
}

/* set_state: only this function changes the state; it moves the item to the
 * list of its new state. */
static void
set_state(
    struct fetch_queue *queue, struct fetch_item *item, enum item_state state)
{
	list_remove(&queue->lists[item->state], item);
	item->state = state;
	list_append(&queue->lists[state], item);
}

static void go_on(void *);

void
queue_init(struct fetch_queue *queue, struct loop *loop, uint64_t hash_key)
{
	*queue = (struct fetch_queue){.loop = loop};
	queue->known = known_new(hash_key);
	queue->lookups = lookups_new(hash_key);
	queue->kick = loop_timer_new(loop, go_on, queue);
}

struct fetch_item *
queue_take(struct fetch_queue *queue)
{
	struct fetch_item *item;

	for (int state = 0; state < ITEM_STATES; state++) {
		item = queue->lists[state].first;
		if (item == NULL)
			continue;
		if (state == ITEM_ACTIVE)
			queue->end(item);
		list_remove(&queue->lists[state], item);
		return item;
	}
	return NULL;
}

void
queue_release(struct fetch_queue *queue)
{
	if (queue->is_freed != NULL)
		*queue->is_freed = true;
	known_free(queue->known);
	lookups_free(queue->lookups);
	loop_timer_free(queue->kick);
}

struct fetch_item *
queue_idle(struct fetch_queue *queue)
{
	return queue->lists[ITEM_IDLE].first;
}

void
queue_add(struct fetch_queue *queue, struct fetch_item *item)
{
	item->state = ITEM_IDLE;
	list_append(&queue->lists[ITEM_IDLE], item);
}

static void
begin(struct fetch_queue *queue, struct fetch_item *item)
{
	item->started_ms = loop_now_ms(queue->loop);
	item->answered_ms = 0;
	set_state(queue, item, ITEM_ACTIVE);
	if (queue->begin(item))
		return;
	fetch_call_fail(&item->call, "libcurl refused the request");
	queue_end(queue, item, &(struct fetch_end){0});
}

/* begin_waiting(queue): begin the waiting items, in their order, unless
 * `lookups` has no place for their owners. */
static void
begin_waiting(struct fetch_queue *queue)
{
	struct fetch_item *item = queue->lists[ITEM_WAITING].first;
	struct fetch_item *next;
	int64_t now_ms = loop_now_ms(queue->loop);

	for (; item != NULL && lookups_has_place(queue->lookups, now_ms);
	     item = next) {
		next = item->next;
		if (!lookups_take(queue->lookups, item->owner))
			continue;
		item->is_resolving = true;
		begin(queue, item);
	}
	if (item != NULL && lookups_left_behind(queue->lookups))
		loop_timer_set(queue->kick, LEFT_BEHIND_MS);
}

/* end_at_once: end the item without a transfer; done is called from the loop,
 * as for all other items. */
static void
end_at_once(struct fetch_queue *queue, struct fetch_item *item,
    enum fetch_trouble trouble)
{
	set_state(queue, item, ITEM_ENDED);
	fetch_call_end(&item->call, &(struct fetch_end){.trouble = trouble});
	loop_timer_set(queue->kick, 0);
}

/* look_up(queue, item): let the item wait for its look-up, or end it at once
 * when none may be made now. */
static void
look_up(struct fetch_queue *queue, struct fetch_item *item)
{
	if (lookups_is_lost(
		queue->lookups, &item->call.url, loop_now_ms(queue->loop))) {
		end_at_once(queue, item, TROUBLE_NAME);
		return;
	}
	item->owner = lookups_owner(queue->lookups, &item->call.url);
	if (!lookups_wait(queue->lookups, item->owner)) {
		item->call.result.deferral = DEFERRED_LOOKUP;
		end_at_once(queue, item, TROUBLE_OTHER);
		return;
	}
	set_state(queue, item, ITEM_WAITING);
	begin_waiting(queue);
}

uint64_t
queue_owner(const struct fetch_queue *queue, const struct url *url)
{
	int64_t now_ms = loop_now_ms(queue->loop);
	uint64_t owner;

	if (known_has(queue->known, url, now_ms) ||
	    lookups_is_lost(queue->lookups, url, now_ms))
		return 0;
	owner = lookups_owner(queue->lookups, url);
	return owner == 0 ? 1 : owner;
}

void
queue_start(struct fetch_queue *queue, struct fetch_item *item)
{
	assert(item->state == ITEM_IDLE);
	item->at_work = at_work_now();
	queue->active++;
	loop_await(queue->loop, 1);
	item->is_old = !item->has_address &&
	    known_is_old(
		queue->known, &item->call.url, loop_now_ms(queue->loop));
	if (item->call.stop != DIAG_OK)
		end_at_once(queue, item, TROUBLE_OTHER);
	else if (item->has_address ||
	    known_has(queue->known, &item->call.url, loop_now_ms(queue->loop)))
		begin(queue, item);
	else
		look_up(queue, item);
}

/* found(queue, item): libcurl found an address for the item's name, or needed
 * none. */
static void
found(struct fetch_queue *queue, struct fetch_item *item)
{
	if (!item->is_resolving)
		return;
	known_add(queue->known, &item->call.url, loop_now_ms(queue->loop));
	lookups_leave(queue->lookups, item->owner);
	item->is_resolving = false;
	loop_timer_set(queue->kick, 0);
}

static void
note_asked(const struct fetch_queue *queue, struct fetch_item *item)
{
	if (item->call.result.asked_ms == 0)
		item->call.result.asked_ms = loop_now_ms(queue->loop);
}

int
queue_open(struct fetch_queue *queue, struct fetch_item *item,
    const struct sockaddr *to, int type, int protocol)
{
	struct addr addr;
	uint16_t port;
	int fd;

	found(queue, item);
	if (!sockaddr_read(to, &addr, &port) ||
	    !fetch_call_may_connect(
		&item->call, &addr, port, loop_now_ms(queue->loop)))
		return -1;
	if (item->call.is_looking)
		return -1; /* libcurl goes on with the next address */
	if (item->call.admit != NULL && !item->call.admit(item->arg, &addr)) {
		item->call.result.deferral = DEFERRED_ADDRESS;
		return -1;
	}
	fd = socket(to->sa_family, type | SOCK_CLOEXEC, protocol);
	item->call.result.deferral = DEFERRED_NOT;
	if (fd < 0)
		item->call.os_error = errno;
	if (fd < 0 && (errno == EMFILE || errno == ENFILE))
		item->call.result.deferral = DEFERRED_DESCRIPTORS;
	if (fd >= 0)
		note_asked(queue, item);
	return fd;
}

bool
queue_may_send(struct fetch_queue *queue, struct fetch_item *item,
    struct slice peer, uint16_t port)
{
	struct addr addr;

	found(queue, item);
	/* When a reused connection closes without an answer, libcurl sends the
	 * request again at once.  Retries are decided elsewhere (HOSTILE N20).
	 */
	if (item->call.was_sent) {
		fetch_call_fail(&item->call, "empty answer");
		return false;
	}
	if (!addr_parse(&addr, peer) ||
	    !fetch_call_may_connect(
		&item->call, &addr, port, loop_now_ms(queue->loop))) {
		item->call.stop = DIAG_PRIVATE_ADDRESS;
		return false;
	}
	note_asked(queue, item);
	fetch_call_sent(&item->call, &addr);
	return true;
}

/* note_answer(queue, item): the answer begins now, unless it has begun. The
 * time is the loop's, because libcurl counts its times from different moments.
 * It is rounded up, so that a delay counted from it is not too short. */
static void
note_answer(struct fetch_queue *queue, struct fetch_item *item)
{
	if (item->answered_ms == 0)
		item->answered_ms = loop_now_ms(queue->loop) + 1;
}

bool
queue_header(
    struct fetch_queue *queue, struct fetch_item *item, struct slice line)
{
	note_answer(queue, item);
	return fetch_call_header(&item->call, line);
}

void
queue_end(
    struct fetch_queue *queue, struct fetch_item *item, struct fetch_end *end)
{
	assert(item->state == ITEM_ACTIVE);
	at_work_site(item->at_work);
	/* The item ended, perhaps because its name has no
	 * address. */
	bool gave_up = end->trouble == TROUBLE_TIME;

	if (item->is_resolving) {
		if (gave_up || end->trouble == TROUBLE_NAME)
			lookups_lost(queue->lookups, &item->call.url,
			    loop_now_ms(queue->loop), gave_up);
		lookups_leave(queue->lookups, item->owner);
		item->is_resolving = false;
	}
	queue->end(item);
	end->duration_ms = loop_now_ms(queue->loop) - item->started_ms;
	note_answer(queue, item);
	item->call.result.answered_ms = item->answered_ms;
	item->call.result.ended_ms = loop_now_ms(queue->loop);
	fetch_call_end(&item->call, end);
	set_state(queue, item, ITEM_ENDED);
	loop_timer_set(queue->kick, 0);
}

/* go_on(queue): begin waiting items, and call done for a few ended ones, in
 * each round of the loop. Only a few, because an answer counts as begun when
 * the loop looks at its socket, and the delay to the next request counts from
 * that time. */
static void
go_on(void *arg)
{
	struct fetch_queue *queue = arg;
	struct fetch_item *item = NULL;
	bool is_freed = false;

	begin_waiting(queue);
	queue->is_freed = &is_freed;
	for (int i = 0; i < DONE_AT_ONCE; i++) {
		item = queue->lists[ITEM_ENDED].first;
		if (item == NULL)
			break;
		queue->active--;
		loop_await(queue->loop, -1);
		item->done(item->arg, &item->call.result);
		if (is_freed)
			return;
		queue->rest(item);
		set_state(queue, item, ITEM_IDLE);
	}
	queue->is_freed = NULL;
	if (item != NULL)
		loop_timer_set(queue->kick, 0);
}
