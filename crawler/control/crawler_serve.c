/* freshet crawl: what other commands ask of a crawl under way. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/vis.h"
#include "crawler/cli/options_same.h"
#include "crawler/cli/out.h"
#include "crawler/control/crawler.h"
#include "crawler/control/store_owner.h"
#include "crawler/control/total_budget.h"
#include "crawler/control/watch_serve.h"
#include "crawler/crawl/totals.h"
#include "crawler/event/exit.h"
#include "crawler/event/ndjson.h"

#define PROGRESS_MS 500
#define READINGS_MS 500 /* while somebody waits for pages */

/* Another command, which hears what its own crawl would have said. */
struct guest {
	struct crawler *crawl;
	struct control_peer *peer;
	struct crawl_output *teller; /* owned */
	struct loop_timer *progress; /* owned */
	uint32_t request;
	int64_t began_ms;
	struct run_totals before; /* in another process */
	/* One that asks for no crawl, but for the frontier; then all but this
	 * and the peer is empty. */
	struct frontier_client *customer; /* owned */
};

static void
guest_free(struct guest *guest)
{
	loop_timer_free(guest->progress);
	crawl_output_free(guest->teller);
	free(guest);
}

static void
send_end(struct control_peer *peer, int status)
{
	struct buf line;

	buf_init(&line, SIZE_MAX);
	(void)buf_print(
	    &line, "{\"v\":1,\"type\":\"end\",\"exit\":%d}\n", status);
	control_send(peer, buf_text(&line));
	control_end(peer);
	buf_release(&line);
}

static void
send_text(struct control_peer *peer, enum stream stream, struct slice text)
{
	struct buf line;

	if (text.len == 0)
		return;
	buf_init(&line, SIZE_MAX);
	(void)buf_print(&line,
	    "{\"v\":1,\"type\":\"said\",\"stream\":%d,\"text\":", stream);
	json_put(&line, text);
	(void)buf_print(&line, "}\n");
	control_send(peer, buf_text(&line));
	buf_release(&line);
}

static void
say(void *arg, enum stream stream, struct slice text)
{
	const struct guest *guest = arg;

	send_text(guest->peer, stream, text);
}

/* send_totals(guest): all that it was told of is in them, should it have to go
 * on by itself. */
static void
send_totals(struct guest *guest)
{
	struct buf line;

	buf_init(&line, SIZE_MAX);
	(void)buf_print(&line, "{\"v\":1,\"type\":\"totals\"");
	totals_put(&line, run_totals(guest->crawl->run, guest->request));
	(void)buf_print(&line, "}\n");
	control_send(guest->peer, buf_text(&line));
	buf_release(&line);
}

static void
send_progress(void *arg)
{
	struct guest *guest = arg;

	send_totals(guest);
	loop_timer_set(guest->progress, PROGRESS_MS);
}

static void
on_document(void *arg, struct slice url, const struct reading *reading,
    const struct profile *profile)
{
	struct guest *guest = arg;

	crawl_output_document(guest->teller, url, reading, profile);
	send_totals(guest);
	if (guest->crawl->guest_read != NULL)
		guest->crawl->guest_read(guest->crawl->hooks_arg);
}

static void
on_problem(void *arg, enum diag_code code, struct slice url, struct slice text)
{
	const struct guest *guest = arg;

	crawl_output_problem(guest->teller, code, url, text);
}

static void
on_done(void *arg)
{
	struct guest *guest = arg;
	struct crawler *crawl = guest->crawl;
	struct run_totals totals = *run_totals(crawl->run, guest->request);
	int status;

	totals_continue(&totals, &guest->before);
	status = crawler_status(crawl, &totals);
	crawl_output_end(guest->teller, &totals,
	    loop_now_ms(crawl->loop) - guest->began_ms, status);
	send_end(guest->peer, status);
	guest_free(guest);
}

/* on_gone(arg, guest): nobody waits for it any more. */
static void
on_gone(void *arg, void *gone)
{
	struct guest *guest = gone;

	(void)arg;
	if (guest->customer != NULL)
		frontier_client_free(guest->customer);
	else
		run_drop(guest->crawl->run, guest->request);
	guest_free(guest);
}

/* Are the options those that the crawl under way has? */

struct comparison {
	const struct ndjson *theirs;
	size_t next;
	const char *differs; /* the first that does */
};

static void
compare(void *arg, const char *name, struct slice value)
{
	struct comparison *comparison = arg;
	struct slice their = ndjson_item(
	    comparison->theirs, "options", comparison->next++);
	struct buf ours;

	buf_init(&ours, SIZE_MAX);
	(void)buf_print(&ours, "%s=%.*s", name, (int)value.len, value.p);
	if (!slice_equal(their, buf_text(&ours)) && comparison->differs == NULL)
		comparison->differs = name;
	buf_release(&ours);
}

/* refuse(peer, request, options): true, after saying why. */
static bool
refuse(struct control_peer *peer, const struct ndjson *request,
    const struct options *options)
{
	struct comparison comparison = {.theirs = request};
	struct buf why;

	buf_init(&why, SIZE_MAX);
	if (request == NULL ||
	    (!slice_is(ndjson_text(request, "command"), "crawl") &&
		!frontier_service_takes(request)))
		(void)buf_print(&why,
		    "freshet: the process that holds the "
		    "store does not know this command\n");
	else if (!slice_is(ndjson_text(request, "version"), FRESHET_VERSION))
		(void)buf_print(&why,
		    "freshet: another version of freshet "
		    "holds the store\n");
	else
		options_each_value(options, compare, &comparison);
	if (comparison.differs != NULL)
		(void)buf_print(&why,
		    "freshet: a crawl is under way in this store, with another "
		    "'--%s'; it takes further targets only with the options "
		    "that it has\n",
		    comparison.differs);
	send_text(peer, STREAM_ERR, buf_text(&why));
	if (why.len > 0)
		send_end(peer, EXIT_USAGE);
	comparison.next = why.len;
	buf_release(&why);
	return comparison.next > 0;
}

static struct guest *
guest_new(struct crawler *crawl, struct control_peer *peer,
    const struct ndjson *asked)
{
	struct guest *guest = mem_zero(sizeof(*guest));
	struct crawl_output_options how = {
	    .is_json = ndjson_flag(asked, "json"),
	    .is_quiet = ndjson_flag(asked, "quiet"),
	    .sandbox = crawler_sandbox(crawl->options),
	    .say = say,
	    .arg = guest};
	struct crawl_options request;

	guest->crawl = crawl;
	guest->peer = peer;
	guest->teller = crawl_output_new(&how);
	guest->began_ms = loop_now_ms(crawl->loop);
	totals_get(asked, &guest->before);
	request = crawler_request(crawl, guest->teller);
	request.is_forced = ndjson_flag(asked, "force");
	request.is_continued = ndjson_flag(asked, "continued");
	request.document = on_document;
	request.problem = on_problem;
	request.arg = guest;
	request.done = on_done;
	request.done_arg = guest;
	guest->request = run_crawl(crawl->run, &request);
	guest->progress = loop_timer_new(crawl->loop, send_progress, guest);
	loop_timer_set(guest->progress, 0);
	return guest;
}

static bool
commit(void *arg)
{
	struct crawler *crawl = arg;

	return run_commit(crawl->run);
}

/* The frontier's customers. */

static void
say_customer(void *arg, struct slice text)
{
	const struct guest *guest = arg;

	control_send(guest->peer, text);
}

static void
end_customer(void *arg)
{
	struct guest *guest = arg;

	control_end(guest->peer);
	guest_free(guest);
}

/* service_of(crawl): its frontier is made when it is needed. */
static struct frontier_service *
service_of(struct crawler *crawl)
{
	struct frontier_service_options how = {
	    .loop = crawl->loop, .store = crawl->store, .poll_ms = READINGS_MS};

	if (crawl->service != NULL)
		return crawl->service;
	crawler_share(crawl,
	    frontier_to_lease(crawl->watch_rules,
		crawl->options->frontier.total_budget,
		loop_now_s(crawl->loop)));
	how.frontier = crawl->frontier;
	crawl->service = frontier_service_new(&how);
	return crawl->service;
}

static struct guest *
guest_at_frontier(struct crawler *crawl, struct control_peer *peer,
    const struct ndjson *request)
{
	struct guest *guest = mem_zero(sizeof(*guest));
	struct frontier_caller caller = {
	    .say = say_customer, .end = end_customer, .arg = guest};

	guest->crawl = crawl;
	guest->peer = peer;
	guest->customer = frontier_service_client(
	    service_of(crawl), request, &caller);
	return guest;
}

static void
on_line(void *arg, void *asking, struct slice line)
{
	struct guest *guest = asking;

	(void)arg;
	if (guest->customer != NULL)
		frontier_client_line(guest->customer, line);
}

static void
on_changed(void *arg, int64_t site_id)
{
	struct crawler *crawl = arg;

	if (crawl->frontier == NULL)
		return;
	frontier_watch_changed(
	    crawl->frontier, site_id, loop_now_s(crawl->loop));
	frontier_service_wake(crawl->service);
	if (crawl->watch_changed != NULL)
		crawl->watch_changed(crawl->hooks_arg, site_id);
}

static void *
on_request(void *arg, struct control_peer *peer, struct slice line)
{
	struct crawler *crawl = arg;
	struct ndjson *request = ndjson_parse(line);
	struct guest *guest = NULL;
	struct slice target;
	struct watch_owner host = {.store = crawl->store,
	    .now_s = loop_now_s(crawl->loop),
	    .commit = commit,
	    .changed = on_changed,
	    .arg = crawl};

	if (watch_serve(&host, peer, request) ||
	    total_budget_serve(crawl->options, peer, request)) {
		ndjson_free(request);
		return NULL;
	}
	if (frontier_service_takes(request) &&
	    slice_is(ndjson_text(request, "version"), FRESHET_VERSION)) {
		guest = guest_at_frontier(crawl, peer, request);
	} else if (!refuse(peer, request, crawl->options)) {
		guest = guest_new(crawl, peer, request);
		for (size_t i = 0; target = ndjson_item(request, "targets", i),
			    target.p != NULL;
		     i++)
			/* Whoever asks has looked at them. */
			(void)run_target(crawl->run, guest->request, target);
		run_start(crawl->run, guest->request);
	}
	ndjson_free(request);
	return guest;
}

void
crawler_serve(struct crawler *crawl)
{
	struct control_options options = {.loop = crawl->loop,
	    .store_path = crawl->options->store,
	    .request = on_request,
	    .line = on_line,
	    .gone = on_gone,
	    .arg = crawl};

	crawl->control = control_new(&options);
	if (crawl->control == NULL && !crawl->options->is_quiet)
		complain("no socket beside the store (%s): other commands "
			 "that write must wait",
		    strerrordesc_np(errno));
}
