/*
 * Writing down what is to be told, and telling it.
 *
 *	events of the store -> messages, one for each way -> told, or tried
 *	again later
 */
#include "crawler/alert/alert_send.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/human.h"
#include "base/mem.h"
#include "base/out_json.h"
#include "base/zone.h"
#include "crawler/alert/alert_match.h"
#include "crawler/cli/out.h"
#include "crawler/cli/textfile.h"
#include "crawler/event/exit.h"
#include "crawler/event/ndjson.h"
#include "crawler/events/events.h"
#include "crawler/events/site_event_text.h"
#include "store/site_tally.h"

#define RETRY_S 60
#define RETRY_MOST_S (6 * 3600)
#define HELD_UP_MOST_S INT64_C(86400)
#define EVENTS_AT_ONCE 1000 /* of one message; the others come in the next */
/* Lines of a text for a chat; with the first line these are less than the
 * 40,000 characters that Slack takes. */
#define CHAT_BYTES 30000
#define MOMENT_BYTES 19 /* what put_message() puts around a line */

bool
alert_has_sink(const struct alert_rule *rule, enum alert_sink sink)
{
	switch (sink) {
	case ALERT_EXEC:
		return rule->program != NULL;
	case ALERT_WEBHOOK:
		return rule->webhook_file != NULL || rule->webhook_env != NULL;
	case ALERT_ATOM:
		return rule->atom != NULL;
	case ALERT_SINKS:
		break;
	}
	return false;
}

/* When. */

/* Is it within the quiet hours, in the zone of base/zone.h? */
static bool
is_quiet(const struct alert_rule *rule, int64_t at_s)
{
	struct civil civil = zone_civil(at_s);
	int minute = civil.hour * 60 + civil.minute;
	bool is_over_midnight = rule->quiet_from_min > rule->quiet_until_min;

	if (!rule->has_quiet)
		return false;
	if (is_over_midnight)
		return minute >= rule->quiet_from_min ||
		    minute < rule->quiet_until_min;
	return minute >= rule->quiet_from_min && minute < rule->quiet_until_min;
}

/* May what was written down at made_s be told now, as far as the digest goes?
 */
static bool
is_due(const struct alert_rule *rule, int64_t made_s, int64_t now_s)
{
	int64_t made = zone_day(made_s), today = zone_day(now_s);

	switch (rule->digest) {
	case ALERT_AT_ONCE:
		break;
	case ALERT_DAILY:
		return made < today;
	case ALERT_WEEKLY:
		return made - (int64_t)zone_weekday(made) <
		    today - (int64_t)zone_weekday(today);
	}
	return true;
}

/* What. */

struct alert_gathering {
	struct alert_state *state;
	struct store *store;
	const struct alert_rules *rules;
	int64_t now_s, until_s;
	int64_t *since_s; /* owned; of each rule */
};

static void
on_event(void *arg, const struct alert_rule *rule,
    const struct site_event *event, struct slice host)
{
	struct alert_gathering *gathering = arg;
	struct alert_message message = {
	    .known_s = event->known_s, .made_s = gathering->now_s};
	struct buf line, json;

	buf_init(&line, SIZE_MAX);
	buf_init(&json, SIZE_MAX);
	alert_put_line(&line, event, host);
	site_event_json(&json, event, host);
	message.line = buf_text(&line);
	message.event = buf_text(&json);
	for (int sink = 0; sink < ALERT_SINKS; sink++)
		if (alert_has_sink(rule, (enum alert_sink)sink))
			alert_state_add(gathering->state, rule->name,
			    (enum alert_sink)sink, &message);
	buf_release(&line);
	buf_release(&json);
}

/* Up to when the events of a site can be told.  An event is not known for sure
 * while changes that may belong to it are not counted, as when the crawl is
 * under way or was killed; but they wait for a day at most. */
static int64_t
tell_until(const struct alert_gathering *gathering, int64_t site_id)
{
	int64_t uncounted_s = store_untallied_since(gathering->store, site_id);

	if (uncounted_s == 0 || uncounted_s >= gathering->now_s)
		return gathering->until_s;
	return uncounted_s > gathering->now_s - HELD_UP_MOST_S
	    ? uncounted_s - EVENTS_LAG_S
	    : gathering->until_s - HELD_UP_MOST_S;
}

/* A site whose events wait has a time of its own, so that it holds up no other
 * one. */
static int64_t
span_of_site(void *arg, int64_t site_id, int64_t *since_s)
{
	const struct alert_gathering *gathering = arg;
	int64_t until_s = tell_until(gathering, site_id);

	for (size_t i = 0; i < gathering->rules->count; i++) {
		const char *alert = gathering->rules->items[i].name;
		int64_t held_s = alert_state_held(
		    gathering->state, alert, site_id);

		since_s[i] = held_s != 0 ? held_s : gathering->since_s[i];
		if (until_s < gathering->until_s)
			alert_state_hold(gathering->state, alert, site_id,
			    since_s[i] > until_s ? since_s[i] : until_s);
		else if (held_s != 0)
			alert_state_hold(gathering->state, alert, site_id, 0);
	}
	return until_s;
}

void
alert_gather(struct alert_state *state, struct store *store,
    const struct options *options)
{
	const struct alert_rules *rules = &options->config.alerts;
	int64_t until_s = options->now_s - EVENTS_LAG_S;
	struct alert_gathering gathering = {state, store, rules, options->now_s,
	    until_s, mem_zero((rules->count + 1) * sizeof(int64_t))};
	int64_t *since_s = gathering.since_s;

	alert_state_begin(state);
	for (size_t i = 0; i < rules->count; i++) {
		since_s[i] = alert_state_since(state, rules->items[i].name);
		if (since_s[i] == 0)
			since_s[i] = until_s;
	}
	alert_each(store, options, rules->items, rules->count, span_of_site,
	    on_event, &gathering);
	for (size_t i = 0; i < rules->count; i++)
		/* a clock that went back tells nothing twice */
		alert_state_until(state, rules->items[i].name,
		    since_s[i] > until_s ? since_s[i] : until_s);
	alert_state_commit(state);
	free(since_s);
}

/* One message to one sink. */
struct delivery {
	const struct alert_rule *rule;
	enum alert_sink sink;
	int64_t now_s;
	uint64_t key; /* of hashes, which no site knows */
	struct due_event *items; /* owned: what is due */
	size_t due, cap;
	int64_t *ids; /* owned: what is told, in order */
	size_t events;
	size_t written; /* how many of them were put into the message */
	int64_t tries;
	bool has_later; /* messages that are not due yet */
	/* the line of the event that matters most, its rank, and its pages */
	struct buf top;
	unsigned top_rank;
	int64_t top_count;
	struct buf lines, events_json;
};

/* An event that is due. */
struct due_event {
	int64_t id;
	uint64_t site; /* hash of its host */
	size_t turn; /* how many of its site come before */
	size_t bytes; /* of its line in a chat */
};

static void
delivery_init(struct delivery *delivery)
{
	buf_init(&delivery->top, SIZE_MAX);
	buf_init(&delivery->lines, SIZE_MAX);
	buf_init(&delivery->events_json, SIZE_MAX);
}

static void
delivery_release(struct delivery *delivery)
{
	free(delivery->items);
	free(delivery->ids);
	buf_release(&delivery->top);
	buf_release(&delivery->lines);
	buf_release(&delivery->events_json);
}

/* Is it the event that matters most so far?  Of events of one kind that is the
 * one of most pages, and of these the first. */
static void
compare_with_top(struct delivery *delivery, const struct alert_message *message)
{
	struct ndjson *event = ndjson_parse(message->event);
	unsigned rank = EVENT_KINDS;
	int64_t count = 0;

	if (event != NULL) {
		rank = site_event_rank(
		    site_event_kind_find(ndjson_text(event, "kind")));
		count = ndjson_number(event, "count", 0);
	}
	ndjson_free(event);
	if (delivery->written > 1 &&
	    (rank > delivery->top_rank ||
		(rank == delivery->top_rank && count <= delivery->top_count)))
		return;
	delivery->top_rank = rank;
	delivery->top_count = count;
	buf_clear(&delivery->top);
	(void)buf_put_slice(&delivery->top, message->line);
}

static void
put_message(struct delivery *delivery, const struct alert_message *message)
{
	delivery->written++;
	compare_with_top(delivery, message);
	zone_moment(&delivery->lines, message->known_s);
	(void)buf_print(&delivery->lines, "  %.*s\n", (int)message->line.len,
	    message->line.p);
	(void)buf_put_slice(&delivery->events_json, message->event);
	(void)buf_put_char(&delivery->events_json, '\n');
}

/* What is due. */
static void
on_waiting(void *arg, const struct alert_message *message)
{
	struct delivery *delivery = arg;
	struct ndjson *event;
	struct buf chat;

	if (delivery->has_later)
		return;
	if (message->next_s > delivery->now_s ||
	    !is_due(delivery->rule, message->made_s, delivery->now_s)) {
		delivery->has_later = true;
		return;
	}
	if (message->tries > delivery->tries)
		delivery->tries = message->tries;
	buf_init(&chat, SIZE_MAX);
	alert_put_chat(&chat, message->line);
	event = ndjson_parse(message->event);
	delivery->items = mem_grow(delivery->items, &delivery->cap,
	    delivery->due + 1, sizeof(*delivery->items));
	delivery->items[delivery->due++] = (struct due_event){.id = message->id,
	    .site = event == NULL
		? 0
		: hash_key(ndjson_text(event, "site"), delivery->key),
	    .bytes = chat.len + MOMENT_BYTES};
	ndjson_free(event);
	buf_release(&chat);
}

static int
by_site(const void *a, const void *b)
{
	const struct due_event *one = a, *other = b;

	if (one->site != other->site)
		return one->site < other->site ? -1 : 1;
	return one->id < other->id ? -1 : one->id > other->id;
}

static int
by_turn(const void *a, const void *b)
{
	const struct due_event *one = a, *other = b;

	if (one->turn != other->turn)
		return one->turn < other->turn ? -1 : 1;
	return one->id < other->id ? -1 : one->id > other->id;
}

static int
by_id(const void *a, const void *b)
{
	const int64_t *one = a, *other = b;

	return *one < *other ? -1 : *one > *other;
}

/*
 * Choose what this message tells; the rest is told by the next ones.  Sites
 * take turns, so that a site of which there is much to tell keeps no other site
 * out.
 */
static void
choose(struct delivery *delivery)
{
	struct due_event *items = delivery->items;
	size_t bytes = 0;

	if (delivery->due == 0)
		return;
	qsort(items, delivery->due, sizeof(*items), by_site);
	for (size_t i = 1; i < delivery->due; i++)
		if (items[i].site == items[i - 1].site)
			items[i].turn = items[i - 1].turn + 1;
	qsort(items, delivery->due, sizeof(*items), by_turn);
	delivery->ids = mem_zero(EVENTS_AT_ONCE * sizeof(*delivery->ids));
	while (delivery->events < delivery->due &&
	    delivery->events < EVENTS_AT_ONCE) {
		bytes += items[delivery->events].bytes;
		if (delivery->sink == ALERT_WEBHOOK && bytes > CHAT_BYTES)
			break;
		delivery->ids[delivery->events] = items[delivery->events].id;
		delivery->events++;
	}
	qsort(delivery->ids, delivery->events, sizeof(*delivery->ids), by_id);
}

static void
on_chosen(void *arg, const struct alert_message *message)
{
	struct delivery *delivery = arg;

	if (delivery->written < delivery->events &&
	    message->id == delivery->ids[delivery->written])
		put_message(delivery, message);
}

/* "ALERT: EVENT; and 3 other events": what does not fit is cut from the event.
 */
static void
put_line(struct buf *out, const struct delivery *delivery)
{
	struct buf line, others;

	buf_init(&line, SIZE_MAX);
	buf_init(&others, SIZE_MAX);
	if (delivery->events > 1) {
		(void)buf_print(&others, "; and ");
		human_plural(&others, delivery->events - 1, "other event");
	}
	(void)buf_print(&line, "%s: ", delivery->rule->name);
	(void)buf_put_slice(&line, buf_text(&delivery->top));
	vis_put(out, buf_text(&line), ALERT_LINE_BYTES - others.len);
	(void)buf_put_slice(out, buf_text(&others));
	buf_release(&line);
	buf_release(&others);
}

static bool
tell(const struct delivery *delivery, const struct options *options,
    struct buf *why)
{
	struct buf line, text, ndjson;
	struct alert_note note;
	bool is_told;

	buf_init(&line, SIZE_MAX);
	buf_init(&text, SIZE_MAX);
	buf_init(&ndjson, SIZE_MAX);
	put_line(&line, delivery);
	(void)buf_print(&text, "%s\n", buf_str(&line));
	(void)buf_put_slice(&text, buf_text(&delivery->lines));
	(void)buf_print(&ndjson, "{\"v\":1");
	out_json_word(&ndjson, "type", slice_of("alert"));
	out_json_word(&ndjson, "alert", slice_of(delivery->rule->name));
	out_json_word(&ndjson, "line", buf_text(&line));
	out_json_number(&ndjson, "events", delivery->events);
	(void)buf_print(&ndjson, "}\n");
	(void)buf_put_slice(&ndjson, buf_text(&delivery->events_json));
	note = (struct alert_note){.rule = delivery->rule,
	    .events = delivery->events,
	    .line = buf_text(&line),
	    .text = buf_text(&text),
	    .ndjson = buf_text(&ndjson)};
	is_told = delivery->sink == ALERT_EXEC
	    ? alert_exec(&note, why)
	    : alert_webhook(&note, &options->network, why);
	buf_release(&line);
	buf_release(&text);
	buf_release(&ndjson);
	return is_told;
}

/* An Atom file has the latest messages, those of now and those before. */
struct atom {
	const struct alert_rule *rule;
	struct buf entries;
	int64_t at_s; /* of the latest entry */
	unsigned count;
};

static void
on_entry(void *arg, const struct alert_message *message)
{
	struct atom *atom = arg;

	if (atom->count == ALERT_KEPT)
		return;
	if (atom->count++ == 0)
		atom->at_s = message->made_s;
	alert_atom_entry(&atom->entries, atom->rule, message->id,
	    message->known_s, message->line, message->event);
}

static bool
write_atom(const struct alert_rule *rule, const struct atom *atom,
    const struct options *options, struct buf *why)
{
	struct out out;

	if (!out_init_file(&out, &options->output, rule->atom)) {
		(void)buf_print(why, "'%s' cannot be written", rule->atom);
		return false;
	}
	out.is_raw = true;
	alert_atom_begin(&out.text, rule, atom->at_s);
	(void)buf_put_slice(&out.text, buf_text(&atom->entries));
	alert_atom_end(&out.text);
	(void)out_line(&out);
	if (out_finish(&out) != EXIT_DONE)
		(void)buf_print(why, "'%s' cannot be written", rule->atom);
	return why->len == 0;
}

static bool
tell_atom(struct alert_state *state, const struct delivery *delivery,
    const struct options *options, struct buf *why)
{
	struct atom atom = {.rule = delivery->rule};
	bool is_told;

	buf_init(&atom.entries, SIZE_MAX);
	/* if the file cannot be written, they are waiting again */
	alert_state_begin(state);
	alert_state_told(state, delivery->rule->name, ALERT_ATOM, delivery->ids,
	    delivery->events);
	alert_state_each(
	    state, delivery->rule->name, ALERT_ATOM, true, on_entry, &atom);
	is_told = write_atom(delivery->rule, &atom, options, why);
	if (is_told)
		alert_state_commit(state);
	else
		alert_state_rollback(state);
	buf_release(&atom.entries);
	return is_told;
}

/* Tell what was chosen, and note it. */
static void
deliver_chosen(struct alert_state *state, const struct delivery *delivery,
    const struct options *options, struct buf *why)
{
	const char *alert = delivery->rule->name;
	int64_t wait_s = RETRY_S;
	int64_t last_id = 0;

	if (delivery->sink == ALERT_ATOM
		? tell_atom(state, delivery, options, why)
		: tell(delivery, options, why)) {
		if (delivery->sink == ALERT_ATOM)
			return;
		alert_state_begin(state);
		alert_state_told(state, alert, delivery->sink, delivery->ids,
		    delivery->events);
		alert_state_commit(state);
		return;
	}
	for (int64_t i = 0; i < delivery->tries && wait_s < RETRY_MOST_S; i++)
		wait_s *= 2;
	if (wait_s > RETRY_MOST_S)
		wait_s = RETRY_MOST_S;
	/* all that is due waits: it would be told in the same way */
	for (size_t i = 0; i < delivery->due; i++)
		if (delivery->items[i].id > last_id)
			last_id = delivery->items[i].id;
	alert_state_failed(state, alert, delivery->sink, last_id,
	    delivery->now_s + wait_s, buf_text(why));
}

static void
deliver(struct alert_state *state, struct delivery *delivery,
    const struct options *options, alert_told_fn *fn, void *arg)
{
	const char *alert = delivery->rule->name;
	struct alert_told told = {
	    .rule = delivery->rule, .sink = delivery->sink};
	struct buf why;

	buf_init(&why, SIZE_MAX);
	told.dropped = alert_state_drop(
	    state, alert, delivery->sink, delivery->now_s - ALERT_KEEP_S);
	alert_state_each(
	    state, alert, delivery->sink, false, on_waiting, delivery);
	choose(delivery);
	told.events = delivery->events;
	if (delivery->events > 0) {
		alert_state_each(
		    state, alert, delivery->sink, false, on_chosen, delivery);
		deliver_chosen(state, delivery, options, &why);
		told.why = buf_text(&why);
	}
	if (told.events + told.dropped > 0)
		fn(arg, &told);
	buf_release(&why);
}

void
alert_deliver(struct alert_state *state, const struct alert_rules *rules,
    const struct options *options, int64_t now_s, alert_told_fn *fn, void *arg)
{
	sigset_t ends, before;

	(void)sigemptyset(&ends);
	(void)sigaddset(&ends, SIGHUP);
	(void)sigaddset(&ends, SIGINT);
	(void)sigaddset(&ends, SIGTERM);
	for (size_t i = 0; i < rules->count; i++) {
		const struct alert_rule *rule = &rules->items[i];

		if (is_quiet(rule, now_s))
			continue;
		for (int sink = 0; sink < ALERT_SINKS; sink++) {
			struct delivery delivery = {.rule = rule,
			    .sink = (enum alert_sink)sink,
			    .now_s = now_s};

			if (!alert_has_sink(rule, delivery.sink))
				continue;
			delivery_init(&delivery);
			(void)!getrandom(
			    &delivery.key, sizeof(delivery.key), 0);
			/* between telling and noting it nothing ends this
			 * process, or the same would be told again */
			(void)sigprocmask(SIG_BLOCK, &ends, &before);
			deliver(state, &delivery, options, fn, arg);
			(void)sigprocmask(SIG_SETMASK, &before, NULL);
			delivery_release(&delivery);
		}
	}
}

static bool
try_atom(const struct alert_rule *rule, struct buf *why)
{
	char *folder = textfile_folder(rule->atom);

	if (access(folder, W_OK | X_OK) != 0)
		(void)buf_print(
		    why, "the folder '%s' cannot be written", folder);
	free(folder);
	return why->len == 0;
}

bool
alert_try(const struct alert_rule *rule, enum alert_sink sink,
    const struct options *options, int64_t now_s, struct buf *why)
{
	struct delivery delivery = {.rule = rule, .sink = sink, .now_s = now_s};
	struct alert_message message = {.made_s = now_s - ALERT_KEEP_S,
	    .known_s = now_s,
	    .line = slice_of("a test: nothing happened"),
	    .event = slice_of("{\"v\":1,\"type\":\"test\"}")};
	bool is_told;

	if (sink == ALERT_ATOM)
		return try_atom(rule, why);
	delivery_init(&delivery);
	delivery.events = 1;
	put_message(&delivery, &message);
	is_told = tell(&delivery, options, why);
	delivery_release(&delivery);
	return is_told;
}
