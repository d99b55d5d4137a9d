/*
 * One HTTP request, one hop, on libcurl's multi_socket interface: handles,
 * callbacks, settings, and the states of a request.  This is the only file that
 * knows libcurl; fetch_call.h has the decisions about a request.
 *
 *	           +--> WAITING --+     (until its name may be looked up)
 *	           |              |
 *	IDLE ------+-------------> ACTIVE ----------> ENDED --> done(), IDLE
 *	 fetch_start()              transfer_end()     ^
 *	           +-----------------------------------+  (refused here)
 *
 * Every transfer is in the list of its state.  IDLE ones are the pool and keep
 * nothing of their last request.  ACTIVE ones are in libcurl's hands.  ENDED
 * ones have a result, and their done is called soon.
 */
#include "crawler/fetch/fetch.h"

/* The macros that check types call what is linked.  What is not a number or a
 * pointer to data, whose option is checked, is unchecked. */
#define CURL_DISABLE_TYPECHECK

#include <assert.h>
#include <curl/curl.h>
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/at_work.h"
#include "base/mem.h"
#include "crawler/fetch/fetch_call.h"
#include "crawler/fetch/fetch_lookups.h"

#define DONE_AT_ONCE 8 /* about a millisecond of work */
#define LEFT_BEHIND_MS 100 /* between two counts of the threads */

/* A socket of a fetcher, perhaps one that waits for its next request. */
struct socket_place {
	struct loop_watch *watch; /* owned, or NULL */
	bool is_connection; /* opened, and not closed yet */
	bool is_left; /* between two requests */
	uint16_t dead_port; /* the local port once it is shut down, else 0 */
	uint32_t at_work; /* the site that it works for (at_work.h) */
};

enum transfer_state {
	TRANSFER_IDLE,
	TRANSFER_WAITING,
	TRANSFER_ACTIVE,
	TRANSFER_ENDED,
	TRANSFER_STATES
};

struct transfer {
	struct fetcher *fetcher;
	TAILQ_ENTRY(transfer) link; /* in the list of its state */
	enum transfer_state state;
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
	struct loop *loop;
	struct lookups *lookups; /* owned */
	struct loop_timer *kick; /* owned: runs go_on in the next round */
	TAILQ_HEAD(, transfer) lists[TRANSFER_STATES];
	unsigned active;
	bool *is_freed; /* set to true when done frees the fetcher */
	struct fetcher_options options;
	CURLM *multi; /* owned */
	struct curl_slist *connect_to; /* owned */
	/* owned: what libcurl is told of names with the next request: at first
	 * the operator's --resolve, then the routes that it is to forget */
	struct curl_slist *names;
	/* owned, with their watches; indexed by descriptor */
	struct socket_place *places;
	size_t place_count, place_cap;
	uint8_t dead[8192]; /* a bit for the local port of each shut socket */
	struct loop_timer *timer; /* owned: libcurl's one time-out */
	unsigned capacity;
	bool has_ca_file; /* one file has the trusted certificates */
};

/* The bits of loop.h and of libcurl are equal, so they are not translated. */
_Static_assert(LOOP_READ == CURL_POLL_IN && LOOP_READ == CURL_CSELECT_IN &&
	LOOP_WRITE == CURL_POLL_OUT && LOOP_WRITE == CURL_CSELECT_OUT &&
	(LOOP_READ | LOOP_WRITE) == CURL_POLL_INOUT,
    "libcurl's bits are the loop's");

/* HOSTILE T31. */
#define WANTED 4096
#define KEPT 64 /* for the store, the loop, the readers, the resolver */
#define EACH 3 /* a connection, a spool file, and that file for the reader */
#define MAX_TRANSFERS 1024

unsigned
fetch_transfers(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
		return 1;
	if (limit.rlim_cur < WANTED && limit.rlim_cur < limit.rlim_max) {
		struct rlimit raised = {.rlim_max = limit.rlim_max,
		    .rlim_cur = limit.rlim_max < WANTED ? limit.rlim_max
							: WANTED};

		if (setrlimit(RLIMIT_NOFILE, &raised) == 0)
			limit = raised;
	}
	if (limit.rlim_cur < KEPT + EACH)
		return 1;
	if (limit.rlim_cur >= KEPT + EACH * MAX_TRANSFERS)
		return MAX_TRANSFERS;
	return (unsigned)((limit.rlim_cur - KEPT) / EACH);
}

/* sockets_place_of(fetcher, fd): the place of a descriptor, which moves when
 * there is one for a larger descriptor. */
static struct socket_place *
sockets_place_of(struct fetcher *fetcher, int fd)
{
	size_t n = (size_t)fd;

	fetcher->places = mem_grow(fetcher->places, &fetcher->place_cap, n + 1,
	    sizeof(*fetcher->places));
	while (fetcher->place_count <= n)
		fetcher->places[fetcher->place_count++] = (struct socket_place){
		    0};
	return &fetcher->places[n];
}

/* sockets_is_dead(fetcher, own_port): was the socket with this local port shut
 * down?  The answer is true once; then the port is forgotten. */
static bool
sockets_is_dead(struct fetcher *fetcher, uint16_t own_port)
{
	uint8_t *bits = &fetcher->dead[own_port / 8];
	unsigned bit = 1U << own_port % 8;
	bool is_dead = (*bits & bit) != 0;

	*bits &= (uint8_t)~bit;
	return is_dead;
}

static int
sockets_close(void *arg, int fd)
{
	struct fetcher *fetcher = arg;
	struct socket_place *place = sockets_place_of(fetcher, fd);

	(void)sockets_is_dead(fetcher, place->dead_port);
	loop_watch_free(place->watch);
	*place = (struct socket_place){0};
	return close(fd);
}

/* The functions of libcurl that are called here.  It is loaded when a fetcher
 * is made: with OpenSSL, GnuTLS and two dozen more, it takes four times as long
 * to load as all else that a command needs. */
/* clang-format off */
#define FUNCTIONS(F) \
	F(curl_global_init_mem) F(curl_global_cleanup) F(curl_version_info) \
	F(curl_free) F(curl_slist_append) F(curl_slist_free_all) \
	F(curl_url) F(curl_url_cleanup) F(curl_url_get) F(curl_url_set) \
	F(curl_easy_init) F(curl_easy_cleanup) F(curl_easy_setopt) \
	F(curl_easy_getinfo) F(curl_multi_init) F(curl_multi_cleanup) \
	F(curl_multi_setopt) F(curl_multi_add_handle) \
	F(curl_multi_remove_handle) F(curl_multi_socket_action) \
	F(curl_multi_info_read)
/* clang-format on */

static struct {
	FUNCTIONS(LATE_POINTER)
} curl;

static void
load_curl(void)
{
	late_load("libcurl.so.4", LATE_NAMES(FUNCTIONS), &curl);
}

/* Settings that every handle has, whatever its request. */

static const struct {
	CURLoption option;
	long value;
} hard_numbers[] = {
    {CURLOPT_MAXREDIRS, 0},
    {CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1},
    {CURLOPT_HTTP09_ALLOWED, 0},
    {CURLOPT_HTTP_CONTENT_DECODING, 0},
    {CURLOPT_PATH_AS_IS, 1},
    {CURLOPT_QUICK_EXIT, 1},
    {CURLOPT_NOSIGNAL, 1},
    {CURLOPT_NOPROGRESS, 0},
    {CURLOPT_DISALLOW_USERNAME_IN_URL, 1},
    {CURLOPT_NETRC, CURL_NETRC_IGNORED},
    {CURLOPT_HTTPAUTH, CURLAUTH_BASIC},
    {CURLOPT_UNRESTRICTED_AUTH, 0},
    {CURLOPT_SUPPRESS_CONNECT_HEADERS, 1},
    {CURLOPT_SSL_VERIFYPEER, 1},
    {CURLOPT_SSL_VERIFYHOST, 2},
    {CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2},
    {CURLOPT_DNS_CACHE_TIMEOUT, -1}, /* never, see fetch_lookups.h */
    /* With a thousand transfers, each kilobyte of a handle is a megabyte.
     * Requests are small, so a small buffer is enough. A handle would keep TLS
     * sessions of eight hosts, which are rarely of use, because connections are
     * kept. */
    {CURLOPT_UPLOAD_BUFFERSIZE, 16384},
    {CURLOPT_SSL_SESSIONID_CACHE, 0},
    {CURLOPT_MAXLIFETIME_CONN, 60},
    {CURLOPT_MAXAGE_CONN, 30},
};

static void
set_number(CURL *easy, CURLoption option, int64_t value)
{
	CURLcode code = curl.curl_easy_setopt(easy, option, (long)value);

	assert(option < CURLOPTTYPE_OBJECTPOINT);
	assert(code == CURLE_OK);
}

static void
set_pointer(CURL *easy, CURLoption option, const void *value)
{
	CURLcode code = curl.curl_easy_setopt(easy, option, value);

	assert(option > CURLOPTTYPE_OBJECTPOINT &&
	    option < CURLOPTTYPE_FUNCTIONPOINT);
	assert(code == CURLE_OK);
}

static void
set_text(CURL *easy, CURLoption option, const char *value)
{
	set_pointer(easy, option, value);
}

static void
fetch_set_proxy(CURL *easy, const char *proxy)
{
	/* An empty text also disables the proxies of the environment. */
	set_text(easy, CURLOPT_PROXY, proxy == NULL ? "" : proxy);
	set_text(easy, CURLOPT_NOPROXY, proxy == NULL ? "*" : "");
}

/* Apply all of HOSTILE section 2 that needs no callback, once in the life of a
 * handle; has_ca_file: one file has all trusted certificates.  Cookies, alt-svc
 * and HSTS are off in libcurl as long as no file is named for them. */
static void
fetch_harden(
    CURL *easy, const struct fetcher_options *options, bool has_ca_file)
{
	for (size_t i = 0; i < sizeof(hard_numbers) / sizeof(*hard_numbers);
	     i++)
		set_number(easy, hard_numbers[i].option, hard_numbers[i].value);
	curl.curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
	set_number(
	    easy, CURLOPT_CONNECTTIMEOUT_MS, options->connect_timeout_ms);
	set_number(easy, CURLOPT_TIMEOUT_MS, options->max_time_ms);
	set_number(easy, CURLOPT_LOW_SPEED_LIMIT, options->low_speed_limit);
	set_number(easy, CURLOPT_LOW_SPEED_TIME, options->low_speed_time_s);
	set_text(easy, CURLOPT_PROTOCOLS_STR, "http,https");
	set_text(easy, CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
	set_text(easy, CURLOPT_USERAGENT, options->user_agent);
	fetch_set_proxy(easy, options->proxy);
	if (options->ca_file != NULL)
		set_text(easy, CURLOPT_CAINFO, options->ca_file);
	/* A folder would be trusted in addition to the file; and with a folder
	 * libcurl caches no certificates, but reads all of them for each
	 * connection, which takes 40 ms. */
	if (has_ca_file)
		set_text(easy, CURLOPT_CAPATH, NULL);
}

/* Give the URL to the handle.  False when libcurl finds another host in the
 * URL's text than url has: freshet fetches only the host that its rules judged
 * (HOSTILE F10). */
static bool
fetch_place(CURL *easy, CURLU *place, struct url *url)
{
	char *host = NULL;
	bool is_same;

	if (curl.curl_url_set(place, CURLUPART_URL, buf_str(&url->text),
		CURLU_DISALLOW_USER | CURLU_PATH_AS_IS) != CURLUE_OK ||
	    curl.curl_url_get(place, CURLUPART_HOST, &host, 0) != CURLUE_OK)
		return false;
	is_same = slice_is(url_host(url), host);
	curl.curl_free(host);
	set_pointer(easy, CURLOPT_CURLU, place);
	return is_same;
}

static struct curl_slist *fetch_list(struct curl_slist *list,
    const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Append a line to a list and return the list; NULL is an empty list. */
static struct curl_slist *
fetch_list(struct curl_slist *list, const char *format, ...)
{
	struct buf text = BUF_UP_TO(SIZE_MAX);
	va_list args;

	va_start(args, format);
	(void)buf_vprint(&text, format, args);
	va_end(args);
	list = curl.curl_slist_append(list, buf_str(&text));
	assert(list != NULL);
	buf_release(&text);
	return list;
}

/* The meaning of libcurl's codes; all others are TROUBLE_OTHER. */
static const uint8_t troubles[CURL_LAST] = {
    [CURLE_OK] = TROUBLE_NONE,
    [CURLE_COULDNT_RESOLVE_HOST] = TROUBLE_NAME,
    [CURLE_COULDNT_RESOLVE_PROXY] = TROUBLE_NAME,
    [CURLE_COULDNT_CONNECT] = TROUBLE_CONNECT,
    [CURLE_SSL_CONNECT_ERROR] = TROUBLE_TLS,
    [CURLE_SSL_CIPHER] = TROUBLE_TLS,
    [CURLE_PEER_FAILED_VERIFICATION] = TROUBLE_CERTIFICATE,
    [CURLE_SSL_CACERT_BADFILE] = TROUBLE_CA_FILE,
    [CURLE_OPERATION_TIMEDOUT] = TROUBLE_TIME,
    [CURLE_GOT_NOTHING] = TROUBLE_NOTHING,
    [CURLE_UNSUPPORTED_PROTOCOL] = TROUBLE_UNREADABLE,
    [CURLE_WEIRD_SERVER_REPLY] = TROUBLE_UNREADABLE,
    /* The answer begins with a folded header line. */
    [CURLE_BAD_FUNCTION_ARGUMENT] = TROUBLE_UNREADABLE,
    /* libcurl returns this code for a line of more than 100 KiB; a real
     * lack of memory ends the process. */
    [CURLE_OUT_OF_MEMORY] = TROUBLE_LONG_LINE,
    [CURLE_FILESIZE_EXCEEDED] = TROUBLE_TOO_BIG,
    [CURLE_PARTIAL_FILE] = TROUBLE_CUT,
    [CURLE_RECV_ERROR] = TROUBLE_RECEIVE,
    [CURLE_SEND_ERROR] = TROUBLE_SEND,
};

/* States. */

/* Only this function changes the state; it moves the transfer to the list of
 * its new state. */
static void
transfer_set_state(struct transfer *transfer, enum transfer_state state)
{
	struct fetcher *fetcher = transfer->fetcher;

	/* It goes to the end: transfers wait, and are told, in their order. */
	TAILQ_REMOVE(&fetcher->lists[transfer->state], transfer, link);
	transfer->state = state;
	TAILQ_INSERT_TAIL(&fetcher->lists[state], transfer, link);
}

/* libcurl found an address for the transfer's name, or needed none. */
static void
transfer_found(struct transfer *transfer)
{
	struct fetcher *fetcher = transfer->fetcher;

	if (!transfer->is_resolving)
		return;
	lookups_found(
	    fetcher->lookups, &transfer->call.url, loop_now_ms(fetcher->loop));
	lookups_leave(fetcher->lookups, transfer->owner);
	transfer->is_resolving = false;
	loop_timer_set(fetcher->kick, 0);
}

/* An ACTIVE transfer is over. end->duration_ms is filled in here. */
static void
transfer_end(struct transfer *transfer, struct fetch_end *end)
{
	struct fetcher *fetcher = transfer->fetcher;
	bool gave_up = end->trouble == TROUBLE_TIME;
	int64_t now_ms = loop_now_ms(fetcher->loop);

	assert(transfer->state == TRANSFER_ACTIVE);
	at_work_site(transfer->at_work);
	/* It ended, perhaps because its name has no address. */
	if (transfer->is_resolving) {
		if (gave_up || end->trouble == TROUBLE_NAME)
			lookups_lost(fetcher->lookups, &transfer->call.url,
			    now_ms, gave_up);
		lookups_leave(fetcher->lookups, transfer->owner);
		transfer->is_resolving = false;
	}
	(void)curl.curl_multi_remove_handle(fetcher->multi, transfer->easy);
	end->duration_ms = now_ms - transfer->started_ms;
	if (transfer->answered_ms == 0)
		transfer->answered_ms = now_ms + 1;
	transfer->call.result.answered_ms = transfer->answered_ms;
	transfer->call.result.ended_ms = now_ms;
	fetch_call_end(&transfer->call, end);
	transfer_set_state(transfer, TRANSFER_ENDED);
	loop_timer_set(fetcher->kick, 0);
}

/* End the transfer without a request; done is called from the loop, as for all
 * others. */
static void
transfer_end_at_once(struct transfer *transfer, enum fetch_trouble trouble)
{
	transfer_set_state(transfer, TRANSFER_ENDED);
	fetch_call_end(
	    &transfer->call, &(struct fetch_end){.trouble = trouble});
	loop_timer_set(transfer->fetcher->kick, 0);
}

/* Give the transfer to libcurl, which is told which names to forget, the
 * address of the transfer's route, and once, for all transfers, the operator's
 * --resolve. */
static void
transfer_begin(struct transfer *transfer)
{
	struct fetcher *fetcher = transfer->fetcher;
	struct curl_slist *names = fetcher->names;
	char name[KNOWN_TEXT];

	transfer->started_ms = loop_now_ms(fetcher->loop);
	transfer->answered_ms = 0;
	transfer_set_state(transfer, TRANSFER_ACTIVE);
	fetcher->names = NULL;
	if (lookups_forget(fetcher->lookups, name))
		names = fetch_list(names, "-%s", name);
	if (transfer->is_old) {
		lookups_name(&transfer->call.url, name);
		names = fetch_list(names, "-%s", name);
	}
	if (transfer->route != NULL)
		names = fetch_list(
		    names, "+%s:%s", transfer->route, transfer->route_address);
	transfer->resolve = names;
	set_pointer(transfer->easy, CURLOPT_RESOLVE, names);
	if (curl.curl_multi_add_handle(fetcher->multi, transfer->easy) ==
	    CURLM_OK)
		return;
	(void)fetch_call_fail(&transfer->call, DIAG_FETCH_NETWORK_ERROR,
	    "libcurl refused the request");
	transfer_end(transfer, &(struct fetch_end){0});
}

/* Begin the waiting transfers, in their order, unless `lookups` has no place
 * for their owners. */
static void
begin_waiting(struct fetcher *fetcher)
{
	struct transfer *transfer = TAILQ_FIRST(
	    &fetcher->lists[TRANSFER_WAITING]);
	struct transfer *next;
	int64_t now_ms = loop_now_ms(fetcher->loop);

	for (; transfer != NULL && lookups_has_place(fetcher->lookups, now_ms);
	     transfer = next) {
		next = TAILQ_NEXT(transfer, link);
		if (!lookups_take(fetcher->lookups, transfer->owner))
			continue;
		transfer->is_resolving = true;
		transfer_begin(transfer);
	}
	if (transfer != NULL && fetcher->lookups->left_behind > 0)
		loop_timer_set(fetcher->kick, LEFT_BEHIND_MS);
}

/* Callbacks from within libcurl, which may not call libcurl. */

/* open_socket: after CURL_SOCKET_BAD (-1) libcurl tries the name's next
 * address.
 */
static curl_socket_t
open_socket(void *arg, curlsocktype purpose, struct curl_sockaddr *where)
{
	struct transfer *transfer = arg;
	struct fetch_call *call = &transfer->call;
	int64_t now_ms = loop_now_ms(transfer->fetcher->loop);
	struct addr addr;
	uint16_t port;
	int fd;

	if (purpose != CURLSOCKTYPE_IPCXN)
		return CURL_SOCKET_BAD;
	transfer_found(transfer);
	if (!sockaddr_read(&where->addr, &addr, &port) ||
	    !fetch_call_may_connect(call, &addr, port, now_ms))
		return CURL_SOCKET_BAD;
	if (call->is_looking)
		return CURL_SOCKET_BAD;
	if (call->request.admit != NULL &&
	    !call->request.admit(transfer->arg, &addr)) {
		call->result.deferral = DEFERRED_ADDRESS;
		return CURL_SOCKET_BAD;
	}
	fd = socket(where->addr.sa_family, where->socktype | SOCK_CLOEXEC,
	    where->protocol);
	call->result.deferral = DEFERRED_NOT;
	if (fd < 0) {
		call->os_error = errno;
		if (errno == EMFILE || errno == ENFILE)
			call->result.deferral = DEFERRED_DESCRIPTORS;
		return CURL_SOCKET_BAD;
	}
	if (call->result.asked_ms == 0)
		call->result.asked_ms = loop_now_ms(transfer->fetcher->loop);
	sockets_place_of(transfer->fetcher, fd)->is_connection = true;
	return fd;
}

/* before_request: libcurl also calls this function when it uses a connection
 * again and opens no socket (HOSTILE F6). */
static int
before_request(void *arg, char *peer, char *own, int peer_port, int own_port)
{
	struct transfer *transfer = arg;
	struct fetch_call *call = &transfer->call;
	struct addr addr;

	(void)own;
	if (sockets_is_dead(transfer->fetcher, (uint16_t)own_port))
		return CURL_PREREQFUNC_OK; /* no byte passes a shut socket */
	transfer_found(transfer);
	/* When a reused connection closes without an answer, libcurl sends the
	 * request again at once.  Retries are decided elsewhere (HOSTILE N20).
	 */
	if (call->was_sent) {
		(void)fetch_call_fail(
		    call, DIAG_FETCH_NETWORK_ERROR, "empty answer");
		return CURL_PREREQFUNC_ABORT;
	}
	if (!addr_parse(&addr, slice_of(peer)) ||
	    !fetch_call_may_connect(call, &addr, (uint16_t)peer_port,
		loop_now_ms(transfer->fetcher->loop))) {
		call->stop = DIAG_PRIVATE_ADDRESS;
		return CURL_PREREQFUNC_ABORT;
	}
	if (call->request.may_send != NULL &&
	    !call->request.may_send(transfer->arg)) {
		call->result.deferral = DEFERRED_RIGHT;
		return CURL_PREREQFUNC_ABORT;
	}
	if (call->result.asked_ms == 0)
		call->result.asked_ms = loop_now_ms(transfer->fetcher->loop);
	call->was_sent = true;
	buf_clear(&call->sent); /* CONNECT, sent to a proxy */
	call->result.peer = addr;
	call->result.has_peer = call->options->proxy == NULL;
	return CURL_PREREQFUNC_OK;
}

static size_t
take_header(char *p, size_t size, size_t n, void *arg)
{
	struct transfer *transfer = arg;
	struct fetch_call *call = &transfer->call;

	(void)size;
	/* The answer begins now, unless it has begun. The time is the loop's,
	 * because libcurl counts its times from different moments. It is
	 * rounded up, so that a delay counted from it is not too short. */
	if (transfer->answered_ms == 0)
		transfer->answered_ms = loop_now_ms(transfer->fetcher->loop) +
		    1;
	return fetch_call_line(call, slice_make(p, n)) ? n : 0;
}

/* take_sent: libcurl sent a part of the request's head, or has something else
 * to tell. */
static int
take_sent(CURL *easy, curl_infotype type, char *p, size_t n, void *call)
{
	(void)easy;
	if (type == CURLINFO_HEADER_OUT)
		fetch_call_sent(call, slice_make(p, n));
	return 0;
}

static size_t
transfer_take_body(char *p, size_t size, size_t n, void *arg)
{
	(void)size;
	return fetch_call_body(arg, slice_make(p, n)) ? n : 0;
}

static int
watch_progress(void *arg, curl_off_t total, curl_off_t now,
    curl_off_t upload_total, curl_off_t upload_now)
{
	struct fetch_call *call = arg;
	uint64_t most = call->options->max_error_body;

	(void)total, (void)upload_total, (void)upload_now;
	if (most < call->request.max_bytes)
		most = call->request.max_bytes;
	/* The limit is a little higher here, because `now` includes bytes that
	 * libcurl has not passed on yet. */
	most += most / 8 + 65536;
	return (uint64_t)now > most && call->stop == DIAG_OK &&
	    !fetch_call_too_big(call);
}

/* Handles. */

/* renew(transfer): give the transfer a new handle. libcurl before 8.1.1 writes
 * to freed memory when a handle is used again and its next answer begins with a
 * folded line, because the handle still points to the last header of the answer
 * before. */
static void
renew(struct transfer *transfer)
{
	struct fetcher *fetcher = transfer->fetcher;
	struct fetch_call *call = &transfer->call;
	CURL *easy;

	curl.curl_easy_cleanup(transfer->easy);
	easy = transfer->easy = curl.curl_easy_init();
	assert(easy != NULL);
	set_pointer(easy, CURLOPT_PRIVATE, transfer);
	curl.curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, open_socket);
	set_pointer(easy, CURLOPT_OPENSOCKETDATA, transfer);
	curl.curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, sockets_close);
	set_pointer(easy, CURLOPT_CLOSESOCKETDATA, fetcher);
	curl.curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, before_request);
	set_pointer(easy, CURLOPT_PREREQDATA, transfer);
	curl.curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, take_header);
	set_pointer(easy, CURLOPT_HEADERDATA, transfer);
	curl.curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, transfer_take_body);
	set_pointer(easy, CURLOPT_WRITEDATA, call);
	curl.curl_easy_setopt(easy, CURLOPT_XFERINFOFUNCTION, watch_progress);
	set_pointer(easy, CURLOPT_XFERINFODATA, call);
	fetch_harden(easy, &fetcher->options, fetcher->has_ca_file);
	set_pointer(easy, CURLOPT_CONNECT_TO, fetcher->connect_to);
}

/* The multi handle and the loop. */

static int
set_timer(CURLM *multi, long delay_ms, void *arg)
{
	struct fetcher *fetcher = arg;

	(void)multi;
	loop_timer_set(fetcher->timer, delay_ms < 0 ? LOOP_NEVER : delay_ms);
	return 0;
}

/* go_by_proxy(transfer): freshet has looked up the host, and
 * fetch_call_may_connect() judged each of its addresses. If there are addresses
 * and all are allowed, ask the proxy for the host. A SOCKS proxy gets the
 * address that was judged. An HTTP proxy gets the name, because its own rules
 * may depend on the name, and looks the address up itself. False: the call must
 * end. */
static bool
go_by_proxy(struct transfer *transfer)
{
	struct fetch_call *call = &transfer->call;
	const char *proxy = transfer->fetcher->options.proxy;
	CURLM *multi = transfer->fetcher->multi;
	char text[46];

	/* The proxy may choose any address: one refused address is enough. */
	if (!call->has_place || call->is_refused || call->stop != DIAG_OK) {
		if (call->is_refused)
			call->stop = DIAG_PRIVATE_ADDRESS;
		return false;
	}
	call->is_looking = false;
	(void)curl.curl_multi_remove_handle(multi, transfer->easy);
	fetch_set_proxy(transfer->easy, proxy);
	if (slice_starts_nocase(slice_of(proxy), slice_of("socks"))) {
		addr_print(&call->place, text);
		curl.curl_slist_free_all(transfer->connect_to);
		transfer->connect_to = fetch_list(NULL,
		    strchr(text, ':') == NULL ? "::%s:%u" : "::[%s]:%u", text,
		    (unsigned)call->place_port);
		set_pointer(
		    transfer->easy, CURLOPT_CONNECT_TO, transfer->connect_to);
	}
	return curl.curl_multi_add_handle(multi, transfer->easy) == CURLM_OK;
}

static void
perform(struct fetcher *fetcher, int fd, int ready)
{
	struct transfer *transfer;
	CURLMsg *message;
	int count;

	(void)curl.curl_multi_socket_action(fetcher->multi, fd, ready, &count);
	for (message = curl.curl_multi_info_read(fetcher->multi, &count);
	     message != NULL;
	     message = curl.curl_multi_info_read(fetcher->multi, &count)) {
		(void)curl.curl_easy_getinfo(
		    message->easy_handle, CURLINFO_PRIVATE, &transfer);
		struct fetch_end end = {.trouble = TROUBLE_OTHER,
		    .number = (int)message->data.result};
		CURL *easy = transfer->easy;
		long os_error = 0;

		/* A later libcurl may have more codes than this header. */
		if (message->data.result < CURL_LAST)
			end.trouble = (enum fetch_trouble)
			    troubles[message->data.result];
		(void)curl.curl_easy_getinfo(
		    easy, CURLINFO_OS_ERRNO, &os_error);
		(void)curl.curl_easy_getinfo(
		    easy, CURLINFO_SSL_VERIFYRESULT, &end.certificate);
		end.os_error = (int)os_error;
		if (!transfer->call.is_looking || !go_by_proxy(transfer))
			transfer_end(transfer, &end);
	}
}

/* If a connection becomes ready between two requests, the server has sent bytes
 * without a request, or has closed the connection.  libcurl 7.88 would use the
 * connection nevertheless, and take such bytes for the answer to the next
 * request (HOSTILE N9). So freshet shuts the connection down, as if the server
 * had closed it. libcurl opens a new one when it notices, perhaps only after it
 * has chosen the old one for a request. */
static void
sockets_on_ready(void *arg, int fd, int ready)
{
	struct fetcher *fetcher = arg;
	struct socket_place *place = sockets_place_of(fetcher, fd);

	if (place->is_left) {
		/* before_request() recognises the connection by its local
		 * port. */
		struct sockaddr_storage own;
		socklen_t len = sizeof(own);
		struct addr addr;

		loop_watch_set(place->watch, 0);
		if (getsockname(fd, (struct sockaddr *)&own, &len) == 0 &&
		    sockaddr_read(
			(struct sockaddr *)&own, &addr, &place->dead_port))
			fetcher->dead[place->dead_port / 8] |= (uint8_t)(1U
			    << place->dead_port % 8);
		(void)shutdown(fd, SHUT_RDWR);
	} else {
		at_work_site(place->at_work);
		perform(fetcher, fd, ready);
	}
}

/* set_watch: without an interest no request uses fd any more; if fd is no
 * connection, its owner then closes it soon. */
static int
set_watch(CURL *easy, curl_socket_t fd, int what, void *arg, void *of_socket)
{
	struct fetcher *fetcher = arg;
	struct socket_place *place = sockets_place_of(fetcher, fd);
	struct transfer *transfer = NULL; /* stays so for libcurl's own */
	int interest = what & CURL_POLL_INOUT;

	(void)of_socket;
	(void)curl.curl_easy_getinfo(easy, CURLINFO_PRIVATE, &transfer);
	place->at_work = transfer == NULL ? 0 : transfer->at_work;
	place->is_left = interest == 0;
	if (interest == 0 && !place->is_connection) {
		loop_watch_free(place->watch);
		place->watch = NULL;
		return 0;
	}
	if (interest == 0)
		interest = LOOP_READ;
	if (place->watch == NULL)
		place->watch = loop_watch_new(
		    fetcher->loop, fd, interest, sockets_on_ready, fetcher);
	else
		loop_watch_set(place->watch, interest);
	return 0;
}

static void
on_time(void *arg)
{
	perform(arg, CURL_SOCKET_TIMEOUT, 0);
}

/* Begin waiting transfers, and call done for a few ended ones, in each round of
 * the loop. Only a few, because an answer counts as begun when the loop looks
 * at its socket, and the delay to the next request counts from that time. */
static void
go_on(void *arg)
{
	struct fetcher *fetcher = arg;
	struct transfer *transfer = NULL;
	bool is_freed = false;

	begin_waiting(fetcher);
	fetcher->is_freed = &is_freed;
	for (int i = 0; i < DONE_AT_ONCE; i++) {
		transfer = TAILQ_FIRST(&fetcher->lists[TRANSFER_ENDED]);
		if (transfer == NULL)
			break;
		fetcher->active--;
		loop_await(fetcher->loop, -1);
		transfer->done(transfer->arg, &transfer->call.result);
		if (is_freed)
			return;
		/* Free what belongs to the request of the transfer. */
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
		curl.curl_slist_free_all(transfer->fields);
		curl.curl_slist_free_all(transfer->connect_to);
		curl.curl_slist_free_all(transfer->resolve);
		transfer->fields = NULL;
		transfer->connect_to = NULL;
		transfer->resolve = NULL;

		transfer_set_state(transfer, TRANSFER_IDLE);
	}
	fetcher->is_freed = NULL;
	if (transfer != NULL)
		loop_timer_set(fetcher->kick, 0);
}

/* Requests. */

/* set_route(transfer): if --connect-to leads to an address, tell libcurl that
 * the host's name has that address, and to connect to another port of the same
 * name. If libcurl were told to connect to the address itself, it would keep
 * the connections of all such hosts in one list, and for each request ask the
 * kernel about each idle connection in the list. */
static void
set_route(struct transfer *transfer)
{
	const struct fetcher *fetcher = transfer->fetcher;
	struct url *url = &transfer->call.url;
	char name[KNOWN_TEXT];
	struct addr addr;
	uint16_t port;

	transfer->has_address = policy_is_resolved(
	    fetcher->options.policy, url);
	if (fetcher->options.proxy != NULL || url->host_kind != HOST_NAME ||
	    !policy_route(fetcher->options.policy, url, &addr, &port))
		return;
	transfer->has_address = true;
	addr_print(&addr, transfer->route_address);
	(void)snprintf(name, sizeof(name), "%.*s:%u", (int)url_host(url).len,
	    url_host(url).p, (unsigned)port);
	transfer->route = mem_copy(name);
	transfer->connect_to = fetch_list(NULL, ":::%u", (unsigned)port);
	set_pointer(transfer->easy, CURLOPT_CONNECT_TO, transfer->connect_to);
}

/* Let the transfer wait for its look-up, or end it at once when too many of its
 * owner wait already. */
static void
transfer_look_up(struct transfer *transfer)
{
	struct fetcher *fetcher = transfer->fetcher;
	struct fetch_call *call = &transfer->call;

	transfer->owner = lookups_owner(fetcher->lookups, &call->url);
	if (!lookups_wait(fetcher->lookups, transfer->owner)) {
		call->result.deferral = DEFERRED_LOOKUP;
		transfer_end_at_once(transfer, TROUBLE_OTHER);
		return;
	}
	transfer_set_state(transfer, TRANSFER_WAITING);
	begin_waiting(fetcher);
}

void
fetch_start(struct fetcher *fetcher, const struct fetch_request *request,
    fetch_done_fn *done, void *arg)
{
	struct transfer *transfer = TAILQ_FIRST(&fetcher->lists[TRANSFER_IDLE]);
	int64_t now_ms = loop_now_ms(fetcher->loop);
	struct fetch_call *call;
	enum lookup_state state;
	const char *field;

	if (transfer == NULL) {
		transfer = mem_zero(sizeof(*transfer));
		transfer->fetcher = fetcher;
		fetch_call_init(&transfer->call, &fetcher->options);
		transfer->place = curl.curl_url();
		assert(transfer->place != NULL);
		renew(transfer);
		TAILQ_INSERT_TAIL(
		    &fetcher->lists[TRANSFER_IDLE], transfer, link);
	}
	transfer->done = done;
	transfer->arg = arg;
	call = &transfer->call;
	fetch_call_begin(call, request, loop_wall_s(fetcher->loop), now_ms);
	field = fetch_call_field(call, request, 0);

	for (unsigned i = 1; field != NULL; i++) {
		transfer->fields = fetch_list(transfer->fields, "%s", field);
		field = fetch_call_field(call, request, i);
	}
	set_pointer(transfer->easy, CURLOPT_HTTPHEADER, transfer->fields);
	set_route(transfer);
	set_text(transfer->easy, CURLOPT_USERPWD, request->credentials);
	set_number(transfer->easy, CURLOPT_FORBID_REUSE, request->is_single);
	/* the handle is a new one after each request */
	if (request->post != NULL)
		set_pointer(transfer->easy, CURLOPT_POSTFIELDS, request->post);
	/* libcurl does not receive a body whose Content-Length is larger than
	 * this. */
	curl.curl_easy_setopt(transfer->easy, CURLOPT_MAXFILESIZE_LARGE,
	    (curl_off_t)(call->request.takes_any ? 0 : request->max_bytes));
	if (request->is_head)
		set_number(transfer->easy, CURLOPT_NOBODY, 1);
	if (request->wants_heads) {
		curl.curl_easy_setopt(
		    transfer->easy, CURLOPT_DEBUGFUNCTION, take_sent);
		set_pointer(transfer->easy, CURLOPT_DEBUGDATA, call);
		set_number(transfer->easy, CURLOPT_VERBOSE, 1);
	}
	if (fetch_call_may_start(call, now_ms) &&
	    !fetch_place(transfer->easy, transfer->place, &call->url))
		(void)fetch_call_fail(call, DIAG_FETCH_NETWORK_ERROR,
		    "libcurl reads the URL in another way");
	if (call->is_looking)
		fetch_set_proxy(transfer->easy, NULL);
	/* If call->stop is set, the transfer ends at once. */
	assert(transfer->state == TRANSFER_IDLE);
	transfer->at_work = at_work_now();
	fetcher->active++;
	loop_await(fetcher->loop, 1);
	state = transfer->has_address
	    ? LOOKUP_KNOWN
	    : lookups_state(fetcher->lookups, &call->url, now_ms);
	transfer->is_old = state == LOOKUP_OLD;
	if (call->stop != DIAG_OK)
		transfer_end_at_once(transfer, TROUBLE_OTHER);
	else if (state == LOOKUP_KNOWN)
		transfer_begin(transfer);
	else if (state == LOOKUP_LOST)
		transfer_end_at_once(transfer, TROUBLE_NAME);
	else
		transfer_look_up(transfer);
}

uint64_t
fetch_owner(const struct fetcher *fetcher, const struct url *url)
{
	struct addr addr;
	uint64_t owner;
	uint16_t port;
	enum lookup_state state = lookups_state(
	    fetcher->lookups, url, loop_now_ms(fetcher->loop));

	if (state == LOOKUP_KNOWN || state == LOOKUP_LOST ||
	    policy_is_resolved(fetcher->options.policy, url))
		return 0;
	/* --connect-to may lead to an address, as in set_route(). */
	if (fetcher->options.proxy == NULL && url->host_kind == HOST_NAME &&
	    policy_route(fetcher->options.policy, url, &addr, &port))
		return 0;
	/* 0 says that none is needed. */
	owner = lookups_owner(fetcher->lookups, url);
	return owner == 0 ? 1 : owner;
}

bool
fetch_may_look_up(const struct fetcher *fetcher, uint64_t owner)
{
	/* The other half is for hosts whose addresses are known. */
	return lookups_has_room(
	    fetcher->lookups, owner, (fetcher->capacity + 1) / 2);
}

unsigned
fetch_active(const struct fetcher *fetcher)
{
	return fetcher->active;
}

unsigned
fetch_capacity(const struct fetcher *fetcher)
{
	return fetcher->capacity;
}

/* The fetcher. */

static void *
zero_items(size_t n, size_t size)
{
	return mem_zero(n * size);
}

struct fetcher *
fetcher_new(struct loop *loop, const struct fetcher_options *options)
{
	struct fetcher *fetcher;
	CURLM *multi;

	load_curl();
	/* Without memory an option would not be set, and say no more. */
	if (curl.curl_global_init_mem(CURL_GLOBAL_DEFAULT, mem_alloc, free,
		mem_resize, mem_copy, zero_items) != CURLE_OK)
		return NULL;
	multi = curl.curl_multi_init();
	if (multi == NULL) {
		curl.curl_global_cleanup();
		return NULL;
	}
	/* With NOSIGNAL libcurl leaves SIGPIPE to the program. The resolver's
	 * time-out limits the time of a look-up (HOSTILE T5). */
	(void)signal(SIGPIPE, SIG_IGN);
	(void)setenv("RES_OPTIONS", "timeout:3 attempts:2", 0);
	fetcher = mem_zero(sizeof(*fetcher));
	fetcher->options = *options;
	fetcher->multi = multi;
	for (int state = 0; state < TRANSFER_STATES; state++)
		TAILQ_INIT(&fetcher->lists[state]);
	fetcher->capacity = fetch_transfers();
	fetcher->has_ca_file = options->ca_file != NULL ||
	    curl.curl_version_info(CURLVERSION_NOW)->cainfo != NULL;
	for (const char *const *item = options->connect_to;
	     item != NULL && *item != NULL; item++)
		fetcher->connect_to = fetch_list(
		    fetcher->connect_to, "%s", *item);
	for (const char *const *item = options->resolve;
	     item != NULL && *item != NULL; item++)
		fetcher->names = fetch_list(fetcher->names, "%s", *item);
	fetcher->timer = loop_timer_new(loop, on_time, fetcher);
	fetcher->lookups = mem_zero(sizeof(*fetcher->lookups));
	fetcher->lookups->hash_key = options->hash_key;
	fetcher->loop = loop;
	fetcher->kick = loop_timer_new(loop, go_on, fetcher);
	/* libcurl counts connections by the address that they lead to, and with
	 * a proxy or --connect-to many hosts share one address. */
	bool is_direct = fetcher->connect_to == NULL && options->proxy == NULL;
	long of_host = is_direct ? 1 : 0;

	curl.curl_multi_setopt(multi, CURLMOPT_PIPELINING, CURLPIPE_NOTHING);
	curl.curl_multi_setopt(multi, CURLMOPT_MAX_HOST_CONNECTIONS, of_host);
	/* Idle connections count, too; a new one closes the oldest. */
	curl.curl_multi_setopt(
	    multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, (long)fetcher->capacity);
	curl.curl_multi_setopt(
	    multi, CURLMOPT_MAXCONNECTS, (long)fetcher->capacity);
	curl.curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, set_watch);
	curl.curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, fetcher);
	curl.curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, set_timer);
	curl.curl_multi_setopt(multi, CURLMOPT_TIMERDATA, fetcher);
	return fetcher;
}

void
fetcher_free(struct fetcher *fetcher)
{
	if (fetcher == NULL)
		return;
	for (int state = 0; state < TRANSFER_STATES; state++) {
		struct transfer *transfer;

		while (
		    (transfer = TAILQ_FIRST(&fetcher->lists[state])) != NULL) {
			TAILQ_REMOVE(&fetcher->lists[state], transfer, link);
			if (state == TRANSFER_ACTIVE)
				(void)curl.curl_multi_remove_handle(
				    fetcher->multi, transfer->easy);
			curl.curl_easy_cleanup(transfer->easy);
			curl.curl_url_cleanup(transfer->place);
			curl.curl_slist_free_all(transfer->fields);
			curl.curl_slist_free_all(transfer->connect_to);
			curl.curl_slist_free_all(transfer->resolve);
			free(transfer->route);
			fetch_call_release(&transfer->call);
			free(transfer);
		}
	}
	(void)curl.curl_multi_cleanup(fetcher->multi);
	for (size_t i = 0; i < fetcher->place_count; i++)
		loop_watch_free(fetcher->places[i].watch);
	free(fetcher->places);
	curl.curl_slist_free_all(fetcher->connect_to);
	curl.curl_slist_free_all(fetcher->names);
	if (fetcher->is_freed != NULL)
		*fetcher->is_freed = true;
	lookups_free(fetcher->lookups);
	loop_timer_free(fetcher->kick);
	loop_timer_free(fetcher->timer);
	free(fetcher);
	curl.curl_global_cleanup();
}

void
fetch_facts(struct fetch_facts *facts)
{
	const curl_version_info_data *info;

	load_curl();
	info = curl.curl_version_info(CURLVERSION_NOW);
	*facts = (struct fetch_facts){
	    .library = library_make("libcurl", LIBCURL_VERSION, info->version),
	    .tls = (info->features & CURL_VERSION_SSL) != 0 ? info->ssl_version
							    : NULL,
	    .ca_file = info->cainfo,
	    .ca_folder = info->capath};
}
