/* The requests of commands to the owner of the store. */
#include "crawler/control/crawler_serve.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/out_json.h"
#include "crawler/cli/options_same.h"
#include "crawler/cli/out.h"
#include "crawler/control/alert_serve.h"
#include "crawler/control/crawler.h"
#include "crawler/control/feed_serve.h"
#include "crawler/control/frontier_make.h"
#include "crawler/control/status.h"
#include "crawler/control/watch_serve.h"
#include "crawler/event/exit.h"
#include "crawler/event/ndjson.h"
#include "crawler/event/stop_signals.h"
#include "crawler/frontier/frontier.h"

#define READINGS_MS 500 /* poll_ms of the frontier's service */

/* A crawl that a command asked for. */
struct served_crawl {
	struct control_client served; /* first */
	struct crawler *crawler;
	struct served_crawl *next;
	struct control_peer *peer;
	struct crawl_output *output; /* owned */
	struct loop_timer *progress; /* owned */
	int64_t progress_ms; /* between two lines of progress; 0: one line */
	uint32_t crawl;
	bool has_bad; /* some targets were bad, and are missing */
	int64_t began_ms;
};

static void
served_crawl_free(struct served_crawl *client)
{
	struct served_crawl **at = &client->crawler->crawls;

	while (*at != client)
		at = &(*at)->next;
	*at = client->next;
	loop_timer_free(client->progress);
	crawl_output_free(client->output);
	free(client);
}

static void
served_crawl_write(void *arg, enum stream stream, struct slice text)
{
	const struct served_crawl *client = arg;
	struct buf line;

	if (text.len == 0)
		return;
	buf_init(&line, SIZE_MAX);
	out_json_line(&line, "said");
	out_json_number(&line, "stream", stream);
	out_json_text(&line, "text", text);
	out_json_line_end(&line);
	control_send(client->peer, buf_text(&line));
	buf_release(&line);
}

static void
served_crawl_progress(void *arg)
{
	struct served_crawl *client = arg;
	const struct run_totals *totals = run_totals(
	    client->crawler->run, client->crawl);
	struct buf line;

	buf_init(&line, SIZE_MAX);
	out_json_line(&line, "progress");
	out_json_number(&line, "done", totals->done);
	out_json_number(&line, "known", totals->known);
	out_json_number(&line, "listed", totals->listed);
	out_json_number(&line, "wire_bytes", totals->wire_bytes);
	out_json_line_end(&line);
	control_send(client->peer, buf_text(&line));
	buf_release(&line);
	if (client->progress_ms > 0)
		loop_timer_set(client->progress, client->progress_ms);
}

static void
served_crawl_document(void *arg, struct slice url,
    const struct reading *reading, const struct profile *profile)
{
	const struct served_crawl *client = arg;

	crawl_output_document(client->output, url, reading, profile);
	if (client->crawler->client_read != NULL)
		client->crawler->client_read(client->crawler->hooks_arg);
}

static void
served_crawl_problem(
    void *arg, enum diag_code code, struct slice url, struct slice text)
{
	const struct served_crawl *client = arg;

	crawl_output_problem(client->output, code, url, text);
}

/* served_crawl_end(client, status): report the crawl, which is over or dropped,
 * and what is wrong with the driver; the client is freed. */
static void
served_crawl_end(struct served_crawl *client, int status)
{
	struct crawler *crawler = client->crawler;
	struct buf why;

	buf_init(&why, SIZE_MAX);
	(void)crawler_trouble(crawler, &why);
	crawl_output_end(client->output,
	    run_totals(crawler->run, client->crawl),
	    loop_now_ms(crawler->loop) - client->began_ms, status);
	control_end(client->peer, status, buf_text(&why));
	served_crawl_free(client);
	buf_release(&why);
}

static void
served_crawl_done(void *arg)
{
	struct served_crawl *client = arg;
	struct crawler *crawler = client->crawler;
	int status = crawler_status(
	    crawler, run_totals(crawler->run, client->crawl));

	if (status == EXIT_DONE && client->has_bad)
		status = EXIT_FINDINGS;
	served_crawl_end(client, status);
}

/* served_crawl_line(served, line): the user stops the command.  What was read
 * is told and kept, for when the same command goes on. */
static void
served_crawl_line(struct control_client *served, struct slice line)
{
	struct served_crawl *client = (struct served_crawl *)served;
	struct crawler *crawler = client->crawler;
	struct ndjson *object = ndjson_parse(line);
	uint32_t crawl = client->crawl;
	int64_t status = 0;

	if (object != NULL)
		status = ndjson_number(object, "stop", 0);
	ndjson_free(object);
	if (status > 0 && status < 256 && run_commit(crawler->run)) {
		served_crawl_end(client, (int)status);
		run_drop(crawler->run, crawl);
	}
}

static void
served_crawl_gone(struct control_client *served)
{
	struct served_crawl *client = (struct served_crawl *)served;

	run_drop(client->crawler->run, client->crawl);
	served_crawl_free(client);
}

/* Comparing the options of a request with those of this crawler. */

struct options_comparison {
	const struct ndjson *theirs;
	size_t next;
	const char *differs; /* the first option that differs */
};

/* compare_option: called for each option of this crawler, in the order in which
 * the request lists its own (options_each_value). */
static void
compare_option(void *arg, const char *name, struct slice value)
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

typedef struct control_client *serve_fn(
    struct crawler *, struct control_peer *, const struct ndjson *request);

static struct control_client *
serve_crawl(struct crawler *crawler, struct control_peer *peer,
    const struct ndjson *request)
{
	struct served_crawl *client;
	struct crawl_output_options how = {
	    .is_json = ndjson_flag(request, "json"),
	    .is_quiet = ndjson_flag(request, "quiet"),
	    .sandbox = crawler_sandbox(&crawler->options->readers),
	    .write = served_crawl_write};
	struct options_comparison comparison = {.theirs = request};
	struct crawl_options crawl;
	struct slice target;
	char why[256];

	if (crawler->has_no_driver) {
		crawler->wanted(crawler->wanted_arg);
		return NULL;
	}
	options_each_value(crawler->options, compare_option, &comparison);
	if (comparison.differs != NULL) {
		(void)snprintf(why, sizeof(why),
		    "the '%s' that holds this store has another '--%s'; it "
		    "takes further targets only with the options that it has",
		    crawler->options->command, comparison.differs);
		control_end(peer, EXIT_USAGE, slice_of(why));
		return NULL;
	}
	client = mem_zero(sizeof(*client));
	client->served = (struct control_client){
	    .line = served_crawl_line, .gone = served_crawl_gone};
	client->crawler = crawler;
	client->next = crawler->crawls;
	crawler->crawls = client;
	client->peer = peer;
	client->has_bad = ndjson_flag(request, "bad");
	how.arg = client;
	client->output = crawl_output_new(&how);
	client->began_ms = loop_now_ms(crawler->loop);
	crawl = crawler_request(crawler, client->output);
	crawl.is_forced = ndjson_flag(request, "force");
	crawl.is_continued = ndjson_flag(request, "again");
	crawl.document = served_crawl_document;
	crawl.problem = served_crawl_problem;
	crawl.arg = client;
	crawl.done = served_crawl_done;
	crawl.done_arg = client;
	client->crawl = run_crawl(crawler->run, &crawl);
	client->progress = loop_timer_new(
	    crawler->loop, served_crawl_progress, client);
	client->progress_ms = ndjson_number(request, "progress_ms", 0);
	/* the first line tells the command that the crawl has begun */
	loop_timer_set(client->progress, 0);
	/* The command has checked its targets. */
	for (size_t i = 0;
	     target = ndjson_item(request, "targets", i), target.p != NULL; i++)
		(void)run_target(crawler->run, client->crawl, target);
	run_start(crawler->run, client->crawl);
	return &client->served;
}

/* serve_owning: another process wants to be the owner.  One that crawls keeps
 * the store to its end, and two processes that run for ever exclude each other.
 */
static struct control_client *
serve_owning(struct crawler *crawler, struct control_peer *peer,
    const struct ndjson *request)
{
	char text[256];

	if (crawler->has_no_driver) {
		crawler->wanted(crawler->wanted_arg);
	} else if (strcmp(crawler->options->command, "run") == 0 &&
	    slice_is(ndjson_text(request, "command"), "run")) {
		(void)snprintf(text, sizeof(text),
		    "%s: another 'run' holds the store (%ld)",
		    diag_name(DIAG_STORE_LOCKED), (long)getpid());
		control_end(peer, EXIT_LOCKED, slice_of(text));
	} else {
		(void)snprintf(text, sizeof(text),
		    "{\"v\":1,\"type\":\"wait\",\"pid\":%ld}\n",
		    (long)getpid());
		control_send(peer, slice_of(text));
	}
	return NULL;
}

static struct control_client *
serve_frontier(struct crawler *crawler, struct control_peer *peer,
    const struct ndjson *request)
{
	struct frontier_service_options how = {.loop = crawler->loop,
	    .store = crawler->store,
	    /* nobody else reads documents without a driver */
	    .poll_ms = crawler->has_no_driver ? 0 : READINGS_MS};
	struct stop_signals_was was;

	if (crawler->service == NULL) {
		/* After a long crawl the frontier reads all that the crawl did.
		 * No page is out yet, and nothing of this is lost. */
		stop_signals_at_once(&was, true);
		crawler_share(crawler,
		    frontier_to_lease(crawler->watch_rules,
			crawler->options->frontier.total_budget,
			loop_now_s(crawler->loop)));
		stop_signals_at_once(&was, false);
		how.frontier = crawler->frontier;
		crawler->service = frontier_service_new(&how);
	}
	return frontier_service_client(crawler->service, request, peer);
}

static const struct {
	const char *command;
	serve_fn *serve;
} requests[] = {
    {"crawl", serve_crawl},
    {"run", serve_owning},
    {"db", serve_owning},
    {"due", serve_frontier},
    {"done", serve_frontier},
    {"import", serve_frontier},
    {"hold", serve_frontier},
    {"release", serve_frontier},
    {"add", watch_serve},
    {"rm", watch_serve},
    {"set", watch_serve},
    {"note", watch_serve},
    {"unnote", watch_serve},
    {"feed", feed_serve},
    {"alert", alert_serve},
    {"status", status_serve},
    {"total-budget", total_budget_serve},
};

/* serve_request: the one place where it is decided what a request is. */
static struct control_client *
serve_request(void *arg, struct control_peer *peer, struct slice line)
{
	struct crawler *crawler = arg;
	struct ndjson *request = ndjson_parse(line);
	struct control_client *client = NULL;
	struct slice command = slice_of(NULL);
	serve_fn *serve = NULL;
	char why[256];

	control_send(peer, slice_of("{\"v\":1,\"type\":\"hello\"}\n"));
	if (request != NULL)
		command = ndjson_text(request, "command");
	for (size_t i = 0; i < sizeof(requests) / sizeof(requests[0]); i++)
		if (slice_is(command, requests[i].command))
			serve = requests[i].serve;
	if (serve == NULL ||
	    !slice_is(ndjson_text(request, "version"), FRESHET_VERSION)) {
		(void)snprintf(why, sizeof(why),
		    "another version of freshet holds the store: %s, process "
		    "%ld",
		    FRESHET_VERSION, (long)getpid());
		control_end(peer, EXIT_USAGE, slice_of(why));
	} else {
		client = serve(crawler, peer, request);
	}
	ndjson_free(request);
	return client;
}

void
crawler_serve(struct crawler *crawler)
{
	struct control_options options = {.loop = crawler->loop,
	    .store_path = crawler->options->store.path,
	    .request = serve_request,
	    .arg = crawler};

	crawler->control = control_new(&options);
	/* a process without driver is through soon, or leaves the store */
	if (control_error(crawler->control) != 0 && !crawler->has_no_driver &&
	    !crawler->options->output.is_quiet)
		complain("no socket beside the store (%s): other commands "
			 "that write must wait",
		    strerrordesc_np(control_error(crawler->control)));
}

void
crawler_serve_failed(struct crawler *crawler)
{
	struct run_totals none = {0};
	int status;

	/* what was read is told and kept, if the store can be written */
	run_stop(crawler->run);
	status = crawler_status(crawler, &none);
	while (crawler->crawls != NULL) {
		uint32_t crawl = crawler->crawls->crawl;

		served_crawl_end(crawler->crawls, status);
		/* the driver tells the client, which is freed, nothing more */
		run_drop(crawler->run, crawl);
	}
}
