/*
 * Fetch robots.txt of origins now.
 *
 *	QUEUED --host queue--> FETCHING --answer--> DONE
 *	  ^                       |
 *	  +-----------------------+  a redirect, another try, http for https
 *
 * QUEUED: in the host queue; fetch() sends the request.  FETCHING: answered()
 * has the answer. DONE: the meaning of the answer is known; finish().
 */
#include "crawler/crawl/robots_client.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/addr.h"
#include "base/mem.h"
#include "base/names.h"
#include "base/site_rules.h"
#include "crawler/crawl/robots_body.h"
#include "sched/host_queue.h"
#include "store/location.h"

#define MAX_HOPS 5 /* SPEC R-100 */
#define WIRE_BYTES (ROBOTS_MAX_BYTES + 4096)

struct origin_ask {
	struct robots_client *client;
	size_t number;
	struct robots_answer answer;
	struct url current; /* the URL that is asked for now */
	struct string_set passed; /* URLs that led to this one by redirects */
	unsigned hops;
	unsigned tries; /* of the current URL */
	uint32_t host; /* number in the host queue, for the current URL */
	bool may_be_http;
	struct spool_file *spool; /* owned while FETCHING */
};

struct robots_client {
	struct robots_client_options options;
	struct host_queue *host_queue; /* owned */
	struct loop_timer *timer; /* owned */
	struct origin_ask **items; /* owned; items do not move in memory */
	size_t count;
	size_t cap;
	size_t open; /* the number of items that are not DONE */
	struct names numbers; /* owned; the origins as added */
};

static void
note(void *arg, enum diag_code code, struct slice detail)
{
	struct origin_ask *ask = arg;

	findings_add(&ask->answer.findings, code, 0, detail);
}

/* The text is a normalised URL. */
static void
set_url(struct url *url, struct slice text)
{
	struct profile profile = profile_default(PROFILE_GOOGLE);
	enum diag_code code;

	profile.max_loc_chars = URL_MAX_BYTES;
	code = url_parse(url, text, NULL, &profile, (struct diag_sink){0});
	assert(code == DIAG_OK);
	(void)code;
}

/* The parts are normalised. */
static void
set_place(
    struct url *url, const char *scheme, struct slice rest, const char *path)
{
	struct buf text;

	buf_init(&text, URL_MAX_BYTES);
	(void)buf_print(&text, "%s%.*s%s", scheme, (int)rest.len, rest.p, path);
	set_url(url, buf_text(&text));
	buf_release(&text);
}

static void
queue(struct origin_ask *ask)
{
	struct robots_client *client = ask->client;
	struct host_queue_item item = {
	    .id = ask->number, .class = CLASS_ROBOTS, .newest_s = INT64_MIN};

	item.host = ask->host = host_queue_host(
	    client->host_queue, url_host(&ask->current));
	host_queue_set_delay(client->host_queue, ask->host,
	    host_delay_ms(
		&(struct site_rules){.has_delay = client->options.has_delay,
		    .delay_ms = client->options.delay_ms},
		url_host(&ask->current), 0));
	host_queue_add(client->host_queue, &item);
	loop_timer_set(client->timer, 0);
}

static void
drop_spool(struct origin_ask *ask)
{
	spool_put(ask->spool);
	ask->spool = NULL;
}

static void
finish(struct origin_ask *ask, enum robots_fallback fallback)
{
	drop_spool(ask);
	url_copy(&ask->answer.final, &ask->current);
	ask->answer.fallback = fallback;
	if (--ask->client->open == 0)
		loop_stop(ask->client->options.loop);
}

/* SPEC R-102: nothing may be fetched. */
static void
close_up(struct origin_ask *ask, enum diag_code failure, const char *why)
{
	(void)snprintf(ask->answer.why, sizeof(ask->answer.why), "%s", why);
	ask->answer.failure = failure;
	finish(ask, FALLBACK_CLOSED);
}

static void
parse(struct origin_ask *ask)
{
	const struct robots_client_options *options = &ask->client->options;

	ask->answer.robots = robots_parse(buf_text(&ask->answer.body),
	    slice_of(options->agent), &options->profile,
	    (struct diag_sink){note, ask});
}

/* False: the body cannot be read back from the spool. */
static bool
read_body(struct origin_ask *ask)
{
	char bytes[16384];
	int fd = spool_reader_fd(ask->spool);
	ssize_t got = -1;

	while (fd >= 0) {
		got = read(fd, bytes, sizeof(bytes));
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0 || !buf_put(&ask->answer.body, bytes, (size_t)got))
			break;
	}
	if (fd >= 0)
		(void)close(fd);
	return got >= 0;
}

static void
no_room(struct origin_ask *ask)
{
	close_up(
	    ask, DIAG_DISK_FULL, "no room in the folder for temporary files");
}

/* SPEC: what the answer means, whose body is unpacked. */
static void
take(struct origin_ask *ask, enum robots_body is, const char *why)
{
	switch (is) {
	case ROBOTS_BODY_FILE:
		parse(ask);
		finish(ask, FALLBACK_RULES);
		break;
	case ROBOTS_BODY_PAGE:
		note(ask, DIAG_ROBOTS_HTML, slice_of(why));
		buf_clear(&ask->answer.body);
		(void)snprintf(
		    ask->answer.why, sizeof(ask->answer.why), "%s", why);
		finish(ask, FALLBACK_NONE);
		break;
	case ROBOTS_BODY_HIDDEN:
		close_up(ask, DIAG_ROBOTS_UNREACHABLE, why);
		break;
	}
}

static void
was_read(void *arg, enum diag_code result, struct content *content)
{
	struct origin_ask *ask = arg;
	char why[ROBOTS_WHY_BYTES];
	struct slice text;
	enum robots_body is = robots_body_of_reading(
	    result, content, &text, why);

	buf_clear(&ask->answer.body);
	(void)buf_put_slice(&ask->answer.body, text);
	for (size_t i = 0; i < content->findings.count; i++)
		note(ask, content->findings.items[i].code, slice_of(NULL));
	take(ask, is, why);
	content_release(content);
}

static void
use_body(struct origin_ask *ask, const struct fetch_result *result)
{
	const char *coding = result->content_encoding;
	struct reader_job job;
	char why[ROBOTS_WHY_BYTES];
	enum robots_body is = robots_body_of_head(result, why);

	if (is != ROBOTS_BODY_FILE) {
		close_up(ask, DIAG_ROBOTS_UNREACHABLE, why);
		return;
	}
	if (!read_body(ask)) {
		no_room(ask);
		return;
	}
	if (robots_body_wants_reader(buf_text(&ask->answer.body), coding)) {
		if (robots_body_job(&job, ask->spool, &ask->current, result))
			readers_submit(
			    ask->client->options.readers, &job, was_read, ask);
		else
			no_room(ask);
		return;
	}
	if (coding != NULL && strcasecmp(coding, "identity") != 0)
		note(ask, DIAG_CONTENT_ENCODING_MISMATCH, slice_of(coding));
	take(ask, robots_body_of_text(buf_text(&ask->answer.body), why), why);
}

/* Asking again. */

static void
again(struct origin_ask *ask, int64_t wait_ms)
{
	struct robots_client *client = ask->client;

	drop_spool(ask);
	if (wait_ms > 0)
		host_queue_hold(client->host_queue, ask->host,
		    loop_now_ms(client->options.loop) + wait_ms);
	queue(ask);
}

/* SPEC 15.6: try http instead of https; but not with the operator's secrets,
 * which http would show to others. */
static bool
try_http(struct origin_ask *ask, const struct fetch_result *result)
{
	const struct robots_client_options *options = &ask->client->options;
	struct slice rest = slice_from(
	    url_origin(&ask->answer.origin), strlen("https"));

	if (!ask->may_be_http || !ask->answer.origin.is_https ||
	    ask->hops > 0 || !result->is_connect_failure ||
	    result->is_untrusted || options->credentials != NULL ||
	    options->headers != NULL)
		return false;
	set_place(&ask->current, "http", rest, "/robots.txt");
	set_place(&ask->answer.origin, "http", rest, "/");
	policy_allow_target(options->policy, &ask->answer.origin);
	ask->may_be_http = false;
	ask->tries = 0;
	again(ask, 0);
	return true;
}

static bool
may_follow(const struct origin_ask *ask, const struct url *next)
{
	return ask->hops < MAX_HOPS &&
	    !slice_equal(url_text(next), url_text(&ask->current)) &&
	    !string_set_has(&ask->passed, url_text(next)) &&
	    (!addr_host_is_private(url_host(next)) ||
		addr_host_is_private(url_host(&ask->current)));
}

/* SPEC R-100: too many redirects, or one to a forbidden URL, count as if
 * there were no file. */
static void
redirect(struct origin_ask *ask, const struct fetch_result *result)
{
	struct slice location = slice_of(result->location);
	struct url next;

	url_init(&next);
	if (location.len > 0 &&
	    url_resolve(&next, location, &ask->current,
		(struct diag_sink){0}) == DIAG_OK &&
	    may_follow(ask, &next)) {
		string_set_add(&ask->passed, url_text(&ask->current));
		url_copy(&ask->current, &next);
		ask->hops++;
		ask->tries = 0;
		again(ask, 0);
	} else {
		note(ask, DIAG_ROBOTS_REDIRECT_LIMIT, location);
		finish(ask, FALLBACK_NONE);
	}
	url_release(&next);
}

/* Answers. */

static void
failed(struct origin_ask *ask, const struct fetch_result *result)
{
	if (try_http(ask, result))
		return;
	if (result->code == DIAG_FETCH_NETWORK_ERROR &&
	    ask->tries < ask->client->options.retry) {
		again(ask, host_backoff_ms(ask->tries++));
		return;
	}
	close_up(ask, result->code, result->detail);
}

static void
judge(struct origin_ask *ask, const struct fetch_result *result)
{
	char why[ROBOTS_WHY_BYTES];

	ask->answer.status = result->status;
	/* SPEC R-99: the part past the limit is ignored; that is no error. */
	if (result->code == DIAG_BODY_TOO_BIG && result->status / 100 == 2) {
		use_body(ask, result);
	} else if (result->code != DIAG_OK) {
		failed(ask, result);
	} else if (result->status == 429 || result->status >= 500) {
		if (!result->is_challenge ||
		    robots_body_of_head(result, why) == ROBOTS_BODY_FILE)
			(void)snprintf(
			    why, sizeof(why), "status %d", result->status);
		close_up(ask, DIAG_ROBOTS_UNREACHABLE, why);
	} else if (result->status >= 300 && result->status < 400 &&
	    result->status != 304) {
		redirect(ask, result);
	} else if (result->is_challenge || result->status / 100 == 2) {
		use_body(ask, result);
	} else {
		finish(ask, FALLBACK_NONE);
	}
}

static void
learn_host_state(struct origin_ask *ask, const struct fetch_result *result)
{
	const struct robots_client *client = ask->client;

	if (result->has_peer)
		host_queue_set_address(client->host_queue, ask->host,
		    policy_is_local(
			client->options.policy, &ask->current, &result->peer)
			? NULL
			: &result->peer);
}

static void
answered(void *arg, const struct fetch_result *result)
{
	struct origin_ask *ask = arg;

	learn_host_state(ask, result);
	host_queue_done(
	    ask->client->host_queue, ask->host, result->answered_ms);
	loop_timer_set(ask->client->timer, 0);
	judge(ask, result);
}

/* Requests. */

static void
fetch(struct origin_ask *ask)
{
	const struct robots_client_options *options = &ask->client->options;
	struct fetch_request request = {.url = &ask->current,
	    .max_bytes = WIRE_BYTES,
	    .is_identity = true,
	    .takes_any = true}; /* SPEC */

	ask->spool = spool_get(options->spool);
	if (ask->spool == NULL) {
		host_queue_done(ask->client->host_queue, ask->host,
		    loop_now_ms(options->loop));
		no_room(ask);
		return;
	}
	request.spool = ask->spool;
	if (slice_equal(
		url_origin(&ask->current), url_origin(&ask->answer.origin))) {
		request.headers = options->headers;
		request.credentials = options->credentials;
	}
	fetch_start(options->fetcher, &request, answered, ask);
}

static void
pump(void *arg)
{
	struct robots_client *client = arg;
	int64_t now_ms = loop_now_ms(client->options.loop);
	int64_t wait_ms;
	uint64_t id;

	while (host_queue_take(client->host_queue, now_ms, &id))
		fetch(client->items[id]);
	wait_ms = host_queue_wait_ms(client->host_queue, now_ms);
	if (wait_ms >= 0)
		loop_timer_set(client->timer, wait_ms);
}

struct robots_client *
robots_client_new(const struct robots_client_options *options)
{
	struct robots_client *client = mem_zero(sizeof(*client));
	struct host_queue_options polite = host_queue_options_default();

	client->options = *options;
	polite.hash_key = options->hash_key;
	client->host_queue = host_queue_new(&polite);
	names_init(&client->numbers, options->hash_key);
	client->timer = loop_timer_new(options->loop, pump, client);
	return client;
}

static void
ask_free(struct origin_ask *ask)
{
	drop_spool(ask);
	url_release(&ask->answer.origin);
	url_release(&ask->answer.final);
	robots_free(ask->answer.robots);
	buf_release(&ask->answer.body);
	findings_release(&ask->answer.findings);
	url_release(&ask->current);
	string_set_release(&ask->passed);
	free(ask);
}

void
robots_client_free(struct robots_client *client)
{
	if (client == NULL)
		return;
	for (size_t i = 0; i < client->count; i++)
		ask_free(client->items[i]);
	free(client->items);
	names_release(&client->numbers);
	loop_timer_free(client->timer);
	host_queue_free(client->host_queue);
	free(client);
}

size_t
robots_client_add(
    struct robots_client *client, const struct url *url, bool may_be_http)
{
	uint32_t known = names_put(&client->numbers, url_origin(url));
	struct origin_ask *ask;

	if (known < client->count) {
		client->items[known]->may_be_http &= may_be_http;
		return known;
	}
	policy_allow_target(client->options.policy, url);
	ask = mem_zero(sizeof(*ask));
	ask->client = client;
	ask->number = client->count;
	ask->may_be_http = may_be_http;
	url_init(&ask->answer.origin);
	url_init(&ask->answer.final);
	url_init(&ask->current);
	buf_init(&ask->answer.body, WIRE_BYTES + 16384);
	set_place(&ask->answer.origin, "", url_origin(url), "/");
	set_place(&ask->current, "", url_origin(url), "/robots.txt");
	client->items = mem_grow(client->items, &client->cap, client->count + 1,
	    sizeof(*client->items));
	client->items[client->count] = ask;
	return client->count++;
}

void
robots_client_run(struct robots_client *client)
{
	for (size_t i = 0; i < client->count; i++)
		if (client->items[i]->answer.fallback == FALLBACK_UNKNOWN) {
			client->open++;
			queue(client->items[i]);
		}
	if (client->open > 0)
		loop_run(client->options.loop);
}

void
robots_client_use(
    struct robots_client *client, size_t number, struct slice body)
{
	struct origin_ask *ask = client->items[number];

	(void)buf_put_slice(&ask->answer.body, body);
	ask->answer.is_local = true;
	ask->answer.fallback = FALLBACK_RULES;
	parse(ask);
}

void
robots_client_judge(struct robots_client *client, const char *agent)
{
	client->options.agent = agent;
	for (size_t i = 0; i < client->count; i++) {
		struct origin_ask *ask = client->items[i];

		if (ask->answer.robots == NULL)
			continue;
		robots_free(ask->answer.robots);
		findings_release(&ask->answer.findings);
		ask->answer.findings = (struct findings){0};
		parse(ask);
	}
}

const struct robots_answer *
robots_client_answer(const struct robots_client *client, size_t number)
{
	return &client->items[number]->answer;
}
