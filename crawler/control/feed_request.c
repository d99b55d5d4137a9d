/* Changes of the feed's consumers, which the owner of the store makes. */
#include "crawler/control/feed_request.h"

#include "base/out_json.h"
#include "crawler/control/store_client.h"

int
feed_request_run(
    const struct options *options, const struct feed_request *request)
{
	struct store_call call = {.makes_store = true};
	struct buf line;
	int status;

	buf_init(&line, SIZE_MAX);
	store_call_begin(&line, "feed");
	out_json_string(&line, "verb", feed_verb_name(request->verb));
	out_json_text(&line, "consumer", request->consumer);
	out_json_text(&line, "tags", request->tags);
	out_json_text(&line, "cursor", request->cursor);
	out_json_line_end(&line);
	call.request = buf_text(&line);
	status = store_call(options, &call);
	buf_release(&line);
	return status;
}
