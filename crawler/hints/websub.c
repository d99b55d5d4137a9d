/* WebSub: see websub.h. */
#include "crawler/hints/websub.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/civil.h"
#include "base/mem.h"
#include "base/url.h"
#include "crawler/event/loop.h"
#include "crawler/event/spool.h"
#include "crawler/fetch/fetch.h"
#include "crawler/fetch/http_server.h"
#include "crawler/frontier/frontier.h"
#include "crawler/identity/identity.h"
#include "crawler/serve/serve_query.h"

#define FEEDS_MOST 1000
#define HUB_BYTES 2048
#define ANSWER_BYTES 65536
#define TOKEN_BYTES 32 /* of hex: 128 bits */
#define SIGNATURE "sha256="
/* Hubs are asked one after the other, not more often than this. */
#define PAUSE_MS 5000
#define AGAIN_S DAY_S /* after a hub that did not do its part */
#define LEASE_LEAST_S HOUR_S
#define LEASE_MOST_S (30 * DAY_S)

struct subscription {
	int64_t site_id;
	char *url, *hub; /* owned: of the feed; normalised */
	char token[TOKEN_BYTES + 1], secret[TOKEN_BYTES + 1];
	char
	    last[2 * SHA256_BYTES + 1]; /* signature of the last notification */
	int64_t next_s; /* the hub is asked again */
	bool is_asked; /* and may ask back */
};

struct websub {
	const struct hints_options *how;
	struct loop_timer *turn; /* owned */
	struct subscription *feeds; /* owned */
	size_t count, cap;
	struct spool_file *spool; /* of the request under way; NULL: none */
	struct buf body, challenge;
};

static void
put_hex(char *out, const uint8_t *bytes, size_t count)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < count; i++) {
		*out++ = digits[bytes[i] >> 4];
		*out++ = digits[bytes[i] & 15];
	}
	*out = '\0';
}

/* sign(secret, text, out): HMAC-SHA-256 in hex. */
static void
websub_sign(const char *secret, struct slice text, char *out)
{
	uint8_t value[SHA256_BYTES];

	hmac_sha256(slice_make(secret, TOKEN_BYTES), text, value);
	put_hex(out, value, sizeof(value));
}

/* Asking hubs. */

static void
websub_on_answer(void *arg, const struct fetch_result *result)
{
	struct websub *websub = arg;

	/* Whether it was right shows when the hub asks back. */
	(void)result;
	spool_put(websub->spool);
	websub->spool = NULL;
}

static void
put_parameter(struct buf *out, const char *name, const char *value)
{
	(void)buf_print(out, "%s%s=", out->len > 0 ? "&" : "", name);
	for (; *value != '\0'; value++)
		(void)buf_print(out,
		    url_is_unreserved((unsigned char)*value) ? "%c" : "%%%02X",
		    (unsigned char)*value);
}

static void
hub_ask(struct websub *websub, struct subscription *feed)
{
	static const char *const headers[] = {
	    "Content-Type: application/x-www-form-urlencoded", NULL};
	struct fetch_request request = {.headers = headers,
	    .max_bytes = ANSWER_BYTES,
	    .is_single = true,
	    .is_identity = true};
	struct buf callback = BUF_UP_TO(SIZE_MAX);
	struct url url;

	websub->spool = spool_get(websub->how->spool);
	if (websub->spool == NULL)
		return;
	(void)buf_print(&callback, "%s" WEBSUB_PATH "%s",
	    websub->how->public_url, feed->token);
	buf_clear(&websub->body);
	put_parameter(&websub->body, "hub.mode", "subscribe");
	put_parameter(&websub->body, "hub.topic", feed->url);
	put_parameter(&websub->body, "hub.callback", buf_str(&callback));
	put_parameter(&websub->body, "hub.secret", feed->secret);
	url_init(&url);
	(void)url_parse_raw(&url, slice_of(feed->hub), NULL);
	request.url = &url;
	request.post = buf_str(&websub->body);
	request.spool = websub->spool;
	feed->is_asked = true;
	feed->next_s = loop_now_s(websub->how->loop) + AGAIN_S;
	fetch_start(websub->how->fetcher, &request, websub_on_answer, websub);
	url_release(&url);
	buf_release(&callback);
}

static void
websub_turn(void *arg)
{
	struct websub *websub = arg;
	int64_t now_s = loop_now_s(websub->how->loop);

	for (size_t i = 0; i < websub->count && websub->spool == NULL; i++)
		if (websub->feeds[i].next_s <= now_s &&
		    frontier_watches(
			websub->how->frontier, websub->feeds[i].site_id))
			hub_ask(websub, &websub->feeds[i]);
	loop_timer_set(websub->turn, PAUSE_MS);
}

void
websub_feed(
    struct websub *websub, int64_t site_id, struct slice url, struct slice hub)
{
	struct subscription *feed = websub->feeds;
	uint8_t random[IDENTITY_NONCE_BYTES];
	struct url at;

	while (
	    feed < websub->feeds + websub->count && !slice_is(url, feed->url))
		feed++;
	url_init(&at);
	if (hub.len <= HUB_BYTES && url_parse_raw(&at, hub, NULL) == DIAG_OK) {
		if (feed == websub->feeds + websub->count &&
		    websub->count < FEEDS_MOST) {
			feed = MEM_PUSH(
			    websub->feeds, websub->count, websub->cap);
			*feed = (struct subscription){
			    .site_id = site_id, .url = slice_dup(url)};
			identity_nonce(random);
			put_hex(feed->token, random, TOKEN_BYTES / 2);
			put_hex(feed->secret, random + TOKEN_BYTES / 2,
			    TOKEN_BYTES / 2);
			loop_timer_set(websub->turn, 0);
		}
		/* Another hub takes the place of the old one at once. */
		if (feed < websub->feeds + websub->count &&
		    (feed->hub == NULL ||
			!slice_is(url_text(&at), feed->hub))) {
			free(feed->hub);
			feed->hub = slice_dup(url_text(&at));
			feed->next_s = 0;
		}
	}
	url_release(&at);
}

/* What hubs send. */

/* The hub asks whether the subscription was meant. */
static int
hub_verify(struct websub *websub, struct subscription *feed,
    const struct serve_query *query, struct http_answer *answer)
{
	const char *mode = serve_query_get(query, "hub.mode");
	const char *topic = serve_query_get(query, "hub.topic");
	const char *challenge = serve_query_get(query, "hub.challenge");
	uint64_t lease_s = AGAIN_S;

	if (mode == NULL || topic == NULL || challenge == NULL ||
	    strcmp(mode, "subscribe") != 0 || strcmp(topic, feed->url) != 0 ||
	    !feed->is_asked ||
	    !serve_query_number(
		query, "hub.lease_seconds", 1, INT32_MAX, &lease_s))
		return 404;
	feed->is_asked = false;
	if (lease_s < LEASE_LEAST_S)
		lease_s = LEASE_LEAST_S;
	if (lease_s > LEASE_MOST_S)
		lease_s = LEASE_MOST_S;
	/* It is renewed in time for a hub that is away for a while. */
	feed->next_s = loop_now_s(websub->how->loop) + (int64_t)lease_s / 2;
	buf_clear(&websub->challenge);
	(void)buf_put_slice(&websub->challenge, slice_of(challenge));
	answer->body = buf_text(&websub->challenge);
	return 200;
}

void
websub_answer(struct websub *websub, const char *token,
    const struct http_question *ask, const struct serve_query *query,
    struct http_answer *answer)
{
	char own[sizeof(SIGNATURE) + 2 * SHA256_BYTES] = SIGNATURE;
	struct subscription *feed = websub->feeds;
	char *hex = own + sizeof(SIGNATURE) - 1;
	int differs = 0;

	while (feed < websub->feeds + websub->count &&
	    strcmp(token, feed->token) != 0)
		feed++;
	answer->status = 404;
	if (feed == websub->feeds + websub->count)
		return;
	if (!ask->is_post) {
		answer->status = hub_verify(websub, feed, query, answer);
		return;
	}
	websub_sign(feed->secret, ask->body, hex);
	answer->status = 403;
	/* The time that this takes says nothing of where they differ. */
	if (ask->signature == NULL || strlen(ask->signature) != strlen(own))
		return;
	for (size_t i = 0; i < strlen(own); i++)
		differs |= ask->signature[i] ^ own[i];
	if (differs != 0)
		return;
	answer->status = 202;
	/* The same once more says nothing new. */
	if (strcmp(feed->last, hex) == 0)
		return;
	memcpy(feed->last, hex, sizeof(feed->last));
	websub->how->told(websub->how->arg, slice_of(feed->hub), 1,
	    frontier_hint(websub->how->frontier, feed->site_id,
		slice_of(feed->url), loop_now_s(websub->how->loop)));
}

/* The interface. */

struct websub *
websub_new(const struct hints_options *how)
{
	struct websub *websub = mem_zero(sizeof(*websub));

	websub->how = how;
	websub->turn = loop_timer_new(how->loop, websub_turn, websub);
	buf_init(&websub->body, SIZE_MAX);
	buf_init(&websub->challenge, SIZE_MAX);
	return websub;
}

void
websub_free(struct websub *websub)
{
	if (websub == NULL)
		return;
	spool_put(websub->spool);
	for (size_t i = 0; i < websub->count; i++) {
		free(websub->feeds[i].url);
		free(websub->feeds[i].hub);
	}
	free(websub->feeds);
	loop_timer_free(websub->turn);
	buf_release(&websub->body);
	buf_release(&websub->challenge);
	free(websub);
}
