/* The owner of the store for commands that need no crawler. */
#include "crawler/control/store_owner.h"

#include <stdlib.h>

#include "base/mem.h"
#include "crawler/cli/out.h"
#include "crawler/cli/watch_rules.h"
#include "crawler/control/alert_request.h"
#include "crawler/control/control.h"
#include "crawler/control/feed_request.h"
#include "crawler/control/frontier_make.h"
#include "crawler/control/status.h"
#include "crawler/control/store_access.h"
#include "crawler/control/total_budget.h"
#include "crawler/control/watch_serve.h"
#include "crawler/event/exit.h"
#include "crawler/event/ndjson.h"
#include "crawler/event/stop_signals.h"
#include "store/aside.h"

struct store_owner {
	struct store_owner_options options;
	struct store *store;
	struct watch_rules *rules;
	struct frontier *frontier;
	struct frontier_service *service;
	struct control *control; /* NULL: no socket could be made */
	struct loop_timer *yield;
};

static void
write_peer(void *arg, struct slice text)
{
	control_send(arg, text);
}

static void
end_peer(void *arg)
{
	control_end(arg);
}

/* is_ours(request): is it a request of this version of the program? */
static bool
is_ours(const struct ndjson *request)
{
	return request != NULL &&
	    slice_is(ndjson_text(request, "version"), FRESHET_VERSION);
}

/* admit(owner, peer, request): a client of the frontier; NULL when the request
 * is for something else, or from another version of the program. */
static struct frontier_client *
admit(struct store_owner *owner, struct control_peer *peer,
    const struct ndjson *request)
{
	struct frontier_caller caller = {
	    .write = write_peer, .end = end_peer, .arg = peer};

	return is_ours(request)
	    ? frontier_service_client(owner->service, request, &caller)
	    : NULL;
}

static bool
commit(void *arg)
{
	const struct store_owner *owner = arg;

	frontier_save(owner->frontier);
	return store_flush(owner->store) == DIAG_OK;
}

/* on_changed: the row of the site in the watch list was written. */
static void
on_changed(void *arg, int64_t site_id)
{
	struct store_owner *owner = arg;

	frontier_watch_changed(
	    owner->frontier, site_id, loop_now_s(owner->options.loop));
	frontier_service_wake(owner->service);
}

/* serve_watch(owner, peer, request): serve a request about the watch list or
 * the consumers of the feed; false: it is about something else. */
static bool
serve_watch(struct store_owner *owner, struct control_peer *peer,
    const struct ndjson *request)
{
	struct watch_owner host = {.store = owner->store,
	    .now_s = loop_now_s(owner->options.loop),
	    .commit = commit,
	    .changed = on_changed,
	    .arg = owner};

	return watch_serve(&host, peer, request) ||
	    feed_request_serve(&host, peer, request) ||
	    alert_request_serve(&host, peer, request);
}

/* on_request: whatever this process cannot do, such as a crawl, makes it yield
 * the store; the command that asked opens the store then. */
static void *
on_request(void *arg, struct control_peer *peer, struct slice line)
{
	struct store_owner *owner = arg;
	struct ndjson *request = ndjson_parse(line);
	struct frontier_client *client = admit(owner, peer, request);

	if (client == NULL && !status_serve(NULL, peer, request) &&
	    !serve_watch(owner, peer, request) &&
	    !total_budget_serve(owner->options.options, peer, request)) {
		if (is_ours(request))
			loop_timer_set(owner->yield, 0);
		else
			/* the peer sees the end of the connection */
			control_end(peer);
	}
	ndjson_free(request);
	return client;
}

static void
on_line(void *arg, void *client, struct slice line)
{
	(void)arg;
	frontier_client_line(client, line);
}

static void
on_gone(void *arg, void *client)
{
	(void)arg;
	frontier_client_free(client);
}

static void
on_yield(void *arg)
{
	struct store_owner *owner = arg;

	owner->options.yield(owner->options.arg);
}

static int
open_store(struct store_owner *owner, struct buf *why)
{
	const struct options *options = owner->options.options;
	struct store_options how = {.path = options->store.path,
	    .min_free_bytes = options->limits.free_bytes};
	enum diag_code code;

	if (owner->options.makes_store) {
		if (options->store.is_default && !options_make_folder(options))
			return EXIT_USAGE;
	} else if (!store_access_exists(options->store.path)) {
		return EXIT_USAGE;
	}
	code = store_open(&how, &owner->store, why);
	if (code == DIAG_OK)
		store_access_opened(owner->store, options);
	if (code != DIAG_OK && code != DIAG_STORE_LOCKED)
		complain("%s: %s", diag_name(code), buf_str(why));
	return exit_of_store(code);
}

static void
serve(struct store_owner *owner)
{
	struct loop *loop = owner->options.loop;
	struct frontier_service_options how = {
	    .loop = loop, .store = owner->store, .frontier = owner->frontier};
	struct control_options socket = {.loop = loop,
	    .store_path = owner->options.options->store.path,
	    .request = on_request,
	    .line = on_line,
	    .gone = on_gone,
	    .arg = owner};

	owner->service = frontier_service_new(&how);
	owner->yield = loop_timer_new(loop, on_yield, owner);
	/* Without a socket other commands wait until this one has ended. */
	owner->control = control_new(&socket);
}

int
store_owner_open(struct store_owner **out,
    const struct store_owner_options *options, struct buf *why)
{
	struct store_owner *owner = mem_zero(sizeof(*owner));
	struct stop_signals_was was;
	int status;

	owner->options = *options;
	status = open_store(owner, why);
	if (status != EXIT_DONE) {
		free(owner);
		return status;
	}
	owner->rules = watch_rules_new(options->options, owner->store);
	/* After a long crawl the frontier reads all that the crawl did. No page
	 * is out yet, and nothing of this is lost. */
	stop_signals_at_once(&was, true);
	owner->frontier = frontier_to_lease(owner->rules,
	    options->options->frontier.total_budget, loop_now_s(options->loop));
	stop_signals_at_once(&was, false);
	serve(owner);
	*out = owner;
	return EXIT_DONE;
}

void
store_owner_free(struct store_owner *owner)
{
	if (owner == NULL)
		return;
	/* Clients still get the answers that wait for a COMMIT. */
	aside_end();
	frontier_service_settle(owner->service);
	control_free(owner->control);
	frontier_service_free(owner->service);
	loop_timer_free(owner->yield);
	frontier_free(owner->frontier);
	watch_rules_free(owner->rules);
	store_close(owner->store);
	free(owner);
}

struct frontier_service *
store_owner_service(const struct store_owner *owner)
{
	return owner->service;
}
