/*
 * Finding what is to be told, and telling it.
 *
 *	events of the store since a time -> one message for each way to tell ->
 *	that time moves on, or the same events are found again later
 */
#include "crawler/alert/alert_send.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/human.h"
#include "base/mem.h"
#include "base/out_json.h"
#include "base/sort.h"
#include "base/zone.h"
#include "crawler/cli/options_sites.h"
#include "crawler/cli/out.h"
#include "crawler/cli/selection.h"
#include "crawler/cli/textfile.h"
#include "crawler/event/exit.h"
#include "crawler/event/spawn.h"
#include "crawler/events/past.h"
#include "crawler/fetch/fetch.h"
#include "store/document.h"
#include "store/site.h"
#include "store/watch.h"

#define EXEC_MS 60000
#define RETRY_S 60
#define RETRY_MOST_S (6 * INT64_C(3600))
#define END_MS 10000 /* after somebody asked this process to end */
#define LOOK_MS 20
#define URL_BYTES 4096
#define HELD_UP_MOST_S INT64_C(86400)
/* Lines of a text for a chat; with the first line and the last these are less
 * than the 40,000 characters that Slack takes. */
#define CHAT_BYTES 30000
#define ALERT_LINE_BYTES 300 /* of the line of a message */
#define MOMENT_BYTES 19 /* what stands around a line */
#define ATOM_S (90 * INT64_C(86400)) /* a feed goes back so far */
#define ATOM_ENTRIES 100
#define ATOM_OF_SITE 20 /* of these, while there are some of other sites */

const char *const alert_sink_names[ALERT_SINKS] = {"exec", "webhook", "atom"};

/* A webhook may be given by a file or by a variable, because it is a secret. */
bool
alert_has_sink(const struct alert_rule *rule, enum alert_sink sink)
{
	if (sink == ALERT_EXEC)
		return rule->program != NULL;
	if (sink == ALERT_WEBHOOK)
		return rule->webhook_file != NULL;
	return sink == ALERT_ATOM && rule->atom != NULL;
}

#define BIT(kind) (UINT32_C(1) << (kind))

static bool
alert_rule_tells(const struct alert_rule *rule, const struct site_event *event)
{
	uint32_t kinds = rule->kinds;

	/* What somebody who watches a site wants to be told without asking: a
	 * note is no news, nor is that a site was read for the first time. */
	if (kinds == 0 &&
	    (site_event_is_note(event->kind) ||
		event->kind == EVENT_FIRST_READING))
		return false;
	/* a rule also tells that what it told is over */
	if ((kinds & BIT(EVENT_MASS_DROP_WAITING)) != 0)
		kinds |= BIT(EVENT_MASS_DROP_CONFIRMED) |
		    BIT(EVENT_MASS_DROP_ACCIDENT);
	if ((kinds & BIT(EVENT_LINE_LOST)) != 0)
		kinds |= BIT(EVENT_LINE_BACK);
	if ((kinds & BIT(EVENT_FAILING)) != 0)
		kinds |= BIT(EVENT_BACK);
	if (kinds != 0 && (kinds & BIT(event->kind)) == 0)
		return false;
	if (rule->sections.count > 0 &&
	    !site_event_is_in(event, &rule->sections))
		return false;
	/* robots.txt has records and no pages, and a failure has no count */
	if (event->count == 0 || event->kind == EVENT_ROBOTS_CHANGED)
		return true;
	return event->count >= rule->at_least &&
	    (event->of == 0 || event->count * 100 >= rule->share * event->of);
}

/* Is the site one that the rule is about?  NULL: it is not watched. */
static bool
alert_rule_has_tag(const struct alert_rule *rule, const struct watch *watch)
{
	if (rule->tags.count == 0)
		return true;
	for (size_t i = 0; watch != NULL && i < rule->tags.count; i++)
		if (strings_has(&watch->tags, slice_of(rule->tags.items[i])))
			return true;
	return false;
}

void
alert_complain_tags(struct store *store, const struct alert_rule *rule)
{
	for (size_t i = 0; i < rule->tags.count; i++)
		if (!tag_is_used(store, slice_of(rule->tags.items[i])))
			complain("[alert %s]: no site of the watch list has "
				 "the tag '%s', so nothing is told of it",
			    rule->name, rule->tags.items[i]);
}

/* One walk over the events of all sites, for some ways to tell. */
struct alert_gathering {
	struct store *store;
	const struct options *options;
	int64_t until_s;
	bool is_replay; /* all sites up to until_s */
	struct alert_way *ways;
	size_t count;
	/* NULL, or where events that wait are counted; then these are wanted in
	 * place of those that are known */
	struct site_events_waiting *waiting;
};

/* The order in which events became known; of one moment, that of the walk over
 * the sites. */
static const struct sort_key alert_by_known[] = {
    {SORT_KEY(struct alert_event, known_s), false},
    {SORT_KEY(struct alert_event, place), false}, {0}};

/* An event that a way has to tell.  Its texts are made at once, because the
 * event is borrowed; one that is too old is only counted. */
static void
alert_add(const struct alert_gathering *gathering, struct alert_way *way,
    int64_t site_id, const struct site_event *event, struct slice host)
{
	struct alert_event *found;
	struct buf sentence = BUF_UP_TO(SIZE_MAX), line = BUF_UP_TO(SIZE_MAX),
		   json = BUF_UP_TO(SIZE_MAX);

	if (event->known_s < gathering->options->now_s - ALERT_KEEP_S &&
	    !way->is_past) {
		way->dropped++;
		return;
	}
	/* "HOST: SENTENCE", in one line; the end of what was wrong is told as
	 * such, for people who look for what they have to do. */
	if (event->kind == EVENT_MASS_DROP_ACCIDENT ||
	    event->kind == EVENT_LINE_BACK || event->kind == EVENT_BACK)
		(void)buf_print(&sentence, "resolved: ");
	(void)buf_put_slice(&sentence, host);
	(void)buf_print(&sentence, ": ");
	site_event_sentence(&sentence, event, host);
	vis_put(&line, buf_text(&sentence), ALERT_LINE_BYTES);
	buf_release(&sentence);
	site_event_json(&json, event, host);
	found = MEM_PUSH(way->events, way->count, way->cap);
	*found = (struct alert_event){.site_id = site_id,
	    .known_s = event->known_s,
	    .place = way->count - 1,
	    .rank = site_event_rank(event->kind),
	    .count = event->count,
	    .line = buf_take(&line),
	    .json = buf_take(&json)};
}

/* Since when, and up to when, the events of a site are told.  An event is not
 * known for sure while changes that may belong to it are not counted, as when
 * the crawl is under way or was killed; but they wait for a day at most.  Such
 * a site has a time of its own, so that it holds up no other one. */
static int64_t
alert_span_of_site(const struct alert_gathering *gathering, int64_t site_id)
{
	int64_t uncounted_s = store_number(
	    gathering->store, STORE_UNTALLIED_S, site_id, 0);
	int64_t now_s = gathering->options->now_s;
	int64_t until_s = gathering->until_s;

	if (uncounted_s != 0 && uncounted_s < now_s && !gathering->is_replay)
		until_s = uncounted_s > now_s - HELD_UP_MOST_S
		    ? uncounted_s - EVENTS_LAG_S
		    : until_s - HELD_UP_MOST_S;
	for (size_t i = 0; i < gathering->count; i++) {
		struct alert_way *way = &gathering->ways[i];
		int64_t held_s = store_alert_held(gathering->store,
		    slice_of(way->rule->name), (int)way->sink, site_id);

		way->since_s = held_s != 0 && !way->is_past ? held_s
							    : way->was.until_s;
		if (until_s >= gathering->until_s)
			continue;
		*MEM_PUSH(way->sites, way->site_count,
		    way->site_cap) = (struct store_alert_site){
		    site_id, way->since_s > until_s ? way->since_s : until_s};
	}
	return until_s;
}

static void
alert_walk_site(struct alert_gathering *gathering, struct slice host)
{
	const struct options *options = gathering->options;
	int64_t site_id = store_site_find(gathering->store, host);
	bool wants_waiting = gathering->waiting != NULL;
	int64_t until_s = wants_waiting
	    ? options->now_s + 1
	    : alert_span_of_site(gathering, site_id);
	struct events_span span = {.since_s = INT64_MAX,
	    .until_s = until_s,
	    .now_s = options->now_s,
	    /* so that a replay of the past tells what was told then */
	    .is_as_told = !wants_waiting,
	    .wants_doubtful = wants_waiting,
	    .sections = options_of_site(options, host)->sections.rules,
	    .renamings = options_of_site(options, host)->moves.renamings};
	struct site_event_list list = {0};
	struct site_past past;
	struct watch watch;
	bool is_known = store_watch_get(gathering->store, site_id, &watch);
	const struct watch *seen = is_known && watch.is_watched ? &watch : NULL;

	for (size_t i = 0; i < gathering->count; i++)
		if (alert_rule_has_tag(gathering->ways[i].rule, seen) &&
		    gathering->ways[i].since_s < span.since_s)
			span.since_s = gathering->ways[i].since_s;
	if (span.since_s < span.until_s) {
		past_open(&past, gathering->store, site_id, &span,
		    wants_waiting ? PAST_KNOWN : PAST_TOLD);
		(void)past_events(&past, &span, &list);
		past_release(&past);
	}
	for (size_t k = 0; k < list.count; k++)
		for (size_t i = 0; i < gathering->count; i++) {
			const struct site_event *event = &list.items[k];
			struct alert_way *way = &gathering->ways[i];
			bool is_wanted = wants_waiting
			    ? event->settles_s > 0
			    : event->known_s >= way->since_s;

			if (!is_wanted ||
			    !alert_rule_has_tag(way->rule, seen) ||
			    !alert_rule_tells(way->rule, event))
				continue;
			if (wants_waiting)
				site_events_wait_for(gathering->waiting, event);
			else
				alert_add(gathering, way, site_id, event, host);
		}
	site_event_list_release(&list);
	if (is_known)
		watch_release(&watch);
}

static void
alert_find(struct alert_gathering *gathering)
{
	struct strings hosts = {0};

	/* The hosts are listed first, so that no query is open while the events
	 * of a site are found. */
	store_each_site(gathering->store, 0, selection_add_host, &hosts);
	for (size_t i = 0; i < hosts.count; i++)
		alert_walk_site(gathering, slice_of(hosts.items[i]));
	strings_release(&hosts);
	for (size_t i = 0; i < gathering->count; i++)
		sort_rows(gathering->ways[i].events, gathering->ways[i].count,
		    sizeof(*gathering->ways[i].events), alert_by_known);
}

void
alert_look(struct store *store, const struct options *options, int64_t until_s,
    struct alert_way *way, struct site_events_waiting *waiting)
{
	/* Times of single sites do not matter for the past. */
	alert_find(&(struct alert_gathering){.store = store,
	    .options = options,
	    .until_s = until_s,
	    .is_replay = waiting == NULL,
	    .ways = way,
	    .count = 1,
	    .waiting = waiting});
}

void
alert_gather(
    struct store *store, const struct options *options, struct alert_ways *ways)
{
	const struct alert_rules *rules = &options->config.alerts;
	int64_t until_s = options->now_s - EVENTS_LAG_S;

	*ways = (struct alert_ways){
	    .items = mem_zero(
		(rules->count * ALERT_SINKS + 1) * sizeof(*ways->items))};
	/* All ways are served by one walk over the sites, which is what takes
	 * time; each has its own beginning in it. */
	for (size_t i = 0; i < rules->count * ALERT_SINKS; i++) {
		const struct alert_rule *rule = &rules->items[i / ALERT_SINKS];
		struct alert_way *way = &ways->items[ways->count];

		way->rule = rule;
		way->sink = (enum alert_sink)(i % ALERT_SINKS);
		if (!alert_has_sink(rule, way->sink))
			continue;
		ways->count++;
		/* nothing of the past is told by a new way */
		way->is_new = !store_alert_get(
		    store, slice_of(rule->name), (int)way->sink, &way->was);
		if (way->is_new)
			way->was.begun_s = way->was.until_s = until_s;
		/* a clock that went back tells nothing twice */
		way->next = (struct store_alert){.begun_s = way->was.begun_s,
		    .until_s = way->was.until_s > until_s ? way->was.until_s
							  : until_s};
	}
	alert_find(&(struct alert_gathering){.store = store,
	    .options = options,
	    .until_s = until_s,
	    .ways = ways->items,
	    .count = ways->count});
}

void
alert_way_release(struct alert_way *way)
{
	for (size_t i = 0; i < way->count; i++) {
		free(way->events[i].line);
		free(way->events[i].json);
	}
	free(way->events);
	free(way->sites);
	free(way->was.why);
}

void
alert_ways_release(struct alert_ways *ways)
{
	for (size_t i = 0; i < ways->count; i++)
		alert_way_release(&ways->items[i]);
	free(ways->items);
}

/* Sites take turns in what has only so much room, so that a site of which there
 * is much to tell keeps no other site out. */

/* Each site's events together, in the order in which they became known. */
static const struct sort_key alert_by_site[] = {
    {SORT_KEY(struct alert_event, site_id), false},
    {SORT_KEY(struct alert_event, known_s), false},
    {SORT_KEY(struct alert_event, place), false}, {0}};

/* The first event of each site, then the second of each, and so on. */
static const struct sort_key alert_by_turn[] = {
    {SORT_KEY(struct alert_event, turn), false},
    {SORT_KEY(struct alert_event, known_s), false},
    {SORT_KEY(struct alert_event, place), false}, {0}};
static const struct sort_key alert_by_turn_latest[] = {
    {SORT_KEY(struct alert_event, turn), false},
    {SORT_KEY(struct alert_event, known_s), true},
    {SORT_KEY(struct alert_event, place), true}, {0}};

/* alert_take_turns(way, latest): Give the events of a way their turns, and that
 * order.  In a turn a site has its next event; or, unless latest is 0, so many
 * of its events, and the latest come first. */
static void
alert_take_turns(struct alert_way *way, size_t latest)
{
	struct alert_event *events = way->events;

	sort_rows(events, way->count, sizeof(*events), alert_by_site);
	for (size_t i = 1; i < way->count; i++) {
		size_t at = latest > 0 ? way->count - 1 - i : i;
		size_t before = latest > 0 ? at + 1 : at - 1;

		if (events[at].site_id == events[before].site_id)
			events[at].turn = events[before].turn + 1;
	}
	for (size_t i = 0; latest > 0 && i < way->count; i++)
		events[i].turn /= latest;
	sort_rows(events, way->count, sizeof(*events),
	    latest > 0 ? alert_by_turn_latest : alert_by_turn);
}

/* The signals are blocked, so that they stay pending until this process ends.
 */
bool
alert_is_to_end(void)
{
	sigset_t pending;

	return sigpending(&pending) == 0 &&
	    (sigismember(&pending, SIGTERM) == 1 ||
		sigismember(&pending, SIGINT) == 1 ||
		sigismember(&pending, SIGHUP) == 1);
}

/* Start the program of the rule, with the name of the alert as its argument and
 * ndjson as its stdin: an object for the alert, and one for each event.  False,
 * with a reason appended to why, unless it exits with 0 within a minute; then
 * it is killed with all that it started. */
static bool
alert_exec(const struct alert_rule *rule, struct slice ndjson, struct buf *why)
{
	const char *const argv[] = {rule->program, rule->name, NULL};
	/* a pipe would need somebody to fill it while the program runs */
	int fd = memfd_create("freshet-alert", MFD_CLOEXEC);
	int status = 0, left_ms = EXEC_MS;
	pid_t pid;

	if (fd < 0 ||
	    pwrite(fd, ndjson.p, ndjson.len, 0) != (ssize_t)ndjson.len)
		(void)buf_print(
		    why, "no room for the events: %s", strerrordesc_np(errno));
	/* what the program prints is for stderr: stdout belongs to whoever
	 * called freshet */
	pid = why->len > 0 || access(rule->program, X_OK) != 0
	    ? -1
	    : spawn_program(rule->program, argv, fd, STDERR_FILENO);
	if (pid < 0 && why->len == 0)
		(void)buf_print(
		    why, "%s: %s", rule->program, strerrordesc_np(errno));
	if (fd >= 0)
		(void)close(fd);
	if (pid < 0)
		return false;
	/* Wait for it, but not for long once somebody asks this process to end:
	 * who is to be told must not hold up a shutdown. */
	while (left_ms > 0 && waitpid(pid, &status, WNOHANG) != pid) {
		if (left_ms > END_MS && alert_is_to_end())
			left_ms = END_MS;
		(void)poll(NULL, 0, LOOK_MS);
		left_ms -= LOOK_MS;
	}
	if (left_ms <= 0) {
		(void)kill(-pid, SIGKILL);
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
		(void)buf_print(why, "'%s' was killed: it took %s",
		    rule->program,
		    alert_is_to_end() ? "ten seconds more, and freshet ends"
				      : "a minute");
	} else if (WIFSIGNALED(status))
		(void)buf_print(why, "'%s' was ended by signal %d",
		    rule->program, WTERMSIG(status));
	else if (WEXITSTATUS(status) != 0)
		(void)buf_print(why, "'%s' ended with %d", rule->program,
		    WEXITSTATUS(status));
	return why->len == 0;
}

static bool
alert_webhook_url(
    const struct alert_rule *rule, struct url *url, struct buf *why)
{
	const char *place = rule->webhook_file;
	struct slice line;
	struct buf text = BUF_UP_TO(URL_BYTES);

	if (!textfile_read(place, &text))
		(void)buf_print(why, "'%s' cannot be read", place);
	line = buf_text(&text);
	line = slice_trim(textfile_line(&line));
	if (why->len == 0 && url_parse_raw(url, line, NULL) != DIAG_OK)
		(void)buf_print(
		    why, "'%s' holds no URL of http or https", place);
	buf_release(&text);
	return why->len == 0;
}

/* A 2xx is enough: what else is answered, however long, is of no interest. */
static void
alert_answered(void *arg, const struct fetch_result *result)
{
	struct alert_post *post = arg;

	post->status = result->status;
	post->retry_after_s = result->retry_after_s;
	if (result->code == DIAG_PRIVATE_ADDRESS)
		(void)buf_print(post->why,
		    "%s has a private address; see --allow-address", post->who);
	else if (result->status == 0)
		(void)buf_print(post->why, "%s: %s", post->who, result->detail);
	else if (result->status < 200 || result->status > 299)
		(void)buf_print(
		    post->why, "%s answered %d", post->who, result->status);
}

bool
alert_post(struct network *network, struct alert_post *post)
{
	static const char *const headers[] = {
	    "Content-Type: application/json; charset=utf-8", NULL};
	struct fetch_request request = {
	    .url = post->url, .headers = headers, .post = post->body};
	size_t before = post->why->len;

	post->status = 0;
	post->retry_after_s = -1;
	if (!network_ask(network, &request, alert_answered, post))
		(void)buf_print(
		    post->why, "no room for the answer of %s", post->who);
	return post->why->len == before;
}

/* Twice as long after each attempt: a minute, then two, and so on. Somebody who
 * cannot be told now may not be for hours. */
int64_t
alert_next_s(int64_t now_s, int64_t tries)
{
	int64_t wait_s = RETRY_S;

	for (int64_t n = tries; n > 1 && wait_s < RETRY_MOST_S; n--)
		wait_s *= 2;
	return now_s + (wait_s < RETRY_MOST_S ? wait_s : RETRY_MOST_S);
}

#define NO_WIDTH "\xE2\x80\x8B" /* a space of no width */

static bool
chat_is_word_at(struct slice text, size_t i)
{
	return i < text.len &&
	    (ascii_is_letter(text.p[i]) || ascii_is_digit(text.p[i]));
}

/* What sites wrote stays what it is: it neither calls everybody (<!channel>,
 * @here) nor shows one link and leads to another (<URL|text>, [text](URL)),
 * loads an image, hides something, or makes code of the lines that follow.
 * Slack, Mattermost, Rocket.Chat, Discord and Teams show the references as the
 * characters that they stand for.  A space of no width parts what would act
 * together; a mark that acts alone becomes one that looks like it, because no
 * way to escape it is known to all of them.  Lines begin with the name of the
 * alert or a time, so that no site's text begins one. */
void
alert_put_chat(struct buf *out, struct slice text)
{
	static const char acting[] = "&<>@[]!|\\`*~_";
	static const char *const marks[] = {"&amp;", "&lt;", "&gt;",
	    "@" NO_WIDTH, "[" NO_WIDTH, "]" NO_WIDTH, "!" NO_WIDTH,
	    "|" NO_WIDTH, "\\" NO_WIDTH, "\xCB\x8B" /* U+02CB */,
	    "\xE2\x88\x97" /* U+2217 */, "\xE2\x88\xBC" /* U+223C */,
	    "\xCB\x8D" /* U+02CD */};

	for (size_t i = 0; i < text.len; i++) {
		char c = text.p[i], next = i + 1 < text.len ? text.p[i + 1] : 0;
		const char *at = memchr(acting, c, sizeof(acting) - 1);
		/* before a letter \ escapes nothing; within a word _ does
		 * nothing, and URLs stay links */
		bool is_idle = (c == '!' && next != '[') ||
		    (c == '|' && next != '|') ||
		    (c == '\\' && chat_is_word_at(text, i + 1)) ||
		    (c == '_' && i > 0 && chat_is_word_at(text, i - 1) &&
			chat_is_word_at(text, i + 1));

		if (at != NULL && !is_idle)
			(void)buf_print(out, "%s", marks[at - acting]);
		else
			(void)buf_put_char(out, c);
	}
}

/* POST {"text": TEXT} to the URL that the file of the rule holds; the text is
 * lines for people.  False, with a reason, unless the answer is a 2xx.  The
 * URL, which is a secret, is never printed. */
static bool
alert_webhook(const struct alert_rule *rule, struct slice text,
    struct network *network, struct buf *why)
{
	struct buf chat = BUF_UP_TO(SIZE_MAX), body = BUF_UP_TO(SIZE_MAX);
	struct url url = {0};
	struct alert_post post = {
	    .url = &url, .who = "the webhook", .why = why};

	(void)buf_print(&body, "{\"text\":");
	alert_put_chat(&chat, text);
	json_put(&body, buf_text(&chat));
	(void)buf_print(&body, "}");
	post.body = buf_str(&body);
	if (alert_webhook_url(rule, &url, why))
		(void)alert_post(network, &post);
	url_release(&url);
	buf_release(&chat);
	buf_release(&body);
	return why->len == 0;
}

/* Append "ALERT: EVENT; and 3 other events", with the event that matters most,
 * of one kind that of most pages; what does not fit is cut from the event. */
static void
alert_put_headline(struct buf *out, const struct alert_way *way)
{
	const struct alert_event *top = &way->events[0];
	struct buf line = BUF_UP_TO(SIZE_MAX), others = BUF_UP_TO(SIZE_MAX);

	for (size_t i = 1; i < way->count; i++) {
		const struct alert_event *event = &way->events[i];

		if (event->rank < top->rank ||
		    (event->rank == top->rank && event->count > top->count))
			top = event;
	}
	if (way->count > 1)
		(void)buf_print(&others, "; and %s",
		    human_of(way->count - 1, "other event").text);
	(void)buf_print(&line, "%s: %s", way->rule->name, top->line);
	vis_put(out, buf_text(&line), ALERT_LINE_BYTES - others.len);
	(void)buf_put_slice(out, buf_text(&others));
	buf_release(&line);
	buf_release(&others);
}

/* Write the Atom file with the latest events, told before or not: a reader of
 * feeds may look a week later, and knows entries by their ids.  Nothing is kept
 * for that, because the store can be asked for the events of the past, too. */
static bool
alert_write_atom(const struct alert_way *way, struct store *store,
    const struct options *options, struct buf *why)
{
	struct alert_way past = {
	    .rule = way->rule, .sink = way->sink, .is_past = true};
	int64_t from_s = options->now_s - ATOM_S;
	size_t shown;
	struct out out;

	if (!out_init_file(&out, &options->output, way->rule->atom)) {
		(void)buf_print(why, "'%s' cannot be written", way->rule->atom);
		return false;
	}
	past.was.until_s = way->was.begun_s > from_s ? way->was.begun_s
						     : from_s;
	alert_find(&(struct alert_gathering){.store = store,
	    .options = options,
	    .until_s = options->now_s - EVENTS_LAG_S,
	    .ways = &past,
	    .count = 1});
	alert_take_turns(&past, ATOM_OF_SITE);
	shown = past.count < ATOM_ENTRIES ? past.count : ATOM_ENTRIES;
	sort_rows(past.events, shown, sizeof(*past.events), alert_by_known);
	out.is_raw = true;
	/* RFC 4287.  A tag URI (RFC 4151) needs nothing that the operator would
	 * have to own. */
	(void)buf_print(&out.text,
	    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
	    "<feed xmlns=\"http://www.w3.org/2005/Atom\">"
	    "<id>tag:freshet.invalid,2026:alert/%s</id>"
	    "<title>freshet: %s</title><author><name>freshet</name></author>"
	    "<updated>",
	    way->rule->name, way->rule->name);
	time_print(&out.text, options->now_s);
	(void)buf_print(&out.text, "</updated>\n");
	for (size_t i = shown; i-- > 0;) {
		const struct alert_event *event = &past.events[i];
		uint64_t id = hash_key(
		    slice_of(event->line), (uint64_t)event->known_s);

		/* an event has the same id whenever the file is written */
		(void)buf_print(&out.text,
		    "<entry><id>tag:freshet.invalid,2026:alert/%s/%016llx</id>"
		    "<title>",
		    way->rule->name, (unsigned long long)id);
		xml_put(&out.text, slice_of(event->line));
		(void)buf_print(&out.text, "</title><updated>");
		time_print(&out.text, event->known_s);
		(void)buf_print(&out.text, "</updated><content type=\"text\">");
		xml_put(&out.text, slice_of(event->json));
		(void)buf_print(&out.text, "</content></entry>\n");
	}
	(void)buf_print(&out.text, "</feed>\n");
	(void)out_line(&out);
	if (out_finish(&out) != EXIT_DONE)
		(void)buf_print(why, "'%s' cannot be written", way->rule->atom);
	alert_way_release(&past);
	return why->len == 0;
}

/* One message is made of all events of the way. */
bool
alert_tell(struct alert_way *way, struct store *store,
    const struct options *options, struct network *network, struct buf *why)
{
	struct buf line = BUF_UP_TO(SIZE_MAX), text = BUF_UP_TO(SIZE_MAX),
		   ndjson = BUF_UP_TO(SIZE_MAX);

	if (way->sink == ALERT_ATOM)
		return alert_write_atom(way, store, options, why);
	alert_put_headline(&line, way);
	if (way->sink == ALERT_WEBHOOK) {
		(void)buf_print(&text, "%s\n", buf_str(&line));
		/* Append a line for each event that has room, and one that
		 * counts the rest. */
		size_t shown = 0, bytes = 0;
		struct buf chat = BUF_UP_TO(SIZE_MAX);

		alert_take_turns(way, 0);
		for (; shown < way->count; shown++) {
			buf_clear(&chat);
			alert_put_chat(
			    &chat, slice_of(way->events[shown].line));
			bytes += chat.len + MOMENT_BYTES;
			if (bytes > CHAT_BYTES)
				break;
		}
		sort_rows(
		    way->events, shown, sizeof(*way->events), alert_by_known);
		for (size_t i = 0; i < shown; i++)
			(void)buf_print(&text, "%s  %s\n",
			    zone_text(way->events[i].known_s, ZONE_MOMENT).text,
			    way->events[i].line);
		if (shown < way->count)
			(void)buf_print(&text,
			    "and %s: freshet alert replay %s\n",
			    human_of(way->count - shown, "other event").text,
			    way->rule->name);
		buf_release(&chat);
		(void)alert_webhook(way->rule, buf_text(&text), network, why);
	} else {
		out_json_line(&ndjson, "alert");
		out_json_string(&ndjson, "alert", way->rule->name);
		out_json_word(&ndjson, "line", buf_text(&line));
		out_json_number(&ndjson, "events", way->count);
		out_json_line_end(&ndjson);
		for (size_t i = 0; i < way->count; i++)
			(void)buf_print(&ndjson, "%s\n", way->events[i].json);
		(void)alert_exec(way->rule, buf_text(&ndjson), why);
	}
	buf_release(&line);
	buf_release(&text);
	buf_release(&ndjson);
	return why->len == 0;
}

/* A test tells through the same functions as an event, so that it fails where
 * an event would.  A feed gets no entry: its readers would keep it. */
bool
alert_try(const struct alert_rule *rule, enum alert_sink sink,
    struct network *network, int64_t now_s, struct buf *why)
{
	char line[] = "a test: nothing happened";
	char json[] = "{\"v\":1,\"type\":\"test\"}";
	struct alert_event event = {
	    .known_s = now_s, .line = line, .json = json};
	struct alert_way way = {
	    .rule = rule, .sink = sink, .events = &event, .count = 1};
	char *folder;

	if (sink != ALERT_ATOM)
		return alert_tell(&way, NULL, NULL, network, why);
	folder = textfile_folder(rule->atom);
	if (access(folder, W_OK | X_OK) != 0)
		(void)buf_print(
		    why, "the folder '%s' cannot be written", folder);
	free(folder);
	return why->len == 0;
}
