/* Finding what is to be told, in which words, and telling it. */
#ifndef FRESHET_ALERT_SEND_H
#define FRESHET_ALERT_SEND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/slice.h"
#include "crawler/cli/network.h"
#include "crawler/cli/options.h"
#include "store/alert.h"

struct site_events_waiting;
struct store;
struct url;

/* What could not be told for so long is given up. */
#define ALERT_KEEP_S (14 * INT64_C(86400))

/* The ways to tell; the store has these numbers. */
enum alert_sink { ALERT_EXEC, ALERT_WEBHOOK, ALERT_ATOM, ALERT_SINKS };

/* Their names for people. */
extern const char *const alert_sink_names[ALERT_SINKS];

/* alert_has_sink(rule, sink): does the rule tell in this way? */
bool alert_has_sink(const struct alert_rule *, enum alert_sink);

struct alert_event {
	int64_t site_id;
	int64_t known_s;
	size_t place; /* in the order in which events were found */
	size_t turn; /* how many of its site come before */
	unsigned rank; /* see site_event_rank() */
	uint64_t count; /* pages */
	char *line; /* owned: for people */
	char *json; /* owned */
};

/* A rule that tells in one way. */
struct alert_way {
	const struct alert_rule *rule;
	enum alert_sink sink;
	bool is_new; /* the store knows nothing of it */
	bool is_past; /* its events of before, for a feed */
	struct store_alert was; /* of the store */
	struct store_alert next; /* once its events are told; has no `why` */
	/* owned: sites whose events are told up to an earlier time only */
	struct store_alert_site *sites;
	size_t site_count, site_cap;
	struct alert_event *events; /* owned; in the order of known_s */
	size_t count, cap;
	uint64_t dropped; /* events that are given up */
	int64_t since_s; /* its beginning in the site at hand */
};

struct alert_ways {
	struct alert_way *items; /* owned */
	size_t count;
};

/* alert_gather(store, options, ways): all ways of all alerts of the options,
 * and what each has to tell now. */
void alert_gather(struct store *, const struct options *, struct alert_ways *);
void alert_ways_release(struct alert_ways *);

/* alert_look(store, options, until_s, way, waiting): find what the rule of a
 * way tells of what was known from way->was.until_s to until_s.
 * With `waiting`, only count the events that the rule will tell from
 * way->since_s on if they are not taken back; they wait until it is known
 * whether their pages moved. alert_way_release(way): free what the way owns. */
void alert_look(struct store *, const struct options *, int64_t until_s,
    struct alert_way *, struct site_events_waiting *waiting);
void alert_way_release(struct alert_way *);

/* alert_complain_tags(store, rule): say on stderr which tags of the rule no
 * site of the watch list has: of these the rule tells nothing. */
void alert_complain_tags(struct store *, const struct alert_rule *);

/* alert_tell(way, store, options, network, why): tell all events of the way as
 * one message; false, with a reason, if that fails.
 * alert_try(rule, sink, network, now_s, why): tell that this is a test, or look
 * whether the folder of an Atom file can be written. */
bool alert_tell(struct alert_way *, struct store *, const struct options *,
    struct network *, struct buf *why);
bool alert_try(const struct alert_rule *, enum alert_sink, struct network *,
    int64_t now_s, struct buf *why);

/* A POST of a JSON text. */
struct alert_post {
	const struct url *url; /* which the operator named, with its port */
	const char *body;
	const char *who; /* begins the reason: "the webhook" */
	struct buf *why;
	/* results: */
	int status; /* 0: there was no answer */
	int64_t retry_after_s; /* -1: none */
};

/* alert_post(network, post): send it, and wait for the answer, of which nothing
 * but the status is read.  Redirects are not followed, and an address that the
 * policy does not allow is not asked.  False, with a reason appended to *why,
 * unless the answer is a 2xx. */
bool alert_post(struct network *, struct alert_post *);

/* alert_next_s(now_s, tries): when to try again after so many attempts in a row
 * that failed. */
int64_t alert_next_s(int64_t now_s, int64_t tries);

/* alert_is_to_end(): has somebody asked this process to end? */
bool alert_is_to_end(void);

/* alert_put_chat(out, text): append the text so that a chat shows it as it is
 * and does nothing. */
void alert_put_chat(struct buf *, struct slice text);

#endif
