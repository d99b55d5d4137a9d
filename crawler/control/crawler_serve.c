/* The requests of commands to the owner of the store. */
#include "crawler/control/crawler_serve.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/out_json.h"
#include "crawler/cli/options_value.h"
#include "crawler/cli/out.h"
#include "crawler/control/crawl_serve.h"
#include "crawler/control/crawler.h"
#include "crawler/control/fetch_serve.h"
#include "crawler/control/served.h"
#include "crawler/control/status.h"
#include "crawler/control/watch_change.h"
#include "crawler/event/exit.h"
#include "crawler/event/ndjson.h"
#include "crawler/feed/feed_batch.h"
#include "crawler/frontier/frontier.h"
#include "store/alert.h"
#include "store/feed.h"

typedef struct control_client *serve_fn(
    struct crawler *, struct control_peer *, const struct ndjson *request);

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
	int64_t delay_ms = ndjson_number(request, "delay_ms", -1);
	const char *budget = crawler->options->frontier.total_budget;
	char *typed = slice_dup(ndjson_text(request, "total"));
	double wanted = 0, total = 0;
	struct buf answer = BUF_UP_TO(SIZE_MAX);
	char why[256];

	/* one process keeps the delay of a host, so there is one delay */
	if (delay_ms >= 0 && delay_ms != crawler->options->network.delay_ms) {
		(void)snprintf(why, sizeof(why),
		    "the '%s' that holds this store has another '--delay'",
		    crawler->options->command);
		free(typed);
		control_end(peer, EXIT_USAGE, slice_of(why));
		return NULL;
	}
	/* Tell the client if another total budget holds than the one that its
	 * command was given. */
	(void)value_amount(typed, true, &wanted);
	if (budget != NULL)
		(void)value_amount(budget, true, &total);
	if (fabs(wanted - total) > wanted * 1e-9 && typed[0] != '\0') {
		out_json_line(&answer, "total");
		out_json_string(&answer, "rate", budget);
		out_json_line_end(&answer);
	}
	control_send(peer, buf_text(&answer));
	buf_release(&answer);
	free(typed);
	crawler_need_frontier(crawler);
	return frontier_service_client(crawler->service, request, peer);
}

/* May the store have that time?  Whoever reads it counts others as damage. */
static bool
alert_is_time(int64_t at_s)
{
	return at_s >= 0 && at_s <= DATE_BOUND_S;
}

/* Read the sites of a request, NULL if it has none; the caller frees them. */
static bool
alert_take_sites(
    const struct ndjson *object, struct store_alert_site **sites, size_t *count)
{
	struct strings texts = {0};
	bool is_good = true;

	if (ndjson_type(object, "sites") == NDJSON_NONE)
		return true;
	ndjson_strings(object, "sites", &texts);
	*count = texts.count;
	*sites = mem_zero((texts.count + 1) * sizeof(**sites));
	for (size_t i = 0; is_good && i < texts.count; i++)
		is_good = sscanf(texts.items[i], "%" SCNd64 " %" SCNd64,
			      &(*sites)[i].site_id,
			      &(*sites)[i].until_s) == 2 &&
		    alert_is_time((*sites)[i].until_s);
	strings_release(&texts);
	return is_good;
}

/* Note what alerts have told; the row without a name says until when somebody
 * tells. */
static struct control_client *
serve_alert(struct crawler *crawler, struct control_peer *peer,
    const struct ndjson *object)
{
	struct store_alert alert;
	struct slice name = ndjson_text(object, "alert");
	int64_t sink = ndjson_number(object, "sink", -1);
	size_t count = 0;
	struct store_alert_site *sites = NULL;
	struct slice reason = ndjson_text(object, "why");
	struct buf why = BUF_UP_TO(SIZE_MAX);
	int status = EXIT_USAGE;

	/* The sender is this user or the owner of the store, but may be no
	 * freshet at all. */
	alert = (struct store_alert){
	    .begun_s = ndjson_number(object, "begun", -1),
	    .until_s = ndjson_number(object, "until", -1),
	    .tries = ndjson_number(object, "tries", -1),
	    .next_s = ndjson_number(object, "next", -1),
	    .why = reason.len > 0 ? slice_dup(reason) : NULL};
	if (name.p == NULL || sink < 0 || sink > INT_MAX ||
	    !alert_is_time(alert.begun_s) || !alert_is_time(alert.until_s) ||
	    !alert_is_time(alert.next_s) || alert.tries < 0 ||
	    alert.tries > UINT32_MAX ||
	    !alert_take_sites(object, &sites, &count)) {
		(void)buf_print(&why, "%s", CONTROL_UNKNOWN);
	} else {
		int64_t now_s = loop_now_s(crawler->loop);
		struct store_alert claim;

		/* The row without a name says until when somebody tells; its
		 * time is bounded, because a clock may go back. */
		(void)store_alert_get(crawler->store, slice_of(""), 0, &claim);
		free(claim.why);
		if (name.len == 0 && alert.until_s > 0 &&
		    claim.until_s > now_s &&
		    claim.until_s <= now_s + ALERT_CLAIM_S) {
			(void)buf_print(
			    &why, "another 'freshet alert send' is at work");
			status = EXIT_FINDINGS;
		} else {
			store_alert_put(crawler->store, name, (int)sink, &alert,
			    sites, count);
			status = EXIT_DONE;
		}
		/* Who notes something is still at work. */
		if (name.len > 0) {
			claim.why = NULL;
			claim.until_s = now_s + ALERT_CLAIM_S;
			store_alert_put(
			    crawler->store, slice_of(""), 0, &claim, NULL, 0);
		}
	}
	(void)crawler_commit(
	    crawler, peer, slice_of(""), status, buf_text(&why));
	buf_release(&why);
	free(sites);
	free(alert.why);
	return NULL;
}

/* Change a consumer of the feed; that is made in the open transaction, and
 * acknowledged after its COMMIT. */
static struct control_client *
serve_feed(struct crawler *crawler, struct control_peer *peer,
    const struct ndjson *request)
{
	struct store *store = crawler->store;
	struct slice verb = ndjson_text(request, "verb");
	struct slice name = ndjson_text(request, "consumer");
	int64_t now_s = loop_now_s(crawler->loop);
	bool opens = slice_is(verb, "open");
	bool acks = slice_is(verb, "ack");
	bool is_there = false;
	struct feed_consumer consumer;
	struct buf why = BUF_UP_TO(SIZE_MAX);
	int status = EXIT_USAGE;

	if (name.len > 0)
		is_there = store_feed_get(store, name, &consumer);
	/* The sender may be no freshet at all. */
	if (name.len == 0 || (!opens && !acks && !slice_is(verb, "forget")))
		(void)buf_print(&why, "%s", CONTROL_UNKNOWN);
	else if (!is_there && !opens)
		(void)buf_print(&why, "the feed has no consumer '%.*s'",
		    (int)name.len, name.p);
	else if (acks &&
	    !feed_ack(store, &consumer, ndjson_text(request, "cursor"), now_s))
		(void)buf_print(&why,
		    "this is no cursor that consumer '%s' was given",
		    consumer.name);
	else
		status = EXIT_DONE;
	if (status == EXIT_DONE && !is_there)
		store_feed_make(
		    store, name, ndjson_text(request, "tags"), now_s);
	if (status == EXIT_DONE && !opens && !acks)
		store_feed_forget(store, consumer.id);
	if (is_there)
		feed_consumer_release(&consumer);
	(void)crawler_commit(
	    crawler, peer, slice_of(""), status, buf_text(&why));
	buf_release(&why);
	return NULL;
}

static const struct {
	const char *command;
	serve_fn *serve;
} requests[] = {
    {"crawl", crawl_serve},
    {"fetch", fetch_serve},
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
    {"feed", serve_feed},
    {"alert", serve_alert},
    {"status", status_serve},
    {"total-budget", total_budget_serve},
};

/* serve_request: the one place where it is decided what a request is. */
static struct control_client *
serve_request(void *arg, struct control_peer *peer, struct slice line)
{
	struct crawler *crawler = arg;
	struct ndjson *request = ndjson_parse(line, NULL);
	struct control_client *client = NULL;
	struct slice command = slice_of(NULL), version = command;
	serve_fn *serve = NULL;
	char why[256];

	control_send(peer, slice_of("{\"v\":1,\"type\":\"hello\"}\n"));
	if (request != NULL) {
		command = ndjson_text(request, "command");
		version = ndjson_text(request, "version");
	}
	for (size_t i = 0; i < sizeof(requests) / sizeof(requests[0]); i++)
		if (slice_is(command, requests[i].command))
			serve = requests[i].serve;
	/* another version may have written what comes as mail */
	if (crawler->takes_mail ? serve != watch_serve && serve != serve_feed &&
		    (serve != serve_frontier || slice_is(command, "due"))
				: !slice_is(version, FRESHET_VERSION))
		serve = NULL;
	if (serve == NULL) {
		(void)snprintf(why, sizeof(why),
		    "another version of freshet holds the store: %s, process "
		    "%ld",
		    FRESHET_VERSION, (long)getpid());
		control_end(peer, EXIT_USAGE,
		    slice_of(crawler->takes_mail ? CONTROL_UNKNOWN : why));
	} else {
		client = serve(crawler, peer, request);
	}
	ndjson_free(request);
	return client;
}

void
crawler_serve(struct crawler *crawler)
{
	int error;

	crawler->control = control_new(crawler->loop,
	    crawler->options->store.path, serve_request, crawler, &error);
	/* a process without driver is through soon, or leaves the store */
	if (error != 0 && !crawler->has_no_driver &&
	    !crawler->options->output.is_quiet)
		complain("no socket beside the store (%s): other commands "
			 "that write must wait",
		    strerrordesc_np(error));
}

void
crawler_serve_failed(struct crawler *crawler)
{
	struct run_totals none = {0};
	int status;

	/* what was read is told and kept, if the store can be written */
	run_stop(crawler->run);
	status = crawler_status(crawler, &none);
	while (crawler->served != NULL)
		crawler->served->end(crawler->served, status);
}
