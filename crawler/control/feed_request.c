/* Changes of the feed's consumers, which the owner of the store makes. */
#include "crawler/control/feed_request.h"

#include "base/vis.h"
#include "crawler/control/store_client.h"

static void
put_member(struct buf *out, const char *key, struct slice value)
{
	(void)buf_print(out, ",\"%s\":", key);
	json_put(out, value);
}

int
feed_request_run(
    const struct options *options, const struct feed_request *request)
{
	struct store_call call = {.makes_store = true};
	struct buf line;
	int status;

	buf_init(&line, SIZE_MAX);
	store_call_begin(&line, "feed");
	(void)buf_print(
	    &line, ",\"verb\":\"%s\"", feed_verb_name(request->verb));
	put_member(&line, "consumer", request->consumer);
	put_member(&line, "tags", request->tags);
	put_member(&line, "cursor", request->cursor);
	(void)buf_print(&line, "}\n");
	call.request = buf_text(&line);
	status = store_call(options, &call);
	buf_release(&line);
	return status;
}
