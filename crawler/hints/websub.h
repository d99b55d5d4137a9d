/*
 * WebSub: hubs that say when a feed has changed (SPEC R-147).
 *
 *	a reading names the hub of a feed -> the hub is asked to subscribe
 *	-> it asks back whether that was meant -> until the end of the lease it
 *	posts a notification for each change, signed with a secret
 *
 * A notification is a hint of the feed; what it brings is not looked at, but
 * for its signature.  Nothing is stored: after a start a feed is subscribed to
 * when a reading names its hub again.
 */
#ifndef FRESHET_WEBSUB_H
#define FRESHET_WEBSUB_H

#include <stdint.h>

#include "base/slice.h"
#include "crawler/hints/hints.h"

#define WEBSUB_PATH "/websub/"

struct http_answer;
struct http_question;
struct serve_query;
struct websub;

/* websub_new(options), websub_free(websub): the options are borrowed; NULL is
 * ignored. */
struct websub *websub_new(const struct hints_options *);
void websub_free(struct websub *);

/* websub_feed(websub, site_id, url, hub): a reading of that feed names a hub,
 * as it is written there. */
void websub_feed(
    struct websub *, int64_t site_id, struct slice url, struct slice hub);

/* websub_answer(websub, token, question, query, answer): a request for the path
 * /websub/TOKEN. */
void websub_answer(struct websub *, const char *token,
    const struct http_question *, const struct serve_query *,
    struct http_answer *);

#endif
