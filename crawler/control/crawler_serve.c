/* The requests of other commands to a crawler. */
#include "crawler/control/crawler_serve.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/vis.h"
#include "crawler/cli/options_same.h"
#include "crawler/cli/out.h"
#include "crawler/control/alert_request.h"
#include "crawler/control/crawler.h"
#include "crawler/control/feed_request.h"
#include "crawler/control/frontier_make.h"
#include "crawler/control/status.h"
#include "crawler/control/total_budget.h"
#include "crawler/control/watch_serve.h"
#include "crawler/crawl/totals.h"
#include "crawler/event/exit.h"
#include "crawler/event/ndjson.h"
#include "crawler/frontier/frontier.h"

#define PROGRESS_MS 500
#define READINGS_MS 500 /* poll_ms of the frontier's service */

/* Another command.  One that asked for a crawl gets the output of its crawl;
 * one that asked for the frontier has a frontier_client, the peer and the
 * crawler, and nothing else. */
struct crawler_client {
	struct crawler *crawler;
	struct control_peer *peer;
	struct crawl_output *output; /* owned */
	struct loop_timer *progress; /* owned */
	uint32_t request; /* the crawl of the client */
	int64_t began_ms;
	struct run_totals before; /* the counts of another process */
	struct frontier_client *frontier_client; /* owned */
};

static void
client_free(struct crawler_client *client)
{
	loop_timer_free(client->progress);
	crawl_output_free(client->output);
	free(client);
}

/* send_end(peer, status): the last line; the peer is closed when it is sent. */
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
write_text(void *arg, enum stream stream, struct slice text)
{
	const struct crawler_client *client = arg;

	send_text(client->peer, stream, text);
}

/* send_totals(client): the counts of all documents that the client was told of:
 * if this process leaves, the client goes on from them. */
static void
send_totals(struct crawler_client *client)
{
	struct buf line;

	buf_init(&line, SIZE_MAX);
	(void)buf_print(&line, "{\"v\":1,\"type\":\"totals\"");
	totals_put(&line, run_totals(client->crawler->run, client->request));
	(void)buf_print(&line, "}\n");
	control_send(client->peer, buf_text(&line));
	buf_release(&line);
}

/* send_progress(): the lines also show the client that this process is alive.
 */
static void
send_progress(void *arg)
{
	struct crawler_client *client = arg;

	send_totals(client);
	loop_timer_set(client->progress, PROGRESS_MS);
}

static void
on_document(void *arg, struct slice url, const struct reading *reading,
    const struct profile *profile)
{
	struct crawler_client *client = arg;

	crawl_output_document(client->output, url, reading, profile);
	send_totals(client);
	if (client->crawler->client_read != NULL)
		client->crawler->client_read(client->crawler->hooks_arg);
}

static void
on_problem(void *arg, enum diag_code code, struct slice url, struct slice text)
{
	const struct crawler_client *client = arg;

	crawl_output_problem(client->output, code, url, text);
}

/* on_done: the crawl of the client has ended. */
static void
on_done(void *arg)
{
	struct crawler_client *client = arg;
	struct crawler *crawler = client->crawler;
	struct run_totals totals = *run_totals(crawler->run, client->request);
	int status;

	totals_continue(&totals, &client->before);
	status = crawler_status(crawler, &totals);
	crawl_output_end(client->output, &totals,
	    loop_now_ms(crawler->loop) - client->began_ms, status);
	send_end(client->peer, status);
	client_free(client);
}

/* on_gone(arg, gone): the client has gone, and its crawl with it. */
static void
on_gone(void *arg, void *gone)
{
	struct crawler_client *client = gone;

	(void)arg;
	if (client->frontier_client != NULL)
		frontier_client_free(client->frontier_client);
	else
		run_drop(client->crawler->run, client->request);
	client_free(client);
}

/* Comparing the options of a request with those of this crawler. */

struct options_comparison {
	const struct ndjson *theirs;
	size_t next;
	const char *differs; /* the first option that differs */
};

/* compare: called for each option of this crawler, in the order in which the
 * request lists its own (options_each_value). */
static void
compare(void *arg, const char *name, struct slice value)
{
	struct options_comparison *comparison = arg;
	struct slice their = ndjson_item(
	    comparison->theirs, "options", comparison->next++);
	struct buf ours;

	buf_init(&ours, SIZE_MAX);
	(void)buf_print(&ours, "%s=%.*s", name, (int)value.len, value.p);
	if (!slice_equal(their, buf_text(&ours)) && comparison->differs == NULL)
		comparison->differs = name;
	buf_release(&ours);
}

/* refuse(peer, request, options): if the request cannot be served, tell the
 * peer why, end it, and return true. */
static bool
refuse(struct control_peer *peer, const struct ndjson *request,
    const struct options *options)
{
	struct options_comparison comparison = {.theirs = request};
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

/* client_new(crawler, peer, asked): a client with a new crawl, which has no
 * target yet. */
static struct crawler_client *
client_new(struct crawler *crawler, struct control_peer *peer,
    const struct ndjson *asked)
{
	struct crawler_client *client = mem_zero(sizeof(*client));
	struct crawl_output_options how = {
	    .is_json = ndjson_flag(asked, "json"),
	    .is_quiet = ndjson_flag(asked, "quiet"),
	    .sandbox = crawler_sandbox(&crawler->options->readers),
	    .write = write_text,
	    .arg = client};
	struct crawl_options request;

	client->crawler = crawler;
	client->peer = peer;
	client->output = crawl_output_new(&how);
	client->began_ms = loop_now_ms(crawler->loop);
	totals_get(asked, &client->before);
	request = crawler_request(crawler, client->output);
	request.is_forced = ndjson_flag(asked, "force");
	request.is_continued = ndjson_flag(asked, "continued");
	request.document = on_document;
	request.problem = on_problem;
	request.arg = client;
	request.done = on_done;
	request.done_arg = client;
	client->request = run_crawl(crawler->run, &request);
	client->progress = loop_timer_new(crawler->loop, send_progress, client);
	loop_timer_set(client->progress, 0);
	return client;
}

static bool
commit(void *arg)
{
	struct crawler *crawler = arg;

	return run_commit(crawler->run);
}

/* Clients of the frontier. */

static void
write_line(void *arg, struct slice text)
{
	const struct crawler_client *client = arg;

	control_send(client->peer, text);
}

static void
end_client(void *arg)
{
	struct crawler_client *client = arg;

	control_end(client->peer);
	client_free(client);
}

/* service_of(crawler): the service; the frontier is made when first needed. */
static struct frontier_service *
service_of(struct crawler *crawler)
{
	struct frontier_service_options how = {.loop = crawler->loop,
	    .store = crawler->store,
	    .poll_ms = READINGS_MS};

	if (crawler->service != NULL)
		return crawler->service;
	crawler_share(crawler,
	    frontier_to_lease(crawler->watch_rules,
		crawler->options->frontier.total_budget,
		loop_now_s(crawler->loop)));
	how.frontier = crawler->frontier;
	crawler->service = frontier_service_new(&how);
	return crawler->service;
}

/* client_at_frontier(crawler, peer, request): a client of the frontier; the
 * request is one that frontier_service_takes(). */
static struct crawler_client *
client_at_frontier(struct crawler *crawler, struct control_peer *peer,
    const struct ndjson *request)
{
	struct crawler_client *client = mem_zero(sizeof(*client));
	struct frontier_caller caller = {
	    .write = write_line, .end = end_client, .arg = client};

	client->crawler = crawler;
	client->peer = peer;
	client->frontier_client = frontier_service_client(
	    service_of(crawler), request, &caller);
	return client;
}

static void
on_line(void *arg, void *asking, struct slice line)
{
	struct crawler_client *client = asking;

	(void)arg;
	if (client->frontier_client != NULL)
		frontier_client_line(client->frontier_client, line);
}

/* on_changed: a client changed the site's row of the watch list; without a
 * frontier nothing in this process depends on it. */
static void
on_changed(void *arg, int64_t site_id)
{
	struct crawler *crawler = arg;

	if (crawler->frontier == NULL)
		return;
	frontier_watch_changed(
	    crawler->frontier, site_id, loop_now_s(crawler->loop));
	frontier_service_wake(crawler->service);
	if (crawler->watch_changed != NULL)
		crawler->watch_changed(crawler->hooks_arg, site_id);
}

static void *
on_request(void *arg, struct control_peer *peer, struct slice line)
{
	struct crawler *crawler = arg;
	struct ndjson *request = ndjson_parse(line);
	struct crawler_client *client = NULL;
	struct slice target;
	struct watch_owner host = {.store = crawler->store,
	    .now_s = loop_now_s(crawler->loop),
	    .commit = commit,
	    .changed = on_changed,
	    .arg = crawler};

	if (status_serve(crawler, peer, request) ||
	    watch_serve(&host, peer, request) ||
	    feed_request_serve(&host, peer, request) ||
	    alert_request_serve(&host, peer, request) ||
	    total_budget_serve(crawler->options, peer, request)) {
		ndjson_free(request);
		return NULL;
	}
	if (frontier_service_takes(request) &&
	    slice_is(ndjson_text(request, "version"), FRESHET_VERSION)) {
		client = client_at_frontier(crawler, peer, request);
	} else if (!refuse(peer, request, crawler->options)) {
		client = client_new(crawler, peer, request);
		for (size_t i = 0; target = ndjson_item(request, "targets", i),
			    target.p != NULL;
		     i++)
			/* The command has checked its targets. */
			(void)run_target(crawler->run, client->request, target);
		run_start(crawler->run, client->request);
	}
	ndjson_free(request);
	return client;
}

void
crawler_serve(struct crawler *crawler)
{
	struct control_options options = {.loop = crawler->loop,
	    .store_path = crawler->options->store.path,
	    .request = on_request,
	    .line = on_line,
	    .gone = on_gone,
	    .arg = crawler};

	crawler->control = control_new(&options);
	if (crawler->control == NULL && !crawler->options->output.is_quiet)
		complain("no socket beside the store (%s): other commands "
			 "that write must wait",
		    strerrordesc_np(errno));
}
