/*
 * freshet notify: what changed at sites of the user's own, by IndexNow.
 *
 * Each site has a consumer of the feed.  Its cursor says what was sent; it
 * moves when the endpoint has taken a batch.  A row beside it (ALERT_NOTICE)
 * says why a batch was not taken, and when to try again.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/human.h"
#include "base/out_json.h"
#include "base/zone.h"
#include "crawler/alert/alert_send.h"
#include "crawler/cli/out.h"
#include "crawler/cli/selection.h"
#include "crawler/cli/textfile.h"
#include "crawler/commands/commands.h"
#include "crawler/control/network.h"
#include "crawler/control/store_client.h"
#include "crawler/event/exit.h"
#include "crawler/feed/feed_batch.h"
#include "store/document.h"
#include "store/feed.h"
#include "store/site.h"

/* A date that moved with nine tenths of its sitemap says nothing of a page. */
#define BELIEVED_LEAST 0.1

struct notifier {
	struct options *options;
	struct out out;
	struct network network; /* owned */
	struct alert_network told_by; /* borrows from network, owns the loop */
	struct url endpoint;
	char key[129];
	bool has_failed;
	/* of the site at hand: */
	char consumer[512], tags[512]; /* of the feed */
	struct url location; /* of the key */
	/* URLs with the authority of the location, below its folder, may be
	 * sent, by http or https (SPEC R-151). */
	struct slice scope;
	struct store_alert ledger;
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
	static const char none[] =
	    "snapshot site-left unknown refused disallowed";
	struct notifier *notifier = arg;
	struct slice rest = page->url, scheme;

	(void)slice_cut(&rest, '/', &scheme);
	if (strstr(none, page->why) != NULL)
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
notify_collect(struct notifier *notifier, struct store *store)
{
	struct profile profile = profile_default(PROFILE_GOOGLE);
	struct slice host = notifier->scope, authority;
	struct feed_consumer consumer = {0};
	struct store *snapshot = store_snapshot(store);
	struct feed_options how = {.store = snapshot,
	    .consumer = &consumer,
	    .limit = notifier->options->notify.limit,
	    .agent = slice_of("freshet"),
	    .profile = &profile,
	    .begins_now = true};
	struct feed_batch *batch = NULL;
	struct buf *body = &notifier->body;
	int status = EXIT_DONE;
	const char *reset;

	if (snapshot == NULL)
		return complain_of_store(store, DIAG_DISK_FULL);
	buf_clear(body);
	buf_clear(&notifier->cursor);
	notifier->urls = 0;
	(void)slice_cut(&host, '/', &authority);
	out_json_begin(body, NULL, '{');
	out_json_text(body, "host", authority);
	out_json_string(body, "key", notifier->key);
	out_json_text(body, "keyLocation", buf_text(&notifier->location.text));
	out_json_begin(body, "urlList", '[');
	(void)store_feed_get(store, slice_of(notifier->consumer), &consumer);
	if (feed_batch_new(&how, &batch, &reset)) {
		(void)feed_batch_run(batch, notify_on_page, notifier,
		    &notifier->cursor, &notifier->has_more);
	} else {
		status = complain_with(EXIT_USAGE,
		    "more was sent than the store knows, which seems to be an "
		    "older copy: 'freshet changes --forget %s' begins anew",
		    notifier->consumer);
	}
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
	struct store_alert *ledger = &notifier->ledger;
	struct alert_post post = {.url = &notifier->endpoint,
	    .body = buf_str(&notifier->body),
	    .who = "the endpoint"};
	int64_t now_s;

	if (alert_post(&notifier->told_by, &post, &notifier->why)) {
		notifier->sent += notifier->urls;
		ledger->tries = 0;
		return true;
	}
	ledger->tries++;
	now_s = loop_now_s(notifier->told_by.loop);
	ledger->next_s = post.retry_after_s >= 0
	    ? now_s + post.retry_after_s
	    : alert_next_s(now_s, ledger->tries);
	if (post.status >= 300 && post.status < 500 && post.status != 429)
		(void)buf_print(&notifier->why, ": %s: %s",
		    diag_name(DIAG_INDEXNOW_REFUSED),
		    diag_info(DIAG_INDEXNOW_REFUSED)->remedy);
	return false;
}

/* Ask the owner of the store to change the consumer, or the ledger. */
static int
notify_note(const struct notifier *notifier, const char *verb)
{
	struct store_call call = {.makes_store = true};
	const struct store_alert *ledger = &notifier->ledger;
	struct buf line;
	int status;

	store_call_begin(&line, verb != NULL ? "feed" : "alert");
	if (verb != NULL) {
		out_json_string(&line, "verb", verb);
		out_json_string(&line, "consumer", notifier->consumer);
		out_json_string(&line, "tags", notifier->tags);
		out_json_text(&line, "cursor", buf_text(&notifier->cursor));
	} else {
		out_json_string(
		    &line, "alert", notifier->tags + strlen(FEED_SITE));
		(void)buf_print(&line,
		    ",\"sink\":%d,\"begun\":0,\"until\":0,\"tries\":%" PRId64
		    ",\"next\":%" PRId64,
		    ALERT_NOTICE, ledger->tries, ledger->next_s);
		out_json_string(&line, "why", ledger->why);
	}
	out_json_line_end(&line);
	call.request = buf_text(&line);
	status = store_call(notifier->options, &call);
	buf_release(&line);
	return status;
}

/* Send one batch after another, each acknowledged before the next. */
static int
notify_batches(struct notifier *notifier)
{
	int status;

	do {
		struct store *store = NULL;

		status = selection_open(notifier->options, &store);
		if (status == EXIT_DONE)
			status = notify_collect(notifier, store);
		status = selection_close(store, status);
		if (status != EXIT_DONE ||
		    (notifier->urls > 0 && !notify_send(notifier)))
			break;
		status = notify_note(notifier, "ack");
	} while (
	    status == EXIT_DONE && notifier->has_more && !alert_is_to_end());
	return status;
}

/* A line for the site, if there is something to say. */
static void
notify_print(struct notifier *notifier)
{
	struct out *out = &notifier->out;
	const char *host = notifier->tags + strlen(FEED_SITE);

	if (out->is_raw) {
		out_json_line(&out->text, "notified");
		out_json_string(&out->text, "site", host);
		out_json_number(&out->text, "urls", notifier->sent);
		out_json_number(&out->text, "passed_over", notifier->passed);
		out_json_word(&out->text, "why", buf_text(&notifier->why));
		out_json_time(&out->text, "next", notifier->ledger.next_s);
		(void)out_end_json(out);
		return;
	}
	if (notifier->why.len == 0 &&
	    (notifier->options->output.is_quiet ||
		notifier->sent + notifier->passed == 0))
		return;
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
	if (notifier->ledger.next_s > 0) {
		(void)buf_print(&out->text, "; again at ");
		zone_print(&out->text, notifier->ledger.next_s, ZONE_MOMENT);
	}
	out_end_line(out);
}

static int
notify_site(struct notifier *notifier, const char *host)
{
	struct options *options = notifier->options;
	struct store_alert *ledger = &notifier->ledger;
	struct url *location = &notifier->location;
	struct buf text = BUF_UP_TO(URL_MAX_BYTES);
	struct store *store = NULL;
	bool is_read, waits;
	int status, noted;

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
	else
		status = selection_open(options, &store);
	buf_release(&text);
	if (status != EXIT_DONE)
		return status;
	notifier->scope = slice_from(
	    buf_text(&location->text), location->host_at);
	notifier->scope.len = location->path_at + location->path_len -
	    location->host_at;
	while (notifier->scope.p[notifier->scope.len - 1] != '/')
		notifier->scope.len--;
	buf_clear(&notifier->why);
	notifier->sent = notifier->passed = 0;
	(void)store_alert_get(store, slice_of(host), ALERT_NOTICE, ledger);
	is_read = store_number(store, STORE_IS_READ,
		      store_site_find(store, slice_of(host)), 0) != 0;
	status = selection_close(store, EXIT_DONE);
	waits = ledger->next_s > options->now_s;
	/* The feed tells a first crawl as new, page by page. */
	if (waits || !is_read) {
		(void)buf_print(&notifier->why, "%s",
		    waits ? ledger->why : "its first crawl is not over");
		free(ledger->why);
	} else if (status == EXIT_DONE) {
		free(ledger->why);
		ledger->next_s = 0;
		status = notify_note(notifier, "open");
		if (status == EXIT_DONE)
			status = notify_batches(notifier);
		ledger->why = notifier->why.len > 0 ? notifier->why.p : NULL;
		noted = notify_note(notifier, NULL);
		status = status != EXIT_DONE ? status : noted;
	}
	notifier->has_failed = notifier->has_failed || notifier->why.len > 0;
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

	(void)snprintf(
	    notifier->key, sizeof(notifier->key), "%.*s", (int)key.len, key.p);
	is_good = is_good && key.len >= 8 && key.len < sizeof(notifier->key);
	for (size_t i = 0; is_good && i < key.len; i++)
		is_good = ascii_is_letter(key.p[i]) ||
		    ascii_is_digit(key.p[i]) || key.p[i] == '-';
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
	    .body = BUF_UP_TO(SIZE_MAX),
	    .cursor = BUF_UP_TO(SIZE_MAX)};
	struct strings hosts = {0};
	struct store *store = NULL;
	int status;

	if (asked->endpoint == NULL || asked->key_file == NULL ||
	    (options->targets.args.count == 0 &&
		options->watch.tags.count == 0))
		return complain_with(EXIT_USAGE,
		    "'notify' needs --endpoint URL, --key FILE, and a SITE or "
		    "--tag");
	url_init(&notifier.endpoint);
	url_init(&notifier.location);
	if (url_parse_raw(
		&notifier.endpoint, slice_of(asked->endpoint), NULL) != DIAG_OK)
		return complain_with(EXIT_USAGE,
		    "'%s' is no URL of http or https", asked->endpoint);
	status = notify_take_key(&notifier);
	if (status == EXIT_DONE)
		status = selection_open(options, &store);
	if (status == EXIT_DONE)
		status = choose_hosts(options, store, &hosts);
	status = selection_close(store, status);
	/* between a POST and its acknowledgement no signal ends this process */
	exit_block_signals(&(sigset_t){0}, NULL);
	out_init(&notifier.out, &options->output);
	notifier.out.is_raw = options->output.is_json;
	notifier.told_by.loop = loop_new();
	if (status == EXIT_DONE)
		status = network_open_posts(&notifier.network,
		    notifier.told_by.loop, &options->network);
	if (status == EXIT_DONE) {
		notifier.told_by.fetcher = notifier.network.fetcher;
		notifier.told_by.policy = notifier.network.policy;
		policy_allow_target(
		    notifier.network.policy, &notifier.endpoint);
	}
	for (size_t i = 0;
	     status == EXIT_DONE && i < hosts.count && !alert_is_to_end(); i++)
		status = notify_site(&notifier, hosts.items[i]);
	/* requests end before the loop that they report to */
	network_release(&notifier.network);
	loop_free(notifier.told_by.loop);
	strings_release(&hosts);
	url_release(&notifier.endpoint);
	url_release(&notifier.location);
	buf_release(&notifier.why);
	buf_release(&notifier.body);
	buf_release(&notifier.cursor);
	if (status == EXIT_DONE && notifier.has_failed)
		status = EXIT_FINDINGS;
	return out_end(&notifier.out, status);
}
