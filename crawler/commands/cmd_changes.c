/* freshet changes: the feed for whoever keeps a copy in step with sites. */
#include <string.h>
#include <unistd.h>

#include "base/out_json.h"
#include "base/zone.h"
#include "crawler/cli/out.h"
#include "crawler/cli/selection.h"
#include "crawler/cli/textfile.h"
#include "crawler/commands/commands.h"
#include "crawler/control/asks.h"
#include "crawler/control/shards.h"
#include "crawler/event/exit.h"
#include "crawler/event/ndjson.h"
#include "crawler/feed/feed_batch.h"
#include "store/depot/copy.h"
#include "store/feed.h"

#define CURSOR_MOST (1 << 20) /* bytes */

/*
 * Each shard of a store in PostgreSQL has the consumer, with a cursor of its
 * own.  A batch goes through the shards until it is full, and its cursor is
 *
 *	m1.SHARD.LENGTH.CURSOR.SHARD.LENGTH.CURSOR.
 *
 * of those that it has been to.  Batches begin with `reset` until one was
 * acknowledged.
 */
#define CURSORS "m1."

struct changes_print {
	struct store *store; /* of the shard at hand */
	struct out out;
	bool are_many; /* shards */
	unsigned shard;
	uint32_t left; /* pages until the batch is full */
	bool has_reset, has_more;
	struct buf cursor;
	int64_t site_id; /* of host */
	struct buf host;
};

/* A page that changed: all that a search index needs to follow the site. */
static bool
changes_on_page(void *arg, const struct feed_page *page)
{
	struct changes_print *print = arg;
	struct buf *text = &print->out.text;

	print->left--;
	if (print->site_id != page->site_id) {
		print->site_id = page->site_id;
		buf_clear(&print->host);
		(void)store_site_host(
		    print->store, page->site_id, &print->host);
	}
	out_json_line(text, page->is_delete ? "delete" : "upsert");
	out_json_word(text, "url", page->url);
	out_json_word(text, "site", buf_text(&print->host));
	out_json_string(text, "why", page->why);
	if (!page->is_delete) {
		out_json_date(text, "lastmod", &page->lastmod);
		out_json_real(text, "believed", page->believed);
		out_json_flag(text, "outside", page->is_outside);
		purposes_json(text, page->purposes);
	}
	return out_end_json(&print->out);
}

/* Print what a shard has. */
static int
show_batch(struct changes_print *print, const struct feed_consumer *consumer,
    struct store *snapshot)
{
	struct feed_options how = {
	    .store = snapshot, .consumer = consumer, .limit = print->left};
	struct out *out = &print->out;
	struct feed_batch *batch = NULL;
	const char *reset;
	bool has_more = false, is_lost;
	struct buf cursor = {0};

	is_lost = !feed_batch_new(&how, &batch, &reset);
	if (is_lost ||
	    (print->are_many && reset != NULL && strcmp(reset, "new") != 0)) {
		complain("%s '%s'%s: 'freshet changes --forget %s' lets it "
			 "begin anew",
		    is_lost ? "the cursor of consumer"
			    : "history was removed that is new for consumer",
		    consumer->name,
		    is_lost ? " is ahead of the store, which seems to be an "
			      "older copy"
			    : "",
		    consumer->name);
		feed_batch_free(batch);
		return EXIT_USAGE;
	}
	print->store = snapshot;
	print->site_id = 0;
	if (reset != NULL && !print->has_reset) {
		out_json_line(&out->text, "reset");
		out_json_string(&out->text, "why", reset);
		(void)out_end_json(out);
		print->has_reset = true;
	}
	/* Without its last line a batch cannot be acknowledged. */
	if (!feed_batch_run(
		batch, changes_on_page, print, &cursor, &has_more)) {
		buf_clear(&print->cursor);
		print->left = 0; /* no other shard makes one of the rest */
	} else if (print->are_many) {
		(void)buf_print(&print->cursor, "%u.%zu.%s.", print->shard,
		    cursor.len, buf_str(&cursor));
	} else {
		(void)buf_put_slice(&print->cursor, buf_text(&cursor));
	}
	buf_release(&cursor);
	print->has_more = print->has_more || has_more;
	feed_batch_free(batch);
	return EXIT_DONE;
}

/* Print what a shard has; EXIT_NO_TARGET: there is no such consumer yet. */
static int
try_shard(const struct options *options, struct slice tags,
    struct changes_print *print)
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
		status = complain_with(EXIT_USAGE,
		    "consumer '%s' has %s%s, and keeps its tags until 'freshet "
		    "changes --forget %s'",
		    consumer.name, consumer.tags[0] == '\0' ? "" : "the tags ",
		    consumer.tags[0] == '\0' ? "no tag" : consumer.tags,
		    consumer.name);
	} else if (options->store.url != NULL) {
		/* a copy is a snapshot */
		status = show_batch(print, &consumer, store);
	} else {
		snapshot = store_snapshot(store);
		if (snapshot == NULL) {
			status = complain_of_store(store, DIAG_DISK_FULL);
		} else {
			status = show_batch(print, &consumer, snapshot);
			status = selection_close(snapshot, status);
		}
	}
	feed_consumer_release(&consumer);
	return selection_close(store, status);
}

/* A consumer is made by its first question; nothing has to be set up before.
 * The cursor comes last, so that a consumer that lost the end of a batch cannot
 * acknowledge it. */
static int
print_changes(struct options *options, struct shards *shards)
{
	struct feed_request request = {
	    .verb = "open", .consumer = slice_of(options->changes.consumer)};
	struct changes_print print = {
	    .are_many = shards->count > 1, .left = options->changes.limit};
	int status = EXIT_DONE, written;
	int64_t acked = 0;
	struct buf tags = BUF_UP_TO(SIZE_MAX), why = BUF_UP_TO(SIZE_MAX);

	/* Append the tags in order, separated by spaces: the same tags in
	 * another order are the same consumer. */
	struct strings *sorted = &options->watch.tags;

	strings_sort(sorted);
	for (size_t i = 0; i < sorted->count; i++)
		if (i == 0 ||
		    strcmp(sorted->items[i], sorted->items[i - 1]) != 0)
			(void)buf_print(&tags, "%s%s", tags.len > 0 ? " " : "",
			    sorted->items[i]);

	request.tags = buf_text(&tags);
	out_init(&print.out, &options->output);
	print.out.is_raw = true;
	if (print.are_many) {
		(void)buf_print(&print.cursor, CURSORS);
		acked = copy_number(options->store.url,
		    "SELECT count(cursor) FROM freshet.feed WHERE name = $1",
		    options->changes.consumer, &why);
		if (acked < 0)
			complain("%s", buf_str(&why));
		status = acked < 0 ? EXIT_USAGE : EXIT_DONE;
		print.has_reset = acked > 0;
	}
	for (; status == EXIT_DONE && print.shard < shards->count &&
	     print.left > 0;
	     print.shard++) {
		struct strings hosts = {0};

		if (print.are_many)
			options_take_shard(options, print.shard);
		status = try_shard(options, request.tags, &print);
		if (status != EXIT_NO_TARGET)
			continue;
		/* Make the consumer; a tag that no site has is a mistake, which
		 * it would keep. */
		options->store.has_shard = !print.are_many &&
		    options->store.has_shard;
		status = request.tags.len > 0
		    ? sites_tagged(options, false, &hosts)
		    : EXIT_DONE;
		strings_release(&hosts);
		if (status == EXIT_DONE)
			status = feed_request_run(options, shards, &request);
		if (print.are_many)
			options_take_shard(options, print.shard);
		if (status != EXIT_DONE)
			break;
		status = try_shard(options, request.tags, &print);
		if (status == EXIT_NO_TARGET)
			status = complain_with(EXIT_LOCKED,
			    "consumer '%s' is noted, and made within seconds: "
			    "ask again then",
			    options->changes.consumer);
	}
	if (status == EXIT_DONE && print.cursor.len > 0) {
		out_json_line(&print.out.text, "cursor");
		out_json_word(
		    &print.out.text, "cursor", buf_text(&print.cursor));
		out_json_flag(&print.out.text, "more",
		    print.has_more || print.shard < shards->count);
		(void)out_end_json(&print.out);
	}
	written = out_finish(&print.out);
	buf_release(&why);
	buf_release(&print.cursor);
	buf_release(&print.host);
	buf_release(&tags);
	return status == EXIT_DONE ? written : status;
}

/* Only an acknowledged batch is forgotten: a consumer that dies gets its pages
 * again. */
static int
acknowledge(struct options *options, struct shards *shards)
{
	struct feed_request request = {.verb = "ack",
	    .consumer = slice_of(options->changes.consumer),
	    .is_of_one = true};
	bool is_stdin = strcmp(options->changes.ack, "-") == 0;
	int status = EXIT_USAGE;
	struct buf cursor = BUF_UP_TO(CURSOR_MOST);
	/* else an error, or more than a batch has */
	bool is_read = is_stdin
	    ? textfile_read_fd(STDIN_FILENO, &cursor)
	    : buf_print(&cursor, "%s", options->changes.ack);

	if (!is_read) {
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

		struct slice all = slice_trim(buf_text(&cursor)), part;
		uint64_t shard = 0, len = 0;

		/* A cursor from the time when there was one shard is its. */
		request.cursor = all;
		if (all.len <= strlen(CURSORS) ||
		    !slice_starts(all, slice_of(CURSORS)))
			status = feed_request_run(options, shards, &request);
		else
			all = slice_from(all, strlen(CURSORS));
		while (all.len > 0 && request.cursor.p != all.p) {
			(void)slice_cut(&all, '.', &part);
			if (!slice_number(part, &shard) ||
			    shard >= shards->count ||
			    !slice_cut(&all, '.', &part) ||
			    !slice_number(part, &len) || len >= all.len) {
				status = complain_with(EXIT_USAGE,
				    "that is no cursor of this store");
				break;
			}
			request.shard = (unsigned)shard;
			request.cursor = slice_make(all.p, (size_t)len);
			all = slice_from(all, (size_t)len + 1);
			status = feed_request_run(options, shards, &request);
			if (status != EXIT_DONE)
				break;
		}
	}
	buf_release(&cursor);
	return status;
}

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
	if (consumer->acked_s > 0)
		(void)buf_print(text, "  acknowledged %s",
		    zone_text(consumer->acked_s, ZONE_MOMENT).text);
	else
		(void)buf_print(text, "  never acknowledged");
	out_end_line(out);
}

int
command_changes(struct options *options)
{
	const struct options_changes *changes = &options->changes;
	struct shards shards = {0};
	int status;

	if (changes->wants_list) {
		struct store *store = NULL;
		struct out out;

		status = selection_open(options, &store);
		if (status != EXIT_DONE)
			return status;
		out_init(&out, &options->output);
		out.is_raw = options->output.is_json;
		store_each_feed(store, on_consumer, &out);
		return selection_close(store, out_end(&out, status));
	}
	/* all else is about one consumer */
	if (changes->consumer == NULL && changes->forget == NULL)
		return complain_with(
		    EXIT_USAGE, "'changes' needs a name: --consumer NAME");
	status = shards_open(&shards, options);
	if (status == EXIT_DONE && changes->forget != NULL) {
		struct feed_request request = {
		    .verb = "forget", .consumer = slice_of(changes->forget)};

		status = feed_request_run(options, &shards, &request);
	} else if (status == EXIT_DONE) {
		status = changes->ack != NULL ? acknowledge(options, &shards)
					      : print_changes(options, &shards);
	}
	shards_close(&shards);
	return status;
}
