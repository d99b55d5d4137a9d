/* Requests about what was told. */
#include "crawler/control/told_ask.h"

#include <inttypes.h>

#include "base/out_json.h"
#include "crawler/control/shards.h"
#include "crawler/control/store_client.h"
#include "crawler/event/exit.h"

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
