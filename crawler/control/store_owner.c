/* A frontier of one's own. */
#include "crawler/control/store_owner.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "crawler/cli/out.h"
#include "crawler/cli/watch_settings.h"
#include "crawler/control/network.h"
#include "crawler/control/store_access.h"
#include "crawler/control/total_budget.h"
#include "crawler/control/watch_serve.h"
#include "crawler/event/exit.h"
#include "crawler/event/ndjson.h"
#include "store/aside.h"

#define BURST_MS 300000 /* half of the lease that `due` asks for */

struct store_owner {
	struct store_owner_options options;
	struct store *store;
	struct watch_rules *rules;
	struct frontier *frontier;
	struct frontier_service *service;
	struct control *control; /* NULL: there can be no socket */
	struct loop_timer *yield;
};

struct frontier *
frontier_to_lease(struct watch_rules *rules, const char *budget, int64_t now_s)
{
	struct frontier_options how = {.store = watch_rules_store(rules),
	    .rules = watch_rules_of,
	    .rules_arg = rules,
	    .agent = "freshet",
	    .hash_key = network_key(),
	    .burst_ms = BURST_MS};

	if (budget != NULL)
		(void)watch_value_budget(budget, &how.requests_per_hour);
	return frontier_new(&how, now_s);
}

static void
say(void *arg, struct slice text)
{
	control_send(arg, text);
}

static void
end(void *arg)
{
	control_end(arg);
}

/* is_ours(request): a request of this version of the program. */
static bool
is_ours(const struct ndjson *request)
{
	return request != NULL &&
	    slice_is(ndjson_text(request, "version"), FRESHET_VERSION);
}

struct frontier_client *
frontier_admit(struct frontier_service *service, const struct ndjson *request,
    struct control_peer *peer)
{
	struct frontier_caller caller = {.say = say, .end = end, .arg = peer};

	return is_ours(request)
	    ? frontier_service_client(service, request, &caller)
	    : NULL;
}

static bool
commit(void *arg)
{
	const struct store_owner *holder = arg;

	frontier_save(holder->frontier);
	return store_flush(holder->store) == DIAG_OK;
}

static void
on_changed(void *arg, int64_t site_id)
{
	struct store_owner *holder = arg;

	frontier_watch_changed(
	    holder->frontier, site_id, loop_now_s(holder->options.loop));
	frontier_service_wake(holder->service);
}

/* serve_watch(holder, peer, request): true: it was about the watch list. */
static bool
serve_watch(struct store_owner *holder, struct control_peer *peer,
    const struct ndjson *request)
{
	struct watch_owner host = {.store = holder->store,
	    .now_s = loop_now_s(holder->options.loop),
	    .commit = commit,
	    .changed = on_changed,
	    .arg = holder};

	return watch_serve(&host, peer, request);
}

static void *
on_request(void *arg, struct control_peer *peer, struct slice line)
{
	struct store_owner *holder = arg;
	struct ndjson *request = ndjson_parse(line);
	struct frontier_client *customer = frontier_admit(
	    holder->service, request, peer);

	if (customer == NULL && !serve_watch(holder, peer, request) &&
	    !total_budget_serve(holder->options.options, peer, request)) {
		if (is_ours(request))
			loop_timer_set(holder->yield, 0);
		else
			control_end(peer); /* it finds out by itself */
	}
	ndjson_free(request);
	return customer;
}

static void
on_line(void *arg, void *guest, struct slice line)
{
	(void)arg;
	frontier_client_line(guest, line);
}

static void
on_gone(void *arg, void *guest)
{
	(void)arg;
	frontier_client_free(guest);
}

static void
on_yield(void *arg)
{
	struct store_owner *holder = arg;

	holder->options.yield(holder->options.arg);
}

static int
open_store(struct store_owner *holder, struct buf *why)
{
	const struct options *options = holder->options.options;
	struct store_options how = {.path = options->store,
	    .min_free_bytes = options->limits.free_bytes};
	enum diag_code code;

	if (holder->options.makes_store) {
		if (options->is_default_store && !options_make_folder(options))
			return EXIT_USAGE;
	} else if (access(options->store, F_OK) != 0 && errno == ENOENT) {
		complain("there is no store '%s'; 'freshet crawl' makes one",
		    options->store);
		return EXIT_USAGE;
	}
	code = store_open(&how, &holder->store, why);
	if (code == DIAG_OK)
		store_access_opened(holder->store, options);
	if (code != DIAG_OK && code != DIAG_STORE_LOCKED)
		complain("%s: %s", diag_name(code), buf_str(why));
	return exit_of_store(code);
}

static void
serve(struct store_owner *holder)
{
	struct loop *loop = holder->options.loop;
	struct frontier_service_options how = {
	    .loop = loop, .store = holder->store, .frontier = holder->frontier};
	struct control_options socket = {.loop = loop,
	    .store_path = holder->options.options->store,
	    .request = on_request,
	    .line = on_line,
	    .gone = on_gone,
	    .arg = holder};

	holder->service = frontier_service_new(&how);
	holder->yield = loop_timer_new(loop, on_yield, holder);
	/* Without a socket other commands wait until this one is through. */
	holder->control = control_new(&socket);
}

int
store_owner_open(struct store_owner **out,
    const struct store_owner_options *options, struct buf *why)
{
	struct store_owner *holder = mem_zero(sizeof(*holder));
	int status;

	holder->options = *options;
	status = open_store(holder, why);
	if (status != EXIT_DONE) {
		free(holder);
		return status;
	}
	holder->rules = watch_rules_new(options->options, holder->store);
	holder->frontier = frontier_to_lease(holder->rules,
	    options->options->frontier.total_budget, loop_now_s(options->loop));
	serve(holder);
	*out = holder;
	return EXIT_DONE;
}

void
store_owner_free(struct store_owner *holder)
{
	if (holder == NULL)
		return;
	aside_end();
	frontier_service_settle(holder->service);
	control_free(holder->control);
	frontier_service_free(holder->service);
	loop_timer_free(holder->yield);
	frontier_free(holder->frontier);
	watch_rules_free(holder->rules);
	store_close(holder->store);
	free(holder);
}

struct frontier_service *
store_owner_service(const struct store_owner *holder)
{
	return holder->service;
}
