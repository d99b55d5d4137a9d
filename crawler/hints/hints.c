/*
 * The listener of hints: see hints.h.
 *
 * Each site has one key, with the URLs that were submitted with it.
 *
 *	UNKNOWN --its file is asked for--> ASKED --+--> RIGHT: for a day
 *	   ^                                       +--> WRONG: likewise
 *	   +------ a submission after that --------+
 *
 * A key that is WRONG gives its place to another one after an hour; one that is
 * RIGHT keeps it, so that nobody can turn out the owner of the site.
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
#include "crawler/cli/options_value.h"
#include "crawler/crawl/run.h"
#include "crawler/event/loop.h"
#include "crawler/event/ndjson.h"
#include "crawler/event/spool.h"
#include "crawler/fetch/fetch.h"
#include "crawler/fetch/http_server.h"
#include "crawler/frontier/frontier.h"
#include "crawler/hints/websub.h"
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
#define AGAIN_S HOUR_S
#define TURN_URLS 200 /* in a turn, so that the loop goes on */
#define TURN_MS 20
#define REST_MS 5000

enum key_state { KEY_UNKNOWN, KEY_ASKED, KEY_RIGHT, KEY_WRONG };

struct site_key {
	int64_t site_id;
	char *location, *text; /* owned: of the file, and the key itself */
	enum key_state state;
	/* RIGHT, WRONG: when it was asked for; UNKNOWN: not before this time */
	int64_t at_s;
	struct strings urls; /* owned: normalised; they wait */
	size_t told, known; /* of them, so far */
};

struct hint_listener {
	struct hints_options how;
	struct http_server *http; /* owned */
	struct loop_timer *turn; /* owned */
	struct websub *websub; /* owned; NULL: not wanted */
	struct site_key *keys; /* owned */
	size_t count, cap;
	size_t waiting; /* URLs of all keys */
	uint16_t sent[SENDERS]; /* requests in this minute */
	int64_t minute;
	uint32_t crawl; /* of the driver, if has_crawl */
	bool has_crawl;
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

	key->at_s = loop_now_s(hints->how.loop);
	loop_timer_set(hints->turn, 0);
	if (key->state == KEY_RIGHT)
		return;
	key->state = KEY_WRONG;
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
	hints->keys[id].at_s = loop_now_s(hints->how.loop) + 1 + held_ms / 1000;
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
	struct crawl_options crawl = {.max_urls = UINT64_MAX,
	    .takes_pages = true,
	    .page = hints_on_page,
	    .page_returned = hints_on_returned,
	    .exchange = hints_on_exchange,
	    .arg = hints};

	key->at_s = frontier_ask(hints->how.frontier, key->site_id, now_s);
	if (key->at_s > now_s)
		return;
	if (!hints->has_crawl) {
		hints->crawl = run_crawl(hints->how.run, &crawl);
		run_start(hints->how.run, hints->crawl);
		hints->has_crawl = true;
	}
	key->state = KEY_ASKED;
	run_page(hints->how.run, hints->crawl, &order);
}

/* key_take(hints, site_id, location, text): the site's key is that one; NULL:
 * it is another one, which has its place for now. */
static struct site_key *
key_take(struct hint_listener *hints, int64_t site_id, struct slice location,
    struct slice text)
{
	int64_t now_s = loop_now_s(hints->how.loop);
	struct site_key *key = hints->keys;
	bool is_same;

	while (key < hints->keys + hints->count && key->site_id != site_id)
		key++;
	if (key == hints->keys + hints->count) {
		key = MEM_PUSH(hints->keys, hints->count, hints->cap);
		*key = (struct site_key){
		    .site_id = site_id, .state = KEY_WRONG, .at_s = INT64_MIN};
	}
	is_same = key->text != NULL && slice_is(text, key->text) &&
	    slice_is(location, key->location);
	/* After a day the same key is asked for again; and so is one that was
	 * right when another comes, which then gets its turn. */
	if ((is_same ? key->state >= KEY_RIGHT : key->state == KEY_RIGHT) &&
	    key->at_s <= now_s - DAY_S) {
		key->state = KEY_UNKNOWN;
		key->at_s = 0;
		loop_timer_set(hints->turn, 0);
	}
	if (is_same)
		return key;
	if (key->state != KEY_WRONG || key->at_s > now_s - AGAIN_S)
		return NULL;
	key->state = KEY_UNKNOWN;
	key->at_s = 0;
	free(key->location);
	free(key->text);
	key->location = slice_dup(location);
	key->text = slice_dup(text);
	return key;
}

/* The turn: ask for key files, and tell the frontier some URLs. */
static void
hints_turn(void *arg)
{
	struct hint_listener *hints = arg;
	int64_t now_s = loop_now_s(hints->how.loop);
	size_t left = TURN_URLS;
	bool waits = false;

	loop_doing(hints->how.loop, "hints");
	for (size_t i = 0; i < hints->count; i++) {
		struct site_key *key = &hints->keys[i];
		size_t count = key->urls.count < left ? key->urls.count : left;

		if (key->state == KEY_UNKNOWN && key->at_s <= now_s)
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
	if (waits)
		loop_timer_set(hints->turn, left == 0 ? TURN_MS : REST_MS);
}

/* Requests. */

/* May the sender send one more request in this minute?  Senders whose hashes
 * are equal share what they may. */
static bool
sender_may(struct hint_listener *hints, const char *peer)
{
	int64_t minute = loop_now_ms(hints->how.loop) / 60000;
	uint16_t
	    *sent = &hints->sent[hash_key(slice_of(peer), hints->how.hash_key) %
		SENDERS];

	if (minute != hints->minute)
		memset(hints->sent, 0, sizeof(hints->sent));
	hints->minute = minute;
	if (*sent >= SENDER_MOST)
		return false;
	(*sent)++;
	return true;
}

static bool
key_is_sound(struct slice key)
{
	for (size_t i = 0; i < key.len; i++)
		if (!url_is_unreserved((unsigned char)key.p[i]) ||
		    strchr("._~", key.p[i]) != NULL)
			return false;
	return key.len >= KEY_LEAST && key.len <= KEY_MOST;
}

/* What is submitted; the texts are hostile. */
struct submission {
	struct slice host, key, location; /* host: empty with GET */
	struct strings urls; /* owned */
};

/* hints_read(in, urls, file): normalise the URLs of a submission, and that of
 * its key file.  False: it is none that a key could prove. */
static bool
hints_read(const struct submission *in, struct strings *urls, struct url *file)
{
	struct buf place = BUF_UP_TO(2 * URL_BYTES);
	struct url url;
	bool is_good = key_is_sound(in->key) && in->urls.count > 0 &&
	    in->urls.count <= URLS_MOST && in->location.len <= URL_BYTES;

	url_init(&url);
	for (size_t i = 0; is_good && i < in->urls.count; i++) {
		struct slice text = slice_of(in->urls.items[i]);

		is_good = text.len <= URL_BYTES &&
		    url_parse_raw(&url, text, NULL) == DIAG_OK;
		/* The key file lies at the root if nothing else is said. */
		if (is_good && i == 0) {
			struct slice at = url_origin(&url);

			(void)buf_print(&place, "%.*s/%.*s.txt", (int)at.len,
			    at.p, (int)in->key.len, in->key.p);
			is_good = url_parse_raw(file,
				      in->location.len > 0 ? in->location
							   : buf_text(&place),
				      NULL) == DIAG_OK;
		}
		/* the key is that of what lies in its folder. */
		is_good = is_good &&
		    slice_starts(url_text(&url), url_directory(file)) &&
		    (in->host.len == 0 ||
			slice_equal_nocase(in->host, url_host(&url)));
		strings_add(urls, url_text(&url));
	}
	url_release(&url);
	buf_release(&place);
	return is_good;
}

/* The status of a submission, whose URLs are put where they wait. */
static int
hints_submit(struct hint_listener *hints, const struct submission *in)
{
	struct strings urls = {0};
	struct site_key *key = NULL;
	int64_t site_id = 0;
	struct url file;
	int status = 422;

	url_init(&file);
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

static void
hints_answer(
    void *arg, const struct http_question *ask, struct http_answer *answer)
{
	struct hint_listener *hints = arg;
	struct serve_query query = {0};
	bool is_query = serve_query_parse(&query, ask->target);
	struct ndjson *json = ask->is_post ? ndjson_parse(ask->body, NULL)
					   : NULL;
	struct submission in = {.host = ndjson_text(json, "host"),
	    .key = ndjson_text(json, "key"),
	    .location = ndjson_text(json, "keyLocation")};
	const char *url = is_query ? serve_query_get(&query, "url") : NULL;

	if (ask->is_post) {
		ndjson_strings(json, "urlList", &in.urls);
	} else if (url != NULL) {
		in.key = slice_of(serve_query_get(&query, "key"));
		in.location = slice_of(serve_query_get(&query, "keyLocation"));
		strings_add(&in.urls, slice_of(url));
	}
	if (!sender_may(hints, ask->peer))
		answer->status = 429;
	else if (hints->websub != NULL &&
	    slice_starts(slice_of(query.path), slice_of(WEBSUB_PATH)))
		websub_answer(hints->websub, query.path + strlen(WEBSUB_PATH),
		    ask, &query, answer);
	else if (strcmp(query.path, "/indexnow") != 0)
		answer->status = 404;
	else if (ask->is_head || in.urls.count == 0 ||
	    (ask->is_post && in.host.len == 0))
		answer->status = 400;
	else
		answer->status = hints_submit(hints, &in);
	strings_release(&in.urls);
	ndjson_free(json);
	serve_query_release(&query);
}

/* The interface. */

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

	hints->how = *options;
	(void)value_listen(options->listen, &at);
	addr_print(&at.addr, address);
	http.port = at.port;
	hints->turn = loop_timer_new(options->loop, hints_turn, hints);
	hints->http = http_server_new(options->loop, &http, port);
	if (options->public_url != NULL)
		hints->websub = websub_new(&hints->how);
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
	websub_free(hints->websub);
	if (hints->has_crawl)
		run_drop(hints->how.run, hints->crawl);
	for (size_t i = 0; i < hints->count; i++) {
		free(hints->keys[i].location);
		free(hints->keys[i].text);
		strings_release(&hints->keys[i].urls);
	}
	free(hints->keys);
	loop_timer_free(hints->turn);
	free(hints);
}

void
hints_feed(struct hint_listener *hints, int64_t site_id, struct slice url,
    struct slice hub)
{
	if (hints->websub != NULL && hub.len > 0)
		websub_feed(hints->websub, site_id, url, hub);
}
