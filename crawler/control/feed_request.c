/* Changes of the feed's consumers. */
#include "crawler/control/feed_request.h"

#include "base/vis.h"
#include "crawler/cli/options.h"
#include "crawler/cli/out.h"
#include "crawler/control/control.h"
#include "crawler/control/store_access.h"
#include "crawler/control/store_request.h"
#include "crawler/control/watch_serve.h"
#include "crawler/event/exit.h"
#include "crawler/event/ndjson.h"
#include "crawler/feed/feed_batch.h"
#include "store/feed.h"
#include "store/store.h"

static const char *const verbs[] = {"open", "ack", "forget"};

/* Make the change in the open transaction; why: what is wrong, for people. */
static int
change(struct store *store, const struct feed_request *request, int64_t now_s,
    struct buf *why)
{
	struct feed_consumer consumer;
	int status = EXIT_DONE;

	if (!store_feed_get(store, request->consumer, &consumer)) {
		if (request->verb == FEED_OPEN) {
			store_feed_make(
			    store, request->consumer, request->tags, now_s);
			return EXIT_DONE;
		}
		(void)buf_print(why, "the feed has no consumer '%.*s'",
		    (int)request->consumer.len, request->consumer.p);
		return EXIT_USAGE;
	}
	if (request->verb == FEED_FORGET)
		store_feed_forget(store, consumer.id);
	else if (request->verb == FEED_ACK &&
	    !feed_ack(store, &consumer, request->cursor, now_s)) {
		(void)buf_print(why,
		    "this is no cursor that consumer '%s' was given",
		    consumer.name);
		status = EXIT_USAGE;
	}
	feed_consumer_release(&consumer);
	return status;
}

/* In this process, or through the owner. */

struct feed_asking {
	const struct options *options;
	const struct feed_request *request;
};

static int
ask_here(void *arg, struct buf *why)
{
	struct feed_asking *ask = arg;
	struct store_options how = {.path = ask->options->store.path,
	    .min_free_bytes = ask->options->limits.free_bytes};
	struct store *store = NULL;
	enum diag_code code = store_open(&how, &store, why);
	int status;

	if (code == DIAG_STORE_LOCKED)
		return EXIT_LOCKED;
	if (code != DIAG_OK) {
		complain("%s: %s", diag_name(code), buf_str(why));
		return exit_of_store(code);
	}
	status = change(store, ask->request, ask->options->now_s, why);
	if (status != EXIT_DONE)
		complain("%s", buf_str(why));
	code = store_flush(store);
	if (code != DIAG_OK)
		status = complain_of_store(store, code);
	store_close(store);
	return status;
}

static void
put_member(struct buf *out, const char *key, struct slice value)
{
	(void)buf_print(out, ",\"%s\":", key);
	json_put(out, value);
}

static void
on_object(void *arg, const struct ndjson *object, struct slice line)
{
	(void)line;
	(void)arg;
	(void)object;
}

static int
ask_there(void *arg, int64_t patience_ms, bool *has_answered)
{
	const struct feed_asking *ask = arg;
	const struct feed_request *request = ask->request;
	struct buf line;
	int status;

	buf_init(&line, SIZE_MAX);
	(void)buf_print(&line,
	    "{\"v\":1,\"command\":\"feed\",\"version\":\"%s\",\"verb\":\"%s\"",
	    FRESHET_VERSION, verbs[request->verb]);
	put_member(&line, "consumer", request->consumer);
	put_member(&line, "tags", request->tags);
	put_member(&line, "cursor", request->cursor);
	(void)buf_print(&line, "}\n");
	status = store_request_send(ask->options->store.path, buf_text(&line),
	    patience_ms, on_object, NULL);
	*has_answered = status != EXIT_LOCKED;
	buf_release(&line);
	return status;
}

int
feed_request_run(
    const struct options *options, const struct feed_request *request)
{
	struct feed_asking ask = {options, request};
	struct store_access access = {ask_here, ask_there, &ask};

	return store_access_run(&access);
}

/* In the owner. */

static bool
take(const struct ndjson *object, struct feed_request *request)
{
	struct slice verb = ndjson_text(object, "verb");
	int i = FEED_OPEN;

	while (i <= FEED_FORGET && !slice_is(verb, verbs[i]))
		i++;
	*request = (struct feed_request){.verb = (enum feed_verb)i,
	    .consumer = ndjson_text(object, "consumer"),
	    .tags = ndjson_text(object, "tags"),
	    .cursor = ndjson_text(object, "cursor")};
	return i <= FEED_FORGET && request->consumer.len > 0;
}

bool
feed_request_serve(const struct watch_owner *owner, struct control_peer *peer,
    const struct ndjson *object)
{
	struct feed_request request;
	struct buf why, line;
	int status = EXIT_USAGE;

	if (object == NULL || !slice_is(ndjson_text(object, "command"), "feed"))
		return false;
	buf_init(&why, 1 << 12);
	buf_init(&line, SIZE_MAX);
	if (!slice_is(ndjson_text(object, "version"), FRESHET_VERSION))
		(void)buf_print(
		    &why, "another version of freshet holds the store");
	else if (!take(object, &request))
		(void)buf_print(&why,
		    "the process that holds the store does not know what is "
		    "asked of it");
	else
		status = change(owner->store, &request, owner->now_s, &why);
	if (why.len > 0) {
		(void)buf_print(&line, "{\"v\":1,\"type\":\"said\",\"text\":");
		json_put(&line, buf_text(&why));
		(void)buf_print(&line, "}\n");
	}
	(void)buf_print(
	    &line, "{\"v\":1,\"type\":\"end\",\"exit\":%d}\n", status);
	/* If the commit fails there is no answer, and the command sees the end
	 * of the connection. */
	if (owner->commit(owner->arg))
		control_send(peer, buf_text(&line));
	control_end(peer);
	buf_release(&line);
	buf_release(&why);
	return true;
}
