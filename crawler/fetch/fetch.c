/*
 * One HTTP request, one hop, on libcurl's multi_socket interface: handles and
 * callbacks. fetch_curl.h has the settings of handles, fetch_queue.h the states
 * of a request, fetch_call.h the decisions about a request.
 */
#include "crawler/fetch/fetch.h"

#include <assert.h>
#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "crawler/fetch/fetch_curl.h"
#include "crawler/fetch/fetch_queue.h"
#include "crawler/fetch/fetch_sockets.h"

struct transfer {
	struct fetch_item item; /* first: an item is cast to its transfer */
	struct fetcher *fetcher;
	CURL *easy; /* owned */
	CURLU *place; /* owned: the URL as libcurl reads it */
	/* Owned, for this request only: */
	struct curl_slist *fields;
	struct curl_slist *connect_to; /* replaces the operator's */
	struct curl_slist *resolve;
	char *route; /* owned: "host:port" that --connect-to leads to */
	char route_address[46]; /* the address of route */
};

struct fetcher {
	struct fetch_queue queue; /* its items are transfers */
	struct fetcher_options options;
	CURLM *multi; /* owned */
	struct curl_slist *connect_to; /* owned */
	/* owned: what libcurl is told of names with the next request: at first
	 * the operator's --resolve, then the routes that it is to forget */
	struct curl_slist *names;
	struct sockets sockets; /* owned */
	struct loop_timer *timer; /* owned: libcurl's one time-out */
	unsigned capacity;
	bool has_ca_file; /* one file has the trusted certificates */
};

/* The bits of loop.h and of libcurl are equal, so they are not translated. */
_Static_assert(LOOP_READ == CURL_POLL_IN && LOOP_READ == CURL_CSELECT_IN &&
	LOOP_WRITE == CURL_POLL_OUT && LOOP_WRITE == CURL_CSELECT_OUT &&
	(LOOP_READ | LOOP_WRITE) == CURL_POLL_INOUT,
    "libcurl's bits are the loop's");

/* Callbacks from within libcurl, which may not call libcurl. */

/* open_socket: after CURL_SOCKET_BAD (-1) libcurl tries the name's next
 * address.
 */
static curl_socket_t
open_socket(void *arg, curlsocktype purpose, struct curl_sockaddr *where)
{
	struct transfer *transfer = arg;
	int fd;

	if (purpose != CURLSOCKTYPE_IPCXN)
		return CURL_SOCKET_BAD;
	fd = queue_open(&transfer->fetcher->queue, &transfer->item,
	    &where->addr, where->socktype, where->protocol);
	if (fd >= 0)
		sockets_opened(&transfer->fetcher->sockets, fd);
	return fd;
}

static int
close_socket(void *arg, curl_socket_t fd)
{
	struct fetcher *fetcher = arg;

	return sockets_close(&fetcher->sockets, fd);
}

/* before_request: libcurl also calls this function when it uses a connection
 * again and opens no socket (HOSTILE F6). */
static int
before_request(void *arg, char *peer, char *own, int peer_port, int own_port)
{
	struct transfer *transfer = arg;

	(void)own;
	if (sockets_is_dead(&transfer->fetcher->sockets, (uint16_t)own_port))
		return CURL_PREREQFUNC_OK; /* no byte passes a shut socket */
	return queue_may_send(&transfer->fetcher->queue, &transfer->item,
		   slice_of(peer), (uint16_t)peer_port)
	    ? CURL_PREREQFUNC_OK
	    : CURL_PREREQFUNC_ABORT;
}

static size_t
take_header(char *p, size_t size, size_t n, void *arg)
{
	struct transfer *transfer = arg;

	(void)size;
	return queue_header(
		   &transfer->fetcher->queue, &transfer->item, slice_make(p, n))
	    ? n
	    : 0;
}

static size_t
take_body(char *p, size_t size, size_t n, void *arg)
{
	(void)size;
	return fetch_call_body(arg, slice_make(p, n)) ? n : 0;
}

static int
watch_progress(void *arg, curl_off_t total, curl_off_t now,
    curl_off_t upload_total, curl_off_t upload_now)
{
	(void)total, (void)upload_total, (void)upload_now;
	return !fetch_call_progress(arg, (uint64_t)now);
}

/* Handles. */

static void
set_callbacks(struct transfer *transfer)
{
	struct fetch_call *call = &transfer->item.call;
	CURL *easy = transfer->easy;

	curl_easy_setopt(easy, CURLOPT_PRIVATE, transfer);
	curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, open_socket);
	curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, transfer);
	curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, close_socket);
	curl_easy_setopt(easy, CURLOPT_CLOSESOCKETDATA, transfer->fetcher);
	curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, before_request);
	curl_easy_setopt(easy, CURLOPT_PREREQDATA, transfer);
	curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, take_header);
	curl_easy_setopt(easy, CURLOPT_HEADERDATA, transfer);
	curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, take_body);
	curl_easy_setopt(easy, CURLOPT_WRITEDATA, call);
	curl_easy_setopt(easy, CURLOPT_XFERINFOFUNCTION, watch_progress);
	curl_easy_setopt(easy, CURLOPT_XFERINFODATA, call);
}

/* renew(transfer): give the transfer a new handle. libcurl before 8.1.1 writes
 * to freed memory when a handle is used again and its next answer begins with a
 * folded line, because the handle still points to the last header of the answer
 * before. */
static void
renew(struct transfer *transfer)
{
	curl_easy_cleanup(transfer->easy);
	transfer->easy = curl_easy_init();
	assert(transfer->easy != NULL);
	set_callbacks(transfer);
	fetch_harden(transfer->easy, &transfer->fetcher->options,
	    transfer->fetcher->has_ca_file);
	curl_easy_setopt(
	    transfer->easy, CURLOPT_CONNECT_TO, transfer->fetcher->connect_to);
}

static struct transfer *
transfer_new(struct fetcher *fetcher)
{
	struct transfer *transfer = mem_zero(sizeof(*transfer));

	transfer->fetcher = fetcher;
	fetch_call_init(&transfer->item.call, &fetcher->options);
	transfer->place = curl_url();
	assert(transfer->place != NULL);
	renew(transfer);
	queue_add(&fetcher->queue, &transfer->item);
	return transfer;
}

/* The multi handle and the loop. */

static int
set_timer(CURLM *multi, long delay_ms, void *arg)
{
	struct fetcher *fetcher = arg;

	(void)multi;
	if (delay_ms < 0)
		loop_timer_stop(fetcher->timer);
	else
		loop_timer_set(fetcher->timer, delay_ms);
	return 0;
}

static int
set_watch(CURL *easy, curl_socket_t fd, int what, void *arg, void *of_socket)
{
	struct fetcher *fetcher = arg;
	struct transfer *transfer = NULL; /* stays so for libcurl's own */

	(void)of_socket;
	(void)curl_easy_getinfo(easy, CURLINFO_PRIVATE, &transfer);
	sockets_watch(&fetcher->sockets, fd, what & CURL_POLL_INOUT,
	    transfer == NULL ? 0 : transfer->item.at_work);
	return 0;
}

/* go_by_proxy(transfer): freshet has looked up and allowed the host; now ask
 * the proxy. A SOCKS proxy gets the address that was judged. An HTTP proxy gets
 * the name, because its own rules may depend on the name, and looks the address
 * up itself. */
static bool
go_by_proxy(struct transfer *transfer)
{
	const struct fetch_call *call = &transfer->item.call;
	const char *proxy = transfer->fetcher->options.proxy;
	CURLM *multi = transfer->fetcher->multi;
	char text[46];

	(void)curl_multi_remove_handle(multi, transfer->easy);
	fetch_set_proxy(transfer->easy, proxy);
	if (strlen(proxy) > 5 &&
	    slice_equal_nocase(slice_make(proxy, 5), slice_of("socks"))) {
		addr_print(&call->place, text);
		curl_slist_free_all(transfer->connect_to);
		transfer->connect_to = fetch_list(NULL,
		    strchr(text, ':') == NULL ? "::%s:%u" : "::[%s]:%u", text,
		    (unsigned)call->place_port);
		curl_easy_setopt(
		    transfer->easy, CURLOPT_CONNECT_TO, transfer->connect_to);
	}
	return curl_multi_add_handle(multi, transfer->easy) == CURLM_OK;
}

static void
perform(void *arg, int fd, int ready)
{
	struct fetcher *fetcher = arg;
	struct transfer *transfer;
	CURLMsg *message;
	int count;

	(void)curl_multi_socket_action(fetcher->multi, fd, ready, &count);
	for (message = curl_multi_info_read(fetcher->multi, &count);
	     message != NULL;
	     message = curl_multi_info_read(fetcher->multi, &count)) {
		(void)curl_easy_getinfo(
		    message->easy_handle, CURLINFO_PRIVATE, &transfer);
		struct fetch_end end = {
		    .trouble = fetch_trouble((int)message->data.result),
		    .number = (int)message->data.result};
		CURL *easy = transfer->easy;
		long os_error = 0;

		(void)curl_easy_getinfo(easy, CURLINFO_OS_ERRNO, &os_error);
		(void)curl_easy_getinfo(
		    easy, CURLINFO_SSL_VERIFYRESULT, &end.certificate);
		end.os_error = (int)os_error;
		if (!transfer->item.call.is_looking ||
		    !fetch_call_looked(&transfer->item.call) ||
		    !go_by_proxy(transfer)) {
			queue_end(
			    &transfer->fetcher->queue, &transfer->item, &end);
		}
	}
}

static void
on_time(void *arg)
{
	perform(arg, CURL_SOCKET_TIMEOUT, 0);
}

/* Callbacks of the queue. */

/*
 * give_names(transfer): tell libcurl which names to forget, the address of the
 * transfer's route, and once, for all transfers, the operator's --resolve.
 */
static void
give_names(struct transfer *transfer)
{
	struct fetcher *fetcher = transfer->fetcher;
	struct curl_slist *names = fetcher->names;
	char name[KNOWN_TEXT];

	fetcher->names = NULL;
	if (known_forget(fetcher->queue.known, name))
		names = fetch_list(names, "-%s", name);
	if (transfer->item.is_old) {
		known_name(&transfer->item.call.url, name);
		names = fetch_list(names, "-%s", name);
	}
	if (transfer->route != NULL)
		names = fetch_list(
		    names, "+%s:%s", transfer->route, transfer->route_address);
	transfer->resolve = names;
	curl_easy_setopt(transfer->easy, CURLOPT_RESOLVE, names);
}

static bool
begin(struct fetch_item *item)
{
	struct transfer *transfer = (struct transfer *)item;

	give_names(transfer);
	return curl_multi_add_handle(
		   transfer->fetcher->multi, transfer->easy) == CURLM_OK;
}

static void
end(struct fetch_item *item)
{
	struct transfer *transfer = (struct transfer *)item;

	(void)curl_multi_remove_handle(
	    transfer->fetcher->multi, transfer->easy);
}

static void
rest(struct fetch_item *item)
{
	struct transfer *transfer = (struct transfer *)item;

	renew(transfer);
	/* With the next request of all, libcurl forgets the
	 * route: it seeks names in a table that is made for few. */
	struct curl_slist *name;

	if (transfer->route != NULL) {
		name = fetch_list(NULL, "-%s", transfer->route);
		name->next = transfer->fetcher->names;
		transfer->fetcher->names = name;
		free(transfer->route);
		transfer->route = NULL;
	}
	curl_slist_free_all(transfer->fields);
	curl_slist_free_all(transfer->connect_to);
	curl_slist_free_all(transfer->resolve);
	transfer->fields = NULL;
	transfer->connect_to = NULL;
	transfer->resolve = NULL;
}

/* Requests. */

static bool
is_routed(const struct fetcher *fetcher, const struct url *url,
    struct addr *addr, uint16_t *port)
{
	return fetcher->options.proxy == NULL && url->host_kind == HOST_NAME &&
	    policy_route(fetcher->options.policy, url, addr, port);
}

/* set_route(transfer): if --connect-to leads to an address, tell libcurl that
 * the host's name has that address, and to connect to another port of the same
 * name. If libcurl were told to connect to the address itself, it would keep
 * the connections of all such hosts in one list, and for each request ask the
 * kernel about each idle connection in the list. */
static void
set_route(struct transfer *transfer)
{
	const struct fetcher *fetcher = transfer->fetcher;
	struct url *url = &transfer->item.call.url;
	char name[KNOWN_TEXT];
	struct addr addr;
	uint16_t port;

	transfer->item.has_address = policy_is_resolved(
	    fetcher->options.policy, url);
	if (!is_routed(fetcher, url, &addr, &port))
		return;
	transfer->item.has_address = true;
	addr_print(&addr, transfer->route_address);
	(void)snprintf(name, sizeof(name), "%.*s:%u", (int)url_host(url).len,
	    url_host(url).p, (unsigned)port);
	transfer->route = mem_copy(name);
	transfer->connect_to = fetch_list(NULL, ":::%u", (unsigned)port);
	curl_easy_setopt(
	    transfer->easy, CURLOPT_CONNECT_TO, transfer->connect_to);
}

void
fetch_start(struct fetcher *fetcher, const struct fetch_request *request,
    fetch_done_fn *done, void *arg)
{
	struct fetch_queue *queue = &fetcher->queue;
	struct transfer *transfer = (struct transfer *)queue_idle(queue);
	CURLcode code;

	if (transfer == NULL)
		transfer = transfer_new(fetcher);
	transfer->item.done = done;
	transfer->item.arg = arg;
	fetch_call_begin(&transfer->item.call, request,
	    loop_wall_s(queue->loop), loop_now_ms(queue->loop));
	struct fetch_call *call = &transfer->item.call;
	const char *field = fetch_call_field(call, request, 0);

	for (unsigned i = 1; field != NULL; i++) {
		transfer->fields = fetch_list(transfer->fields, "%s", field);
		field = fetch_call_field(call, request, i);
	}
	curl_easy_setopt(transfer->easy, CURLOPT_HTTPHEADER, transfer->fields);
	set_route(transfer);
	code = curl_easy_setopt(
	    transfer->easy, CURLOPT_USERPWD, request->credentials);
	assert(code == CURLE_OK);
	curl_easy_setopt(
	    transfer->easy, CURLOPT_FORBID_REUSE, (long)request->is_single);
	/* the handle is a new one after each request */
	if (request->post != NULL)
		curl_easy_setopt(
		    transfer->easy, CURLOPT_POSTFIELDS, request->post);
	/* libcurl does not receive a body whose Content-Length is larger than
	 * this. */
	curl_easy_setopt(transfer->easy, CURLOPT_MAXFILESIZE_LARGE,
	    (curl_off_t)(request->takes_any ? 0 : request->max_bytes));
	if (fetch_call_may_start(
		&transfer->item.call, loop_now_ms(queue->loop)) &&
	    !fetch_place(
		transfer->easy, transfer->place, &transfer->item.call.url))
		fetch_call_fail(&transfer->item.call,
		    "libcurl reads the URL in another way");
	if (transfer->item.call.is_looking)
		fetch_set_proxy(transfer->easy, NULL);
	queue_start(queue, &transfer->item);
}

uint64_t
fetch_owner(const struct fetcher *fetcher, const struct url *url)
{
	struct addr addr;
	uint16_t port;

	if (policy_is_resolved(fetcher->options.policy, url) ||
	    is_routed(fetcher, url, &addr, &port))
		return 0;
	return queue_owner(&fetcher->queue, url);
}

bool
fetch_may_look_up(const struct fetcher *fetcher, uint64_t owner)
{
	/* The other half is for hosts whose addresses are known. */
	return lookups_has_room(
	    fetcher->queue.lookups, owner, (fetcher->capacity + 1) / 2);
}

unsigned
fetch_active(const struct fetcher *fetcher)
{
	return fetcher->queue.active;
}

unsigned
fetch_capacity(const struct fetcher *fetcher)
{
	return fetcher->capacity;
}

/* The fetcher. */

static void
set_multi(struct fetcher *fetcher)
{
	CURLM *multi = fetcher->multi;
	bool is_direct = fetcher->connect_to == NULL &&
	    fetcher->options.proxy == NULL;

	curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, set_watch);
	curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, fetcher);
	curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, set_timer);
	curl_multi_setopt(multi, CURLMOPT_TIMERDATA, fetcher);
	fetch_bound(multi, fetcher->capacity, is_direct);
}

struct fetcher *
fetcher_new(struct loop *loop, const struct fetcher_options *options)
{
	struct fetcher *fetcher;
	CURLM *multi;

	multi = fetch_begin();
	if (multi == NULL)
		return NULL;
	fetcher = mem_zero(sizeof(*fetcher));
	fetcher->options = *options;
	fetcher->multi = multi;
	fetcher->capacity = sockets_transfers();
	fetcher->has_ca_file = fetch_has_ca_file(options);
	fetcher->connect_to = fetch_list_copy(options->connect_to);
	fetcher->names = fetch_list_copy(options->resolve);
	fetcher->timer = loop_timer_new(loop, on_time, fetcher);
	sockets_init(&fetcher->sockets, loop, perform, fetcher);
	queue_init(&fetcher->queue, loop, options->hash_key);
	fetcher->queue.begin = begin;
	fetcher->queue.end = end;
	fetcher->queue.rest = rest;
	set_multi(fetcher);
	return fetcher;
}

void
fetcher_free(struct fetcher *fetcher)
{
	struct fetch_item *item;

	if (fetcher == NULL)
		return;
	while ((item = queue_take(&fetcher->queue)) != NULL) {
		struct transfer *transfer = (struct transfer *)item;
		curl_easy_cleanup(transfer->easy);
		curl_url_cleanup(transfer->place);
		curl_slist_free_all(transfer->fields);
		curl_slist_free_all(transfer->connect_to);
		curl_slist_free_all(transfer->resolve);
		free(transfer->route);
		fetch_call_release(&transfer->item.call);
		free(transfer);
	}
	(void)curl_multi_cleanup(fetcher->multi);
	sockets_release(&fetcher->sockets);
	curl_slist_free_all(fetcher->connect_to);
	curl_slist_free_all(fetcher->names);
	queue_release(&fetcher->queue);
	loop_timer_free(fetcher->timer);
	free(fetcher);
	curl_global_cleanup();
}
