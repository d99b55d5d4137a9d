/* How the owner of the store changes the feed's consumers. */
#include "crawler/control/feed_serve.h"

#include "crawler/cli/out.h"
#include "crawler/control/control.h"
#include "crawler/control/crawler.h"
#include "crawler/event/exit.h"
#include "crawler/event/ndjson.h"
#include "crawler/feed/feed_batch.h"
#include "store/feed.h"
#include "store/store.h"

const char *
feed_verb_name(enum feed_verb verb)
{
	static const char *const names[] = {"open", "ack", "forget"};

	return names[verb];
}

/* Make the change in the open transaction; why: what is wrong, for people. */
static int
feed_change(struct store *store, const struct feed_request *request,
    int64_t now_s, struct buf *why)
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

static bool
feed_take(const struct ndjson *object, struct feed_request *request)
{
	struct slice verb = ndjson_text(object, "verb");
	int i = FEED_OPEN;

	while (i <= FEED_FORGET &&
	    !slice_is(verb, feed_verb_name((enum feed_verb)i)))
		i++;
	*request = (struct feed_request){.verb = (enum feed_verb)i,
	    .consumer = ndjson_text(object, "consumer"),
	    .tags = ndjson_text(object, "tags"),
	    .cursor = ndjson_text(object, "cursor")};
	return i <= FEED_FORGET && request->consumer.len > 0;
}

struct control_client *
feed_serve(struct crawler *crawler, struct control_peer *peer,
    const struct ndjson *object)
{
	struct feed_request request;
	struct buf why;
	int status = EXIT_USAGE;

	buf_init(&why, SIZE_MAX);
	if (feed_take(object, &request))
		status = feed_change(
		    crawler->store, &request, loop_now_s(crawler->loop), &why);
	else
		(void)buf_print(&why,
		    "the process that holds the store does not know what is "
		    "asked of it");
	(void)crawler_commit(
	    crawler, peer, slice_of(""), status, buf_text(&why));
	buf_release(&why);
	return NULL;
}
