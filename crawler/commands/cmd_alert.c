/* freshet alert: tell what happened, as the configuration says. */
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/human.h"
#include "base/out_json.h"
#include "base/zone.h"
#include "crawler/alert/alert_send.h"
#include "crawler/cli/network.h"
#include "crawler/cli/out.h"
#include "crawler/cli/selection.h"
#include "crawler/commands/commands.h"
#include "crawler/control/asks.h"
#include "crawler/control/crawler_serve.h"
#include "crawler/control/shards.h"
#include "crawler/event/exit.h"
#include "crawler/events/site_event.h"
#include "crawler/sandbox/sandbox.h"

#define REPLAY_S (30 * DAY_S)
#define NOTE_EVERY_S 3600

struct alerting {
	struct options *options;
	struct out out;
	struct network network; /* owned; of webhooks */
	bool has_failed;
};

/* What became of the messages of one rule in one way. */
struct alert_told {
	const struct alert_rule *rule;
	enum alert_sink sink;
	uint64_t events; /* that were told, or not */
	struct slice why; /* why they were not told; empty: they were */
	uint64_t dropped; /* events that are given up */
};

/* send, test */

/* With true, no other process tells anything for ALERT_CLAIM_S, or until this
 * one calls it with false: EXIT_DONE, or EXIT_LOCKED after one line on stderr
 * if another process did that.  Each alert_request_run() makes the time anew.
 */
static int
alert_request_claim(const struct options *options, bool is_mine)
{
	struct alert_request request = {.name = slice_of(""),
	    .alert = {.until_s = is_mine ? options->now_s + ALERT_CLAIM_S : 0}};
	int status = alert_request_run(options, &request);

	return status == EXIT_FINDINGS ? EXIT_LOCKED : status;
}

/* A line for each attempt; with --quiet only for what could not be told, so
 * that `run`, whose stderr this is, logs nothing else. */
static void
alert_put_told(struct alerting *alerting, const struct alert_told *told)
{
	struct buf *text = &alerting->out.text;
	const char *sink = alert_sink_names[told->sink];

	alerting->has_failed |= told->why.len > 0 || told->dropped > 0;
	if (alerting->options->output.is_json) {
		out_json_line(text, "told");
		out_json_string(text, "alert", told->rule->name);
		out_json_string(text, "sink", sink);
		out_json_number(text, "events", told->events);
		out_json_flag(text, "ok", told->why.len == 0);
		out_json_word(text, "why", told->why);
		out_json_number(text, "dropped", told->dropped);
		(void)out_end_json(&alerting->out);
		return;
	}
	/* success is no news for the log of `run` */
	if (told->why.len == 0 && alerting->options->output.is_quiet)
		return;
	if (told->events > 0) {
		(void)buf_print(text, "%s  %s  %s %s", told->rule->name, sink,
		    human_of(told->events, "event").text,
		    told->why.len > 0 ? "not told: " : "told");
		out_text(&alerting->out, told->why);
		out_end_line(&alerting->out);
	}
	if (told->dropped > 0) {
		(void)buf_print(text,
		    "%s  %s  %s given up: they could not be told for two "
		    "weeks\n",
		    told->rule->name, sink,
		    human_of(told->dropped, "event").text);
		(void)out_line(&alerting->out);
	}
}

/* Tell what one way has to tell, if its time has come, and note what became of
 * it. */
static int
send_way(struct alerting *alerting, struct store *store, struct alert_way *way)
{
	const struct options *options = alerting->options;
	struct alert_told told = {
	    way->rule, way->sink, way->count, slice_of(""), way->dropped};
	struct alert_request note = {.name = slice_of(way->rule->name),
	    .sink = (int)way->sink,
	    .alert = way->next,
	    .sites = way->sites,
	    .count = way->site_count};
	struct store_alert_site none = {0};
	struct buf why = BUF_UP_TO(SIZE_MAX);
	int status;

	/* NULL would leave the sites of the store as they are; now there may
	 * be none. */
	if (note.sites == NULL)
		note.sites = &none;
	/* What failed is found again from the same time on, with all that comes
	 * until then; only what is given up is passed by. */
	if (way->count > 0 &&
	    !alert_tell(way, store, options, &alerting->network, &why)) {
		note.sites = NULL;
		note.count = 0;
		note.alert = way->was;
		note.alert.tries++;
		note.alert.next_s = alert_next_s(
		    options->now_s, note.alert.tries);
		note.alert.why = why.p;
		if (way->dropped > 0)
			note.alert.until_s = options->now_s - ALERT_KEEP_S;
		told.why = buf_text(&why);
	}
	status = alert_request_run(options, &note);
	if (told.events + told.dropped > 0)
		alert_put_told(alerting, &told);
	buf_release(&why);
	return status;
}

/* Between telling and noting it nothing ends this process, and no other one
 * tells anything, or the same would be told again. */
static int
alert_send_all(struct alerting *alerting, struct store *store,
    struct alert_ways *ways, size_t count)
{
	const struct options *options = alerting->options;
	int status = alert_request_claim(options, true);
	struct store_alert now;

	if (status != EXIT_DONE)
		return status;
	for (size_t i = 0;
	     status == EXIT_DONE && i < count && !alert_is_to_end(); i++) {
		struct alert_way *way = &ways->items[i];
		bool is_there = store_alert_get(
		    store, slice_of(way->rule->name), (int)way->sink, &now);

		free(now.why);
		/* somebody else may have told it since the events were
		 * gathered */
		if (is_there == way->is_new ||
		    (is_there &&
			(now.until_s != way->was.until_s ||
			    now.tries != way->was.tries)))
			continue;
		status = send_way(alerting, store, way);
	}
	(void)alert_request_claim(options, false);
	return status;
}

/* The events are found without the store's lock and without a claim, since this
 * is what takes long; most of the time there is nothing to tell, and nothing is
 * written. */
static int
send_alert(struct alerting *alerting)
{
	const struct options *options = alerting->options;
	struct alert_ways ways = {0};
	struct store *store = NULL;
	int status = selection_open(options, &store);
	sigset_t ends, before;
	size_t count = 0;

	(void)sandbox_end_first(0);
	if (status == EXIT_DONE)
		alert_gather(store, options, &ways);
	/* A way without news is written down once an hour, so that the next
	 * look goes back an hour at most. */
	for (size_t i = 0; i < ways.count; i++) {
		struct alert_way *way = &ways.items[i];

		if (way->was.next_s <= options->now_s &&
		    (way->is_new || way->count + way->dropped > 0 ||
			way->next.until_s - way->was.until_s > NOTE_EVERY_S)) {
			struct alert_way moved = ways.items[count];

			ways.items[count++] = *way;
			ways.items[i] = moved;
		}
	}
	if (count > 0) {
		exit_block_signals(&ends, &before);
		status = network_open_own(
		    &alerting->network, &options->network);
		if (status == EXIT_DONE)
			status = alert_send_all(alerting, store, &ways, count);
		network_release(&alerting->network);
		(void)sigprocmask(SIG_SETMASK, &before, NULL);
	}
	if (status == EXIT_DONE && alerting->has_failed)
		status = EXIT_FINDINGS;
	alert_ways_release(&ways);
	return selection_close(store, status);
}

/* Tell that this is a test, in all ways of the alert. */
static int
try(struct alerting *alerting, const struct alert_rule *rule)
{
	int status = network_open_own(
	    &alerting->network, &alerting->options->network);
	struct store *store = NULL;

	/* The test of a new alert needs no store; but if there is one, tags
	 * that no site has are named. */
	if (rule->tags.count > 0 &&
	    selection_open(alerting->options, &store) == EXIT_DONE)
		alert_complain_tags(store, rule);
	(void)selection_close(store, EXIT_DONE);
	for (int sink = 0; status == EXIT_DONE && sink < ALERT_SINKS; sink++) {
		struct alert_told told = {
		    .rule = rule, .sink = (enum alert_sink)sink, .events = 1};
		struct buf why = BUF_UP_TO(SIZE_MAX);

		if (!alert_has_sink(rule, told.sink))
			continue;
		(void)alert_try(rule, told.sink, &alerting->network,
		    alerting->options->now_s, &why);
		told.why = buf_text(&why);
		alert_put_told(alerting, &told);
		buf_release(&why);
	}
	network_release(&alerting->network);
	if (status != EXIT_DONE)
		return status;
	return alerting->has_failed ? EXIT_FINDINGS : EXIT_DONE;
}

/* list */

/* A way of an alert: up to when it has told, what waits, and what failed. */
static void
put_way(struct alerting *alerting, const struct alert_way *way)
{
	struct buf *text = &alerting->out.text;
	const char *sink = alert_sink_names[way->sink];
	int64_t until_s = way->is_new ? 0 : way->was.until_s;
	struct slice why = slice_of(way->was.why);

	if (alerting->options->output.is_json) {
		out_json_line(text, "sink");
		out_json_string(text, "alert", way->rule->name);
		out_json_string(text, "sink", sink);
		out_json_time(text, "until", until_s);
		out_json_number(text, "waiting", way->count);
		out_json_time(text, "next", way->was.next_s);
		out_json_word(text, "why", why);
		(void)out_end_json(&alerting->out);
		return;
	}
	(void)buf_print(text, "%s  %s  ", way->rule->name, sink);
	/* a new way tells nothing of the past, so it has no time yet */
	if (way->is_new)
		(void)buf_print(text, "begins with the next 'alert send'");
	else
		(void)buf_print(text, "events until %s",
		    zone_text(until_s, ZONE_MOMENT).text);
	if (way->count > 0)
		(void)buf_print(
		    text, ", %s to tell", human_of(way->count, "event").text);
	if (why.len > 0) {
		(void)buf_print(text, ", again at %s: ",
		    zone_text(way->was.next_s, ZONE_MOMENT).text);
		out_text(&alerting->out, why);
	}
	out_end_line(&alerting->out);
}

/* replay */

/* What the alert would have told in a span of the past. */
static int
replay(struct alerting *alerting, const struct alert_rule *rule)
{
	const struct options *options = alerting->options;
	struct buf *text = &alerting->out.text;
	struct alert_way past = {.rule = rule, .is_past = true};
	struct site_events_waiting waiting = {0};
	struct store *store = NULL;
	int64_t until_s;
	int status;

	if (!choose_span(options, REPLAY_S, &past.was.until_s, &until_s))
		return EXIT_USAGE;
	/* what is not over may still grow */
	if (until_s > options->now_s)
		until_s = options->now_s;
	status = selection_open(options, &store);
	if (status == EXIT_DONE) {
		alert_complain_tags(store, rule);
		alert_look(store, options, until_s, &past, NULL);
	}
	for (size_t i = 0; i < past.count; i++) {
		if (options->output.is_json)
			(void)buf_print(text, "%s", past.events[i].json);
		else
			(void)buf_print(text, "%s  %s",
			    zone_text(past.events[i].known_s, ZONE_MOMENT).text,
			    past.events[i].line);
		out_end_line(&alerting->out);
	}
	alert_way_release(&past);
	/* the events of a past span wait no more */
	if (status == EXIT_DONE && until_s == options->now_s &&
	    !options->output.is_json)
		alert_look(store, options, 0,
		    &(struct alert_way){
			.rule = rule, .since_s = options->now_s},
		    &waiting);
	/* so that nobody believes that nothing happened */
	if (waiting.count > 0) {
		site_events_waiting_sentence(text, &waiting, options->now_s);
		out_end_line(&alerting->out);
	}
	return selection_close(store, status);
}

static int
act(struct alerting *alerting)
{
	const struct options *options = alerting->options;
	const struct strings *args = &options->targets.args;
	const char *action = args->items[0];
	bool is_named = strcmp(action, "test") == 0 ||
	    strcmp(action, "replay") == 0;
	const struct alert_rule *rule = NULL;

	if (args->count != (is_named ? 2 : 1))
		return complain_with(EXIT_USAGE,
		    "'alert %s' takes %s; see 'freshet help alert'", action,
		    is_named ? "the NAME of an alert" : "no argument");
	/* send and list are of all alerts, and there are none */
	if (!is_named && options->config.alerts.count == 0)
		return complain_with(EXIT_USAGE,
		    "the configuration has no section [alert NAME]; see 'man "
		    "freshet.conf'");
	if (strcmp(action, "send") == 0)
		return send_alert(alerting);
	if (strcmp(action, "list") == 0) {
		/* What waits is found as `send` would find it now. */
		struct alert_ways ways = {0};
		struct store *store = NULL;
		int status = selection_open(options, &store);

		if (status == EXIT_DONE)
			alert_gather(store, options, &ways);
		for (size_t i = 0; i < ways.count; i++)
			put_way(alerting, &ways.items[i]);
		alert_ways_release(&ways);
		return selection_close(store, status);
	}
	for (size_t i = 0; i < options->config.alerts.count; i++)
		if (strcmp(options->config.alerts.items[i].name,
			args->items[1]) == 0)
			rule = &options->config.alerts.items[i];
	if (rule == NULL)
		return complain_with(EXIT_USAGE,
		    "the configuration has no section [alert %s]",
		    args->items[1]);
	return strcmp(action, "test") == 0 ? try(alerting, rule)
					   : replay(alerting, rule);
}

int
command_alert(struct options *options)
{
	struct alerting alerting = {.options = options};
	struct shards shards;
	int status = shards_open(&shards, options);

	if (status == EXIT_DONE && shards.count > 1)
		status = complain_with(EXIT_USAGE,
		    "'alert' works on one shard of this store, which --shard "
		    "names; 'freshet run' tells all");
	shards_close(&shards);
	if (status != EXIT_DONE)
		return status;
	out_init(&alerting.out, &options->output);
	alerting.out.is_raw = options->output.is_json;
	status = act(&alerting);
	return out_end(&alerting.out, status);
}
