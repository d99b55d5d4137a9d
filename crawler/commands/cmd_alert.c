/* freshet alert: tell what happened, as the configuration says. */
#include <stdlib.h>
#include <string.h>

#include "base/human.h"
#include "base/mem.h"
#include "base/out_json.h"
#include "base/zone.h"
#include "crawler/alert/alert_match.h"
#include "crawler/alert/alert_send.h"
#include "crawler/cli/options_value.h"
#include "crawler/cli/out.h"
#include "crawler/cli/selection.h"
#include "crawler/commands/commands.h"
#include "crawler/event/exit.h"
#include "crawler/events/site_event_text.h"
#include "crawler/sandbox/sandbox.h"
#include "store/store.h"

#define REPLAY_S (30 * ZONE_DAY_S)

struct alerting {
	struct options *options;
	struct out out;
	bool has_failed;
};

static void
json_begin(
    struct alerting *alerting, const char *type, const struct alert_rule *rule)
{
	(void)buf_print(&alerting->out.text, "{\"v\":1");
	out_json_word(&alerting->out.text, "type", slice_of(type));
	out_json_word(&alerting->out.text, "alert", slice_of(rule->name));
}

static void
json_end(struct alerting *alerting)
{
	(void)buf_print(&alerting->out.text, "}\n");
	(void)out_line(&alerting->out);
}

/* send, test */

static void
put_told(struct alerting *alerting, const struct alert_told *told)
{
	struct buf *text = &alerting->out.text;
	const char *sink = alert_sink_name(told->sink);

	alerting->has_failed |= told->why.len > 0 || told->dropped > 0;
	if (alerting->options->output.is_json) {
		json_begin(alerting, "told", told->rule);
		out_json_word(text, "sink", slice_of(sink));
		out_json_number(text, "events", told->events);
		out_json_flag(text, "ok", told->why.len == 0);
		out_json_word(text, "why", told->why);
		out_json_number(text, "dropped", told->dropped);
		json_end(alerting);
		return;
	}
	if (told->why.len == 0 && alerting->options->output.is_quiet)
		return;
	if (told->events > 0) {
		(void)buf_print(text, "%s  %s  ", told->rule->name, sink);
		human_plural(text, told->events, "event");
		if (told->why.len > 0)
			(void)buf_print(text, " not told: ");
		else
			(void)buf_print(text, " told");
		out_text(&alerting->out, told->why);
		out_end_line(&alerting->out);
	}
	if (told->dropped > 0) {
		(void)buf_print(text, "%s  %s  ", told->rule->name, sink);
		human_plural(text, told->dropped, "event");
		(void)buf_print(
		    text, " given up: they could not be told for two weeks\n");
		(void)out_line(&alerting->out);
	}
}

static void
on_told(void *arg, const struct alert_told *told)
{
	put_told(arg, told);
}

static int
send(struct alerting *alerting)
{
	const struct options *options = alerting->options;
	const struct alert_rules *rules = &options->config.alerts;
	struct alert_state *state = NULL;
	struct store *store = NULL;
	int status = selection_open(&options->store, &store);

	sandbox_end_first();
	if (status == EXIT_DONE)
		status = alert_state_open(options->store.path, &state);
	if (status == EXIT_DONE) {
		alert_gather(state, store, options);
		alert_deliver(
		    state, rules, options, options->now_s, on_told, alerting);
		if (alerting->has_failed)
			status = EXIT_FINDINGS;
	}
	status = alert_state_close(state, status);
	return selection_close(store, status);
}

/* Name the tags that no site has, if there is a store; the test of a new alert
 * needs none. */
static void
check_tags(struct alerting *alerting, const struct alert_rule *rule)
{
	struct store *store = NULL;

	if (rule->tags.count == 0)
		return;
	if (selection_open(&alerting->options->store, &store) == EXIT_DONE)
		alert_complain_tags(store, rule);
	(void)selection_close(store, EXIT_DONE);
}

static int
try(struct alerting *alerting, const struct alert_rule *rule)
{
	check_tags(alerting, rule);
	for (int sink = 0; sink < ALERT_SINKS; sink++) {
		struct alert_told told = {
		    .rule = rule, .sink = (enum alert_sink)sink, .events = 1};
		struct buf why;

		if (!alert_has_sink(rule, told.sink))
			continue;
		buf_init(&why, SIZE_MAX);
		(void)alert_try(rule, told.sink, alerting->options,
		    alerting->options->now_s, &why);
		told.why = buf_text(&why);
		put_told(alerting, &told);
		buf_release(&why);
	}
	return alerting->has_failed ? EXIT_FINDINGS : EXIT_DONE;
}

/* list */

/* What waits in one way. */
struct alert_waiting {
	uint64_t events;
	int64_t next_s;
	struct buf why;
};

static void
on_waiting(void *arg, const struct alert_message *message)
{
	struct alert_waiting *waiting = arg;

	if (waiting->events++ == 0) {
		waiting->next_s = message->next_s;
		(void)buf_put_slice(&waiting->why, message->why);
	}
}

static void
put_sink(struct alerting *alerting, const struct alert_rule *rule,
    enum alert_sink sink, const struct alert_waiting *waiting, int64_t since_s)
{
	struct buf *text = &alerting->out.text;

	if (alerting->options->output.is_json) {
		json_begin(alerting, "sink", rule);
		out_json_word(text, "sink", slice_of(alert_sink_name(sink)));
		out_json_time(text, "until", since_s);
		out_json_number(text, "waiting", waiting->events);
		out_json_time(text, "next", waiting->next_s);
		out_json_word(text, "why", buf_text(&waiting->why));
		json_end(alerting);
		return;
	}
	(void)buf_print(text, "%s  %s  ", rule->name, alert_sink_name(sink));
	if (since_s == 0) {
		(void)buf_print(text, "begins with the next 'alert send'");
	} else {
		(void)buf_print(text, "events until ");
		zone_moment(text, since_s);
	}
	if (waiting->events > 0) {
		(void)buf_print(text, ", ");
		human_plural(text, waiting->events, "event");
		(void)buf_print(text, " to tell");
	}
	if (waiting->why.len > 0) {
		(void)buf_print(text, ", again at ");
		zone_moment(text, waiting->next_s);
		(void)buf_print(text, ": ");
		out_text(&alerting->out, buf_text(&waiting->why));
	}
	out_end_line(&alerting->out);
}

static int
list(struct alerting *alerting)
{
	const struct alert_rules *rules = &alerting->options->config.alerts;
	struct alert_state *state = NULL;
	int status = alert_state_open(alerting->options->store.path, &state);

	for (size_t i = 0; status == EXIT_DONE && i < rules->count; i++)
		for (int sink = 0; sink < ALERT_SINKS; sink++) {
			const struct alert_rule *rule = &rules->items[i];
			struct alert_waiting waiting = {.events = 0};

			if (!alert_has_sink(rule, (enum alert_sink)sink))
				continue;
			buf_init(&waiting.why, SIZE_MAX);
			alert_state_each(state, rule->name,
			    (enum alert_sink)sink, false, on_waiting, &waiting);
			put_sink(alerting, rule, (enum alert_sink)sink,
			    &waiting, alert_state_since(state, rule->name));
			buf_release(&waiting.why);
		}
	return alert_state_close(state, status);
}

/* replay */

struct replayed {
	int64_t known_s;
	size_t place; /* in the order in which send tells them */
	char *line, *event; /* owned */
};

struct replay {
	int64_t since_s, until_s;
	struct replayed *items; /* owned */
	size_t count, cap;
};

static int64_t
on_site(void *arg, int64_t site_id, int64_t *since_s)
{
	const struct replay *replay = arg;

	(void)site_id;
	since_s[0] = replay->since_s;
	return replay->until_s;
}

static void
on_event(void *arg, const struct alert_rule *rule,
    const struct site_event *event, struct slice host)
{
	struct replay *replay = arg;
	struct buf line, json;

	(void)rule;
	buf_init(&line, SIZE_MAX);
	buf_init(&json, SIZE_MAX);
	alert_put_line(&line, event, host);
	site_event_json(&json, event, host);
	replay->items = mem_grow(replay->items, &replay->cap, replay->count + 1,
	    sizeof(*replay->items));
	replay->items[replay->count] = (struct replayed){event->known_s,
	    replay->count, slice_dup(buf_text(&line)),
	    slice_dup(buf_text(&json))};
	replay->count++;
	buf_release(&line);
	buf_release(&json);
}

static int
by_known(const void *a, const void *b)
{
	const struct replayed *one = a, *other = b;

	if (one->known_s != other->known_s)
		return one->known_s < other->known_s ? -1 : 1;
	return one->place < other->place ? -1 : one->place > other->place;
}

static void
on_unsettled(void *arg, const struct alert_rule *rule,
    const struct site_event *event, struct slice host)
{
	(void)rule;
	(void)host;
	site_events_wait_for(arg, event);
}

/* Say what waits, so that nobody believes that nothing happened. */
static void
put_waiting(struct alerting *alerting, struct store *store,
    const struct alert_rule *rule)
{
	struct site_events_waiting waiting = {0};

	alert_each_waiting(
	    store, alerting->options, rule, on_unsettled, &waiting);
	if (waiting.count == 0)
		return;
	site_events_waiting_sentence(
	    &alerting->out.text, &waiting, alerting->options->now_s);
	out_end_line(&alerting->out);
}

static int
replay(struct alerting *alerting, const struct alert_rule *rule)
{
	const struct options *options = alerting->options;
	struct buf *text = &alerting->out.text;
	struct replay past = {0};
	struct store *store = NULL;
	int status;

	if (!choose_span(options, REPLAY_S, &past.since_s, &past.until_s))
		return EXIT_USAGE;
	/* what is not over may still grow */
	if (past.until_s > options->now_s)
		past.until_s = options->now_s;
	status = selection_open(&options->store, &store);
	if (status == EXIT_DONE) {
		alert_complain_tags(store, rule);
		alert_each(store, options, rule, 1, on_site, on_event, &past);
	}
	if (past.count > 0)
		qsort(past.items, past.count, sizeof(*past.items), by_known);
	for (size_t i = 0; i < past.count; i++) {
		if (options->output.is_json) {
			(void)buf_print(text, "%s\n", past.items[i].event);
			(void)out_line(&alerting->out);
		} else {
			zone_moment(text, past.items[i].known_s);
			(void)buf_print(text, "  %s", past.items[i].line);
			out_end_line(&alerting->out);
		}
		free(past.items[i].line);
		free(past.items[i].event);
	}
	free(past.items);
	/* the events of a past span wait no more */
	if (status == EXIT_DONE && past.until_s == options->now_s &&
	    !options->output.is_json)
		put_waiting(alerting, store, rule);
	return selection_close(store, status);
}

/* The command. */

static const struct alert_rule *
find_rule(const struct options *options, const char *name)
{
	const struct alert_rule *rule = alert_rules_find(
	    &options->config.alerts, name);

	if (rule == NULL)
		complain("the configuration has no section [alert %s]", name);
	return rule;
}

static int
act(struct alerting *alerting)
{
	const struct options *options = alerting->options;
	const struct string_list *args = &options->targets.args;
	const char *action = args->items[0];
	bool is_named = strcmp(action, "test") == 0 ||
	    strcmp(action, "replay") == 0;
	const struct alert_rule *rule;

	if (args->count != (is_named ? 2 : 1)) {
		complain("'alert %s' takes %s; see 'freshet help alert'",
		    action, is_named ? "the NAME of an alert" : "no argument");
		return EXIT_USAGE;
	}
	if (!is_named && options->config.alerts.count == 0) {
		complain("the configuration has no section [alert NAME]; see "
			 "'man freshet.conf'");
		return EXIT_USAGE;
	}
	if (strcmp(action, "send") == 0)
		return send(alerting);
	if (strcmp(action, "list") == 0)
		return list(alerting);
	rule = find_rule(options, args->items[1]);
	if (rule == NULL)
		return EXIT_USAGE;
	return strcmp(action, "test") == 0 ? try(alerting, rule)
					   : replay(alerting, rule);
}

int
command_alert(struct options *options)
{
	struct alerting alerting = {.options = options};
	int status, written;

	out_init(&alerting.out, &options->output);
	alerting.out.is_raw = options->output.is_json;
	status = act(&alerting);
	written = out_finish(&alerting.out);
	return written != EXIT_DONE ? written : status;
}
