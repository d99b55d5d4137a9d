/*
 * freshet notify: what changed at sites of the user's own, by IndexNow.
 *
 * Each site has a consumer of the feed.  Its cursor says what was sent; it
 * moves when the endpoint has taken a batch.  A row beside it (ALERT_NOTICE)
 * says why a batch was not taken, and when to try again.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/human.h"
#include "base/out_json.h"
#include "base/zone.h"
#include "crawler/alert/alert_send.h"
#include "crawler/cli/out.h"
#include "crawler/cli/selection.h"
#include "crawler/cli/textfile.h"
#include "crawler/commands/commands.h"
#include "crawler/control/asks.h"
#include "crawler/control/shards.h"
#include "crawler/event/exit.h"
#include "crawler/feed/feed_batch.h"
#include "crawler/hints/hints.h"
#include "crawler/identity/identity.h"
#include "store/document.h"
#include "store/feed.h"
#include "store/site.h"

/* A date that moved with nine tenths of its sitemap says nothing of a page. */
#define BELIEVED_LEAST 0.1

struct notifier {
	struct options *options;
	struct out out;
	struct store *store; /* owned */
	struct network network; /* owned */
	struct url endpoint;
	struct buf who; /* names the endpoint in reasons */
	char key[129];
	bool has_failed;
	/* of the site at hand: */
	char consumer[512], tags[512]; /* of the feed */
	struct url location; /* of the key */
	/* URLs with the authority of the location, below its folder, may be
	 * sent, by http or https (SPEC R-151). */
	struct slice scope;
	struct store_alert *ledger;
	bool is_first; /* what the site has was never asked for */
	struct buf why; /* not all could be sent */
	uint64_t sent, passed; /* URLs */
	/* of the batch at hand: */
	struct buf body, cursor;
	uint64_t urls;
	bool has_more;
};

/* Add a page that the engine has to look at again.  What the feed tells because
 * of the copy that a consumer has, or of this crawler, is no news of a page. */
static bool
notify_on_page(void *arg, const struct feed_page *page)
{
	const char
	    *none = "snapshot|site-left|unknown|refused|disallowed|purposes";
	struct notifier *notifier = arg;
	struct slice rest = page->url, scheme, why;

	(void)slice_cut(&rest, '/', &scheme);
	while (slice_next(&none, '|', &why))
		if (slice_is(why, page->why))
			return true;
	if (page->believed < BELIEVED_LEAST ||
	    !slice_starts(slice_from(rest, 1), notifier->scope)) {
		notifier->passed++;
		return true;
	}
	out_json_text(&notifier->body, NULL, page->url);
	notifier->urls++;
	return true;
}

/* Make the body of the next POST. */
static int
notify_collect(struct notifier *notifier)
{
	struct feed_consumer consumer = {0};
	struct store *snapshot = store_snapshot(notifier->store);
	struct feed_options how = {.store = snapshot,
	    .consumer = &consumer,
	    .limit = notifier->options->notify.limit,
	    .begins_now = true};
	struct feed_batch *batch = NULL;
	struct buf *body = &notifier->body;
	int status = EXIT_DONE;
	const char *reset;

	if (snapshot == NULL)
		return complain_of_store(notifier->store, DIAG_DISK_FULL);
	buf_clear(body);
	buf_clear(&notifier->cursor);
	notifier->urls = 0;
	out_json_begin(body, NULL, '{');
	out_json_text(body, "host", identity_authority(&notifier->location));
	out_json_string(body, "key", notifier->key);
	out_json_text(body, "keyLocation", url_text(&notifier->location));
	out_json_begin(body, "urlList", '[');
	(void)store_feed_get(snapshot, slice_of(notifier->consumer), &consumer);
	notifier->is_first |= consumer.acked_s == 0;
	if (feed_batch_new(&how, &batch, &reset))
		(void)feed_batch_run(batch, notify_on_page, notifier,
		    &notifier->cursor, &notifier->has_more);
	else
		status = complain_with(EXIT_USAGE,
		    "more was sent than the store knows, which seems to be an "
		    "older copy: 'freshet changes --forget %s' begins anew",
		    notifier->consumer);
	out_json_end(body, ']');
	out_json_end(body, '}');
	feed_batch_free(batch);
	feed_consumer_release(&consumer);
	return selection_close(snapshot, status);
}

/* Send the body; true if it was taken.  Else note when it is sent again. */
static bool
notify_send(struct notifier *notifier)
{
	struct store_alert *ledger = notifier->ledger;
	struct alert_post post = {.url = &notifier->endpoint,
	    .body = buf_str(&notifier->body),
	    .who = buf_str(&notifier->who),
	    .why = &notifier->why};
	int64_t now_s;

	if (alert_post(&notifier->network, &post)) {
		notifier->sent += notifier->urls;
		ledger->tries = 0;
		return true;
	}
	ledger->tries++;
	now_s = loop_now_s(notifier->network.loop);
	ledger->next_s = post.retry_after_s >= 0
	    ? now_s + post.retry_after_s
	    : alert_next_s(now_s, ledger->tries);
	if (post.status >= 300 && post.status < 500 && post.status != 429)
		(void)buf_print(&notifier->why, ": %s: %s",
		    diag_name(DIAG_INDEXNOW_REFUSED),
		    diag_info(DIAG_INDEXNOW_REFUSED)->remedy);
	return false;
}

/* Send one batch after another, each acknowledged before the next. */
static int
notify_batches(struct notifier *notifier)
{
	struct shards one = {.count = 1};
	struct feed_request request = {.verb = "open",
	    .consumer = slice_of(notifier->consumer),
	    .tags = slice_of(notifier->tags)};
	int status = feed_request_run(notifier->options, &one, &request);

	request.verb = "ack";
	notifier->has_more = true;
	while (
	    status == EXIT_DONE && notifier->has_more && !alert_is_to_end()) {
		status = notify_collect(notifier);
		if (status != EXIT_DONE ||
		    (notifier->urls > 0 && !notify_send(notifier)))
			break;
		request.cursor = buf_text(&notifier->cursor);
		status = feed_request_run(notifier->options, &one, &request);
	}
	return status;
}

/* A line for the site, if there is something to say. */
static void
notify_print(struct notifier *notifier)
{
	struct out *out = &notifier->out;
	const char *host = notifier->tags + strlen(FEED_SITE);
	bool is_idle = notifier->sent + notifier->passed == 0;

	if (out->is_raw) {
		out_json_line(&out->text, "notified");
		out_json_string(&out->text, "site", host);
		out_json_number(&out->text, "urls", notifier->sent);
		out_json_number(&out->text, "passed_over", notifier->passed);
		out_json_word(&out->text, "why", buf_text(&notifier->why));
		out_json_time(&out->text, "next", notifier->ledger->next_s);
		(void)out_end_json(out);
		return;
	}
	/* whoever looks on is told that there was nothing, too */
	if (notifier->why.len == 0 &&
	    (notifier->options->output.is_quiet ||
		(is_idle && out->columns == 0)))
		return;
	if (is_idle && notifier->why.len == 0)
		(void)buf_print(&out->text, "%s  %s", host,
		    notifier->is_first ? "changes are sent from now on"
				       : "nothing to send");
	else
		(void)buf_print(&out->text, "%s  %s sent", host,
		    human_of(notifier->sent, "URL").text);
	if (notifier->passed > 0)
		(void)buf_print(&out->text,
		    ", %s not below the folder of the key, or dated anew with "
		    "nearly all others",
		    human_of(notifier->passed, NULL).text);
	if (notifier->why.len > 0) {
		(void)buf_print(&out->text, "; ");
		out_text(out, buf_text(&notifier->why));
	}
	if (notifier->ledger->next_s > 0)
		(void)buf_print(&out->text, "; again at %s",
		    zone_text(notifier->ledger->next_s, ZONE_MOMENT).text);
	out_end_line(out);
}

static int
notify_site(struct notifier *notifier, const char *host)
{
	struct options *options = notifier->options;
	struct alert_request note = {
	    .name = slice_of(host), .sink = ALERT_NOTICE};
	struct url *location = &notifier->location;
	struct buf text = BUF_UP_TO(URL_MAX_BYTES);
	char *before; /* why it was not sent; owned */
	bool waits, is_read;
	int status = EXIT_DONE, noted;

	(void)snprintf(notifier->consumer, sizeof(notifier->consumer),
	    "indexnow,%s", host);
	(void)snprintf(
	    notifier->tags, sizeof(notifier->tags), FEED_SITE "%s", host);
	(void)buf_print(&text, "https://%s/%s.txt", host, notifier->key);
	if (url_parse_raw(location,
		options->notify.key_location != NULL
		    ? slice_of(options->notify.key_location)
		    : buf_text(&text),
		NULL) != DIAG_OK)
		status = complain_with(EXIT_USAGE,
		    "%s: the key has no URL of http or https",
		    diag_name(DIAG_INDEXNOW_KEY_INVALID));
	buf_release(&text);
	if (status != EXIT_DONE)
		return status;
	notifier->scope = slice_from(
	    url_directory(location), location->host_at);
	notifier->ledger = &note.alert;
	buf_clear(&notifier->why);
	notifier->sent = notifier->passed = notifier->is_first = 0;
	(void)store_alert_get(
	    notifier->store, note.name, ALERT_NOTICE, &note.alert);
	before = note.alert.why;
	/* Another endpoint than the one that failed is tried at once. */
	if (!slice_starts(slice_of(before), buf_text(&notifier->who)))
		note.alert.tries = note.alert.next_s = 0;
	waits = note.alert.next_s > options->now_s;
	/* The feed tells a first crawl as new, page by page. */
	is_read = store_number(notifier->store, STORE_IS_READ,
		      store_site_find(notifier->store, note.name), 0) != 0;
	if (waits || !is_read) {
		(void)buf_print(&notifier->why, "%s",
		    waits ? before : "its first crawl is not over");
	} else {
		note.alert.next_s = 0;
		status = notify_batches(notifier);
		note.alert.why = notifier->why.len > 0 ? notifier->why.p : NULL;
		noted = alert_request_run(options, &note);
		status = status != EXIT_DONE ? status : noted;
	}
	free(before);
	notifier->has_failed |= notifier->why.len > 0;
	if (status == EXIT_DONE)
		notify_print(notifier);
	return status;
}

/* Read the key, and lock its file until this process ends, so that no batch is
 * sent by two of them. */
static int
notify_take_key(struct notifier *notifier)
{
	const char *path = notifier->options->notify.key_file;
	struct buf text = BUF_UP_TO(4096);
	bool is_good = textfile_read(path, &text);
	struct slice key = slice_trim(buf_text(&text));
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	is_good = is_good && indexnow_is_key(key);
	(void)snprintf(
	    notifier->key, sizeof(notifier->key), "%.*s", (int)key.len, key.p);
	buf_release(&text);
	if (!is_good || fd < 0)
		return complain_with(EXIT_USAGE,
		    "%s: '%s' holds no key of 8 to 128 letters, digits and "
		    "dashes",
		    diag_name(DIAG_INDEXNOW_KEY_INVALID), path);
	if (flock(fd, LOCK_EX | LOCK_NB) != 0)
		return complain_with(EXIT_LOCKED,
		    "another 'freshet notify' is at work with '%s'", path);
	return EXIT_DONE;
}

int
command_notify(struct options *options)
{
	const struct options_notify *asked = &options->notify;
	struct notifier notifier = {.options = options,
	    .why = BUF_UP_TO(SIZE_MAX),
	    .who = BUF_UP_TO(SIZE_MAX),
	    .body = BUF_UP_TO(SIZE_MAX),
	    .cursor = BUF_UP_TO(SIZE_MAX)};
	struct strings hosts = {0};
	int status;

	if (asked->endpoint == NULL || asked->key_file == NULL ||
	    (options->targets.args.count == 0 &&
		options->watch.tags.count == 0))
		return complain_with(EXIT_USAGE,
		    "'notify' needs --endpoint URL, --key FILE, and a SITE or "
		    "--tag");
	if (url_parse_raw(
		&notifier.endpoint, slice_of(asked->endpoint), NULL) != DIAG_OK)
		return complain_with(EXIT_USAGE,
		    "'%s' is no URL of http or https", asked->endpoint);
	/* in quotes no URL is the beginning of another one */
	(void)buf_print(&notifier.who, "the endpoint '");
	(void)buf_put_slice(&notifier.who, url_text(&notifier.endpoint));
	(void)buf_put_char(&notifier.who, '\'');
	status = notify_take_key(&notifier);
	if (status == EXIT_DONE)
		status = selection_open(options, &notifier.store);
	if (status == EXIT_DONE)
		status = choose_hosts(options, notifier.store, &hosts);
	/* between a POST and its acknowledgement no signal ends this process */
	exit_block_signals(&(sigset_t){0}, NULL);
	out_init(&notifier.out, &options->output);
	notifier.out.is_raw = options->output.is_json;
	if (status == EXIT_DONE)
		status = network_open_own(&notifier.network, &options->network);
	if (status == EXIT_DONE)
		policy_allow_target(
		    notifier.network.policy, &notifier.endpoint);
	for (size_t i = 0;
	     status == EXIT_DONE && i < hosts.count && !alert_is_to_end(); i++)
		status = notify_site(&notifier, hosts.items[i]);
	network_release(&notifier.network);
	status = selection_close(notifier.store, status);
	strings_release(&hosts);
	url_release(&notifier.endpoint);
	url_release(&notifier.location);
	buf_release(&notifier.why);
	buf_release(&notifier.who);
	buf_release(&notifier.body);
	buf_release(&notifier.cursor);
	if (status == EXIT_DONE && notifier.has_failed)
		status = EXIT_FINDINGS;
	return out_end(&notifier.out, status);
}
