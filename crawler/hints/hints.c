/*
 * The listener of hints: see hints.h.
 *
 * IndexNow: each site has one key, with the URLs that were submitted with it.
 *
 *	UNKNOWN --its file is asked for--> ASKED --+--> RIGHT: for a day
 *	   ^                                       +--> WRONG: for an hour
 *	   +------ a submission after that --------+
 *
 * A key that was WRONG then gives its place to any other one; one that was
 * RIGHT is asked for again first, so that nobody can turn out the owner of the
 * site.
 *
 * WebSub: a reading names the hub of a feed, and the hub is asked to subscribe.
 * It asks back whether that was meant; from then to the end of the lease it
 * posts a notification for each change, signed with a secret.
 */
#include "crawler/hints/hints.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/civil.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/strings.h"
#include "base/url.h"
#include "crawler/chart/markup.h"
#include "crawler/cli/options_value.h"
#include "crawler/crawl/run.h"
#include "crawler/event/loop.h"
#include "crawler/event/ndjson.h"
#include "crawler/event/spool.h"
#include "crawler/fetch/fetch.h"
#include "crawler/fetch/http_server.h"
#include "crawler/frontier/frontier.h"
#include "crawler/identity/identity.h"
#include "crawler/serve/serve_query.h"
#include "store/site.h"

/* The limits of IndexNow: of a submission and of a key. */
#define BODY_BYTES (1 << 20)
#define URLS_MOST 10000
#define KEY_LEAST 8
#define KEY_MOST 128
#define URL_BYTES 2048
#define FILE_BYTES 1024 /* of a key file */
#define SENDER_MOST 60 /* requests of a sender in a minute */
#define SENDERS 256
#define WAITING_MOST 50000 /* URLs; of a site URLS_MOST, the oldest go */
#define TURN_URLS 200 /* in a turn, so that the loop goes on */
#define TURN_MS 20
#define REST_MS 5000
/* WebSub.  Hubs are asked one after the other, each in a turn after a rest. */
#define FEEDS_MOST 1000
#define FEED_PATH "/websub/"
#define ANSWER_BYTES 65536
#define TOKEN_BYTES 32 /* of hex: 128 bits */
#define REPLAYS 16 /* notifications that are known again */
#define LEASE_LEAST_S HOUR_S
#define LEASE_MOST_S (30 * DAY_S)

enum key_state { KEY_UNKNOWN, KEY_ASKED, KEY_RIGHT, KEY_WRONG };

struct site_key {
	int64_t site_id;
	char *location, *text; /* owned: of the file, and the key itself */
	enum key_state state;
	/* RIGHT, WRONG: this ends then; UNKNOWN: no request before */
	int64_t until_s;
	struct strings urls; /* owned: normalised; they wait */
	size_t told, known; /* of them, so far */
};

struct subscription {
	int64_t site_id;
	char *url, *hub; /* owned: of the feed; as the feed names it */
	char token[TOKEN_BYTES + 1], secret[TOKEN_BYTES + 1];
	uint8_t last[REPLAYS][SHA256_BYTES]; /* of the last notifications */
	unsigned told; /* notifications that counted */
	int64_t next_s; /* the hub is asked again */
	bool is_asked; /* and may ask back */
	bool is_verified; /* the hub asked back once */
	bool is_doubted; /* the last notification was none that counts */
};

struct hint_listener {
	struct hints_options how;
	struct http_server *http; /* owned */
	struct loop_timer *turn; /* owned */
	struct site_key *keys; /* owned */
	size_t count, cap;
	size_t waiting; /* URLs of all keys */
	uint16_t sent[SENDERS]; /* requests in this minute */
	int64_t minute;
	uint32_t crawl; /* of the driver: it asks for key files */
	struct subscription *feeds; /* owned */
	size_t feed_count, feed_cap;
	struct spool_file *spool; /* of the question to a hub; NULL: none */
	int64_t hub_ms; /* no hub is asked before */
	struct buf question, answer; /* to hubs */
};

/* Keys. */

/* Drop the oldest URLs of the key. */
static void
key_drop(struct hint_listener *hints, struct site_key *key, size_t count)
{
	struct strings *urls = &key->urls;

	if (count == 0)
		return;
	for (size_t i = 0; i < count; i++)
		free(urls->items[i]);
	urls->count -= count;
	memmove(urls->items, urls->items + count,
	    urls->count * sizeof(*urls->items));
	hints->waiting -= count;
}

/* The answer to the request for a key file. */
static void
hints_on_exchange(void *arg, const struct page_exchange *exchange)
{
	struct hint_listener *hints = arg;
	struct site_key *key = &hints->keys[exchange->id];
	struct buf text = BUF_UP_TO(FILE_BYTES);

	/* Behind a redirect lies the file of somebody else. */
	if (exchange->hop == 0 && exchange->result->status == 200 &&
	    exchange->body != NULL && spool_read(exchange->body, &text) &&
	    slice_is(slice_trim(buf_text(&text)), key->text))
		key->state = KEY_RIGHT;
	buf_release(&text);
}

static void
hints_on_page(void *arg, const struct listed_page *page)
{
	struct hint_listener *hints = arg;
	struct site_key *key = &hints->keys[page->id];
	char text[64];

	key->until_s = loop_now_s(hints->how.loop) + DAY_S;
	loop_timer_set(hints->turn, 0);
	if (key->state == KEY_RIGHT)
		return;
	key->state = KEY_WRONG;
	key->until_s += HOUR_S - DAY_S;
	key_drop(hints, key, key->urls.count);
	(void)snprintf(text, sizeof(text), "%s, status %d",
	    page->end == PAGE_DISALLOWED ? "forbidden by robots.txt"
					 : "the key is not there",
	    page->status);
	hints->how.problem(hints->how.arg, url_parts(page->url).host,
	    DIAG_HINT_KEY_REFUSED, slice_of(text));
}

/* The host of the key file is to be left alone. */
static void
hints_on_returned(void *arg, uint64_t id, int64_t held_ms)
{
	struct hint_listener *hints = arg;

	hints->keys[id].state = KEY_UNKNOWN;
	hints->keys[id].until_s = loop_now_s(hints->how.loop) + 1 +
	    held_ms / 1000;
}

/* Ask for the key file, when the budgets and holds of the site allow it. */
static void
key_ask(struct hint_listener *hints, size_t number, int64_t now_s)
{
	struct site_key *key = &hints->keys[number];
	struct page_order order = {.site_id = key->site_id,
	    .url = slice_of(key->location),
	    .id = number,
	    .max_bytes = FILE_BYTES,
	    .is_identity = true,
	    .wants_exchange = true};

	key->until_s = frontier_ask(hints->how.frontier, key->site_id, now_s);
	if (key->until_s > now_s)
		return;
	key->state = KEY_ASKED;
	run_page(hints->how.run, hints->crawl, &order);
}

/* key_take(hints, site_id, location, text): the site's key is that one; NULL:
 * it is another one, which has its place for now. */
static struct site_key *
key_take(struct hint_listener *hints, int64_t site_id, struct slice location,
    struct slice text)
{
	struct site_key *key;
	size_t at = 0;
	bool is_same;

	while (at < hints->count && hints->keys[at].site_id != site_id)
		at++;
	if (at == hints->count)
		*MEM_PUSH(
		    hints->keys, hints->count, hints->cap) = (struct site_key){
		    .site_id = site_id, .state = KEY_WRONG};
	key = &hints->keys[at];
	is_same = key->text != NULL && slice_is(text, key->text) &&
	    slice_is(location, key->location);
	if (key->state >= KEY_RIGHT &&
	    key->until_s <= loop_now_s(hints->how.loop)) {
		if (key->state == KEY_WRONG && !is_same) {
			free(key->location);
			free(key->text);
			key->location = slice_dup(location);
			key->text = slice_dup(text);
			is_same = true;
		}
		key->state = KEY_UNKNOWN;
		loop_timer_set(hints->turn, 0);
	}
	return is_same ? key : NULL;
}

/* What is submitted; the texts are hostile. */
struct submission {
	struct slice host, key, location; /* host: empty with GET */
	struct strings urls; /* owned */
};

bool
indexnow_is_key(struct slice key)
{
	for (size_t i = 0; i < key.len; i++)
		if (!url_is_unreserved((unsigned char)key.p[i]) ||
		    strchr("._~", key.p[i]) != NULL)
			return false;
	return key.len >= KEY_LEAST && key.len <= KEY_MOST;
}

/* hints_read(in, urls, file): normalise the URLs of a submission, and that of
 * its key file.  False: it is none that a key could prove. */
static bool
hints_read(const struct submission *in, struct strings *urls, struct url *file)
{
	char root[KEY_MOST + sizeof("/.txt")];
	struct slice place = in->location;
	struct url url = {0};
	bool is_good = indexnow_is_key(in->key) &&
	    in->urls.count <= URLS_MOST && place.len <= URL_BYTES;

	/* The key file lies at the root if nothing else is said. */
	if (is_good && place.len == 0) {
		(void)snprintf(root, sizeof(root), "/%.*s.txt",
		    (int)in->key.len, in->key.p);
		place = slice_of(root);
	}
	for (size_t i = 0; is_good && i < in->urls.count; i++) {
		struct slice text = slice_of(in->urls.items[i]);

		/* the key is that of what lies in its folder. */
		is_good = text.len <= URL_BYTES &&
		    url_parse_raw(&url, text, NULL) == DIAG_OK &&
		    (i > 0 || url_parse_raw(file, place, &url) == DIAG_OK) &&
		    slice_starts(url_text(&url), url_directory(file));
		strings_add(urls, url_text(&url));
	}
	/* All have the host of the file; a port is no part of it for some. */
	if (is_good && in->host.len > 0)
		is_good = slice_equal_nocase(in->host, url_host(file)) ||
		    slice_equal_nocase(in->host, identity_authority(file));
	url_release(&url);
	return is_good;
}

/* The status of a submission, whose URLs are put where they wait. */
static int
hints_submit(struct hint_listener *hints, const struct submission *in)
{
	struct strings urls = {0};
	struct site_key *key = NULL;
	int64_t site_id = 0;
	struct url file = {0};
	int status = 422;

	if (hints_read(in, &urls, &file))
		site_id = store_site_find(hints->how.store, url_host(&file));
	if (frontier_watches(hints->how.frontier, site_id)) {
		key = key_take(hints, site_id, url_text(&file), in->key);
		status = key != NULL && key->state == KEY_WRONG ? 403 : 429;
	}
	if (status == 429 && key != NULL &&
	    hints->waiting + urls.count <= WAITING_MOST) {
		for (size_t i = 0; i < urls.count; i++)
			strings_add(&key->urls, slice_of(urls.items[i]));
		hints->waiting += urls.count;
		if (key->urls.count > URLS_MOST)
			key_drop(hints, key, key->urls.count - URLS_MOST);
		status = key->state == KEY_RIGHT ? 200 : 202;
		loop_timer_set(hints->turn, 0);
	}
	strings_release(&urls);
	url_release(&file);
	return status;
}

/* Feeds. */

static void
put_hex(char *out, const uint8_t *bytes, size_t count)
{
	for (size_t i = 0; i < count; i++)
		(void)snprintf(out + 2 * i, 3, "%02x", bytes[i]);
}

void
hints_feed(struct hint_listener *hints, int64_t site_id, struct slice url,
    struct slice hub)
{
	struct subscription *feed;
	size_t at = 0;
	uint8_t random[IDENTITY_NONCE_BYTES];

	if (hints->how.public_url == NULL || hub.len == 0)
		return;
	while (at < hints->feed_count && !slice_is(url, hints->feeds[at].url))
		at++;
	if (at == FEEDS_MOST ||
	    (at < hints->feed_count && slice_is(hub, hints->feeds[at].hub)))
		return;
	if (at == hints->feed_count)
		*MEM_PUSH(hints->feeds, hints->feed_count,
		    hints->feed_cap) = (struct subscription){0};
	feed = &hints->feeds[at];
	/* Another hub takes the place of the old one at once. */
	free(feed->url);
	free(feed->hub);
	*feed = (struct subscription){
	    .site_id = site_id, .url = slice_dup(url), .hub = slice_dup(hub)};
	identity_nonce(random);
	put_hex(feed->token, random, TOKEN_BYTES / 2);
	put_hex(feed->secret, random + TOKEN_BYTES / 2, TOKEN_BYTES / 2);
	loop_timer_set(hints->turn, 0);
}

static void
feed_on_answer(void *arg, const struct fetch_result *result)
{
	struct hint_listener *hints = arg;

	/* Whether it was right shows when the hub asks back. */
	(void)result;
	spool_put(hints->spool);
	hints->spool = NULL;
}

/* Ask the hub of the feed to subscribe. */
static void
feed_ask(struct hint_listener *hints, struct subscription *feed)
{
	static const char *const headers[] = {
	    "Content-Type: application/x-www-form-urlencoded", NULL};
	struct fetch_request request = {.headers = headers,
	    .max_bytes = ANSWER_BYTES,
	    .is_single = true,
	    .is_identity = true};
	struct buf *body = &hints->question;
	struct url url = {0};

	/* If the hub does not do its part, it is asked again after a day. */
	feed->next_s = loop_now_s(hints->how.loop) + DAY_S;
	if (url_parse_raw(&url, slice_of(feed->hub), NULL) == DIAG_OK)
		hints->spool = spool_get(hints->how.spool);
	if (hints->spool != NULL) {
		buf_clear(body);
		(void)buf_print(body, "hub.mode=subscribe&hub.topic=");
		markup_parameter(body, slice_of(feed->url));
		(void)buf_print(body, "&hub.callback=");
		markup_parameter(body, slice_of(hints->how.public_url));
		(void)buf_print(body, FEED_PATH "%s&hub.secret=%s", feed->token,
		    feed->secret);
		request.url = &url;
		request.post = buf_str(body);
		request.spool = hints->spool;
		feed->is_asked = true;
		hints->hub_ms = loop_now_ms(hints->how.loop) + REST_MS;
		fetch_start(
		    hints->how.fetcher, &request, feed_on_answer, hints);
	}
	url_release(&url);
}

/* The hub asks whether the subscription was meant. */
static int
feed_verify(struct hint_listener *hints, struct subscription *feed,
    const struct serve_query *query)
{
	const char *mode = serve_query_get(query, "hub.mode");
	const char *topic = serve_query_get(query, "hub.topic");
	const char *challenge = serve_query_get(query, "hub.challenge");
	uint64_t lease_s = DAY_S;

	if (mode == NULL || topic == NULL || challenge == NULL ||
	    strcmp(mode, "subscribe") != 0 || strcmp(topic, feed->url) != 0 ||
	    !feed->is_asked ||
	    !serve_query_number(
		query, "hub.lease_seconds", 1, INT32_MAX, &lease_s))
		return 404;
	feed->is_asked = false;
	feed->is_verified = true;
	if (lease_s < LEASE_LEAST_S)
		lease_s = LEASE_LEAST_S;
	if (lease_s > LEASE_MOST_S)
		lease_s = LEASE_MOST_S;
	/* It is renewed in time for a hub that is away for a while. */
	feed->next_s = loop_now_s(hints->how.loop) + (int64_t)lease_s / 2;
	(void)buf_print(&hints->answer, "%s", challenge);
	return 200;
}

/* The status of a request for the path of a feed. */
static int
feed_answer(struct hint_listener *hints, const struct http_question *ask,
    const struct serve_query *query)
{
	char text[sizeof("sha256=") + 2 * SHA256_BYTES] = "sha256=";
	struct serve_token token = {text, text};
	struct subscription *feed = hints->feeds;
	uint8_t value[SHA256_BYTES];
	const char *why = NULL;
	bool is_right;

	while (feed < hints->feeds + hints->feed_count &&
	    strcmp(query->path + strlen(FEED_PATH), feed->token) != 0)
		feed++;
	if (feed == hints->feeds + hints->feed_count)
		return 404;
	if (!ask->is_post)
		return feed_verify(hints, feed, query);
	hmac_sha256(slice_of(feed->secret), ask->body, value);
	put_hex(text + strlen(text), value, sizeof(value));
	is_right = serve_token_admits(&token, ask->signature) &&
	    feed->is_verified;
	if (!is_right)
		why = feed->is_verified
		    ? "a notification without the signature of its secret"
		    : "a notification before the hub asked back";
	/* One of the last once more says nothing new. */
	for (size_t i = 0; is_right && i < REPLAYS; i++)
		if (memcmp(feed->last[i], value, sizeof(value)) == 0)
			why = "a notification that came before";
	if (why != NULL) {
		if (!feed->is_doubted)
			hints->how.problem(hints->how.arg,
			    url_parts(slice_of(feed->url)).host,
			    DIAG_HINT_KEY_REFUSED, slice_of(why));
		feed->is_doubted = true;
		return is_right ? 202 : 403;
	}
	feed->is_doubted = false;
	memcpy(feed->last[feed->told++ % REPLAYS], value, sizeof(value));
	hints->how.told(hints->how.arg, slice_of(feed->hub), 1,
	    frontier_hint(hints->how.frontier, feed->site_id,
		slice_of(feed->url), loop_now_s(hints->how.loop)));
	return 202;
}

/* The listener. */

/* The turn: ask for key files, tell the frontier some URLs, and ask a hub. */
static void
hints_turn(void *arg)
{
	struct hint_listener *hints = arg;
	int64_t now_s = loop_now_s(hints->how.loop);
	size_t left = TURN_URLS;
	bool waits = hints->feed_count > 0;

	loop_doing(hints->how.loop, "hints");
	for (size_t i = 0; i < hints->count; i++) {
		struct site_key *key = &hints->keys[i];
		size_t count = key->urls.count < left ? key->urls.count : left;

		if (key->state == KEY_UNKNOWN && key->until_s <= now_s)
			key_ask(hints, i, now_s);
		waits |= key->state == KEY_UNKNOWN || key->urls.count > count;
		if (key->state != KEY_RIGHT || count == 0)
			continue;
		for (size_t k = 0; k < count; k++)
			key->known += frontier_hint(hints->how.frontier,
			    key->site_id, slice_of(key->urls.items[k]), now_s);
		left -= count;
		key->told += count;
		key_drop(hints, key, count);
		if (key->urls.count > 0)
			continue;
		hints->how.told(hints->how.arg, slice_of(key->location),
		    key->told, key->known);
		key->told = key->known = 0;
	}
	for (size_t i = 0; i < hints->feed_count && hints->spool == NULL &&
	     loop_now_ms(hints->how.loop) >= hints->hub_ms;
	     i++)
		if (hints->feeds[i].next_s <= now_s &&
		    frontier_watches(
			hints->how.frontier, hints->feeds[i].site_id))
			feed_ask(hints, &hints->feeds[i]);
	if (waits)
		loop_timer_set(hints->turn, left == 0 ? TURN_MS : REST_MS);
}

/* May the sender send one more request in this minute?  Senders whose hashes
 * are equal share what they may. */
static bool
sender_may(struct hint_listener *hints, const char *peer)
{
	int64_t minute = loop_now_ms(hints->how.loop) / 60000;
	uint64_t hash = hash_key(slice_of(peer), hints->how.hash_key);

	if (minute != hints->minute)
		memset(hints->sent, 0, sizeof(hints->sent));
	hints->minute = minute;
	return hints->sent[hash % SENDERS] < SENDER_MOST &&
	    hints->sent[hash % SENDERS]++ < SENDER_MOST;
}

static void
hints_answer(
    void *arg, const struct http_question *ask, struct http_answer *answer)
{
	struct hint_listener *hints = arg;
	struct serve_query query = {0};
	bool is_query = serve_query_parse(&query, ask->target);
	bool may = sender_may(hints, ask->peer);
	bool is_submission = strcmp(query.path, "/indexnow") == 0;
	struct ndjson *json = may && is_submission && ask->is_post
	    ? ndjson_parse(ask->body, NULL)
	    : NULL;
	struct submission in = {.host = ndjson_text(json, "host"),
	    .key = ndjson_text(json, "key"),
	    .location = ndjson_text(json, "keyLocation")};
	const char *url = is_query ? serve_query_get(&query, "url") : NULL;

	if (json != NULL) {
		ndjson_strings(json, "urlList", &in.urls);
	} else if (url != NULL) {
		in.key = slice_of(serve_query_get(&query, "key"));
		in.location = slice_of(serve_query_get(&query, "keyLocation"));
		strings_add(&in.urls, slice_of(url));
	}
	buf_clear(&hints->answer);
	/* a challenge is echoed, and must not be read as a page */
	answer->type = "text/plain; charset=utf-8";
	if (!may)
		answer->status = 429;
	else if (slice_starts(slice_of(query.path), slice_of(FEED_PATH)))
		answer->status = feed_answer(hints, ask, &query);
	else if (!is_submission)
		answer->status = 404;
	else if (ask->is_head || in.urls.count == 0 ||
	    (ask->is_post && in.host.len == 0))
		answer->status = 400;
	else
		answer->status = hints_submit(hints, &in);
	answer->body = buf_text(&hints->answer);
	strings_release(&in.urls);
	ndjson_free(json);
	serve_query_release(&query);
}

struct hint_listener *
hints_new(const struct hints_options *options, uint16_t *port)
{
	struct hint_listener *hints = mem_zero(sizeof(*hints));
	struct value_listen at;
	char address[46];
	struct http_server_options http = {.address = address,
	    .takes_post = true,
	    .max_body = BODY_BYTES,
	    .answer = hints_answer,
	    .arg = hints};
	struct crawl_options crawl = {.max_urls = UINT64_MAX,
	    .takes_pages = true,
	    .page = hints_on_page,
	    .page_returned = hints_on_returned,
	    .exchange = hints_on_exchange,
	    .arg = hints};

	hints->how = *options;
	(void)value_listen(options->listen, &at);
	addr_print(&at.addr, address);
	http.port = at.port;
	hints->turn = loop_timer_new(options->loop, hints_turn, hints);
	hints->crawl = run_crawl(options->run, &crawl);
	run_start(options->run, hints->crawl);
	hints->http = http_server_new(options->loop, &http, port);
	if (hints->http != NULL)
		return hints;
	hints_free(hints);
	return NULL;
}

void
hints_free(struct hint_listener *hints)
{
	if (hints == NULL)
		return;
	http_server_free(hints->http);
	spool_put(hints->spool);
	run_drop(hints->how.run, hints->crawl);
	for (size_t i = 0; i < hints->count; i++) {
		free(hints->keys[i].location);
		free(hints->keys[i].text);
		strings_release(&hints->keys[i].urls);
	}
	free(hints->keys);
	for (size_t i = 0; i < hints->feed_count; i++) {
		free(hints->feeds[i].url);
		free(hints->feeds[i].hub);
	}
	free(hints->feeds);
	buf_release(&hints->question);
	buf_release(&hints->answer);
	loop_timer_free(hints->turn);
	free(hints);
}
