/* How a command has the owner of the store change the watch list, and note what
 * was told. */
#include "crawler/control/asks.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/out_json.h"
#include "crawler/cli/out.h"
#include "crawler/control/shards.h"
#include "crawler/control/store_client.h"
#include "crawler/event/exit.h"
#include "crawler/event/ndjson.h"
#include "store/watch.h"

#define PIECE 500 /* items in one transaction, which takes milliseconds */

struct watch_asking {
	const struct watch_request *request;
	watch_asked_fn *changed;
	void *arg;
	struct watch_asked *asked;
	struct strings items; /* owned: those of the shard that is asked */
	/* All of several shards have what is set of a tag, of which they know
	 * no site perhaps: it is told as noted, when the last one is asked. */
	bool has_shards, is_last;
	size_t at; /* the items before this one are done */
	size_t asked_at; /* where the last request began */
};

/* next_piece(arg, out): the request for the next items, as many as one
 * transaction takes. */
static bool
next_piece(void *arg, struct buf *out)
{
	struct watch_asking *ask = arg;
	const struct watch_request *request = ask->request;
	struct strings part = ask->items;
	/* an owner that answers no item is not asked for ever */
	bool has_answered = ask->at > ask->asked_at;

	part.items += ask->at;
	part.count -= ask->at;
	if (part.count > PIECE)
		part.count = PIECE;
	store_call_begin(out, watch_verb_names[request->verb]);
	out_json_strings(out, "targets", &part);
	out_json_strings(out, "settings", &request->settings);
	if (request->note_s != 0)
		(void)buf_print(out, ",\"at_s\":%" PRId64, request->note_s);
	if (request->note != NULL)
		out_json_text(out, "note", slice_of(request->note));
	out_json_line_end(out);
	ask->asked_at = ask->at;
	return part.count > 0 && has_answered;
}

/* What has become of the next item. */
static void
watch_put_one(
    struct watch_asking *ask, struct slice site, enum watch_change change)
{
	bool is_tag = ask->items.items[ask->at++][0] == '@';

	if (is_tag && ask->has_shards)
		change = WATCH_NOTED;
	if (is_tag && ask->has_shards && !ask->is_last)
		return;
	ask->asked->counts[change]++;
	ask->changed(ask->arg, site, change);
}

static void
watch_asked_one(void *arg, struct slice line, const struct ndjson *object)
{
	struct watch_asking *ask = arg;
	enum watch_change change = WATCH_ADDED;
	struct slice type, name;

	(void)line;
	if (object == NULL || ask->at == ask->items.count)
		return;
	type = ndjson_text(object, "type");
	name = ndjson_text(object, "change");
	/* the mail has all items of the request */
	for (size_t i = 0; slice_is(type, "mailed") && i < PIECE &&
	     ask->at < ask->items.count;
	     i++)
		watch_put_one(
		    ask, slice_of(ask->items.items[ask->at]), WATCH_NOTED);
	if (!slice_is(type, "site"))
		return;
	while (
	    change < WATCH_BAD && !slice_is(name, watch_change_names[change]))
		change++;
	watch_put_one(ask, ndjson_text(object, "site"), change);
}

int
watch_ask(struct options *options, const struct watch_request *request,
    watch_asked_fn *changed, void *arg, struct watch_asked *asked)
{
	struct watch_asking ask = {
	    .request = request, .changed = changed, .arg = arg, .asked = asked};
	struct shards shards;
	struct store_call call = {.next = next_piece,
	    .line = watch_asked_one,
	    .arg = &ask,
	    .shards = &shards,
	    /* what is removed, set or noted is of a site that is known */
	    .makes_store = request->verb == WATCH_ADD};
	int status = shards_open(&shards, options);
	unsigned *homes;

	*asked = (struct watch_asked){0};
	ask.has_shards = shards.count > 1;
	homes = mem_zero((request->items.count + 1) * sizeof(*homes));
	for (size_t i = 0; status == EXIT_DONE && i < request->items.count; i++)
		homes[i] = shards_home(
		    &shards, slice_of(request->items.items[i]));
	for (; call.shard < shards.count && status == EXIT_DONE; call.shard++) {
		ask.at = ask.asked_at = 0;
		ask.is_last = call.shard == shards.count - 1;
		for (size_t i = 0; i < request->items.count; i++) {
			const char *item = request->items.items[i];

			if (item[0] == '@' || homes[i] == call.shard)
				strings_add(&ask.items, slice_of(item));
		}
		if (ask.items.count > 0)
			status = store_call(options, &call);
		if (status == EXIT_DONE && ask.at < ask.items.count)
			status = EXIT_BUG;
		strings_release(&ask.items);
	}
	free(homes);
	shards_close(&shards);
	asked->was_held = call.was_held;
	return status;
}

int
alert_request_run(
    const struct options *options, const struct alert_request *request)
{
	const struct store_alert *alert = &request->alert;
	struct store_call call = {.makes_store = true};
	struct buf line = BUF_UP_TO(SIZE_MAX);
	int status;

	store_call_begin(&line, "alert");
	out_json_text(&line, "alert", request->name);
	(void)buf_print(&line,
	    ",\"sink\":%d,\"begun\":%" PRId64 ",\"until\":%" PRId64
	    ",\"tries\":%" PRId64 ",\"next\":%" PRId64,
	    request->sink, alert->begun_s, alert->until_s, alert->tries,
	    alert->next_s);
	out_json_string(&line, "why", alert->why);
	/* numbers of 64 bits are texts: others may read JSON numbers as
	 * doubles */
	if (request->sites != NULL)
		(void)buf_print(&line, ",\"sites\":[");
	for (size_t i = 0; i < request->count; i++)
		(void)buf_print(&line, "%s\"%" PRId64 " %" PRId64 "\"",
		    i > 0 ? "," : "", request->sites[i].site_id,
		    request->sites[i].until_s);
	(void)buf_print(&line, "%s\n", request->sites != NULL ? "]}" : "}");
	call.request = buf_text(&line);
	status = store_call(options, &call);
	buf_release(&line);
	return status;
}

int
feed_request_run(struct options *options, struct shards *shards,
    const struct feed_request *request)
{
	int status = EXIT_DONE;

	for (unsigned i = 0; status == EXIT_DONE && i < shards->count; i++) {
		struct store_call call = {
		    .makes_store = true, .shards = shards, .shard = i};
		struct buf line;

		if (request->is_of_one && request->shard != i)
			continue;
		if (shards->count > 1)
			options_take_shard(options, i);
		store_call_begin(&line, "feed");
		out_json_string(&line, "verb", request->verb);
		out_json_text(&line, "consumer", request->consumer);
		out_json_text(&line, "tags", request->tags);
		out_json_text(&line, "cursor", request->cursor);
		out_json_line_end(&line);
		call.request = buf_text(&line);
		status = store_call(options, &call);
		buf_release(&line);
	}
	return status;
}
