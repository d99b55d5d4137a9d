/*
 * Writing down what is to be told, and telling it.
 *
 *	events of the store -> messages, one for each way -> told, or tried
 *	again later
 */
#include "crawler/alert/alert_send.h"

#include <stdlib.h>
#include <unistd.h>

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
	int64_t now_s;
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

/* Up to when events can be told.  An event is not known for sure while changes
 * that may belong to it are not counted, as when the crawl is under way or was
 * killed; but a site that waits to be counted holds up the others for a day at
 * most. */
static int64_t
tell_until(struct store *store, int64_t now_s)
{
	int64_t until_s = now_s - EVENTS_LAG_S;
	int64_t uncounted_s = store_untallied_since(store);

	if (uncounted_s == 0 || uncounted_s >= now_s)
		return until_s;
	return uncounted_s > now_s - HELD_UP_MOST_S ? uncounted_s - EVENTS_LAG_S
						    : until_s - HELD_UP_MOST_S;
}

void
alert_gather(struct alert_state *state, struct store *store,
    const struct options *options)
{
	const struct alert_rules *rules = &options->config.alerts;
	int64_t now_s = options->now_s;
	struct alert_gathering gathering = {state, now_s};
	int64_t until_s = tell_until(store, now_s);
	int64_t *since_s = mem_zero((rules->count + 1) * sizeof(*since_s));

	alert_state_begin(state);
	for (size_t i = 0; i < rules->count; i++) {
		since_s[i] = alert_state_since(state, rules->items[i].name);
		if (since_s[i] == 0)
			since_s[i] = until_s;
	}
	alert_each(store, options, rules->items, rules->count, since_s, until_s,
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
	uint64_t events;
	int64_t last_id, tries;
	bool has_later; /* messages that are not due yet */
	/* the line of the event that matters most, its rank, and its pages */
	struct buf top;
	unsigned top_rank;
	int64_t top_count;
	struct buf lines, events_json;
};

static void
delivery_release(struct delivery *delivery)
{
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
	if (delivery->events > 1 &&
	    (rank > delivery->top_rank ||
		(rank == delivery->top_rank && count <= delivery->top_count)))
		return;
	delivery->top_rank = rank;
	delivery->top_count = count;
	buf_clear(&delivery->top);
	(void)buf_put_slice(&delivery->top, message->line);
}

static void
on_waiting(void *arg, const struct alert_message *message)
{
	struct delivery *delivery = arg;

	if (delivery->has_later || delivery->events == EVENTS_AT_ONCE)
		return;
	if (message->next_s > delivery->now_s ||
	    !is_due(delivery->rule, message->made_s, delivery->now_s)) {
		delivery->has_later = true;
		return;
	}
	delivery->events++;
	delivery->last_id = message->id;
	if (message->tries > delivery->tries)
		delivery->tries = message->tries;
	compare_with_top(delivery, message);
	zone_moment(&delivery->lines, message->known_s);
	(void)buf_print(&delivery->lines, "  %.*s\n", (int)message->line.len,
	    message->line.p);
	(void)buf_put_slice(&delivery->events_json, message->event);
	(void)buf_put_char(&delivery->events_json, '\n');
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
	alert_state_told(
	    state, delivery->rule->name, ALERT_ATOM, delivery->last_id);
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

static void
deliver(struct alert_state *state, struct delivery *delivery,
    const struct options *options, alert_told_fn *fn, void *arg)
{
	struct alert_told told = {
	    .rule = delivery->rule, .sink = delivery->sink};
	int64_t wait_s = RETRY_S;
	struct buf why;
	bool is_told;

	buf_init(&why, SIZE_MAX);
	told.dropped = alert_state_drop(state, delivery->rule->name,
	    delivery->sink, delivery->now_s - ALERT_KEEP_S);
	alert_state_each(state, delivery->rule->name, delivery->sink, false,
	    on_waiting, delivery);
	told.events = delivery->events;
	if (delivery->events > 0) {
		is_told = delivery->sink == ALERT_ATOM
		    ? tell_atom(state, delivery, options, &why)
		    : tell(delivery, options, &why);
		for (int64_t i = 0;
		     i < delivery->tries && wait_s < RETRY_MOST_S; i++)
			wait_s *= 2;
		if (!is_told)
			alert_state_failed(state, delivery->rule->name,
			    delivery->sink, delivery->last_id,
			    delivery->now_s +
				(wait_s < RETRY_MOST_S ? wait_s : RETRY_MOST_S),
			    buf_text(&why));
		else if (delivery->sink != ALERT_ATOM)
			alert_state_told(state, delivery->rule->name,
			    delivery->sink, delivery->last_id);
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
			buf_init(&delivery.top, SIZE_MAX);
			buf_init(&delivery.lines, SIZE_MAX);
			buf_init(&delivery.events_json, SIZE_MAX);
			deliver(state, &delivery, options, fn, arg);
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
	buf_init(&delivery.top, SIZE_MAX);
	buf_init(&delivery.lines, SIZE_MAX);
	buf_init(&delivery.events_json, SIZE_MAX);
	on_waiting(&delivery, &message);
	is_told = tell(&delivery, options, why);
	delivery_release(&delivery);
	return is_told;
}
