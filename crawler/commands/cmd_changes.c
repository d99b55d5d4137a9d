/* freshet changes: the feed for whoever keeps a copy in step with sites. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/out_json.h"
#include "base/sort.h"
#include "base/zone.h"
#include "crawler/cli/out.h"
#include "crawler/cli/selection.h"
#include "crawler/commands/commands.h"
#include "crawler/control/store_client.h"
#include "crawler/event/exit.h"
#include "crawler/event/ndjson.h"
#include "crawler/feed/feed_batch.h"
#include "store/feed.h"

#define CURSOR_MOST (1 << 20) /* bytes */

struct changes_print {
	struct store *store;
	struct out out;
	int64_t site_id; /* of host */
	struct buf host;
};

/* A page that changed: all that a search index needs to follow the site. */
static bool
changes_on_page(void *arg, const struct feed_page *page)
{
	struct changes_print *print = arg;
	struct buf *text = &print->out.text;

	out_json_line(&print->out.text, page->is_delete ? "delete" : "upsert");
	out_json_word(text, "url", page->url);
	int64_t site_id = page->site_id;
	if (print->site_id != site_id) {
		buf_clear(&print->host);
		(void)store_site_host(print->store, site_id, &print->host);
		print->site_id = site_id;
	}
	out_json_word(&print->out.text, "site", buf_text(&print->host));

	out_json_string(text, "why", page->why);
	if (!page->is_delete) {
		out_json_key(text, "lastmod");
		if (page->lastmod.precision == DATE_NONE) {
			(void)buf_print(text, "null");
		} else {
			(void)buf_put_char(text, '"');
			date_print(text, &page->lastmod);
			(void)buf_put_char(text, '"');
		}
		out_json_real(text, "believed", page->believed);
		out_json_flag(text, "outside", page->is_outside);
	}
	return out_end_json(&print->out);
}

/* The cursor comes last, so that a consumer that lost the end of a batch cannot
 * acknowledge it. */
static int
show_batch(const struct options *options, const struct feed_consumer *consumer,
    struct store *snapshot)
{
	struct profile profile = profile_default(PROFILE_GOOGLE);
	struct feed_options how = {.store = snapshot,
	    .consumer = consumer,
	    .limit = options->changes.limit,
	    .agent = slice_of("freshet"),
	    .profile = &profile};
	struct changes_print print = {.store = snapshot};
	struct out *out = &print.out;
	struct feed_batch *batch = NULL;
	struct buf cursor;
	const char *reset;
	bool has_more;
	int written;

	if (!feed_batch_new(&how, &batch, &reset)) {
		complain("the cursor of consumer '%s' is ahead of the store, "
			 "which seems to be an older copy: 'freshet changes "
			 "--forget %s' lets it begin anew",
		    consumer->name, consumer->name);
		return EXIT_USAGE;
	}
	out_init(out, &options->output);
	out->is_raw = true;
	buf_init(&print.host, SIZE_MAX);
	buf_init(&cursor, SIZE_MAX);
	if (reset != NULL) {
		out_json_line(&out->text, "reset");
		out_json_string(&out->text, "why", reset);
		(void)out_end_json(out);
	}
	/* Without its last line a batch cannot be acknowledged. */
	if (feed_batch_run(
		batch, changes_on_page, &print, &cursor, &has_more)) {
		out_json_line(&out->text, "cursor");
		out_json_word(&out->text, "cursor", buf_text(&cursor));
		out_json_flag(&out->text, "more", has_more);
		(void)out_end_json(out);
	}
	buf_release(&cursor);
	written = out_finish(&print.out);
	buf_release(&print.host);
	feed_batch_free(batch);
	return written;
}

/* Print a batch; EXIT_NO_TARGET: there is no such consumer yet. */
static int
try_batch(const struct options *options, struct slice tags)
{
	struct feed_consumer consumer;
	struct store *store = NULL, *snapshot;
	int status = selection_open(options, &store);

	if (status != EXIT_DONE)
		return status;
	if (!store_feed_get(
		store, slice_of(options->changes.consumer), &consumer))
		return selection_close(store, EXIT_NO_TARGET);
	/* Do the tags that were typed differ from those of the consumer? */
	if (tags.len > 0 && !slice_is(tags, consumer.tags)) {
		complain("consumer '%s' has %s%s, and keeps its tags until "
			 "'freshet changes --forget %s'",
		    consumer.name, consumer.tags[0] == '\0' ? "" : "the tags ",
		    consumer.tags[0] == '\0' ? "no tag" : consumer.tags,
		    consumer.name);
		status = EXIT_USAGE;
	} else {
		snapshot = store_snapshot(store);
		if (snapshot == NULL) {
			status = complain_of_store(store, DIAG_DISK_FULL);
		} else {
			status = show_batch(options, &consumer, snapshot);
			status = selection_close(snapshot, status);
		}
	}
	feed_consumer_release(&consumer);
	return selection_close(store, status);
}

/* What the owner of the store is to change in the feed. */
struct feed_request {
	/* "open": make the consumer, unless there is one; "ack", "forget" */
	const char *verb;
	struct slice consumer;
	struct slice tags; /* of "open": separated by spaces */
	struct slice cursor; /* of "ack" */
};

/* EXIT_DONE after the commit, or the exit status after one line on stderr:
 * EXIT_USAGE if there is no such consumer, or the cursor is none of its. */
static int
feed_request_run(
    const struct options *options, const struct feed_request *request)
{
	struct store_call call = {.makes_store = true};
	struct buf line;
	int status;

	buf_init(&line, SIZE_MAX);
	store_call_begin(&line, "feed");
	out_json_string(&line, "verb", request->verb);
	out_json_text(&line, "consumer", request->consumer);
	out_json_text(&line, "tags", request->tags);
	out_json_text(&line, "cursor", request->cursor);
	out_json_line_end(&line);
	call.request = buf_text(&line);
	status = store_call(options, &call);
	buf_release(&line);
	return status;
}

/* A consumer is made by its first question; nothing has to be set up before. */
static int
print_changes(const struct options *options)
{
	struct feed_request request = {
	    .verb = "open", .consumer = slice_of(options->changes.consumer)};
	struct strings hosts = {0};
	struct buf tags;
	int status;

	buf_init(&tags, SIZE_MAX);
	/* Append the tags in order, separated by spaces: the same tags in
	 * another order are the same consumer. */
	static const struct sort_key by_text[] = {{.type = SORT_TEXT}, {0}};
	struct strings sorted = {0};

	for (size_t i = 0; i < options->watch.tags.count; i++)
		strings_add(&sorted, slice_of(options->watch.tags.items[i]));
	sort_rows(sorted.items, sorted.count, sizeof(*sorted.items), by_text);
	for (size_t i = 0; i < sorted.count; i++)
		if (i == 0 || strcmp(sorted.items[i], sorted.items[i - 1]) != 0)
			(void)buf_print(&tags, "%s%s", tags.len > 0 ? " " : "",
			    sorted.items[i]);
	strings_release(&sorted);

	request.tags = buf_text(&tags);
	status = try_batch(options, request.tags);
	if (status == EXIT_NO_TARGET) {
		/* Make the consumer; a tag that no site has is a mistake, which
		 * it would keep. */
		status = request.tags.len > 0
		    ? sites_tagged(options, false, &hosts)
		    : EXIT_DONE;
		strings_release(&hosts);
		if (status == EXIT_DONE)
			status = feed_request_run(options, &request);
		if (status == EXIT_DONE)
			status = try_batch(options, request.tags);
	}
	buf_release(&tags);
	return status;
}

/* Only an acknowledged batch is forgotten: a consumer that dies gets its pages
 * again. */
static int
acknowledge(const struct options *options)
{
	struct feed_request request = {
	    .verb = "ack", .consumer = slice_of(options->changes.consumer)};
	bool is_stdin = strcmp(options->changes.ack, "-") == 0;
	int status = EXIT_USAGE;
	struct buf cursor;
	char bytes[4096];
	ssize_t n = 0;

	buf_init(&cursor, CURSOR_MOST);
	if (!is_stdin)
		(void)buf_print(&cursor, "%s", options->changes.ack);
	while (is_stdin && (n = read(STDIN_FILENO, bytes, sizeof(bytes))) > 0 &&
	    buf_put(&cursor, bytes, (size_t)n))
		;
	/* an error, or more than a batch has */
	if (n != 0) {
		complain("stdin has no cursor");
	} else {
		/* Put the cursor in place of the last line of a batch, which
		 * has it. */
		struct ndjson *line = ndjson_parse(
		    slice_trim(buf_text(&cursor)), NULL);

		if (line != NULL) {
			buf_clear(&cursor);
			(void)buf_put_slice(
			    &cursor, ndjson_text(line, "cursor"));
			ndjson_free(line);
		}

		request.cursor = slice_trim(buf_text(&cursor));
		status = feed_request_run(options, &request);
	}
	buf_release(&cursor);
	return status;
}

/* The list of consumers. */

/* An old time of acknowledgement shows a consumer that is no more: its changes
 * are kept for it. */
static void
on_consumer(void *arg, const struct feed_consumer *consumer)
{
	struct out *out = arg;
	struct buf *text = &out->text;

	if (out->is_raw) {
		out_json_line(&out->text, "consumer");
		out_json_string(text, "consumer", consumer->name);
		out_json_string(text, "tags", consumer->tags);
		out_json_time(text, "made", consumer->made_s);
		out_json_time(text, "acknowledged", consumer->acked_s);
		out_json_string(text, "cursor", consumer->cursor);
		(void)out_end_json(out);
		return;
	}
	out_text(out, slice_of(consumer->name));
	(void)buf_print(
	    text, "  %s", consumer->tags[0] == '\0' ? "all sites" : "tags ");
	out_text(out, slice_of(consumer->tags));
	/* a consumer that acknowledged nothing gets all from its beginning */
	if (consumer->acked_s > 0) {
		(void)buf_print(text, "  acknowledged ");
		zone_print(text, consumer->acked_s, ZONE_MOMENT);
	} else {
		(void)buf_print(text, "  never acknowledged");
	}
	(void)buf_put_char(text, '\n');
	(void)out_line(out);
}

int
command_changes(struct options *options)
{
	const struct options_changes *changes = &options->changes;

	if (changes->forget != NULL) {
		struct feed_request request = {
		    .verb = "forget", .consumer = slice_of(changes->forget)};

		return feed_request_run(options, &request);
	}
	if (changes->wants_list) {
		struct store *store = NULL;
		struct out out;
		int status = selection_open(options, &store);

		if (status != EXIT_DONE)
			return status;
		out_init(&out, &options->output);
		out.is_raw = options->output.is_json;
		store_each_feed(store, on_consumer, &out);
		return selection_close(store, out_end(&out, status));
	}
	/* all else is about one consumer */
	if (changes->consumer == NULL) {
		complain("'changes' needs a name: --consumer NAME");
		return EXIT_USAGE;
	}
	return changes->ack != NULL ? acknowledge(options)
				    : print_changes(options);
}
